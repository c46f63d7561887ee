"""`softclust fit --dask`: many files, a cluster on this machine, memberships block by block."""

import json

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster
from sklearn.metrics import adjusted_rand_score

import softclust as sc
from calling import call

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three files of 2,000 rows, with a label for every fiftieth."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=6, size=(3, 4))
    truth = rng.integers(3, size=6000)
    frame = pd.DataFrame(centres[truth] + rng.normal(size=(6000, 4)), columns=list("abcd"))
    frame["kind"] = [("x", "y", "z")[k] if i % 50 == 0 else None for i, k in enumerate(truth)]
    for k in range(3):
        frame.iloc[2000 * k : 2000 * (k + 1)].to_parquet(f"part{k}.parquet")
    return truth


PARTS = ["part0.parquet", "part1.parquet", "part2.parquet"]


def test_many_files_on_a_cluster(folder, capsys):
    assert call("fit", *PARTS, "--labels", "kind", "--dask", "--out", "m.parquet", "--model", "m.zip") == 0
    said = capsys.readouterr()
    assert said.out == ""
    for words in ("A cluster on this machine", "6,000 rows", "rows a second", "m.parquet", "m.zip"):
        assert words in said.err
    told = pd.read_parquet("m.parquet")
    assert list(told["row"]) == list(range(6000))
    assert adjusted_rand_score(folder, told["cluster"]) > 0.9
    shares = told[[f"membership_{name}" for name in "xyz"]].to_numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    rows = pd.concat([pd.read_parquet(part) for part in PARTS])[list("abcd")].to_numpy()
    model = sc.load("m.zip")
    np.testing.assert_allclose(model.scaling_, [rows.mean(axis=0), rows.std(axis=0)])
    rows = (rows - model.scaling_[0]) / model.scaling_[1]
    assert (model.predict(rows) == [list("xyz").index(k) for k in told["cluster"]]).mean() > 0.99
    assert call("fit", *PARTS, "--labels", "kind", "--out", "here.csv") == 0
    assert (pd.read_csv("here.csv")["cluster"] == told["cluster"]).all()


def test_a_summary_for_programs_from_a_cluster_that_is_there(folder, capsys):
    with LocalCluster(1, processes=False, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster:
        command = ("fit", *PARTS, "--clusters", "3", "--scheduler", cluster.scheduler_address)
        assert call(*command, "--json", "--out", "m.csv") == 0
    said = capsys.readouterr()
    assert "Columns left out: 'kind' (text)." in said.err
    told = json.loads(said.out)
    assert sum(cluster["rows"] for cluster in told["clusters"]) == 6000
    assert len(pd.read_csv("m.csv")) == 6000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--columns", "kind", "--dask"], "column 'kind' of part0.parquet is not numeric"),
        (["--drop", "kind", "--dask", "--id", "a"], "--id does not go with --dask"),
        (["--drop", "kind", "--dask", "--report", "r.html"], "--report does not go with --dask"),
        (["--drop", "kind", "--dask", "--out", "part0.parquet"], "exists"),
        (["--drop", "kind", "--dask", "--out", "m.arrow"], "written as .parquet or .csv"),
        (["--drop", "kind", "--scheduler", "tcp://127.0.0.1:1"], "no scheduler at tcp://127.0.0.1:1"),
    ],
)
def test_what_does_not_fit(arguments, sentence, folder, capsys, monkeypatch):
    monkeypatch.setattr("softclust.cli.cluster._PATIENCE", "300ms")
    assert call("fit", *PARTS, "--clusters", "3", *arguments) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_files_with_other_columns(folder, capsys):
    pd.DataFrame({"a": [1.0]}).to_parquet("other.parquet")
    assert call("fit", "part0.parquet", "other.parquet", "--drop", "kind", "--clusters", "3") == 2
    assert "The columns of other.parquet are a; those of part0.parquet are" in capsys.readouterr().err
