"""Sets of rows with known classes for `quality.py`: bundled, generated, and from a file.

Every set is z-scored and has at most 6,000 rows.  Class -1 marks noise: such rows are fitted, but have no
class.  Nothing here depends on the seeds of the fits, except the choice of the rows with a label.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn import datasets as sklearn_sets
from sklearn.preprocessing import scale

from softclust import datasets

MOST_ROWS = 6_000


@dataclass(frozen=True)
class Set:
    """Rows (n, p), and the class of each row: 0..c-1, or -1 for noise."""

    name: str
    group: str
    X: np.ndarray
    y: np.ndarray

    @property
    def clusters(self) -> int:
        return int(self.y.max()) + 1

    @property
    def known(self) -> np.ndarray:
        """(n,) True where a row has a class."""
        return self.y >= 0


def make_set(name: str, group: str, X: np.ndarray, y: np.ndarray, most: int = MOST_ROWS) -> Set:
    """Draw at most `most` rows, z-score the features, and number the classes from 0; y < 0 is noise."""
    rows = np.arange(len(X))
    if len(X) > most:
        rows = np.sort(np.random.default_rng(0).choice(len(X), most, replace=False))
    X, y = np.asarray(X, dtype=np.float64)[rows], np.asarray(y)[rows]
    codes = np.full(len(y), -1)
    codes[y >= 0] = np.unique(y[y >= 0], return_inverse=True)[1]
    return Set(name, group, scale(X), codes)


# ---------------------------------------------------------------------- bundled and from a file
def bundled() -> Iterator[Set]:
    """The real sets of scikit-learn and of softclust, each once."""
    loaders = {
        "iris": sklearn_sets.load_iris,
        "wine": sklearn_sets.load_wine,
        "breast cancer": sklearn_sets.load_breast_cancer,
        "digits": sklearn_sets.load_digits,
        "ecoli": datasets.load_ecoli,
        "glass": datasets.load_glass,
        "letters IJL": datasets.load_letters_ijl,
    }
    for name, load in loaders.items():
        yield make_set(name, "bundled", *load(return_X_y=True))


def battery(path: Path) -> Iterator[Set]:
    """The sets of an .npz file with `names`, `groups`, and for each name X__name and y__name, 0 = noise."""
    with np.load(path) as file:
        for name, group in zip(file["names"], file["groups"], strict=True):
            yield make_set(str(name), str(group), file[f"X__{name}"], file[f"y__{name}"].astype(int) - 1)


# ---------------------------------------------------------------------- generated
def generated() -> Iterator[Set]:
    """Gaussian clouds in 2 to 256 features, overlapping, unbalanced and stretched ones, shapes, noise."""
    for p, c in ((2, 3), (4, 5), (8, 8), (16, 12), (32, 20), (64, 10), (128, 5), (256, 3)):
        yield _blobs(f"blobs p={p} c={c}", p, c, overlap=0.02)
    for p, c in ((2, 4), (8, 4), (32, 6), (128, 4)):
        yield _blobs(f"overlapping p={p} c={c}", p, c, overlap=0.2)
    for p, shares in (
        (2, (0.8, 0.15, 0.05)),
        (8, (0.9, 0.1)),
        (32, (0.7, 0.2, 0.07, 0.03)),
        (64, (0.9, 0.1)),
    ):
        yield make_set(f"unbalanced p={p} c={len(shares)}", "generated", *_clouds(p, shares))
    for p in (2, 8, 32):
        yield make_set(f"stretched p={p} c=4", "generated", *_clouds(p, (0.25,) * 4, stretch=3.0))
    yield from _shapes()
    for p in (2, 8, 32):
        X, y = datasets.make_overlapping_blobs(800, p, 4, overlap=0.02, random_state=p)
        yield make_set(f"uniform noise p={p} c=4", "generated", *with_outliers("uniform", X, y, 0.2))


def _blobs(name: str, p: int, c: int, overlap: float) -> Set:
    X, y = datasets.make_overlapping_blobs(1000, p, c, overlap=overlap, random_state=p + c)
    return make_set(name, "generated", X, y)


def _clouds(p: int, shares: tuple[float, ...], stretch: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian clouds of these shares of 1,000 rows, whose centres are about 6 apart.

    Standard deviations along the axes of a cloud are between 1 / stretch and stretch.
    """
    rng = np.random.default_rng(p + len(shares))
    y = np.repeat(np.arange(len(shares)), np.round(1000 * np.array(shares)).astype(int))
    centers = rng.normal(size=(len(shares), p)) * 6 / np.sqrt(2 * p)
    X = rng.normal(size=(len(y), p))
    for k in range(len(shares)):
        turn = np.linalg.qr(rng.normal(size=(p, p)))[0]
        X[y == k] = (X[y == k] * stretch ** rng.uniform(-1, 1, p)) @ turn + centers[k]
    return X, y


def _shapes() -> Iterator[Set]:
    """Sets in the plane whose clusters are not round, or not equally wide."""
    made = {
        "moons": sklearn_sets.make_moons(1000, noise=0.08, random_state=0),
        "circles": sklearn_sets.make_circles(1000, noise=0.05, factor=0.4, random_state=0),
        "rings": datasets.make_ellipses(900, shapes="rings", random_state=0),
        "spreads": sklearn_sets.make_blobs(1000, cluster_std=[0.5, 1.0, 2.5], random_state=8),
        "x2000": datasets.make_x2000(random_state=0),
        "gauss k2": datasets.make_gauss_k2(random_state=0),
    }
    for name, (X, y) in made.items():
        yield make_set(name, "generated", X, y)


# ---------------------------------------------------------------------- outliers
def outlier_sets() -> Iterator[Set]:
    """Clouds and bundled sets, each with 10 % of added outliers of one kind; the kind is the group."""
    clouds = [
        (f"p={p} c={c}", datasets.make_overlapping_blobs(600, p, c, overlap=0.02, random_state=p))
        for p, c in ((2, 3), (5, 6), (20, 4), (80, 5))
    ]
    real = [
        (one.name, (one.X, one.y)) for one in bundled() if one.name in ("iris", "wine", "breast cancer")
    ]
    for kind in ("uniform", "far", "local"):
        for name, (X, y) in [*clouds, *real]:
            yield make_set(f"{name}, {kind}", kind, *with_outliers(kind, X, y, 0.1))


def with_outliers(kind: str, X: np.ndarray, y: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Append `share` of outliers, with class -1.

    "uniform": uniform on the box of the rows.  "far": Gaussian about the mean, three times as wide as the
    rows.  "local": copies of rows, of which at most four features are drawn anew about the mean of the
    class, three times as wide as the class.
    """
    rng = np.random.default_rng(len(X))
    chosen = rng.choice(len(X), round(share * len(X)), replace=False)
    normal = rng.normal(size=(len(chosen), X.shape[1]))
    if kind == "uniform":
        added = rng.uniform(X.min(axis=0), X.max(axis=0), size=normal.shape)
    elif kind == "far":
        added = X.mean(axis=0) + 3 * X.std(axis=0) * normal
    else:
        added = X[chosen].copy()
        for i, k in enumerate(y[chosen]):
            own, features = X[y == k], rng.permutation(X.shape[1])[:4]
            added[i, features] = (own.mean(axis=0) + 3 * own.std(axis=0) * normal[i])[features]
    return np.concatenate([X, added]), np.concatenate([y, np.full(len(chosen), -1)])


# ---------------------------------------------------------------------- labels
@dataclass(frozen=True)
class LabelledSet(Set):
    """A set with a label of some rows, `given`: the class, or -1 for rows without a label."""

    given: np.ndarray
    seed: int

    @property
    def scored(self) -> np.ndarray:
        """(n,) True where a row has a class and no label."""
        return self.known & (self.given < 0)


def labelled(one: Set, share: float, wrong: float, noise: float, seed: int) -> LabelledSet:
    """Label a share of the rows, some of them wrongly, and append a share of noise rows.

    The noise rows are uniform on the box of the rows.
    """
    rng = np.random.default_rng(seed)
    given = _some_labels(one, share, wrong, rng)
    count = round(noise * len(one.X))
    added = rng.uniform(one.X.min(axis=0), one.X.max(axis=0), size=(count, one.X.shape[1]))
    none = np.full(count, -1)
    X, y, given = (np.concatenate(pair) for pair in ((one.X, added), (one.y, none), (given, none)))
    return LabelledSet(one.name, one.group, X, y, given, seed)


def _some_labels(one: Set, share: float, wrong: float, rng: np.random.Generator) -> np.ndarray:
    """(n,) label of each row, -1 for most.

    Each class has `share` of its rows labelled, and one at least.  Of the labels, the share `wrong` names
    another class, drawn evenly; one label of each class stays right.
    """
    given, sure = np.full(len(one.y), -1), []
    for k in range(one.clusters):
        rows = np.flatnonzero(one.y == k)
        chosen = rng.choice(rows, max(1, round(share * len(rows))), replace=False)
        given[chosen] = k
        sure.append(chosen[0])
    told = np.flatnonzero(given >= 0)
    free = np.setdiff1d(told, sure)
    changed = rng.choice(free, min(len(free), round(wrong * len(told))), replace=False)
    shift = rng.integers(1, max(one.clusters, 2), size=len(changed))
    given[changed] = (given[changed] + shift) % one.clusters
    return given
