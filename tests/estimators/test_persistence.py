"""Files without pickle: what is read equals what was written, and anything else is refused."""

import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

import softclust as sc
from configurations import defaults, few_shells
from softclust.storage import archive

X = load_iris().data
CASES = [pytest.param(name, make, id=name, marks=marks) for name, make, marks in few_shells()]

pytestmark = [
    pytest.mark.usefixtures("few_starts_of_shells"),
    pytest.mark.filterwarnings(
        "ignore::softclust.DegenerateClusterWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
    ),
]


@pytest.mark.parametrize(("name", "make"), CASES)
def test_round_trip(name, make, tmp_path):
    model = make(max_iter=5).fit(X)  # a file keeps what was found, at rest or not
    path = tmp_path / "model.zip"
    sc.save(model, path)
    again = sc.load(path)
    assert type(again) is type(model)
    assert again.get_params().keys() == model.get_params().keys()
    assert repr(again) == repr(model)
    assert_array_equal(again.predict_proba(X), model.memberships_)
    assert_array_equal(again.predict(X + 0.1), model.predict(X + 0.1))
    assert again.score(X) == model.score(X)
    for key, value in vars(model).items():
        if isinstance(value, np.ndarray):
            assert_array_equal(getattr(again, key), value)


@pytest.mark.parametrize(("name", "make"), defaults(), ids=[name for name, _ in defaults()])
def test_a_loaded_model_fits_again(name, make, tmp_path):
    model = make().fit(X)
    sc.save(model, tmp_path / "m")
    assert_array_equal(sc.load(tmp_path / "m").fit(X).memberships_, model.memberships_)


def test_names_and_classes_survive(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    y = np.full(150, None, dtype=object)
    y[[0, 60, 120]] = ["setosa", "versicolor", "virginica"]
    model = sc.FuzzyCMeans(3, init="k-means++", random_state=0).fit(frame, y)
    sc.save(model, tmp_path / "m")
    again = sc.load(tmp_path / "m")
    assert list(again.classes_) == ["setosa", "versicolor", "virginica"]
    assert list(again.feature_names_in_) == ["a", "b", "c", "d"]
    assert_array_equal(again.predict(frame), model.labels_)


def test_unfitted_and_odd_parameters(tmp_path):
    model = sc.PossibilisticCMeans(
        2, scale=np.array([1.0, 2.0]), separation=sc.Repulsion([0.1, np.float64(0.2)]), tol=float("inf")
    )
    sc.save(model, tmp_path / "m")
    again = sc.load(tmp_path / "m")
    assert_array_equal(again.scale, model.scale)
    assert again.separation == model.separation
    assert again.tol == np.inf


def test_pickle(tmp_path):
    model = sc.PossibilisticFuzzyCMeans(3, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_proba(X), model.memberships_)


def test_what_has_no_place_is_refused_and_nothing_is_written(tmp_path):
    model = sc.FuzzyCMeans(3, random_state=np.random.RandomState(0)).fit(X)
    with pytest.raises(TypeError, match="random_state"):
        sc.save(model, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(TypeError, match="softclust estimators"):
        sc.save(object(), tmp_path / "m")


def test_a_failed_save_keeps_the_old_file(tmp_path):
    path = tmp_path / "m"
    sc.save(sc.FuzzyCMeans(3), path)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        sc.save(sc.FuzzyCMeans(3, random_state=np.random.RandomState(0)), path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.zip"
    sc.save(sc.FuzzyCMeans(3, random_state=0).fit(X[::5]), path)
    return path.read_bytes()


FOREIGN = {
    "empty": b"",
    "text": b"row,a,b\n1,2,3\n",
    "pickle": pickle.dumps({"a": 1}),
    "npy": b"\x93NUMPY\x01\x00v\x00",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files(kind, tmp_path):
    (tmp_path / "f").write_bytes(FOREIGN[kind])
    with pytest.raises(sc.ModelFileError, match="not a softclust model"):
        sc.load(tmp_path / "f")


def rewritten(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def members_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_other_members_newer_formats_and_wrong_sums(written, tmp_path):
    path = tmp_path / "f"
    parts = members_of(written)
    path.write_bytes(rewritten({**parts, "evil.py": b"1"}))
    with pytest.raises(sc.ModelFileError, match=r"evil\.py"):
        sc.load(path)
    header = json.loads(parts["header.json"])
    text = json.dumps({**header, "format": 99}).encode()
    path.write_bytes(rewritten({**parts, "header.json": text}))
    with pytest.raises(sc.ModelFileError, match="checksum"):
        sc.load(path)
    checksum = archive._checksum(text, parts["arrays.npz"])
    path.write_bytes(rewritten({**parts, "header.json": text, "checksum": checksum}))
    with pytest.raises(sc.ModelFileError, match="format 99"):
        sc.load(path)


def test_a_part_is_not_an_estimator(written, tmp_path):
    parts = members_of(written)
    header = json.loads(parts["header.json"])
    text = json.dumps({**header, "estimator": "Model"}).encode()
    checksum = archive._checksum(text, parts["arrays.npz"])
    path = tmp_path / "f"
    path.write_bytes(rewritten({**parts, "header.json": text, "checksum": checksum}))
    with pytest.raises(sc.ModelFileError, match="does not hold an estimator"):
        sc.load(path)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        sc.load(tmp_path / "nothing")


@settings(max_examples=300)
@given(data=st.data())
def test_damage_is_refused_by_one_error(data, written, tmp_path_factory):
    """Any byte changed, cut or added: a model equal to the one written, or ModelFileError."""
    raw = bytearray(written)
    kind = data.draw(st.sampled_from(["flip", "cut", "insert", "zero", "delete"]))
    at = data.draw(st.integers(0, len(raw) - 1))
    if kind == "flip":
        raw[at] ^= data.draw(st.integers(1, 255))
    elif kind == "cut":
        del raw[at:]
    elif kind == "insert":
        raw[at:at] = data.draw(st.binary(min_size=1, max_size=8))
    elif kind == "delete":
        del raw[at : at + data.draw(st.integers(1, 64))]
    else:
        raw[at : at + 16] = bytes(len(raw[at : at + 16]))
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(bytes(raw))
    try:
        model = sc.load(path)
    except sc.ModelFileError:
        return
    path.write_bytes(written)
    assert_array_equal(model.predict_proba(X), sc.load(path).predict_proba(X))
