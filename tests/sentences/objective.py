"""J of a fitted sentence, term by term, from public attributes and the parameters that were given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sentences.distances import Shape, shape_of
from sentences.drawing import Sentence
from sentences.knowledge import Known, known_of, mean_square
from sentences.rowwise import Fuzzy, Improved, Labels, Mixed, Plausibility, Possibilistic, least_shares


@dataclass(frozen=True)
class Objective:
    """J(shape, U, T), and the values at which a fit ended."""

    s: Sentence
    known: Known
    family: Any
    shape: Shape
    U: np.ndarray | None  # (n, K), with a last column for noise; None where there are typicalities alone
    T: np.ndarray | None  # (n, c)
    sets: np.ndarray | None = None  # (f, c) of a credal partition, without the empty set
    power: float = 0.0  # alpha of |A|^alpha
    reg: float = 0.0  # kappa n of ellipsoids
    reg_target: np.ndarray | None = None  # T of ellipsoids

    def distances(self, shape: Shape) -> np.ndarray:
        """(n, K) the costs of columns but noise."""
        if self.sets is None:
            return shape.distances(self.s.X)
        return shape.of_sets(self.s.X, self.sets) * self.sets.sum(axis=1) ** self.power

    def row_costs(self, shape: Shape) -> np.ndarray:
        """(n,) what rows pay, weighed."""
        return self.known.weight * self.family.cost(self.distances(shape), self.U, self.T)

    def value(self, shape: Shape | None = None) -> float:
        """J at a shape, with the memberships of the fit."""
        return float(self.terms(self.shape if shape is None else shape).sum())

    def terms(self, shape: Shape) -> np.ndarray:
        """(4,) the terms of J: rows, pairs, regulariser, separation."""
        rows = float(self.row_costs(shape).sum())
        return np.array([rows, self.pairs(), self._regulariser(shape), self._separation(shape.V)])

    # ------------------------------------------------------------------ pairs
    def _breaks(self) -> tuple[np.ndarray, np.ndarray]:
        """(K, K) P_M and P_C: which columns of two rows break a must-link, and a cannot-link."""
        c = self.shape.V.shape[0]
        sets = np.eye(c) if self.sets is None else self.sets
        if self.family.noise is not None:
            sets = np.vstack([sets, np.zeros(c)])
        size = sets.sum(axis=1)
        same_singleton = np.eye(len(sets)) * (size == 1)
        both = np.outer(size > 0, size > 0)
        must, cannot = both - same_singleton, (sets @ sets.T > 0).astype(float)
        if not self.s.parameters.get("empty_satisfies_links", True):
            must[~both] = cannot[~both] = 1.0
        return must, cannot

    def pairs(self) -> float:
        """What all pairs pay."""
        if not self.known.must and not self.known.cannot:
            return 0.0
        value = 0.0
        for pairs, breaks in zip((self.known.must, self.known.cannot), self._breaks(), strict=True):
            value += sum(q * self.U[i] @ breaks @ self.U[j] for i, j, q in pairs)
        return value

    def pair_slopes(self) -> np.ndarray:
        """(n, K) the slope of what pairs pay by each row's memberships, the other rows held."""
        slopes = np.zeros_like(self.U)
        if self.known.must or self.known.cannot:
            for pairs, breaks in zip((self.known.must, self.known.cannot), self._breaks(), strict=True):
                for i, j, q in pairs:
                    slopes[i] += q * breaks @ self.U[j]
                    slopes[j] += q * breaks @ self.U[i]
        return slopes

    # ------------------------------------------------------------------ terms of the shape alone
    def _regulariser(self, shape: Shape) -> float:
        """kappa n sum_k tr(S_k T) of ellipsoids."""
        if shape.geometry != "ellipsoids" or not self.reg:
            return 0.0
        return self.reg * float(np.einsum("kab,ab->", shape.metrics, self.reg_target))

    def _separation(self, V: np.ndarray) -> float:
        """sum_k eta_k sum over l != k of 1/|v_k - v_l|^2."""
        separation = self.s.parameters.get("separation")
        if separation is None:
            return 0.0
        return separation.strength * sum(
            1 / ((V[k] - V[h]) ** 2).sum() for k, h in np.ndindex(len(V), len(V)) if k != h
        )


def objective_of(s: Sentence, model: Any) -> Objective:
    """J of a sentence at the values of a fitted model."""
    known = known_of(s, model)
    covariance = np.atleast_2d(np.cov(s.X.T, ddof=0, aweights=known.weight))
    shape = shape_of(model, s.geometry, covariance)
    noise = s.parameters.get("noise_distance")
    regular = _regulariser_of(s, known, len(shape.V))
    if s.estimator == "EvidentialCMeans":
        return _credal(s, model, known, shape, regular)
    noise = None if noise is None else noise**2
    labels, nothing = Labels(known.target, known.alpha), Labels(known.target * np.nan, known.alpha)
    U, T = _shares(model, noise), getattr(model, "typicalities_", None)
    gamma = getattr(model, "scale_", None)
    if s.estimator == "HardCMeans":
        family: Any = Fuzzy(labels, 1.0, noise)
    elif s.estimator == "FuzzyCMeans":
        polynomial = s.parameters.get("fuzzifier") == "polynomial"
        crisp = s.parameters["crisp_ratio"] if polynomial else None
        family = Fuzzy(labels, 2.0 if polynomial else model.m_, noise, crisp)
    elif s.estimator == "PossibilisticCMeans":
        entropy = s.parameters.get("penalty") == "entropy"
        family, U = Possibilistic(labels, 2.0 if entropy else model.m_, gamma, entropy=entropy), None
    elif s.estimator == "PossibilisticFuzzyCMeans":
        typical = Possibilistic(labels, model.eta_, gamma, model.b_)
        family = Mixed(Fuzzy(nothing, model.m_, noise), typical, s.parameters["a"])
    else:
        entropy = s.parameters["variant"] == 2
        typical = Possibilistic(nothing, model.eta_, gamma, entropy=entropy, offset=1.0)
        family = Improved(Fuzzy(labels, model.m_, noise), typical)
        U = _shares_of_brackets(s, model, family, shape.distances(s.X))
    return Objective(s, known, family, shape, U, T, **regular)


def _regulariser_of(s: Sentence, known: Known, c: int) -> dict[str, Any]:
    """kappa sum_k tr(S_k T), T = (n/c) diag(var X)."""
    usual = 1e-4 if s.estimator == "EvidentialCMeans" else 0.01
    w = known.weight
    variances = np.diag(np.atleast_2d(np.cov(s.X.T, ddof=0, aweights=w)))
    return {"reg": s.parameters.get("metric_reg", usual) * w.sum() / c, "reg_target": np.diag(variances)}


def _shares(model: Any, noise: float | None) -> np.ndarray:
    """U with a column for noise: `memberships_` are shares among the clusters alone."""
    if noise is None:
        return model.memberships_
    score = model.outlier_scores_[:, None]
    return np.hstack([model.memberships_ * (1 - score), score])


def _shares_of_brackets(s: Sentence, model: Any, family: Improved, D: np.ndarray) -> np.ndarray:
    """u of IPCM, which is not published: `memberships_` are u t, divided by their row sum."""
    fuzzy = family.fuzzy
    costs = fuzzy.with_noise(family.possibilistic.bracket(D, model.typicalities_))
    extra = 0 if fuzzy.noise is None else 1
    target = np.pad(fuzzy.labels.target, ((0, 0), (0, extra)), constant_values=np.nan)
    return least_shares(costs, model.m_, target, fuzzy.labels.alpha)


def _credal(s: Sentence, model: Any, known: Known, shape: Shape, regular: dict[str, Any]) -> Objective:
    """ECM and its kin, J divided by xi."""
    sets = model.focal_sets_[1:].astype(float)
    unit = known.weight.sum() * (len(sets) + 1) * mean_square(s.X, known.weight)  # 1/xi
    told = ~np.isnan(known.allowed).all(axis=1)
    weight = known.weight
    delta = np.zeros(len(s.X))
    if told.any():
        delta[told] = known.alpha[told] * unit / weight[told].sum()
    shared = np.nan_to_num(known.allowed) @ sets.T
    r, size = s.parameters.get("label_exponent", 0.0), sets.sum(axis=1)
    wanted = np.where(shared > 0, np.where(shared > 0, shared, 1.0) ** (r / 2) / size**r, 0.0)
    pairs = {}
    for name, default in (("must", 1.0), ("cannot", 1.0)):
        each = getattr(known, name)
        total = sum(np.sqrt(weight[i] * weight[j]) for i, j, _ in each) or 1.0
        strength = s.parameters.get(f"{name}_strength", default)
        pairs[name] = [(i, j, q * strength * unit / total) for i, j, q in each]
    known = Known(known.weight, known.target, known.allowed, known.alpha, **pairs)
    family = Fuzzy(Plausibility(wanted, delta), model.beta_, model.noise_distance_**2)
    U = np.column_stack([model.masses_[:, 1:], model.masses_[:, 0]])
    return Objective(s, known, family, shape, U, None, sets, model.cardinality_power_, **regular)
