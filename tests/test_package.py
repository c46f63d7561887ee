"""The package as a whole: what it exports, and what it does not load."""

import subprocess
import sys

import pytest

import softclust


def loaded_after(code):
    script = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_is_light():
    modules = loaded_after("import softclust")
    assert not {"numpy", "numba", "sklearn", "scipy", "pyarrow", "matplotlib"} & modules


def test_numba_waits_for_the_first_fit_and_matplotlib_for_the_first_picture():
    modules = loaded_after("from softclust import FuzzyCMeans, plotting; FuzzyCMeans(3)")
    assert {"sklearn", "softclust.plotting"} <= modules
    assert not {"numba", "llvmlite", "matplotlib"} & modules


def test_help_is_light():
    modules = loaded_after("from softclust.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass")
    assert not {"numpy", "numba", "sklearn", "scipy"} & modules


@pytest.mark.parametrize("name", softclust.__all__)
def test_every_name_is_there(name):
    assert getattr(softclust, name) is not None
    assert name in dir(softclust)


def test_unknown_names_say_so():
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        softclust.Nothing  # noqa: B018


def test_catalogue():
    entries = softclust.catalogue()
    expected = "hcm kmeans skmeans fcm sfcm swfcm pcm pcm-entropy rpcm srpcm spcm pfcm spfcm ipcm ipcm2"
    assert set(expected.split()) <= set(entries)
    for acronym, entry in entries.items():
        assert entry.acronym == acronym
        assert entry.paper
        assert entry.name
        model = softclust.make(acronym, n_clusters=4)
        assert type(model).__name__ == entry.estimator
        assert model.n_clusters == 4
        for key, value in entry.parameters.items():
            assert getattr(model, key) == value


def test_a_fitted_estimator_holds_no_rows_and_a_fit_loads_no_progress_bars():
    """The first lines: the module `softclust.catalogue` does not hide the function of this name."""
    code = """
import gc, sys, numpy as np, softclust
softclust.make
assert "fcm" in softclust.catalogue()
from softclust.sources.rows import Rows
X = np.random.default_rng(0).normal(size=(60, 2))
pairs = {"must_link": [[0, 1]], "cannot_link": [[2, 3]]}
names = "fcm", "ecm", "kmeans", "gmm"
models = [softclust.make(name, 2, random_state=0).fit(X, **pairs) for name in names]
models.append(softclust.FuzzyCMeans(2, geometry="ellipsoids", random_state=0).fit(X, [0, 1] + 58 * [-1]))
gc.collect()
assert not [thing for thing in gc.get_objects() if isinstance(thing, Rows)]
assert not {"rich", "sklearn.callback"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
