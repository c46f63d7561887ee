"""Data sets and generators: the rows of the literature, and draws that keep what they promise."""

import hashlib
import subprocess
import sys
import tracemalloc
from importlib import resources

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from scipy.special import ndtri
from sklearn import datasets as sklearn_datasets
from sklearn.metrics import adjusted_rand_score, confusion_matrix
from sklearn.utils import Bunch
from sklearn.utils._param_validation import InvalidParameterError

import softclust as sc
from oracles.supervised import X12
from softclust import datasets
from softclust.datasets import generators

# loader, rows, attributes, rows of each class
LITERATURE = [
    ("load_breast_cancer", 569, 30, [212, 357]),
    ("load_ecoli", 336, 7, [143, 77, 52, 35, 20, 5, 2, 2]),
    ("load_glass", 214, 9, [70, 76, 17, 13, 9, 29]),
    ("load_iris", 150, 4, [50, 50, 50]),
    ("load_iris_uci", 150, 4, [50, 50, 50]),
    ("load_letters_ijl", 2263, 16, [755, 747, 761]),
    ("load_wine", 178, 13, [59, 71, 48]),
]
LOADERS = [name for name, *_ in LITERATURE]
DRAWS = {
    "x2000": lambda random_state: datasets.make_x2000(noise=50, random_state=random_state),
    "gauss_k2": lambda random_state: datasets.make_gauss_k2(random_state=random_state),
    "noisy_iris": lambda random_state: datasets.make_noisy_iris(random_state=random_state),
    "blobs": lambda random_state: datasets.make_overlapping_blobs(random_state=random_state),
    "ellipses": lambda random_state: datasets.make_ellipses(random_state=random_state),
}


@pytest.mark.parametrize(("name", "n", "p", "sizes"), LITERATURE)
def test_sizes_of_the_literature(name, n, p, sizes):
    bunch = getattr(datasets, name)()
    assert isinstance(bunch, Bunch)
    assert bunch.data.shape == (n, p)
    assert bunch.data.dtype == np.float64
    assert_array_equal(np.bincount(bunch.target), sizes)
    assert len(bunch.feature_names) == p
    assert len(bunch.target_names) == len(sizes)
    assert bunch.frame is None
    X, y = getattr(datasets, name)(return_X_y=True)
    assert_array_equal(X, bunch.data)
    assert_array_equal(y, bunch.target)


@pytest.mark.parametrize("name", LOADERS)
def test_frames(name):
    pd = pytest.importorskip("pandas")
    load = getattr(datasets, name)
    plain, bunch = load(), load(as_frame=True)
    assert isinstance(bunch.data, pd.DataFrame)
    assert isinstance(bunch.target, pd.Series)
    assert list(bunch.data.columns) == list(plain.feature_names)
    assert list(bunch.frame.columns) == [*plain.feature_names, "target"]
    assert_array_equal(bunch.data.to_numpy(), plain.data)
    assert_array_equal(bunch.frame["target"], plain.target)
    X, y = load(return_X_y=True, as_frame=True)
    assert X.equals(bunch.data)
    assert y.equals(bunch.target)


@pytest.mark.parametrize("name", LOADERS)
def test_each_call_gives_arrays_of_its_own(name):
    load = getattr(datasets, name)
    first = load()
    first.data[:] = 0
    first.target[:] = 0
    assert load().data.any()
    assert load().target.any()


def test_pandas_is_not_needed():
    script = "import sys\nsys.modules['pandas'] = None\nfrom softclust import datasets\n"
    script += "\n".join(f"print(len(datasets.{name}().data))" for name in LOADERS)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert list(map(int, done.stdout.split())) == [n for _, n, *_ in LITERATURE]


def test_without_pandas_a_frame_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="as_frame=True needs pandas; install it"):
        datasets.load_ecoli(as_frame=True)


# what UCI distributes, from what is shipped
def ecoli_line(cells):
    return f"{cells[0]:<10}  {'  '.join(cells[1:-1])}{cells[-1]:>5}"


@pytest.mark.parametrize(
    ("name", "line", "sha256"),
    [
        ("ecoli", ecoli_line, "008bd8fbb1d8b34040c3c8c4e987cac2a7ebf116e008b140cc6441be5261ba1d"),
        ("glass", ",".join, "dd67373f4baf2807345df02cbfef2093d342e61ad0d82a4fb79af43ef8ce449d"),
        ("letters_ijl", ",".join, "c940b180b768084b8dd112ceae5fa3073b76f2b039078618873821585bfcff3e"),
    ],
)
def test_shipped_files_hold_every_character_of_the_source(name, line, sha256):
    text = (resources.files("softclust.datasets") / "data" / f"{name}.csv").read_text(encoding="utf-8")
    rows = [row.split(",") for row in text.splitlines()[1:]]
    source = "".join(line(row) + "\n" for row in rows)
    assert hashlib.sha256(source.encode()).hexdigest() == sha256


@pytest.mark.parametrize("name", ["load_ecoli", "load_glass", "load_letters_ijl", "load_iris_uci"])
def test_descriptions_cite_the_source(name):
    load = getattr(datasets, name)
    said = load().DESCR
    assert "Source:" in said
    assert "Creative Commons Attribution 4.0" in said
    doi = said[said.index("https://doi.org/10.24432/") :].split()[0]
    assert doi in load.__doc__


def test_ecoli():
    bunch = datasets.load_ecoli()
    assert bunch.feature_names == ["mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2"]
    assert bunch.target_names.tolist() == ["cp", "im", "pp", "imU", "om", "omL", "imL", "imS"]
    assert bunch.sequence_names[0] == "AAT_ECOLI"
    assert len(set(bunch.sequence_names)) == 336
    assert_array_equal(bunch.data[0], [0.49, 0.29, 0.48, 0.50, 0.56, 0.24, 0.35])
    assert_allclose(bunch.data.sum(axis=0), [168.02, 168.0, 166.48, 168.5, 168.01, 168.06, 167.91])
    assert bunch.target[-1] == 2


def test_rare_classes_of_ecoli_as_outliers():
    every, large = datasets.load_ecoli(), datasets.load_ecoli(rare_as_outliers=True)
    assert_array_equal(large.data, every.data)
    assert_array_equal(large.target, np.where(every.target < 5, every.target, -1))
    assert (large.target == -1).sum() == 9
    assert large.target_names.tolist() == ["cp", "im", "pp", "imU", "om"]


def test_glass():
    bunch = datasets.load_glass()
    assert bunch.feature_names == ["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"]
    assert_array_equal(bunch.data[0], [1.52101, 13.64, 4.49, 1.10, 71.78, 0.06, 8.75, 0.0, 0.0])
    # the means that UCI's description prints
    means = [1.5184, 13.4079, 2.6845, 1.4449, 72.6509, 0.4971, 8.9570, 0.1750, 0.0570]
    assert_allclose(bunch.data.mean(axis=0), means, atol=6e-5)
    assert bunch.target_names[[0, 3, 5]].tolist() == [
        "building_windows_float_processed",
        "containers",
        "headlamps",
    ]
    assert (np.diff(bunch.target) >= 0).all()


def test_glass_with_the_number_of_the_row():
    plain, numbered = datasets.load_glass(), datasets.load_glass(include_id=True)
    assert numbered.feature_names == ["Id", *plain.feature_names]
    assert_array_equal(numbered.data[:, 0], np.arange(1, 215))
    assert_array_equal(numbered.data[:, 1:], plain.data)


def test_letters():
    bunch = datasets.load_letters_ijl()
    assert bunch.target_names.tolist() == ["I", "J", "L"]
    assert bunch.feature_names[:3] == ["x-box", "y-box", "width"]
    assert_array_equal(bunch.data[0], [5, 12, 3, 7, 2, 10, 5, 5, 4, 13, 3, 9, 2, 8, 4, 10])
    assert_array_equal(bunch.target[:3], [0, 1, 1])
    assert bunch.data.min() == 0
    assert bunch.data.max() == 15
    assert_array_equal(bunch.data[:, :4].sum(axis=0), [6534, 15774, 8286, 12158])


def test_iris_as_uci_prints_it():
    uci, fisher = datasets.load_iris_uci(), datasets.load_iris()
    assert_array_equal(uci.data[34], [4.9, 3.1, 1.5, 0.1])
    assert_array_equal(uci.data[37], [4.9, 3.1, 1.5, 0.1])
    assert_array_equal(fisher.data[34], [4.9, 3.1, 1.5, 0.2])
    assert_array_equal(fisher.data[37], [4.9, 3.6, 1.4, 0.1])
    assert_array_equal(np.flatnonzero((uci.data != fisher.data).any(axis=1)), [34, 37])
    assert_allclose(uci.data.sum(axis=0), [876.5, 458.1, 563.8, 179.8])
    assert_array_equal(uci.target, fisher.target)


@pytest.mark.parametrize("name", ["load_iris", "load_wine", "load_breast_cancer"])
def test_passes_to_scikit_learn(name):
    ours, theirs = getattr(datasets, name)(), getattr(sklearn_datasets, name)()
    assert ours.keys() == theirs.keys()
    assert_array_equal(ours.data, theirs.data)
    assert ours.DESCR == theirs.DESCR


def test_fcm_on_uci_iris_makes_the_published_errors():
    X, y = datasets.load_iris_uci(return_X_y=True)
    model = sc.FuzzyCMeans(3, init=X[[0, 60, 120]]).fit(X)
    hits = confusion_matrix(y, model.labels_)
    assert 150 - np.trace(hits) == 16


@pytest.mark.filterwarnings("ignore::softclust.errors.FeatureScaleWarning")  # of raw glass
@pytest.mark.parametrize(("name", "c"), [("load_ecoli", 5), ("load_glass", 6), ("load_letters_ijl", 3)])
def test_fcm_fits_the_shipped_data(name, c):
    X, _ = getattr(datasets, name)(return_X_y=True)
    model = sc.FuzzyCMeans(c, max_iter=1000, random_state=0).fit(X)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert np.isfinite(model.cluster_centers_).all()


@pytest.mark.parametrize("noise", [0, 1, 2])
def test_x12(noise):
    X, y = datasets.make_x12(noise=noise)
    assert_array_equal(X, X12[: 10 + noise])
    assert_array_equal(y, [0] * 5 + [1] * 5 + [-1] * noise)
    assert_array_equal(datasets.make_x12()[0], X12)


def test_x2000_has_the_moments_of_the_paper():
    drawn = [datasets.make_x2000(noise=2000, random_state=seed) for seed in range(20)]
    X, y = np.vstack([X for X, _ in drawn]), np.concatenate([y for _, y in drawn])
    assert [(y == k).sum() // 20 for k in (0, 1, 2, -1)] == [500, 1000, 500, 2000]
    for k, mean, variances in ((0, 1, (0.4, 0.8)), (1, 3, (0.6, 1.2)), (2, 5, (0.4, 0.8))):
        assert_allclose(X[y == k].mean(axis=0), [mean, 0], atol=0.04)
        assert_allclose(np.cov(X[y == k].T), np.diag(variances), atol=0.04)
    noise = X[y == -1]
    assert_allclose(noise.min(axis=0), [0, -4], atol=0.01)
    assert_allclose(noise.max(axis=0), [6, 4], atol=0.01)
    assert (noise >= [0, -4]).all()
    assert (noise <= [6, 4]).all()
    assert_allclose(noise.var(axis=0), [3.0, 64 / 12], rtol=0.02)


def test_noise_comes_after_rows_that_stay():
    X, y = datasets.make_x2000(noise=70, random_state=3)
    assert_array_equal(datasets.make_x2000(random_state=3)[0], X[:2000])
    assert_array_equal(y[2000:], -1)
    assert_array_equal(
        datasets.make_noisy_iris(10, random_state=3)[0],
        datasets.make_noisy_iris(40, random_state=3)[0][:160],
    )


def test_gauss_k2():
    X, y = datasets.make_gauss_k2(random_state=0)
    rng = np.random.default_rng(0)
    assert_array_equal(X[:200], rng.normal(size=(200, 2)))
    assert_allclose(X[200:], rng.normal(size=(200, 2)) * 0.4 + [2.2, 0.0], rtol=1e-15)
    assert_array_equal(y, np.repeat([0, 1], 200))
    X, y = datasets.make_gauss_k2(100_001, random_state=1)
    assert_array_equal(np.bincount(y), [50_001, 50_000])
    assert_allclose(np.cov(X[y == 0].T), np.eye(2), atol=0.03)
    assert_allclose(np.cov(X[y == 1].T), 0.16 * np.eye(2), atol=0.01)
    assert_allclose(X[y == 1].mean(axis=0), [2.2, 0.0], atol=0.02)


@pytest.mark.parametrize("noise", [0, 10, 5000])
def test_noisy_iris(noise):
    X, y = datasets.make_noisy_iris(noise, random_state=0)
    iris = datasets.load_iris_uci()
    assert X.shape == (150 + noise, 4)
    assert_array_equal(X[:150], iris.data)
    assert_array_equal(y, [*iris.target, *[-1] * noise])
    assert ((X[150:] >= 0) & (X[150:] <= 10)).all()
    if noise == 5000:
        assert_allclose(X[150:].mean(axis=0), 5.0, atol=0.2)
        assert_allclose(X[150:].var(axis=0), 100 / 12, rtol=0.05)


@pytest.mark.parametrize("name", DRAWS)
def test_random_state_determines_the_rows(name):
    draw = DRAWS[name]
    X, y = draw(5)
    for again in (draw(5), draw(np.int64(5))):
        assert_array_equal(again[0], X)
        assert_array_equal(again[1], y)
    assert (draw(6)[0] != X).any()
    one, two = np.random.RandomState(1), np.random.RandomState(1)
    assert_array_equal(draw(one)[0], draw(two)[0])
    assert (draw(one)[0] != draw(np.random.RandomState(1))[0]).any()
    assert (draw(None)[0] != draw(None)[0]).any()


@pytest.mark.parametrize(("p", "c"), [(1, 1), (1, 2), (1, 9), (2, 3), (2, 10), (3, 8), (40, 5), (16, 100)])
@pytest.mark.parametrize("overlap", [1e-6, 0.1, 0.7])
def test_every_blob_has_a_neighbour_at_the_distance_of_the_overlap(p, c, overlap):
    X, y, centers = datasets.make_overlapping_blobs(
        3 * c + 1, p, c, overlap, return_centers=True, random_state=0
    )
    assert X.shape == (3 * c + 1, p)
    assert centers.shape == (c, p)
    assert set(np.bincount(y, minlength=c)) <= {3, 4}
    assert_allclose(centers.mean(axis=0), 0, atol=1e-9)
    if c > 1:
        apart = cdist(centers, centers) + np.diag(np.full(c, np.inf))
        assert_allclose(apart.min(axis=1), -2 * ndtri(overlap / 2), rtol=1e-9)


@pytest.mark.parametrize("overlap", [0.02, 0.2, 0.6])
def test_the_overlap_is_twice_the_error_of_the_best_rule(overlap):
    X, y, centers = datasets.make_overlapping_blobs(
        100_000, 3, 2, overlap, return_centers=True, random_state=0
    )
    errors = (cdist(X, centers).argmin(axis=1) != y).mean()
    assert abs(errors - overlap / 2) < 5 * np.sqrt(overlap / 2 / 100_000)


def test_blobs_that_coincide():
    X, y, centers = datasets.make_overlapping_blobs(50, 2, 3, 1, return_centers=True, random_state=0)
    assert_array_equal(centers, 0)
    assert X.shape == (50, 2)
    assert set(y) == {0, 1, 2}


def test_blobs_are_round_and_mixed():
    X, y, centers = datasets.make_overlapping_blobs(200_000, 3, 4, 0.3, return_centers=True, random_state=1)
    for k in range(4):
        assert_allclose(X[y == k].mean(axis=0), centers[k], atol=0.03)
        assert_allclose(np.cov(X[y == k].T), np.eye(3), atol=0.03)
    beside = confusion_matrix(y[:-1], y[1:], normalize="all")
    assert_allclose(beside, 1 / 16, atol=0.003)


def test_clusterings_find_blobs_that_are_apart():
    X, y = datasets.make_overlapping_blobs(600, 5, 4, 1e-4, random_state=0)
    model = sc.FuzzyCMeans(4, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_float32_blobs_are_the_others_rounded():
    X, y = datasets.make_overlapping_blobs(1000, 3, random_state=0)
    small, labels = datasets.make_overlapping_blobs(1000, 3, dtype="float32", random_state=0)
    assert small.dtype == np.float32
    assert_array_equal(small, X.astype(np.float32))
    assert_array_equal(labels, y)


@pytest.mark.parametrize("values", [1, 300, 10**9])
def test_blocks_leave_the_deviations_as_they_are(monkeypatch, values):
    settings = {"n_samples": 1000, "n_features": 3, "return_centers": True, "random_state": 0}
    X, y, centers = datasets.make_overlapping_blobs(**settings)
    monkeypatch.setattr(generators, "_BLOCK_VALUES", values)
    again, labels, same = datasets.make_overlapping_blobs(**settings)
    assert_array_equal(same, centers)
    assert_allclose(again - centers[labels], X - centers[y], atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blobs_need_no_memory_beside_the_result(dtype):
    datasets.make_overlapping_blobs(10, 16)
    tracemalloc.start()
    try:
        X, y = datasets.make_overlapping_blobs(200_000, 16, 5, dtype=dtype, random_state=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes + y.nbytes + 2_000_000  # a few blocks


@pytest.mark.parametrize("order", ["C", "F"])
def test_blobs_into_an_array(order):
    X, y = datasets.make_overlapping_blobs(500, 3, random_state=0)
    room = np.empty((500, 3), order=order)
    out, labels = datasets.make_overlapping_blobs(500, 3, out=room, random_state=0)
    assert out is room
    assert_array_equal(room, X)
    assert_array_equal(labels, y)


def test_blobs_into_a_file(tmp_path):
    room = np.lib.format.open_memmap(tmp_path / "rows.npy", mode="w+", dtype=np.float32, shape=(500, 3))
    datasets.make_overlapping_blobs(500, 3, out=room, random_state=0)
    room.flush()
    del room
    X, _ = datasets.make_overlapping_blobs(500, 3, dtype=np.float32, random_state=0)
    assert_array_equal(np.load(tmp_path / "rows.npy"), X)


def read_only(shape):
    room = np.empty(shape)
    room.flags.writeable = False
    return room


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        ("make_x12", {"noise": 3}, "noise=3 does not fit; give a whole number from 0 to 2."),
        ("make_x12", {"noise": True}, "noise=True does not fit; give a whole number from 0 to 2."),
        ("make_x2000", {"noise": -1}, "noise=-1 does not fit; give a whole number of 0 or more."),
        ("make_x2000", {"noise": 0.5}, "noise=0.5 does not fit; give a whole number of 0 or more."),
        ("make_noisy_iris", {"noise": "10"}, "noise='10' does not fit; give a whole number of 0 or more."),
        ("make_gauss_k2", {"n_samples": 1}, "n_samples=1 does not fit; give a whole number of 2 or more."),
        (
            "make_gauss_k2",
            {"random_state": -1},
            "random_state=-1 seeds no draw; give an int of 0 or more, a RandomState or None.",
        ),
        (
            "make_x2000",
            {"random_state": "a"},
            "random_state='a' seeds no draw; give an int of 0 or more, a RandomState or None.",
        ),
        (
            "make_overlapping_blobs",
            {"n_samples": 4, "n_clusters": 5},
            "n_samples=4 is below n_clusters=5; give at least one row for each.",
        ),
        (
            "make_overlapping_blobs",
            {"n_clusters": 0},
            "n_clusters=0 does not fit; give a whole number of 1 or more.",
        ),
        (
            "make_overlapping_blobs",
            {"n_features": 2.0},
            "n_features=2.0 does not fit; give a whole number of 1 or more.",
        ),
        *(
            (
                "make_overlapping_blobs",
                {"overlap": wrong},
                f"overlap={wrong!r} does not fit; give a number above 0, and 1 at most.",
            )
            for wrong in (0, -0.1, 1.01, float("nan"), True, "0.1", None)
        ),
        *(
            (
                "make_overlapping_blobs",
                {"dtype": wrong},
                f"dtype={wrong!r} does not fit; give float32 or float64.",
            )
            for wrong in ("int64", "float16", ">f8", "nothing")
        ),
        (
            "make_overlapping_blobs",
            {"out": [1.0]},
            "out=[1.0] is no array; give one of shape (1000, 2), or None.",
        ),
        (
            "make_overlapping_blobs",
            {"out": np.empty((5, 2))},
            "out is an array of shape (5, 2) and float64; "
            "give one of shape (1000, 2) and float32 or float64 that can be written.",
        ),
        (
            "make_overlapping_blobs",
            {"out": np.empty((1000, 2), dtype=int)},
            "out is an array of shape (1000, 2) and int64; "
            "give one of shape (1000, 2) and float32 or float64 that can be written.",
        ),
        (
            "make_overlapping_blobs",
            {"out": read_only((1000, 2))},
            "out is a read-only array of shape (1000, 2) and float64; "
            "give one of shape (1000, 2) and float32 or float64 that can be written.",
        ),
        (
            "make_overlapping_blobs",
            {"return_centers": 1},
            "return_centers=1 is neither True nor False; give one of them.",
        ),
        (
            "load_glass",
            {"include_id": "no"},
            "include_id='no' is neither True nor False; give one of them.",
        ),
        (
            "load_ecoli",
            {"rare_as_outliers": 0},
            "rare_as_outliers=0 is neither True nor False; give one of them.",
        ),
        (
            "load_letters_ijl",
            {"as_frame": None},
            "as_frame=None is neither True nor False; give one of them.",
        ),
        (
            "load_iris_uci",
            {"return_X_y": "y"},
            "return_X_y='y' is neither True nor False; give one of them.",
        ),
    ],
)
def test_bad_parameters_get_a_sentence(name, settings, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        getattr(datasets, name)(**settings)
    assert str(caught.value) == sentence


def test_every_name_is_there():
    assert datasets.__all__ == sorted(datasets.__all__)
    for name in datasets.__all__:
        assert callable(getattr(datasets, name))
        assert "Examples\n    --------" in getattr(datasets, name).__doc__
