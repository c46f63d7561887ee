"""Labels that are certain, powers without a float, blocks of the wrong length, folders of other users."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import softclust as sc
from softclust.sources import files


def two_far_blobs():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (30, 1)), rng.normal(200, 1, (30, 1))])
    y = np.full(60, -1)
    y[0:3], y[31:34], y[40] = 0, 1, 0
    return X, y


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("strength", [0.5, 1.0, np.inf])
def test_a_certain_label_leaves_no_other_component(strength, dtype):
    X, y = two_far_blobs()
    model = sc.GaussianMixture(2, label_strength=strength, random_state=0).fit(X.astype(dtype), y)
    told = y >= 0
    assert (model.classes_[model.labels_[told]] == y[told]).all()
    assert model.memberships_[40, 0] == 1.0
    assert len(model.unsatisfied_) == 0


def test_a_label_of_no_strength_says_nothing():
    X, y = two_far_blobs()
    strength = np.ones(60)
    strength[40] = 0.0
    model = sc.GaussianMixture(2, label_strength=strength, random_state=0).fit(X, y)
    assert model.labels_[40] == model.labels_[41]


@pytest.mark.parametrize(("power", "dtype"), [(700, np.float64), (100, np.float32)])
def test_a_power_without_a_float_is_refused(power, dtype):
    X = np.random.default_rng(0).normal(size=(60, 2)).astype(dtype)
    with pytest.raises(ValueError, match=f"cardinality_power={power}.*would fit"):
        sc.EvidentialCMeans(3, cardinality_power=power, random_state=0).fit(X)


@pytest.mark.parametrize(("weight", "dtype"), [(1e308, np.float64), (1e300, np.float32)])
@pytest.mark.parametrize("name", ["a", "b"])
def test_a_weight_without_a_float_is_refused(name, weight, dtype):
    X = np.random.default_rng(0).normal(size=(60, 2)).astype(dtype)
    with pytest.raises(ValueError, match=re.escape(f"{name}={weight:g} ") + ".*would fit"):
        sc.PossibilisticFuzzyCMeans(3, random_state=0, **{name: weight}).fit(X)


@pytest.mark.parametrize(("weight", "dtype"), [(1e290, np.float64), (1e30, np.float32)])
@pytest.mark.parametrize("name", ["a", "b"])
@pytest.mark.filterwarnings("ignore::softclust.DegenerateClusterWarning")
def test_the_greatest_weight_gives_numbers(name, weight, dtype):
    X = np.random.default_rng(0).normal(size=(60, 2)).astype(dtype)
    model = sc.PossibilisticFuzzyCMeans(3, random_state=0, **{name: weight}).fit(X)
    assert np.isfinite(model.objective_) and np.isfinite(model.memberships_).all()


def test_the_greatest_power_gives_numbers():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = sc.EvidentialCMeans(3, cardinality_power=300, random_state=0).fit(X)
    assert np.isfinite(model.masses_).all()


def test_a_block_shorter_than_declared_is_refused():
    da = pytest.importorskip("dask.array")
    X = np.random.default_rng(0).normal(size=(60, 2))
    short = da.from_array(X, chunks=(20, 2)).map_blocks(lambda block: block[:15], chunks=((20,) * 3, (2,)))
    with pytest.raises(ValueError, match="declares 60 rows from row 0 on, but its blocks hold 45"):
        sc.FuzzyCMeans(2, random_state=0).fit(short)


# ---------------------------------------------------------------------- the folder for rows
@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.delenv("SOFTCLUST_SPOOL", raising=False)
    monkeypatch.setattr(files.tempfile, "gettempdir", lambda: str(tmp_path))
    return tmp_path / f"softclust-{os.getuid()}"


def test_the_folder_for_rows_is_ours_alone(temporary):
    assert files.folder() == temporary
    assert temporary.stat().st_mode & 0o777 == 0o700
    assert files.folder() == temporary


def test_a_folder_that_others_may_enter_is_refused(temporary):
    temporary.mkdir(mode=0o777)
    temporary.chmod(0o777)
    with pytest.raises(PermissionError, match="SOFTCLUST_SPOOL"):
        files.folder()


def test_a_link_is_refused(temporary, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    temporary.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError, match="not a folder of yours"):
        files.folder()


def test_a_folder_of_another_user_is_refused(temporary, monkeypatch):
    temporary.mkdir(mode=0o700)
    real = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: real + 1)
    monkeypatch.setattr(files.tempfile, "gettempdir", lambda: str(temporary.parent))
    temporary.rename(temporary.with_name(f"softclust-{real + 1}"))
    with pytest.raises(PermissionError, match="not a folder of yours"):
        files.folder()


@pytest.mark.parametrize("native", ["0", "1"])
def test_without_the_jit_the_native_tier_fits_or_one_sentence_is_said(native):
    code = (
        "import numpy as np, softclust as sc; sc.FuzzyCMeans(2).fit(np.random.rand(30, 2)); print('fitted')"
    )
    settings = {
        "NUMBA_DISABLE_JIT": "1",
        "SOFTCLUST_NATIVE": native,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True)
    assert "fitted" in done.stdout or "NUMBA_DISABLE_JIT is set" in done.stderr
    assert "NotImplementedError" not in done.stderr
