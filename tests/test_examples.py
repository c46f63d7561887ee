"""The examples run without warnings, tell what they promise, and draw figures that are not cut off."""

import ast
import re
import runpy
from pathlib import Path

import matplotlib
import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
WORDS = {
    "a_few_labels": "with 200",
    "ask_the_expert": "where in doubt: 0.9",
    "calibration": "mixture: calibration error 0.01",
    "centres_far_apart": "warned: The centres of clusters",
    "checkpoint": "same bits: True",
    "comparison": "rings: 100% of the rows are right",
    "dask": "within 0.03 of the true ones",
    "dimension": "m = 2: 0.70",
    "doubt_and_pairs": "with 15 labels and 30 pairs: 0.96",
    "ellipses_in_noise": "semi-axes 3.0 and 1.5",
    "embeddings": "directions: adjusted Rand index 0.9",
    "geometry_of_your_own": "FuzzyCMeans: 89% right",
    "how_many_clusters": "chooses 3",
    "label_spreading": "FuzzyLabelSpreading with six labels: 99.8% right",
    "masses_on_a_plane": "row 302: none: 0.67",
    "medoids_with_any_metric": "fuzz: fuzzy, fuzzier, fuzz, fuzziness, buzz",
    "mixture_with_noise": "20 of the 20 planted",
    "noise_in_the_data": "a noise cluster: centres are 0.09",
    "outliers": "of the 20 highest scores 20 are planted noise",
    "pairs": "with 40 pairs: 99% right",
    "picture_segments": "with neighbours: 99.7%",
    "rows_by_blocks": "blocks against memory: 0e+00",
    "shells_and_lines": "shells: 98% of the rows are right",
    "soft_labels": "'gives degrees': '97%'",
    "typicality": "point 10: memberships [0.5 0.5]",
    "wrong_labels": "wrong are [ 96 163 173 259 461 576]",
}
_TOLERANCE = 0.02  # inches: the edge of a line
SLOW = {"a_few_labels", "ask_the_expert", "checkpoint", "comparison", "dimension", "how_many_clusters"}
SLOW |= {"picture_segments", "soft_labels"}


def name_of(path):
    return path.stem.removeprefix("plot_")


def test_every_example_is_known():
    assert {path.stem for path in EXAMPLES} == {f"plot_{name}" for name in WORDS}
    assert len(EXAMPLES) >= 22


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_an_example_has_a_title_and_ends_with_a_sentence_to_take_home(path):
    source = path.read_text()
    title, underline = ast.get_docstring(ast.parse(source)).splitlines()[:2]
    assert underline == "=" * len(title)
    last = source.split("\n# %%\n")[-1].splitlines()
    assert last[0].startswith("# Take home: ")
    assert all(line.startswith("# ") for line in last)
    for heading, line in re.findall(r"\n# %%\n# (.+)\n# (-+)\n", source):
        assert len(line) == len(heading), heading


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.slow if name_of(path) in SLOW else ()) for path in EXAMPLES],
    ids=name_of,
)
def test_an_example_runs(path, capsys, monkeypatch):
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: None)  # windows are for people
    runpy.run_path(str(path), run_name="__main__")
    assert WORDS[name_of(path)] in capsys.readouterr().out
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    for figure in figures:
        assert_nothing_is_cut_off(figure)


def assert_nothing_is_cut_off(figure):
    """Words and lines end before the edge of the figure does."""
    figure.canvas.draw()
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert min(drawn.x0, drawn.y0) > -_TOLERANCE
    assert max(drawn.x1 - width, drawn.y1 - height) < _TOLERANCE
