"""Rows in files: the same bits as rows in memory, and one sentence where a file does not fit."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import softclust as sc
from softclust.sources import files


@pytest.fixture(autouse=True)
def spool(tmp_path, monkeypatch):
    monkeypatch.setenv("SOFTCLUST_SPOOL", str(tmp_path / "spool"))
    return tmp_path / "spool"


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=5, size=(3, 4))
    return centres[rng.integers(3, size=20_000)] + rng.normal(size=(20_000, 4))


def fitted(X):
    return sc.FuzzyCMeans(3, random_state=0).fit(X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_npy_file(rows, dtype, tmp_path):
    X = rows.astype(dtype)
    np.save(tmp_path / "x.npy", X)
    for path in (tmp_path / "x.npy", str(tmp_path / "x.npy")):
        model = fitted(path)
        assert_array_equal(model.memberships_, fitted(X).memberships_)
        assert model.memberships_.dtype == dtype
        assert_array_equal(model.predict(path), model.labels_)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_parquet_file(rows, dtype, tmp_path, spool):
    frame = pd.DataFrame(rows.astype(dtype), columns=list("abcd"))
    path = tmp_path / "x.parquet"
    frame.to_parquet(path, row_group_size=3000)
    model = fitted(path)
    assert_array_equal(model.memberships_, fitted(frame).memberships_)
    assert list(model.feature_names_in_) == list("abcd")
    kept = [file.name for file in spool.iterdir()]
    assert len(kept) == 1
    assert kept[0].endswith(".npy")
    assert_array_equal(model.predict(path), model.labels_)
    assert [file.name for file in spool.iterdir()] == kept
    frame.iloc[::-1].to_parquet(path)  # another file under the same name
    assert_array_equal(model.predict(path)[::-1], model.labels_)
    frame.rename(columns={"a": "z"}).to_parquet(path)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(path)


def test_an_iterator_factory(rows, spool):
    calls = []

    def blocks():
        calls.append(1)
        return (rows[i : i + 999] for i in range(0, len(rows), 999))

    assert_array_equal(fitted(blocks).memberships_, fitted(rows).memberships_)
    assert calls == [1]
    assert list(spool.iterdir()) == []


def test_a_memory_map_is_not_copied(rows, tmp_path):
    np.save(tmp_path / "x.npy", rows)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert_array_equal(fitted(mapped).memberships_, fitted(rows).memberships_)


def test_files_that_do_not_fit(rows, tmp_path, spool):
    with pytest.raises(FileNotFoundError, match=r"nothing\.npy does not exist"):
        fitted(tmp_path / "nothing.npy")
    (tmp_path / "x.txt").write_text("1 2")
    with pytest.raises(ValueError, match=r"ends in \.txt; \.npy and \.parquet can be read"):
        fitted(tmp_path / "x.txt")
    pd.DataFrame({"a": [1.0, 2.0], "word": ["x", "y"]}).to_parquet(tmp_path / "w.parquet")
    with pytest.raises(ValueError, match="column 'word' holds"):
        fitted(tmp_path / "w.parquet")
    pd.DataFrame({"a": [1.0, None, 3.0], "b": [1.0, 2.0, 3.0]}).to_parquet(tmp_path / "n.parquet")
    with pytest.raises(ValueError, match="NaN"):
        fitted(tmp_path / "n.parquet")
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        fitted(lambda: iter([]))
    with pytest.raises(ValueError, match="Row 5 begins a block of 3 features; those before have 4"):
        fitted(lambda: iter([np.zeros((5, 4)), np.zeros((5, 3))]))
    with pytest.raises(ValueError, match="1 dimensions"):
        fitted(lambda: iter([np.zeros(5)]))
    assert [f.name for f in spool.iterdir() if f.name.endswith(".half")] == []
    np.save(tmp_path / "o.npy", np.array([[{}]]), allow_pickle=True)
    with pytest.raises(ValueError, match="Python objects"):
        fitted(tmp_path / "o.npy")


def test_paths_that_are_not_taken(rows, tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, rows)
    with pytest.raises(ValueError, match="list of 2 paths; one path, or a dask collection"):
        sc.FuzzyCMeans(3).fit([path, str(path)])
    with pytest.raises(ValueError, match=r"np.load\(path, mmap_mode='r'\) or a dask collection"):
        sc.KMedoids(3).fit(path)
    with pytest.raises(ValueError, match="no functions"):
        sc.KMedoids(3).fit(lambda: iter([rows]))


def test_the_spool_is_private(spool):
    files.folder()
    if os.name == "posix":
        assert spool.stat().st_mode & 0o077 == 0


LARGE = """
import resource, sys
import numpy as np
import softclust as sc
X = np.lib.format.open_memmap(sys.argv[1], mode="w+", dtype=np.float32, shape=(4_000_000, 64))
rng = np.random.default_rng(0)
centres = rng.normal(scale=4, size=(4, 64))
for i in range(0, len(X), 100_000):
    X[i:i+100_000] = centres[rng.integers(4, size=100_000)] + rng.normal(size=(100_000, 64))
X.flush()
del X
model = sc.FuzzyCMeans(4, random_state=0, max_iter=5, tol=1e-3)
model.fit(sys.argv[1])
"""


@pytest.mark.slow
def test_a_file_larger_than_the_memory_allowed(tmp_path):
    """1 GB of rows in a process whose data segment is limited to 900 MB, all that is loaded included."""
    code = "import resource; resource.setrlimit(resource.RLIMIT_DATA, (900 << 20, 900 << 20))\n" + LARGE
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "x.npy")], check=True, timeout=300
    )
