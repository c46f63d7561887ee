"""The examples run, and tell what they promise."""

import importlib.util
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
WORDS = {
    "a_few_labels": "without labels",
    "centres_far_apart": "the nearest two centres are",
    "doubt_and_pairs": "with 15 labels and 30 pairs",
    "ellipses_in_noise": "semi-axes 3.0 and 1.5",
    "geometry_of_your_own": "right",
    "how_many_clusters": "chooses 3",
    "medoids_with_any_metric": "fuzz",
    "mixture_with_noise": "of the 20 planted",
    "noise_in_the_data": "SWFCM: centres are",
}


def test_every_example_is_known():
    assert {path.stem for path in EXAMPLES} == set(WORDS)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path, capsys):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()
    assert WORDS[path.stem] in capsys.readouterr().out
