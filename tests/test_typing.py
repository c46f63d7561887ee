"""Editors and type checkers see public names, parameters and docstrings without running code."""

import inspect

import jedi
import pytest

import softclust
import softclust.estimators

ESTIMATORS = softclust.estimators.__all__


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    """Jedi keeps what it parsed in the user's folder, where other processes read files half written."""
    before = jedi.settings.cache_directory
    jedi.settings.cache_directory = str(tmp_path_factory.mktemp("jedi"))
    yield
    jedi.settings.cache_directory = before


def completed(text):
    """What an editor offers at the end of the text."""
    return {found.name for found in jedi.Script(text).complete()}


def test_the_public_names_are_completed():
    assert set(softclust.__all__) <= completed("import softclust\nsoftclust.")
    assert completed("import softclust\nsoftclust.Fuzzy") == {"FuzzyCMeans", "FuzzyLabelSpreading"}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters_are_completed(name):
    names = set(inspect.signature(getattr(softclust, name)).parameters)
    offered = completed(f"import softclust\nsoftclust.{name}(")
    assert names <= {word.removesuffix("=") for word in offered}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_methods_are_completed_and_said_in_words(name):
    assert {"fit", "predict", "predict_proba", "transform"} <= completed(
        f"import softclust\nsoftclust.{name}()."
    )
    (found,) = jedi.Script(f"import softclust\nsoftclust.{name}").goto(follow_imports=True)
    shown = found.docstring(raw=True)
    assert len(shown) > 300
    assert "{" not in shown.replace('{"', "").replace("{1", "").replace("{0", "")


def test_the_package_tells_that_it_has_types():
    from importlib.resources import files

    assert files("softclust").joinpath("py.typed").is_file()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_defaults_are_described_as_they_are(name):
    cls = getattr(softclust, name)
    doc = inspect.getdoc(cls)
    described = doc.split("Attributes\n----------")[0]
    for parameter, about in inspect.signature(cls).parameters.items():
        lines = [line for line in described.splitlines() if line.startswith(f"{parameter} :")]
        assert len(lines) == 1, parameter
        value = about.default
        shown = f'"{value}"' if isinstance(value, str) else repr(value).replace("e-0", "e-")
        assert f"default={shown}" in lines[0]
