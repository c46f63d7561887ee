"""Private names of other packages: each is used here once, to name the release that changes one."""

import subprocess
import sys

import numpy as np
import pytest

from softclust.compat import numba as compat
from softclust.kernels import centers


def run(code, **environment):
    import os

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


FIT_OF_A_KERNEL = """
import warnings, numpy as np
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    from softclust.kernels import centers, density, quasi_newton
    found = centers.longest(np.zeros((2, 3)), np.ones((2, 3)))
assert found == 1.0
print([f"{w.category.__name__}: {w.message}" for w in heard])
"""


def test_without_a_place_to_write_kernels_are_compiled_in_memory_with_one_warning():
    said = run(FIT_OF_A_KERNEL, NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator", NUMBA_CACHE_DIR="")
    assert said.count("RuntimeWarning") == 1
    assert "NUMBA_CACHE_DIR" in said


@pytest.mark.slow
def test_without_a_place_to_write_a_fit_works():
    code = (
        "import numpy as np, softclust; X = np.random.default_rng(0).normal(size=(60, 2))\n"
        "print(softclust.FuzzyCMeans(2, random_state=0).fit(X).objective_)"
    )
    there = run(code, NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator", NUMBA_CACHE_DIR="")
    assert there == run(code)


def files_of(tmp_path):
    """A pass cache in a folder of its own."""
    cache = compat._PassCache(centers._longest.py_func)
    cache._cache_file._files._cache_path = str(tmp_path)
    return cache._cache_file


def test_compiled_code_is_found_by_its_key_alone(tmp_path, monkeypatch):
    files = files_of(tmp_path)
    files.save(("float32", "some CPU"), 1)
    files.save(("float64", "some CPU"), 2)
    files.save(("float32", "another CPU"), 3)
    assert [files.load(key) for key in (("float32", "some CPU"), ("float64", "some CPU"))] == [1, 2]
    assert files.load(("float32", "another CPU")) == 3
    assert files.load(("float64", "another CPU")) is None


def test_compiled_code_of_other_sources_is_not_found_and_goes(tmp_path, monkeypatch):
    files = files_of(tmp_path)
    files.save("key", 1)
    monkeypatch.setattr(compat, "_source_digest", lambda: "f" * 64)
    assert files.load("key") is None
    files.save("key", 2)
    assert files.load("key") == 2
    assert len([*tmp_path.iterdir()]) == 1


@pytest.mark.parametrize("damage", [b"", b"not a pickle", None])
def test_a_damaged_file_is_compiled_again(damage, tmp_path):
    files = files_of(tmp_path)
    files.save("key", 1)
    (path,) = tmp_path.iterdir()
    if damage is None:  # of another key under this name
        files._files._save_data(path.name, ("another", 7))
    else:
        path.write_bytes(damage)
    assert files.load("key") is None


def test_a_digest_of_all_kernels():
    assert len(compat._source_digest()) == 64
    assert np.unique([compat._source_digest() for _ in range(2)]).size == 1


def test_scikit_learn_still_loads_statistics_with_its_base():
    """If this fails, `compat/scipy_stats.py` is no longer needed: remove the stand-in."""
    assert "True" in run("import sys, sklearn.base; print('scipy.stats' in sys.modules)")


def test_the_stand_in_can_be_switched_off():
    code = "import sys, softclust; softclust.FuzzyCMeans; print('scipy.stats' in sys.modules)"
    assert run(code) == "False\n"
    assert run(code, SOFTCLUST_SCIPY_STATS="1") == "True\n"
