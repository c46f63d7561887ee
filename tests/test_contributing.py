"""What CONTRIBUTING tells is what happens."""

import re
from pathlib import Path

import numpy as np
import pytest

from oracles import polynomial

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


@pytest.fixture
def told(capsys):
    """The names that the worked example defines, and what it prints."""
    names = {"__name__": "contributing"}
    for block in re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL):
        exec(compile(block, "CONTRIBUTING.md", "exec", dont_inherit=True), names)
    return names, capsys.readouterr().out


def test_the_worked_example_runs(told):
    assert told[1].startswith("True [")


def test_the_worked_example_equals_its_oracle_and_the_library(told, iris):
    names, _ = told
    D = np.random.default_rng(0).exponential(size=(200, 4))
    U, _ = polynomial.memberships(D, 0.5, 0.0)
    np.testing.assert_allclose(names["Softened"](0.5).memberships(D), U, atol=1e-12)
    from softclust import FuzzyCMeans

    V = iris[0][[0, 60, 120]]
    ours = FuzzyCMeans(3, fuzzifier="polynomial", init=V).fit(iris[0])
    example = names["SoftenedCMeans"](3, init=V).fit(iris[0])
    np.testing.assert_allclose(example.memberships_, ours.memberships_, atol=1e-9)


def test_files_and_folders_that_it_names_exist():
    named = re.findall(r"`((?:\w+/)+[\w.]*)`", TEXT)
    assert named
    for name in named:
        places = ROOT / name, ROOT / "src/softclust" / name, ROOT / "src/softclust/estimators" / name
        assert any(place.exists() for place in places), name


def test_the_glossary_has_twenty_words():
    rows = TEXT.split("## Glossary")[1].split("\n\n")[1].splitlines()[2:]
    assert len(rows) >= 20
