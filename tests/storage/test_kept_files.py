"""Files that released versions wrote are read by this one, and mean the same.

`tools/keep_files.py` writes them, once for each version.
"""

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

import softclust
from softclust.active import Session

KEPT = sorted(Path(__file__).with_name("kept").iterdir())
MODELS = [path for folder in KEPT for path in sorted(folder.glob("*.zip"))]
X = load_iris().data


def said(model, rows):
    """What a model says of rows: memberships, or distances where it has none."""
    return np.asarray(
        model.predict_proba(rows) if hasattr(model, "predict_proba") else model.transform(rows)
    )


def test_every_estimator_is_kept():
    newest = KEPT[-1]
    kinds = {type(softclust.load(path)).__name__ for path in newest.glob("*.zip")}
    assert kinds == {name for name in softclust.__all__ if hasattr(getattr(softclust, name), "fit")}


@pytest.mark.parametrize("path", MODELS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_model_says_what_it_said(path):
    model = softclust.load(path)
    with np.load(path.with_name("answers.npz")) as answers:
        assert_allclose(said(model, X[::7]), answers[path.stem], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_a_checkpoint_gives_its_fit_without_work(folder, tmp_path):
    shutil.copy(folder / "checkpoint", tmp_path / "checkpoint")
    model = softclust.FuzzyCMeans(3, random_state=0, checkpoint=tmp_path / "checkpoint").fit(X)
    plain = softclust.FuzzyCMeans(3, random_state=0).fit(X)
    assert_allclose(model.cluster_centers_, plain.cluster_centers_, rtol=1e-6)


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_a_session_goes_on(folder):
    session = Session.load(folder / "session.jsonl", X)
    assert session.classes == ("setosa", "versicolor", "virginica")
    assert session.must_link.tolist() == [[1, 2]]
    assert session.cannot_link.tolist() == []
    assert session.redo().cannot_link.tolist() == [[1, 80]]
    assert session.y[60].tolist() == [0, 1, 1]
    assert session.y[5].tolist() == [0, 0, 0]
    assert set(session.asked) == {0, 3, 5, 60, 70}
