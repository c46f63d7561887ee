"""Random sentences: an estimator with parameters, rows, weights, labels and pairs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import softclust as sc

FINE = {"tol": 1e-10, "max_iter": 3000}
TYPICAL = ("PossibilisticCMeans", "PossibilisticFuzzyCMeans", "ImprovedPossibilisticCMeans")
LINKED = ("HardCMeans", "FuzzyCMeans", "EvidentialCMeans", "GaussianMixture")
# In a plane of two features a plane is everything, so planes need three.
GEOMETRIES = (
    "points",
    "points",
    "points",
    "ellipsoids",
    "ellipsoids",
    "mahalanobis",
    "lines",
    "planes",
    "directions",
)


@dataclass(frozen=True)
class Sentence:
    """One fit, as a user would call it."""

    seed: int
    estimator: str
    parameters: dict[str, Any]
    X: np.ndarray
    init: Any
    y: np.ndarray | None = None
    weight: np.ndarray | None = None
    must: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))
    cannot: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))

    @property
    def geometry(self) -> str:
        return self.parameters.get("geometry", "points")

    @property
    def weights(self) -> np.ndarray:
        return np.ones(len(self.X)) if self.weight is None else np.asarray(self.weight, float)

    @property
    def linked(self) -> np.ndarray:
        """Positions of the rows that are in a pair."""
        return np.unique(np.r_[self.must[:, :2], self.cannot[:, :2]].astype(int))

    @property
    def spread(self) -> float:
        """The root mean squared deviation of the rows that count."""
        w = self.weights
        mean = w @ self.X / w.sum()
        return float(np.sqrt(w @ ((self.X - mean) ** 2).sum(axis=1) / w.sum()))

    def fit(self, **changes: Any) -> Any:
        """The fitted estimator."""
        parameters = {"init": self.init, "random_state": 0, **FINE, **self.parameters, **changes}
        known = {"sample_weight": self.weight}
        if len(self.must) or len(self.cannot):
            known |= {"must_link": self.must, "cannot_link": self.cannot}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(sc, self.estimator)(**parameters).fit(self.X, self.y, **known)

    def rows(self, chosen: np.ndarray, place: np.ndarray) -> Sentence:
        """The sentence about the rows `chosen`; row i has gone to `place[i]`."""

        def moved(pairs: np.ndarray) -> np.ndarray:
            return np.column_stack([place[pairs[:, :2].astype(int)], pairs[:, 2]])

        parameters = dict(self.parameters)
        if np.ndim(parameters.get("label_strength")) == 1:
            parameters["label_strength"] = parameters["label_strength"][chosen]
        return replace(
            self,
            parameters=parameters,
            X=self.X[chosen],
            y=None if self.y is None else self.y[chosen],
            weight=None if self.weight is None else self.weight[chosen],
            must=moved(self.must),
            cannot=moved(self.cannot),
        )

    def in_units(self, factor: float, shift: np.ndarray) -> Sentence:
        """The sentence about the rows times `factor` plus `shift`, its parameters in the new unit."""
        powers = {"noise_distance": 1, "scale": 2, "density_rate": -2, "reg_covar": 2}
        if self.geometry in ("mahalanobis", "directions"):  # whose distances have no unit
            powers["noise_distance"] = powers["scale"] = 0
        parameters = dict(self.parameters)
        for name, power in powers.items():
            value = parameters.get(name)
            if value is not None and not isinstance(value, str):
                parameters[name] = (
                    np.asarray(value) * factor**power if np.ndim(value) else value * factor**power
                )
        if isinstance(parameters.get("separation"), sc.Repulsion):
            strength = parameters["separation"].strength * factor**4
            parameters["separation"] = sc.Repulsion(strength)
        init = self.init if isinstance(self.init, str) else self.init * factor + shift
        return replace(self, parameters=parameters, X=self.X * factor + shift, init=init)


def draw(seed: int) -> Sentence:
    """The sentence of a number."""
    rng = np.random.default_rng([20_240, seed])
    estimator = str(rng.choice([*TYPICAL, *LINKED, "FuzzyCMeans", "EvidentialCMeans"]))
    c, p = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    X = _rows(rng, c, p)
    parameters = {"n_clusters": c, **_WORDS[estimator](rng, X, c)}
    if parameters.get("geometry") == "directions":  # from an origin among the rows, which tells them apart
        X = X - np.median(X, axis=0)
    init = X[rng.choice(len(X), c, replace=False)] + 0.05 * rng.normal(size=(c, p)) * X.std()
    sentence = Sentence(seed, estimator, parameters, X, init)
    sentence = _with_weights(rng, sentence)
    if rng.random() < 0.5:
        sentence = _with_labels(rng, sentence, c)
    if estimator in LINKED and c > 1 and rng.random() < 0.5:
        sentence = _with_pairs(rng, sentence)
    return sentence


def _rows(rng: Any, c: int, p: int) -> np.ndarray:
    """Clouds of unlike sizes and shapes, a few rows far from all, somewhere and in some unit."""
    n = int(rng.integers(max(12, 6 * c), 60))
    means = rng.normal(size=(c, p)) * rng.choice([1.5, 3.0, 6.0])
    shapes = rng.normal(size=(c, p, p)) * rng.uniform(0.3, 1.0, (c, 1, 1))
    of = rng.integers(c, size=n)
    X = means[of] + np.einsum("iab,ib->ia", shapes[of], rng.normal(size=(n, p)))
    far = rng.random(n) < rng.choice([0.0, 0.0, 0.08])
    X[far] += rng.normal(size=(int(far.sum()), p)) * 10
    return X * 10.0 ** rng.uniform(-2, 2) + rng.normal(size=p) * rng.choice([0.0, 1.0, 100.0])


def _with_weights(rng: Any, sentence: Sentence) -> Sentence:
    n = len(sentence.X)
    weight = [None, None, rng.integers(1, 4, n).astype(float), rng.uniform(0.2, 3.0, n)][rng.integers(4)]
    return replace(sentence, weight=weight)


def _with_labels(rng: Any, sentence: Sentence, c: int) -> Sentence:
    """Classes of some rows, degrees, or sets of classes; some of them wrong."""
    n = len(sentence.X)
    told = rng.choice(n, int(rng.integers(c, 3 * c + 1)), replace=False)
    classes = np.r_[np.arange(c), rng.integers(c, size=len(told) - c)]  # every class is named
    form = rng.choice(["classes", "degrees", "sets"])
    if form == "classes":
        y = np.full(n, -1)
        y[told] = classes
    elif form == "degrees":
        y = np.full((n, c), np.nan)
        y[told] = rng.dirichlet(np.ones(c), len(told)).round(2)
        y[told, classes] = np.where(rng.random(len(told)) < 0.3, np.nan, y[told, classes])
    else:
        y = np.full((n, c), np.nan)
        y[told] = rng.integers(0, 2, (len(told), c))
        y[told, classes] = 1.0
    parameters = dict(sentence.parameters)
    strength = rng.choice([0, 1, 2])
    if strength == 1:
        parameters["label_strength"] = float(rng.uniform(0.2, 5.0))
    elif strength == 2:
        parameters["label_strength"] = rng.uniform(0.2, 5.0, n)
    apart = np.random.default_rng([sentence.seed, 1])  # sentences without a weight stay as they were
    parameters |= _sometimes(apart, 0.25, label_weight=float(apart.uniform(0.5, 5.0)))
    return replace(sentence, y=y, parameters=parameters)


def _with_pairs(rng: Any, sentence: Sentence) -> Sentence:
    n = len(sentence.X)
    ends = np.array([rng.choice(n, 2, replace=False) for _ in range(int(rng.integers(1, 9)))])
    ends = np.unique(np.sort(ends, axis=1), axis=0)
    pairs = np.column_stack([ends, rng.uniform(0.2, 2.0, len(ends))])
    is_must = rng.random(len(pairs)) < 0.5
    # A drawn start does not depend on the order of rows where there are pairs.
    init = sentence.init if rng.random() < 0.5 else "k-means++"
    return replace(sentence, must=pairs[is_must], cannot=pairs[~is_must], init=init)


# ---------------------------------------------------------------------- the words of each family
def _sometimes(rng: Any, chance: float, **words: Any) -> dict[str, Any]:
    return words if rng.random() < chance else {}


def _exponent(rng: Any) -> Any:
    return [2.0, "auto", float(rng.uniform(1.1, 3.0))][rng.integers(3)]


def _shared(rng: Any, X: np.ndarray, c: int, noise: bool = True) -> dict[str, Any]:
    """Geometry, separation, noise and density of the c-means families."""
    geometry = str(rng.choice(GEOMETRIES))
    least = {"planes": 3, "lines": 2, "directions": 2}
    if X.shape[1] < least.get(geometry, 1):
        geometry = "points"
    size = X.std() * np.sqrt(X.shape[1])
    unit = 1.0 if geometry in ("mahalanobis", "directions") else size
    words: dict[str, Any] = {"geometry": geometry}
    if noise:
        words |= _sometimes(rng, 0.3, noise_distance=float(unit * rng.uniform(0.3, 2.0)))
    if geometry == "points" and c > 1:
        strength = float(rng.uniform(0.001, 0.05) * size**4)
        words |= _sometimes(rng, 0.15, separation=sc.Repulsion(strength))
    words |= _sometimes(rng, 0.1, density_rate=float(rng.uniform(0.5, 5.0) / size**2))
    words |= _sometimes(rng, 0.1, unlabelled="zero")
    return words | _sometimes(rng, 0.3, metric_reg=float(rng.uniform(0.001, 0.1)))


def _hard(rng: Any, X: np.ndarray, c: int) -> dict[str, Any]:
    return _shared(rng, X, c) | {"link_strength": float(rng.uniform(0.1, 2.0))}


def _fuzzy(rng: Any, X: np.ndarray, c: int) -> dict[str, Any]:
    words = _shared(rng, X, c) | {"m": _exponent(rng), "link_strength": float(rng.uniform(0.1, 2.0))}
    return words | _sometimes(rng, 0.25, fuzzifier="polynomial", crisp_ratio=float(rng.uniform(0.05, 0.9)))


def _scales(rng: Any, X: np.ndarray, c: int, words: dict[str, Any]) -> dict[str, Any]:
    """gamma_k given, or found."""
    unit = 1.0 if words["geometry"] in ("mahalanobis", "directions") else X.var() * X.shape[1]
    given = [None, "auto", float(unit * rng.uniform(0.1, 1.0)), unit * rng.uniform(0.1, 1.0, c)]
    return {"scale": given[rng.integers(4)]}


def _possibilistic(rng: Any, X: np.ndarray, c: int) -> dict[str, Any]:
    words = _shared(rng, X, c, noise=False) | {"m": _exponent(rng)}
    return words | _scales(rng, X, c, words) | _sometimes(rng, 0.4, penalty="entropy")


def _mixed(rng: Any, X: np.ndarray, c: int) -> dict[str, Any]:
    words = _shared(rng, X, c) | {"m": _exponent(rng), "eta": _exponent(rng)}
    words |= {"a": float(rng.uniform(0.2, 3.0)), "b": float(rng.uniform(0.2, 3.0))}
    return words | _scales(rng, X, c, words)


def _improved(rng: Any, X: np.ndarray, c: int) -> dict[str, Any]:
    words = _shared(rng, X, c) | {"m": _exponent(rng), "eta": _exponent(rng)}
    return words | _scales(rng, X, c, words) | {"variant": int(rng.integers(1, 3))}


def _evidential(rng: Any, X: np.ndarray, c: int) -> dict[str, Any]:
    size = X.std() * np.sqrt(X.shape[1])
    words: dict[str, Any] = {"beta": _exponent(rng), "geometry": str(rng.choice(["points", "ellipsoids"]))}
    words["focal_sets"] = str(rng.choice(["auto", "simple", "pairs", "full"]))
    words |= _sometimes(rng, 0.6, noise_distance=float(size * rng.uniform(0.5, 3.0)))
    words |= _sometimes(rng, 0.5, cardinality_power=float(rng.uniform(0.0, 3.0)))
    words |= _sometimes(rng, 0.3, label_exponent=float(rng.uniform(0.0, 2.0)))
    words |= _sometimes(rng, 0.3, empty_satisfies_links=False)
    words |= _sometimes(rng, 0.3, must_strength=float(rng.uniform(0.1, 2.0)))
    return words | _sometimes(rng, 0.3, metric_reg=float(rng.uniform(0.001, 0.1)))


def _mixture(rng: Any, X: np.ndarray, c: int) -> dict[str, Any]:
    words: dict[str, Any] = {"covariance_type": str(rng.choice(["full", "tied", "diag", "spherical"]))}
    words |= _sometimes(rng, 0.3, noise=True) | _sometimes(
        rng, 0.4, link_strength=float(rng.uniform(0.5, 5))
    )
    return words | _sometimes(rng, 0.5, covariance_prior=float(rng.uniform(2.0, 10.0)))


_WORDS = {
    "HardCMeans": _hard,
    "FuzzyCMeans": _fuzzy,
    "PossibilisticCMeans": _possibilistic,
    "PossibilisticFuzzyCMeans": _mixed,
    "ImprovedPossibilisticCMeans": _improved,
    "EvidentialCMeans": _evidential,
    "GaussianMixture": _mixture,
}
