"""Rows of dask collections: the answer of rows in memory, whatever the chunks, and lazy read-outs."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from dask.base import is_dask_collection
from numpy.testing import assert_allclose, assert_array_equal

import softclust as sc
from configurations import ESTIMATORS, MIXTURE, configurations, contract_configurations
from conftest import make_blobs
from softclust.datasets import make_ellipses
from softclust.errors import DataLostError
from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import Fuzzy
from softclust.grammar.prototypes import Points
from softclust.grammar.state import State
from softclust.grammar.sweep import sweep
from softclust.knowledge.pairs import check_pairs
from softclust.knowledge.penalties import LinkPenalty
from softclust.sources import LocalSource, local, remote_rows, source_of
from softclust.sources import remote as far_away
from softclust.sources.rows import rows_in_units

pytestmark = [
    pytest.mark.usefixtures("few_starts_of_shells"),
    pytest.mark.filterwarnings("ignore::softclust.DegenerateClusterWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

NOT_FAR = ("pam", "clara", "clarans")  # n^2 distances, of rows in memory
SHELLS = ("afcs", "fces", "apcs", "pces")
NAMES = [name for name in sc.catalogue() if name not in (*NOT_FAR, "swfcm")]
# Without labels and pairs they are k-means, FCM, RPCM and ECM under other names.
TWINS = ("kmeans", "skmeans", "sfcm", "srpcm", "secm", "cecm", "lpecm")
UNTOLD = [name for name in NAMES if name not in TWINS]
FAMILIES = [*ESTIMATORS, MIXTURE]
WITH_LINKS = [sc.HardCMeans, sc.FuzzyCMeans, sc.EvidentialCMeans, sc.GaussianMixture]
LAZY = ("memberships_", "labels_", "outlier_scores_", "outlier_mask_", "typicalities_", "masses_")
READ_OUTS = (
    "predict",
    "predict_proba",
    "transform",
    "outlier_score",
    "predict_typicality",
    "predict_mass",
    "score_samples",
)


@pytest.fixture(autouse=True)
def _here():
    """In this thread: starting threads takes longer than the fits."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks as small as the chunks, 40 rows, also where rows are in memory."""
    monkeypatch.setattr(far_away, "_LEAST_BLOCK", 1)
    monkeypatch.setattr(local, "_LEAST_ROWS", 40)
    monkeypatch.setattr(local, "_BLOCK_BYTES", 1)
    monkeypatch.setattr(local, "_MOST_BLOCKS", 10**6)


def rows_of(name):
    return make_ellipses(200, random_state=0) if name in SHELLS else make_blobs(each=60)


def far(X, rows=40):
    """Chunks of some rows; features in several as well, which fits put together."""
    return da.from_array(X, chunks=(rows, 1))


def number_of(name):
    return 2 if name in SHELLS else 3


def assert_same_bits(one, two):
    """All that two fits have found, in this process or lazily."""
    assert one.n_iter_ == two.n_iter_
    compared = 0
    for key, value in vars(one).items():
        is_found = key.endswith("_") and isinstance(value, np.ndarray)
        if is_found and value.dtype.kind in "fiub":
            assert_array_equal(np.asarray(getattr(two, key)), value, err_msg=key)
            compared += 1
    assert compared > 5


def assert_near(one, two, X):
    """To 1e-12 of the data's size."""
    size = np.abs(X).max()
    assert_allclose(two.cluster_centers_, one.cluster_centers_, rtol=0, atol=1e-12 * size)
    assert_allclose(np.asarray(two.memberships_), one.memberships_, rtol=0, atol=1e-12)


def is_slow(name):
    """Shells, which start ten times."""
    return name in SHELLS or "shells" in name


def is_rare(name):
    """A setting whose words other settings have as well."""
    return name not in ONE_BLOCK and not any(word in name for word in WORDS)


# Named ones are compared in several blocks; of the others one for each word, and these.
ONE_BLOCK = {"swfcm", *(name for name, _ in contract_configurations())}
WORDS = ("geometry", "covariance", "fuzzifier", "focal_sets", "init=", "Central", "cut", "density_from")
NAMED = [pytest.param(name, marks=pytest.mark.slow if is_slow(name) else ()) for name in UNTOLD]


# ---------------------------------------------------------------------- the same answer
@pytest.mark.parametrize(
    ("name", "make"),
    [
        pytest.param(name, make, id=name, marks=pytest.mark.slow if is_slow(name) or is_rare(name) else ())
        for name, make in configurations()
    ],
)
def test_one_block_gives_the_bits_of_rows_in_memory(name, make):
    """Also every setting of every estimator, not only named ones."""
    X, _ = rows_of(name)
    if name == "swfcm" or "density_rate=auto" in name:
        with pytest.raises(ValueError, match="density_from='centers'"):
            make().fit(far(X))
        return
    assert_same_bits(make().fit(X), make().fit(far(X)))


@pytest.mark.parametrize("name", UNTOLD)
def test_coinciding_blocks_give_the_bits_of_rows_in_memory(name, small_blocks):
    X, _ = rows_of(name)
    make = lambda: sc.make(name, n_clusters=number_of(name), random_state=0)  # noqa: E731
    one, two = make().fit(X), make().fit(far(X))
    assert_same_bits(one, two)
    assert two.memberships_.chunks[0] == (40,) * (len(X) // 40) + ((len(X) % 40,) if len(X) % 40 else ())


@pytest.mark.parametrize("name", [name for name in UNTOLD if name not in SHELLS])
def test_other_blocks_matter_to_rounding_only(name, monkeypatch):
    monkeypatch.setattr(far_away, "_LEAST_BLOCK", 1)
    X, _ = rows_of(name)
    make = lambda: sc.make(name, random_state=0, tol=1e-13, max_iter=2000)  # noqa: E731
    assert_near(make().fit(X), make().fit(da.from_array(X, chunks=((50, 1, 0, 99, 30), 2))), X)


@pytest.mark.parametrize("name", NAMED)
def test_weights(name, small_blocks):
    X, _ = rows_of(name)
    weight = np.random.default_rng(1).integers(0, 4, len(X)) / 2
    make = lambda: sc.make(name, n_clusters=number_of(name), random_state=0)  # noqa: E731
    one = make().fit(X, sample_weight=weight)
    assert_same_bits(one, make().fit(far(X), sample_weight=weight))
    lazy = da.from_array(weight, chunks=70)
    assert_same_bits(one, make().fit(far(X), sample_weight=lazy))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SHELLS])
def test_labels(name, small_blocks):
    X, y = rows_of(name)
    known = np.where(np.random.default_rng(2).random(len(X)) < 0.2, y, -1)
    known[:40] = -1  # a block of which nothing is known
    make = lambda: sc.make(name, random_state=0)  # noqa: E731
    one = make().fit(X, known)
    for given in (known, da.from_array(known, chunks=33)):
        two = make().fit(far(X), given)
        assert_same_bits(one, two)
        assert_array_equal(two.unsatisfied_, one.unsatisfied_)


def test_soft_labels_and_a_strength_for_each_row(small_blocks):
    X, y = make_blobs(each=60)
    degrees = np.full((len(X), 3), np.nan)
    degrees[::7] = 0.2 + 0.6 * np.eye(3)[y[::7]]
    strength = np.random.default_rng(0).random(len(X))
    for cls in (sc.FuzzyCMeans, sc.EvidentialCMeans, sc.GaussianMixture):
        one, two = (cls(3, label_strength=strength, random_state=0) for _ in range(2))
        assert_same_bits(one.fit(X, degrees), two.fit(far(X), degrees))


def pairs_of(y, count, seed=0):
    """Right must-links and cannot-links between rows far from each other in the data."""
    rng = np.random.default_rng(seed)
    ends = rng.permutation(len(y))[: 2 * count].reshape(-1, 2)
    same = y[ends[:, 0]] == y[ends[:, 1]]
    return ends[same], ends[~same]


@pytest.mark.parametrize("cls", WITH_LINKS)
def test_links_within_blocks(cls):
    """Components one after the other, in one block."""
    X, y = make_blobs(each=60)
    must = [[i, i + 1] for i in range(0, 60, 5) if y[i] == y[i + 1]]
    cannot = [[i, i + 1] for i in range(0, 60, 5) if y[i] != y[i + 1]]
    make = lambda: cls(3, random_state=0)  # noqa: E731
    one = make().fit(X, must_link=must, cannot_link=cannot)
    assert_same_bits(one, make().fit(far(X), must_link=must, cannot_link=cannot))


@pytest.mark.parametrize("cls", WITH_LINKS)
@pytest.mark.parametrize("rows", [40, 180])
def test_links_by_number_of_row(cls, rows):
    """Components that lie side by side in the graph, and not in the data."""
    X, y = make_blobs(each=60)
    must, cannot = pairs_of(y, 30)
    make = lambda: cls(3, random_state=0)  # noqa: E731
    one = make().fit(X, must_link=must, cannot_link=cannot)
    two = make().fit(far(X, rows), must_link=must, cannot_link=cannot)
    assert_same_bits(one, two)
    assert_array_equal(two.unsatisfied_, one.unsatisfied_)


def test_what_is_said_of_linked_rows_comes_to_those_rows():
    """The quiet kind of the same fault: row 40 of the first block is written as -60 into the second."""
    X, _ = make_blobs(each=60)
    must = [[0, 150], [40, 160], [50, 170]]
    one = sc.FuzzyCMeans(3, random_state=0).fit(X, must_link=must)
    two = sc.FuzzyCMeans(3, random_state=0).fit(da.from_array(X, chunks=((100, 80), 2)), must_link=must)
    assert_same_bits(one, two)


def test_a_block_with_links_is_swept_as_in_memory(small_blocks):
    X, y = make_blobs(each=60)
    must, cannot = pairs_of(y, 30)
    pairs = check_pairs(must, cannot, len(X))
    rows = replace(rows_in_units(X), links=pairs.links(np.full(30, 0.3), np.zeros(30, bool)))
    there, here = source_of(replace(rows, X=remote_rows(far(X))), 1), LocalSource(rows, block_rows=40)
    model = Model(Points(), Fuzzy(2.0), Frame.singletons(3), links=LinkPenalty())
    state = State((rows.units.to_loop(X[:3]),))
    one, two = here.reduce(sweep, model, state), there.reduce(sweep, model, state)
    assert one.loss == two.loss
    assert_array_equal(two.moments[0], one.moments[0])
    assert_array_equal(two.linked, one.linked)


@pytest.mark.parametrize("rows", [3000, 21_000])
def test_a_thousand_links_on_many_rows(rows):
    X, y = make_blobs(each=7000)
    must, cannot = pairs_of(y, 1000)
    known = np.where(np.random.default_rng(0).random(len(X)) < 0.01, y, -1)
    make = lambda: sc.make("lpecm", random_state=0, n_init=1)  # noqa: E731
    one = make().fit(X, known, must_link=must, cannot_link=cannot)
    two = make().fit(da.from_array(X, chunks=(rows, 2)), known, must_link=must, cannot_link=cannot)
    assert_near(one, two, X)
    assert_array_equal(two.unsatisfied_, one.unsatisfied_)


# ---------------------------------------------------------------------- read-outs
@pytest.mark.parametrize("cls", FAMILIES)
def test_what_is_said_of_rows_is_lazy_and_has_the_chunks_of_X(cls):
    X, _ = make_blobs()
    two = cls(3, random_state=0).fit(far(X))
    found = [name for name in LAZY if hasattr(two, name)]
    assert len(found) >= 4
    for name in found:
        assert is_dask_collection(getattr(two, name)), name
        assert getattr(two, name).chunks[0] == (40, 40, 40, 30), name


@pytest.mark.parametrize("cls", FAMILIES)
@pytest.mark.parametrize("kind", ["chunks", "unknown", "empty", "dataframe"])
def test_read_outs_equal_those_in_memory(cls, kind):
    X, _ = make_blobs()
    model = cls(3, random_state=0).fit(X)
    Z = make_blobs(seed=9)[0]
    lazy = {
        "chunks": lambda: far(Z),
        "unknown": lambda: far(Z)[far(Z)[:, 0] > -1e9],
        "empty": lambda: da.from_array(Z, chunks=((0, 70, 0, 80, 0), 2)),
        "dataframe": lambda: dd.from_pandas(pd.DataFrame(Z), npartitions=4),
    }[kind]()
    done = [name for name in READ_OUTS if hasattr(model, name)]
    for name in done:
        told = getattr(model, name)(lazy)
        assert is_dask_collection(told), name
        assert_array_equal(told.compute(), getattr(model, name)(Z), err_msg=name)
    assert len(done) >= 4
    assert model.score(lazy) == pytest.approx(model.score(Z), rel=1e-13)
    if kind == "chunks" and cls is not sc.GaussianMixture:  # one block: the same bits
        assert model.score(lazy) == model.score(Z)


@pytest.mark.parametrize("cls", FAMILIES)
@pytest.mark.parametrize("kind", ["chunks", "unknown"])
def test_a_score_takes_weights(cls, kind):
    X, _ = make_blobs()
    weight = np.random.default_rng(0).random(len(X))
    model = cls(3, random_state=0).fit(X)
    Z = far(X) if kind == "chunks" else far(X)[far(X)[:, 0] > -1e9]
    assert model.score(Z, sample_weight=weight) == pytest.approx(
        model.score(X, sample_weight=weight), rel=1e-13
    )


@pytest.mark.parametrize("name", ["aic", "bic"])
@pytest.mark.parametrize("kind", ["chunks", "unknown"])
def test_criteria_of_a_mixture(name, kind):
    X, _ = make_blobs()
    model = sc.GaussianMixture(3, random_state=0).fit(X)
    Z = far(X) if kind == "chunks" else far(X)[far(X)[:, 0] > -1e9]
    assert getattr(model, name)(Z) == pytest.approx(getattr(model, name)(X), rel=1e-13)


@pytest.mark.parametrize("cls", FAMILIES)
def test_rows_that_nobody_has_counted(cls, monkeypatch):
    X, y = make_blobs()
    kept = X[:, 0] > 1
    lazy = far(X)[far(X)[:, 0] > 1]
    assert np.isnan(lazy.chunks[0]).all()
    make = lambda: cls(3, random_state=0, tol=1e-13, max_iter=2000)  # noqa: E731
    one, two = make().fit(X[kept]), make().fit(lazy)
    assert_near(one, two, X)
    assert sum(two.memberships_.chunks[0]) == kept.sum()
    one, two = make().fit(X[kept], y[kept]), make().fit(lazy, y[kept])
    assert_near(one, two, X)
    weight = np.random.default_rng(0).random(kept.sum())
    assert_near(make().fit(X[kept], sample_weight=weight), make().fit(lazy, sample_weight=weight), X)


def test_chunks_without_rows():
    X, _ = make_blobs()
    one = sc.FuzzyCMeans(3, random_state=0).fit(X)
    for chunks in ((0, 150), (150, 0), (0, 0, 70, 0, 80, 0)):
        assert_same_bits(one, sc.FuzzyCMeans(3, random_state=0).fit(da.from_array(X, chunks=(chunks, 2))))


def test_chunks_that_a_filter_left_empty():
    X = np.sort(make_blobs()[0], axis=0)
    lazy = far(X)[far(X)[:, 0] > X[60, 0]]  # nothing of the first block
    two = sc.FuzzyCMeans(3, random_state=0).fit(lazy)
    assert_near(sc.FuzzyCMeans(3, random_state=0).fit(X[61:]), two, X)
    assert len(two.predict(lazy).compute()) == 89


def test_chunks_without_rows_are_kept():
    """So that blocks of rows and blocks of memberships go together."""
    X = np.sort(make_blobs()[0], axis=0)
    lazy = far(X)[far(X)[:, 0] > X[60, 0]]
    two = sc.FuzzyCMeans(3, random_state=0).fit(lazy)
    assert two.memberships_.chunks[0] == (0, 19, 40, 30)


def test_float32_stays():
    X = make_blobs()[0].astype(np.float32)
    one, two = sc.FuzzyCMeans(3, random_state=0).fit(X), sc.FuzzyCMeans(3, random_state=0).fit(far(X))
    assert_same_bits(one, two)
    assert two.cluster_centers_.dtype == two.memberships_.dtype == two.transform(far(X)).dtype == np.float32
    assert two.memberships_.compute().dtype == np.float32


@pytest.mark.parametrize("dtype", ["i8", "u1", "i2", "f2", ">f8", "?"])
def test_other_numbers_become_float64(dtype):
    X = np.abs(make_blobs()[0]).round().astype(dtype)
    make = lambda: sc.FuzzyCMeans(2, random_state=0)  # noqa: E731
    two = make().fit(far(X))
    assert_same_bits(make().fit(X), two)
    assert two.cluster_centers_.dtype == two.memberships_.compute().dtype == np.float64


# ---------------------------------------------------------------------- dataframes
def frame():
    return pd.DataFrame(make_blobs()[0], columns=["a", "b"])


def test_names_of_columns():
    table = dd.from_pandas(frame(), npartitions=3)
    model = sc.FuzzyCMeans(3, random_state=0).fit(table)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert_near(sc.FuzzyCMeans(3, random_state=0).fit(frame()), model, frame().to_numpy())
    assert_array_equal(model.predict(table).compute(), model.predict(frame()))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["b", "a"]])
    with pytest.warns(UserWarning, match="valid feature names"):
        model.predict(far(frame().to_numpy()))
    assert not hasattr(model.fit(far(frame().to_numpy())), "feature_names_in_")


def test_labels_and_weights_of_a_dataframe():
    X, y = make_blobs()
    table = dd.from_pandas(frame(), npartitions=3)
    weight = np.random.default_rng(0).random(len(X))
    one = sc.FuzzyCMeans(3, random_state=0, tol=1e-13).fit(frame(), y, sample_weight=weight)
    two = sc.FuzzyCMeans(3, random_state=0, tol=1e-13).fit(
        table,
        dd.from_pandas(pd.Series(y), npartitions=2),
        sample_weight=dd.from_pandas(pd.Series(weight), npartitions=5),
    )
    assert_near(one, two, X)


@pytest.mark.parametrize("kind", ["Float64", "Int64", "double[pyarrow]", "mixed"])
def test_columns_that_are_numbers_in_memory_are_numbers_here(kind):
    table = frame().assign(c=frame().a > 3) if kind == "mixed" else frame().round().astype(kind)
    one = sc.FuzzyCMeans(3, random_state=0).fit(table)
    two = sc.FuzzyCMeans(3, random_state=0).fit(dd.from_pandas(table, npartitions=3))
    assert_near(one, two, one.cluster_centers_)


# ---------------------------------------------------------------------- what is refused
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("merged", [True, False])
def test_what_is_no_number_is_named(value, merged, monkeypatch):
    if not merged:
        monkeypatch.setattr(far_away, "_LEAST_BLOCK", 1)
    X, _ = make_blobs()
    X[101, 1] = X[130, 0] = value
    kind = "NaN" if np.isnan(value) else "infinity"
    model = sc.FuzzyCMeans(3, random_state=0)
    with pytest.raises(ValueError, match=rf"^Input X contains {kind}: row 101, feature 1\.$"):
        model.fit(far(X))
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(ValueError, match="row 101, feature 1"):
        model.fit(da.from_array(X, chunks=((0, 99, 0, 51), 2)))
    model.fit(make_blobs()[0])
    X[130, 0] = 0.0  # blocks are read in any order
    with pytest.raises(ValueError, match="row 21 of a block, feature 1"):
        model.predict(far(X)).compute()


REFUSED = {
    "no rows": (lambda X: X[:0], "0 sample"),
    "no rows left": (lambda X: X[X[:, 0] > 1e9], "0 sample"),
    "fewer rows than clusters": (lambda X: X[:2], "n_samples=2 should be >= n_clusters=3"),
    "objects": (lambda X: X.astype(object), "object"),
    "words": (lambda X: X.astype(str), "type <U"),
    "complex": (lambda X: X.astype(complex), "complex"),
    "1-D": (lambda X: X[:, 0], "Expected 2D array, got 1D"),
    "3-D": (lambda X: X[:, :, None], "Expected 2D array, got 3D"),
    "series": (
        lambda X: dd.from_pandas(pd.Series(np.arange(9.0)), npartitions=2),
        "Expected 2D array, got 1D",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused(kind):
    change, message = REFUSED[kind]
    with pytest.raises(ValueError, match=message):
        sc.FuzzyCMeans(3, random_state=0).fit(change(far(make_blobs()[0])))


KINDS_REFUSED = {
    "no features": (lambda X: X[:, :0], ValueError, "0 feature"),
    "uncounted features": (
        lambda X: X[:, X.mean(axis=0) > 0],
        ValueError,
        "features",
    ),
    "delayed": (lambda X: dask.delayed(X), TypeError, "dask array"),
    "bag": (
        lambda X: db.from_sequence([[1.0, 2.0]]),
        TypeError,
        "dask array",
    ),
    "sparse": (
        lambda X: X.map_blocks(sp.csr_array),
        TypeError,
        "[Ss]parse",
    ),
}


@pytest.mark.parametrize("kind", KINDS_REFUSED)
def test_refused_by_a_sentence(kind):
    change, error, message = KINDS_REFUSED[kind]
    with pytest.raises(error, match=message):
        sc.FuzzyCMeans(3, random_state=0).fit(change(far(make_blobs()[0])))


class InMemory:
    """As `xarray.DataArray` of NumPy: it has the method of dask collections, which says that it is none."""

    def __init__(self, X):
        self.X, self.ndim, self.shape, self.dtype, self.chunks = X, X.ndim, X.shape, X.dtype, None

    def __dask_graph__(self):
        return None

    def __array__(self, dtype=None, copy=None):
        return np.array(self.X, dtype)

    def __len__(self):
        return len(self.X)


def test_what_might_be_a_collection_but_is_in_memory():
    X, _ = make_blobs()
    two = sc.FuzzyCMeans(3, random_state=0).fit(InMemory(X))
    assert_same_bits(sc.FuzzyCMeans(3, random_state=0).fit(X), two)


@pytest.mark.parametrize("lazy", [False, True], ids=["numpy", "dask"])
def test_lengths_that_differ(lazy):
    X, y = make_blobs()
    as_given = (lambda a: da.from_array(a, chunks=50)) if lazy else np.asarray
    with pytest.raises(ValueError, match="y has 149 entries; X has 150 rows"):
        sc.FuzzyCMeans(3).fit(far(X), as_given(y[:-1]))
    with pytest.raises(ValueError, match="sample_weight"):
        sc.FuzzyCMeans(3).fit(far(X), sample_weight=as_given(np.ones(151)))
    with pytest.raises(ValueError, match=r"must_link\[0\] = .*150 rows"):
        sc.FuzzyCMeans(3).fit(far(X), must_link=[[0, 150]])


def test_other_features_than_at_the_fit():
    X, _ = make_blobs()
    for model in (sc.FuzzyCMeans(3, random_state=0).fit(far(X)), sc.FuzzyCMeans(3, random_state=0).fit(X)):
        for name in ("predict", "predict_proba", "transform", "outlier_score", "score"):
            with pytest.raises(ValueError, match="X has 1 features, but FuzzyCMeans is expecting 2"):
                getattr(model, name)(far(X)[:, :1])


def test_a_refused_fit_leaves_the_one_before():
    X, _ = make_blobs()
    model = sc.FuzzyCMeans(3, random_state=0).fit(far(X))
    before = dict(vars(model))
    bad = np.column_stack([X, np.full(len(X), np.nan)])
    with pytest.raises(ValueError, match="NaN"):
        model.fit(far(bad))
    assert vars(model) == before


# ---------------------------------------------------------------------- reading
def counted(X, chunks, log, broken=None):
    """X in blocks that note when they are read."""

    def read(block, block_info=None):
        place = block_info[None]["chunk-location"][0]
        log.append(place)
        if broken is not None:
            broken(place, len(log))
        return block

    return da.from_array(X, chunks=chunks).map_blocks(read, dtype=X.dtype, meta=np.empty((0, 0), X.dtype))


def failing(at, error):
    """For `counted`: an error each time that the block `at` is read."""

    def broken(place, reads):
        if place == at:
            raise error

    return broken


def test_rows_that_fit_are_read_once(small_blocks):
    X, log = make_blobs()[0], []
    sc.FuzzyCMeans(3, random_state=0).fit(counted(X, (40, 2), log))
    assert sorted(log) == [0, 1, 2, 3]


def test_rows_that_do_not_fit_are_read_in_each_pass(small_blocks, monkeypatch):
    monkeypatch.setattr(far_away, "_memory", lambda: 0)
    X, log = make_blobs()[0], []
    one = sc.FuzzyCMeans(3, random_state=0).fit(X)
    lazy = counted(X, (40, 2), log)
    assert not remote_rows(lazy).is_held
    two = sc.FuzzyCMeans(3, random_state=0).fit(lazy)
    assert len(log) >= 4 * two.n_iter_
    assert_same_bits(one, two)


@pytest.mark.parametrize("memory", [None, 0], ids=["held", "not held"])
def test_blocks_that_share_what_they_are_made_of(memory, small_blocks, monkeypatch):
    if memory is not None:
        monkeypatch.setattr(far_away, "_memory", lambda: memory)
    X, _ = make_blobs()
    lazy = far(X) - far(X).mean(axis=0)
    two = sc.FuzzyCMeans(3, random_state=0).fit(lazy)
    assert_same_bits(sc.FuzzyCMeans(3, random_state=0).fit(lazy.compute()), two)


def test_rows_in_memory_of_dask():
    X, _ = make_blobs()
    one = sc.FuzzyCMeans(3, random_state=0).fit(X)
    assert_same_bits(one, sc.FuzzyCMeans(3, random_state=0).fit(far(X).persist()))


def test_a_loss_that_mends_changes_nothing(small_blocks, monkeypatch):
    monkeypatch.setattr(far_away, "_FIRST_PAUSE", 0.001)
    monkeypatch.setattr(far_away, "_memory", lambda: 0)
    X, log = make_blobs()[0], []

    def sometimes(place, reads):
        if reads % 13 == 0:
            raise OSError("the disk was away")

    lazy = counted(X, (40, 2), log, sometimes)
    model = sc.FuzzyCMeans(3, init=X[:3])
    model.fit(lazy)
    two = sc.FuzzyCMeans(3, init=X[:3]).fit(X)
    assert_array_equal(model.cluster_centers_, two.cluster_centers_)


def test_rows_that_are_lost_for_good(small_blocks, monkeypatch):
    monkeypatch.setattr(far_away, "_FIRST_PAUSE", 0.001)
    X, log = make_blobs()[0], []
    always = failing(2, OSError("no such disk"))

    with pytest.raises(DataLostError, match=r"4 tries; .* OSError: block 2: no such disk"):
        sc.FuzzyCMeans(3).fit(counted(X, (40, 2), log, always))
    assert log.count(2) == 4


def test_lost_blocks_have_the_numbers_of_those_who_gave_them(monkeypatch):
    """Also where small blocks are put together."""
    monkeypatch.setattr(far_away, "_FIRST_PAUSE", 0.001)
    X = make_blobs()[0]
    monkeypatch.setattr(far_away, "_LEAST_BLOCK", 3 * 10 * X[0].nbytes)
    broken = failing(7, OSError("no such disk"))

    with pytest.raises(DataLostError, match="OSError: one of blocks 6 to 8: no such disk"):
        sc.FuzzyCMeans(3).fit(counted(X, (10, 2), [], broken))


def test_an_error_of_the_blocks_own_passes_through_at_once(small_blocks):
    X, log = make_blobs()[0], []
    wrong = failing(2, ValueError("my own mistake"))

    with pytest.raises(ValueError, match=r"^my own mistake$"):
        sc.FuzzyCMeans(3).fit(counted(X, (40, 2), log, wrong))
    assert log.count(2) == 1


def test_a_start_by_a_function_sees_the_collection():
    X, _ = make_blobs()
    seen = []

    def first(X, c, random_state):
        seen.append(X)
        return np.asarray(X[:c])

    two = sc.FuzzyCMeans(3, init=first).fit(far(X))
    assert is_dask_collection(seen[0])
    assert_same_bits(sc.FuzzyCMeans(3, init=X[:3]).fit(X), two)


def test_more_rows_than_a_sample():
    """Starts compete on 20,000 rows, which come here; then all rows."""
    X = make_blobs(each=9000)[0]
    make = lambda: sc.FuzzyCMeans(3, random_state=0, n_init=2, tol=1e-12)  # noqa: E731
    one, two = make().fit(X), make().fit(da.from_array(X, chunks=(5000, 2)))
    assert_near(one, two, X)
    assert one.n_iter_ == two.n_iter_


def test_bits_do_not_depend_on_who_reads(small_blocks):
    X, _ = make_blobs()
    one = sc.FuzzyCMeans(3, random_state=0).fit(X)
    with dask.config.set(scheduler="threads", num_workers=3):
        assert_same_bits(one, sc.FuzzyCMeans(3, random_state=0).fit(far(X)))


def test_processes(small_blocks):
    X = make_blobs()[0]
    weight = np.random.default_rng(0).random(len(X))
    make = lambda: sc.FuzzyCMeans(3, init=X[:3], max_iter=3)  # noqa: E731
    one = make().fit(X, sample_weight=weight)
    with (
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool,
        dask.config.set(scheduler="processes", pool=pool),
    ):
        lazy = far(X)
        assert not remote_rows(lazy).is_held
        two = make().fit(lazy, sample_weight=weight)
        assert_near(one, two, X)  # each process may have compiled code of its own


def test_those_who_look_on_may_score():
    X, _ = make_blobs()

    class Scores:
        def __init__(self):
            self.values = []

        def setup(self, estimator, context):
            pass

        teardown = on_fit_task_begin = setup

        def on_fit_task_end(self, estimator, context, *, X=None, fitted_estimator=None):
            if context.task_name == "iteration" and fitted_estimator is not None:
                self.values.append(fitted_estimator.score(X))

    scores = Scores()
    model = sc.FuzzyCMeans(3, init=X[:3]).set_callbacks(scores).fit(far(X))
    assert_allclose(scores.values, -model.objective_history_, rtol=1e-12)


# ---------------------------------------------------------------------- files
@pytest.mark.parametrize("cls", FAMILIES)
def test_a_model_of_lazy_rows_is_kept_without_them(cls, tmp_path):
    X, log = make_blobs()[0], []
    model = cls(3, random_state=0).fit(counted(X, (40, 2), log))
    reads = len(log)
    sc.save(model, tmp_path / "model")
    again = sc.load(tmp_path / "model")
    assert len(log) == reads
    assert not hasattr(again, "memberships_")
    assert_array_equal(again.predict_proba(X), model.memberships_.compute())
    assert_array_equal(again.predict_proba(far(X)).compute(), model.memberships_.compute())


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_read_nothing(way):
    X = make_blobs()[0]
    model = sc.FuzzyCMeans(3, random_state=0).fit(far(X))
    again = way(model)
    assert is_dask_collection(again.memberships_)
    assert_array_equal(again.memberships_.compute(), model.memberships_.compute())
    assert_array_equal(again.predict(X), model.labels_.compute())
