"""Private names of other packages: each is used here once, to name the release that changes one."""

import subprocess
import sys

import numba
import numpy as np
import pytest

from onlookers import skip_without_callbacks
from softclust.compat import numba as compat
from softclust.kernels.compiled import centers
from softclust.kernels.tiers import source_digest


def run(code, **environment):
    import os

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


NO_PLACE = {
    "SOFTCLUST_NATIVE": "0",
    "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",
    "NUMBA_CACHE_DIR": "",
}
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
    if not hasattr(numba.config, "CACHE_LOCATOR_CLASSES"):
        pytest.skip("this Numba cannot be told that there is no place to write")
    said = run(FIT_OF_A_KERNEL, **NO_PLACE)
    assert said.count("RuntimeWarning") == 1
    assert "NUMBA_CACHE_DIR" in said


@pytest.mark.slow
def test_without_a_place_to_write_a_fit_works():
    code = (
        "import numpy as np, softclust; X = np.random.default_rng(0).normal(size=(60, 2))\n"
        "print(softclust.FuzzyCMeans(2, random_state=0).fit(X).objective_)"
    )
    assert run(code, **NO_PLACE) == run(code, SOFTCLUST_NATIVE="0")


def files_of(tmp_path, sources="0" * 64):
    """A pass cache in a folder of its own."""
    cache = compat._PassCache(centers.longest.py_func, sources)
    cache._cache_file._files._cache_path = str(tmp_path)
    return cache._cache_file


def test_compiled_code_is_found_by_its_key_alone(tmp_path):
    files = files_of(tmp_path)
    files.save(("float32", "some CPU"), 1)
    files.save(("float64", "some CPU"), 2)
    files.save(("float32", "another CPU"), 3)
    assert [files.load(key) for key in (("float32", "some CPU"), ("float64", "some CPU"))] == [1, 2]
    assert files.load(("float32", "another CPU")) == 3
    assert files.load(("float64", "another CPU")) is None


def test_compiled_code_of_other_sources_is_not_found_and_goes(tmp_path):
    files_of(tmp_path).save("key", 1)
    files = files_of(tmp_path, "f" * 64)
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
    assert len(source_digest()) == 64


def test_scikit_learn_still_loads_statistics_with_its_base():
    """If this fails, `compat/scipy_stats.py` is no longer needed: remove the stand-in."""
    assert "True" in run("import sys, sklearn.base; print('scipy.stats' in sys.modules)")


def test_the_stand_in_can_be_switched_off():
    """`test_loading` shows that it is on otherwise."""
    code = "import sys, softclust; softclust.FuzzyCMeans; print('scipy.stats' in sys.modules)"
    assert run(code, SOFTCLUST_SCIPY_STATS="1") == "True\n"


def version_of(package):
    from importlib.metadata import version

    return f"{package} {version(package)}"


PRIVATE = {  # package: (module, name) that `softclust.compat` uses
    "scikit-learn": [
        ("sklearn.base", "BaseEstimator._validate_params"),
        ("sklearn.utils._param_validation", "Interval"),
        ("sklearn.utils._param_validation", "InvalidParameterError"),
        ("sklearn.utils._param_validation", "validate_parameter_constraints"),
        ("sklearn.callback._callback_support", "callback_management_context"),
        ("sklearn.callback._callback_support", "CallbackSupportMixin._init_callback_context"),
    ],
    "numba": [
        ("numba.core.caching", "FunctionCache._load_overload"),
        ("numba.core.caching", "FunctionCache._guard_against_spurious_io_errors"),
        ("numba.core.caching", "IndexDataCacheFile._load_data"),
        ("numba.core.caching", "IndexDataCacheFile._save_data"),
        ("numba.core.caching", "NullCache"),
    ],
    "numpy": [("numpy.lib.format", "write_array_header_2_0"), ("numpy.lib.format", "dtype_to_descr")],
    "distributed": [("distributed.actor", "Actor._worker_rpc")],
}


@pytest.mark.parametrize("package", PRIVATE)
def test_private_names_are_there(package):
    """If this fails, the named version is the first without a name that `softclust.compat` uses."""
    from importlib import import_module

    for module, name in PRIVATE[package]:
        if module.startswith("sklearn.callback"):
            skip_without_callbacks()
        found = import_module(module)
        for part in name.split("."):
            assert hasattr(found, part), f"{version_of(package)} has no {module}.{name}"
            found = getattr(found, part)


def test_a_mapped_array_can_be_read_ahead(tmp_path):
    from softclust.compat.numpy import read_ahead, write_header

    path = tmp_path / "rows.npy"
    with open(path, "wb") as file:
        write_header(file, (0, 3), np.dtype("f8"))
        file.write(np.ones((4, 3)).data)
        file.seek(0)
        write_header(file, (4, 3), np.dtype("f8"))
    rows = np.load(path, mmap_mode="r")
    read_ahead(rows)
    assert np.array_equal(rows, np.ones((4, 3))), version_of("numpy")


def test_an_actor_can_be_asked_directly():
    from distributed import Client

    from softclust.compat.dask import address_of, ask_directly, current_client, meta_of

    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        assert current_client() is client
        actor = client.submit(Counter, actor=True).result()
        assert address_of(actor).startswith("inproc"), version_of("distributed")
        ask_directly(actor, client)
        assert actor.more().result() == 1, version_of("distributed")
    import dask.array as da

    assert meta_of(da.ones((4, 3))).shape == (0, 3)


class Counter:
    """An actor."""

    count = 0

    def more(self):
        self.count += 1
        return self.count


def test_only_compat_uses_private_names():
    """Private names of other packages stand in `softclust.compat` alone."""
    import re
    from pathlib import Path

    source = Path(compat.__file__).parents[1]
    pattern = re.compile(
        r"(?:from|import) (?:sklearn|numba|distributed|dask|scipy|numpy)[\w.]*\._\w+|_param_validation"
    )
    for path in source.rglob("*.py"):
        if path.parent.name != "compat":
            assert not pattern.search(path.read_text()), path
