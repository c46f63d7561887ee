"""Every labelled model from a given start, against a literal transcription of its paper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs

import softclust as sc
from oracles import supervised

pytestmark = pytest.mark.filterwarnings("ignore::softclust.DegenerateClusterWarning")  # PCM does collapse

LITERAL = {"acceleration": None, "tol": 1e-11, "max_iter": 3000}
STOP = {"tol": 1e-11, "max_iter": 3000}
SCALE = np.array([2.0, 3.0, 4.5])
STRENGTH = 1.5
N, C = 36, 3
NAN = np.nan


def blobs(seed):
    """Rows in three clouds, their clouds, three of the rows a little moved as start, and row weights."""
    X, classes = make_blobs(N, n_features=3, centers=C, cluster_std=1.5, random_state=seed)
    rng = np.random.default_rng(seed)
    start = np.array([rng.choice(np.flatnonzero(classes == k)) for k in range(C)])
    return X, classes, X[start] + 0.01, rng.uniform(0.2, 3.0, N)


def classes_of_some_rows(classes, rng):
    """1-D: a quarter of the rows, every class at least twice, two of the labels wrong."""
    rows = np.concatenate([np.flatnonzero(classes == k)[:2] for k in range(C)])
    rows = np.union1d(rows, rng.choice(N, 8, replace=False))
    y = np.full(N, -1)
    y[rows] = classes[rows]
    y[rows[:2]] = (y[rows[:2]] + 1) % C
    F = np.full((N, C), NAN)
    F[rows] = np.eye(C)[y[rows]]
    return y, F, STRENGTH, STRENGTH


def degrees_of_some_rows(classes, rng):
    """2-D: degrees that sum to one, to less, to more; nothing said of some clusters; 0 in all clusters."""
    F = np.full((N, C), NAN)
    rows = rng.choice(N, 16, replace=False)
    F[rows[:5]] = rng.dirichlet(np.ones(C), 5)
    F[rows[5:8]] = rng.uniform(0, 0.3, (3, C))
    F[rows[8:11]] = rng.uniform(0.4, 0.9, (3, C))
    F[rows[11:15]] = rng.uniform(0, 1, (4, C))
    F[rows[11:13], 0] = NAN
    F[rows[13:15], 1:] = NAN
    F[rows[15]] = 0.0
    return F, F, STRENGTH, STRENGTH


def strengths_of_rows(classes, rng):
    """A strength for each row, some of them 0; the labels are those of `classes_of_some_rows`."""
    y, F, _, _ = classes_of_some_rows(classes, rng)
    strength = rng.uniform(0, 4, N)
    strength[::7] = 0.0
    return y, F, strength, strength


KNOWLEDGE = [classes_of_some_rows, degrees_of_some_rows, strengths_of_rows]

# name: (estimator, its parameters, oracle, the oracle's parameters)
CASES = {"k-means": (sc.HardCMeans, {}, supervised.semi_supervised_k_means, {})}
for m in (2.0, 1.5, 3.0):
    CASES[f"fcm m={m:g}"] = (sc.FuzzyCMeans, {"m": m}, supervised.semi_supervised_fcm, {"m": m})
CASES["fcm, printed centres"] = (
    sc.FuzzyCMeans,
    {"m": 2.0, "printed_centers": True},
    supervised.semi_supervised_fcm,
    {"m": 2.0, "printed_centers": True},
)
for name, settings in {
    "pcm m=2": {"m": 2.0},
    "pcm m=1.5": {"m": 1.5},
    "pcm, entropy": {"penalty": "entropy"},
    "pcm, unlabelled rows at 0": {"m": 2.0, "unlabelled": "zero"},
    "pcm m=1.5, unlabelled rows at 0": {"m": 1.5, "unlabelled": "zero"},
    "pcm, printed centres": {"m": 2.0, "printed_centers": True},
}.items():
    settings = {**settings, "scale": SCALE}
    CASES[name] = (sc.PossibilisticCMeans, settings, supervised.semi_supervised_pcm, settings)
CASES["srpcm"] = (
    sc.PossibilisticCMeans,
    {"m": 2.0, "scale": SCALE, "separation": sc.Repulsion(20.0)},
    supervised.semi_supervised_repulsive_pcm,
    {"m": 2.0, "scale": SCALE, "strength": 20.0},
)
for unlabelled in ("free", "zero"):
    CASES[f"spcm, unlabelled rows {unlabelled}"] = (
        sc.PossibilisticCMeans,
        {"m": 2.0, "scale": SCALE, "separation": sc.CentralDistance(0.05), "unlabelled": unlabelled},
        supervised.semi_supervised_central_pcm,
        {"m": 2.0, "scale": SCALE, "strength": 0.05, "unlabelled": unlabelled},
    )
for settings in ({"m": 2.0, "eta": 2.0}, {"m": 1.6, "eta": 3.0}):
    settings = {"a": 1.5, "b": 2.0, "scale": SCALE, **settings}
    CASES[f"spfcm eta={settings['eta']:g}"] = (
        sc.PossibilisticFuzzyCMeans,
        settings,
        supervised.semi_supervised_pfcm,
        settings,
    )
for settings in (
    {"variant": 1, "m": 2.0, "eta": 2.0},
    {"variant": 1, "m": 1.7, "eta": 2.5},
    {"variant": 2, "m": 2.0, "eta": 2.0},
    {"variant": 2, "m": 1.6, "eta": 2.0},
):
    settings = {"scale": SCALE, **settings}
    CASES["ipcm variant={variant} m={m:g} eta={eta:g}".format(**settings)] = (
        sc.ImprovedPossibilisticCMeans,
        settings,
        supervised.semi_supervised_ipcm,
        settings,
    )


ROOTS = [name for name in CASES if "ipcm" in name and "m=2" not in name]  # a root search in each entry
# The dear ones; each name stays with another kind of knowledge, each kind with other names.
DEAR = [(name, kind) for name in ROOTS for kind in KNOWLEDGE]
DEAR.remove(("ipcm variant=1 m=1.7 eta=2.5", classes_of_some_rows))
DEAR.remove(("ipcm variant=2 m=1.6 eta=2", degrees_of_some_rows))
DEAR.append(("fcm m=3", degrees_of_some_rows))
RUNS = [
    pytest.param(name, kind, seed, marks=pytest.mark.slow if seed or (name, kind) in DEAR else ())
    for seed in (0, 1)
    for name in CASES
    for kind in KNOWLEDGE
    if not (seed and name in ROOTS)
]


def close(model, answer, X):
    spread = X.std(axis=0).max()
    assert_allclose(model.cluster_centers_, answer.centers, rtol=0, atol=1e-8 * spread)
    assert_allclose(model.objective_, answer.objective, rtol=1e-8)
    if answer.typicalities is not None:
        assert_allclose(model.typicalities_, answer.typicalities, rtol=0, atol=1e-7)


def published_by_ipcm(answer, alpha):
    """(u t + alpha u)/(1 + alpha) with u t divided by its row sum; alpha is 0 in rows without a label."""
    both = answer.memberships * answer.typicalities
    both /= both.sum(axis=1, keepdims=True)
    alpha = alpha[:, None]
    return (both + alpha * answer.memberships) / (1 + alpha)


@pytest.mark.parametrize(("name", "knowledge", "seed"), RUNS)
def test_fixed_point_equals_the_paper(name, knowledge, seed):
    cls, parameters, oracle, settings = CASES[name]
    X, classes, V0, weight = blobs(seed)
    y, F, strength, alpha = knowledge(classes, np.random.default_rng(seed))
    weight = weight if seed else None
    model = cls(C, init=V0, label_strength=strength, **parameters, **LITERAL)
    model.fit(X, y, sample_weight=weight)
    answer = oracle(X, V0, F=F, alpha=alpha, weights=weight, **settings, **STOP)
    close(model, answer, X)
    if answer.memberships is not None:
        wanted = answer.memberships
        if cls is sc.ImprovedPossibilisticCMeans:
            wanted = published_by_ipcm(answer, ~np.isnan(F).all(axis=1) * np.broadcast_to(alpha, N))
        assert_allclose(model.memberships_, wanted, rtol=0, atol=1e-7)
    if answer.memberships is None:  # PCM's memberships are shares of the typicalities
        shares = answer.typicalities / answer.typicalities.sum(axis=1, keepdims=True)
        assert_allclose(model.memberships_, shares, rtol=0, atol=1e-7)


@pytest.mark.parametrize(("m", "seed"), [(1.5, 0), (2.0, 0), (2.0, 1), (3.0, 1)])
@pytest.mark.parametrize("knowledge", KNOWLEDGE)
def test_noise_clustering_with_labels(m, knowledge, seed):
    X, classes, V0, weight = blobs(seed)
    y, F, strength, alpha = knowledge(classes, np.random.default_rng(seed))
    model = sc.FuzzyCMeans(C, m=m, noise_distance=3.0, init=V0, label_strength=strength, **LITERAL)
    model.fit(X, y, sample_weight=weight)
    answer = supervised.semi_supervised_fcm(
        X, V0, F=F, alpha=alpha, m=m, noise_distance=3.0, weights=weight, **STOP
    )
    close(model, answer, X)
    assert_allclose(1 - model.outlier_scores_, answer.memberships.sum(axis=1), rtol=0, atol=1e-7)
    shares = model.memberships_ * (1 - model.outlier_scores_)[:, None]
    assert_allclose(shares, answer.memberships, rtol=0, atol=1e-7)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["k-means", "fcm m=2", "pcm m=2", "spfcm eta=2"])
def test_a_subset_label_excludes_the_others_and_says_no_more(name, seed):
    """[1, 1, 0] is "the first or the second": 0 in the third, nothing between the two."""
    cls, parameters, oracle, settings = CASES[name]
    X, _, V0, weight = blobs(seed)
    y, F = np.full((N, C), NAN), np.full((N, C), NAN)
    for i, told in ((3, [1, 1, 0]), (11, [0, 1, 1]), (19, [1, 0, 1]), (25, [1, 0, 0]), (31, [1, 1, 1])):
        y[i] = told
        F[i] = told if sum(told) == 1 else np.where(np.array(told) == 1, NAN, 0.0)
    model = cls(C, init=V0, label_strength=5.0, **parameters, **LITERAL).fit(X, y, sample_weight=weight)
    close(model, oracle(X, V0, F=F, alpha=5.0, weights=weight, **settings, **STOP), X)


@pytest.mark.parametrize("name", ["pcm m=2", "spfcm eta=2", "ipcm variant=1 m=2 eta=2", "fcm m=2"])
def test_the_names_of_the_classes_do_not_matter(name):
    cls, parameters, oracle, settings = CASES[name]
    X, classes, V0, _ = blobs(0)
    y, F, strength, alpha = classes_of_some_rows(classes, np.random.default_rng(0))
    names = np.array(["apple", "pear", "plum", None], dtype=object)
    model = cls(C, init=V0, label_strength=strength, **parameters, **LITERAL).fit(X, names[y])
    assert list(model.classes_) == ["apple", "pear", "plum"]
    close(model, oracle(X, V0, F=F, alpha=alpha, **settings, **STOP), X)


@pytest.mark.parametrize(("m", "strength"), [(1.1, 0.001), (1.5, 3.0), (2.0, 3.0), (3.0, 3.0)])
def test_a_labelled_row_on_a_centre(m, strength):
    """Its distance there is exactly 0, and its label is another cluster."""
    X = np.array([[0.0, 0.0], [1, 0], [0, 1], [8, 8], [9, 8], [8, 9], [4, 4], [8, 0]])
    V0 = X[[0, 3]]
    F = np.full((8, 2), NAN)
    F[0] = [NAN, 1.0]
    model = sc.FuzzyCMeans(2, m=m, init=V0, label_strength=strength, **LITERAL).fit(X, F)
    answer = supervised.semi_supervised_fcm(X, V0, F=F, alpha=strength, m=m, **STOP)
    assert_allclose(model.objective_history_[:2], answer.history[:2], rtol=1e-8)
    close(model, answer, X)


@pytest.mark.parametrize("m", [1.05, 1.1, 1.5, 3.0])
def test_a_labelled_row_on_a_possibilistic_centre(m):
    X = np.array([[0.0, 0.0], [1, 0], [0, 1], [8, 8], [9, 8], [8, 9], [4, 4], [8, 0]])
    V0 = X[[0, 3]]
    F = np.full((8, 2), NAN)
    F[0], F[3] = [1.0, 0.0], [0.5, 0.2]
    settings = {"m": m, "scale": 2.0}
    model = sc.PossibilisticCMeans(2, init=V0, label_strength=3.0, **settings, **LITERAL).fit(X, F)
    answer = supervised.semi_supervised_pcm(X, V0, F=F, alpha=3.0, **settings, **STOP)
    assert_allclose(model.objective_history_[:2], answer.history[:2], rtol=1e-8)
    close(model, answer, X)
