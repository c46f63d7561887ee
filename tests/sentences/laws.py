"""What must be true of every fitted sentence.  A law returns nothing, or says what is wrong."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import softclust as sc
from sentences.drawing import FINE, TYPICAL, Sentence
from sentences.mixture import MixtureObjective, mixture_of
from sentences.objective import Objective, objective_of
from sentences.rowwise import least_typicalities

STEP = 1e-5  # of a finite difference, in spreads
FLAT = 1e-6  # greatest slope of J at rest: the share of J that a step of one spread would gain
LEAST = 1e-8  # how far a row may be from its least cost, as a share of that cost
ROUNDING = float(np.finfo(float).eps)
SAME_J, SAME_CENTRES = 1e-7, 1e-4  # of two fits that must be one: J, and centres in spreads


def narrowness(s: Sentence, model: Any) -> float:
    """How narrow the narrowest cluster is, as a share of the spread: J bends over such a length."""
    if s.estimator not in TYPICAL or s.geometry in ("mahalanobis", "directions"):
        return 1.0
    return min(1.0, float(np.sqrt(model.scale_.min())) / s.spread)


@dataclass(frozen=True)
class Fitted:
    """A sentence, its fitted model, and J there."""

    s: Sentence
    model: Any
    J: Any

    @classmethod
    def of(cls, s: Sentence) -> Fitted:
        model = s.fit()
        if s.estimator in TYPICAL and (narrow := narrowness(s, model)) < 0.01:
            # The tolerance is a share of the spread, and J bends over the width of a cluster.
            s = replace(s, parameters={**s.parameters, "tol": FINE["tol"] * narrow})
            model = s.fit()
        return cls(s, model, (mixture_of if s.estimator == "GaussianMixture" else objective_of)(s, model))


# ---------------------------------------------------------------------- J at the answer
def objective_is_j(fit: Fitted) -> str | None:
    """`objective_` is J."""
    if fit.s.parameters.get("covariance_type") == "spherical":
        # det T is not seen through round covariances; `lower_bound_` has no prior in it.
        mine = fit.J.value() - fit.J.prior(fit.J.shape.sigma)
        theirs = -fit.model.lower_bound_ * fit.J.known.weight.sum()
    else:
        mine, theirs = fit.J.value(), fit.model.objective_
    if abs(mine - theirs) <= 1e-8 * max(abs(mine), _size(fit)):
        return None
    return f"J is {mine:.12g}, objective_ {theirs:.12g}"


def _size(fit: Fitted) -> float:
    """The sum of the sizes of J's terms."""
    if isinstance(fit.J, MixtureObjective):
        return float(fit.J.known.weight.sum())
    return float(np.abs(fit.J.row_costs(fit.J.shape)).sum())


def rows_are_at_their_least(fit: Fitted) -> str | None:
    """No row can lower J by other memberships or typicalities, the other rows held."""
    J = fit.J
    if isinstance(J, MixtureObjective):
        gap = np.abs(J.best_shares() - J.U).max(axis=1)
        return _worst(gap, 1e-6 if len(fit.s.linked) else LEAST, "share is off by")
    D = J.distances(J.shape)
    if J.T is not None:
        off = np.abs(J.T - least_typicalities(J.family, D)).max(axis=1)
        if wrong := _worst(off, 1e-7, "typicality is off by"):
            return wrong
    if J.U is None:
        return None
    if fit.s.estimator == "ImprovedPossibilisticCMeans":
        off = np.abs(_read_out(J, D) - fit.model.memberships_).max(axis=1)
        return _worst(off - _rounding_of_logs(J, D), 1e-6, "share is off by")
    slope = J.family.slope(D, J.U, J.T) + J.pair_slopes() / J.known.weight[:, None]
    size = np.abs(J.family.cost(D, J.U, J.T)) + np.abs(J.U * slope).sum(axis=1) + 1e-300
    is_hard = fit.s.estimator == "HardCMeans"
    # J is convex in a row's shares: it can fall by no more than this from here to any corner.  Shares are
    # read out as 1 minus the noise, so each may be greater by the rounding of 1; slopes rise with it.
    above = J.family.slope(D, J.U + ROUNDING, J.T) + J.pair_slopes() / J.known.weight[:, None]
    gap = _hard_gap(J, D) if is_hard else (J.U * slope).sum(axis=1) - above.min(axis=1)
    return _worst(gap / size, 1e-6 if len(fit.s.linked) else LEAST, "cost could fall by a share of")


def _read_out(J: Objective, D: np.ndarray) -> np.ndarray:
    """`memberships_` of IPCM: u t, divided by its sum; with a label (u t + alpha u)/(1 + alpha).

    In logarithms: of rows that are typical of no cluster every t is below the least float.
    """
    u = J.U[:, : J.T.shape[1]]
    logs = np.log(np.maximum(u, 1e-300)) + _log_typicalities(J, D)
    both = np.exp(logs - logs.max(axis=1, keepdims=True))
    both = both / both.sum(axis=1, keepdims=True)
    told = ~np.isnan(J.known.target).all(axis=1)
    trust = np.where(told, J.known.alpha / (1 + J.known.alpha), 0.0)[:, None]
    shares = both * (1 - trust) + u * trust
    return shares / shares.sum(axis=1, keepdims=True)


def _log_typicalities(J: Objective, D: np.ndarray) -> np.ndarray:
    """ln t of IPCM: t = exp(-d/gamma), or 1/(1 + (d/gamma)^(1/(eta - 1)))."""
    family = J.family.possibilistic
    ratio = D / family.gamma
    return -ratio if family.entropy else -np.log1p(ratio ** (1 / (family.eta - 1)))


def _rounding_of_logs(J: Objective, D: np.ndarray) -> np.ndarray:
    """(n,) what the rounding of rows and centres does to ln t: of narrow clusters d/gamma is huge."""
    if not J.family.possibilistic.entropy:
        return np.zeros(len(D))
    length = np.abs(J.s.X).max() * np.sqrt(np.abs(D)) + D
    return (8 * ROUNDING * length / J.family.possibilistic.gamma).min(axis=1)


def _hard_gap(J: Objective, D: np.ndarray) -> np.ndarray:
    """(n,) what each row would gain in its best cluster."""
    n, K = J.U.shape
    pairs = J.pair_slopes() / J.known.weight[:, None]
    costs = np.empty((n, K))
    for k in range(K):
        alone = np.zeros((n, K))
        alone[:, k] = 1.0
        costs[:, k] = J.family.cost(D, alone) + pairs[:, k]
    return (costs * J.U).sum(axis=1) - costs.min(axis=1)


def _worst(gap: np.ndarray, most: float, what: str) -> str | None:
    i = int(gap.argmax())
    return None if gap[i] <= most else f"row {i}: {what} {gap[i]:.3g}"


def shapes_are_at_rest(fit: Fitted) -> str | None:
    """J has no slope by centres and shapes, the memberships held."""
    if isinstance(fit.J, MixtureObjective):
        return _components_are_at_rest(fit.J)
    J, size = fit.J, _size(fit) + 1e-300
    for name, way in J.shape.ways():
        unit = fit.s.spread if name.startswith("centre") else 1.0
        if fit.s.geometry == "directions":
            unit = float(np.linalg.norm(J.shape.V, axis=1).min())
        small = STEP * narrowness(fit.s, fit.model)
        step = small * unit
        # Term by term: a term that is far greater than the rows' would drown their slope in its rounding.
        ahead, behind = J.terms(way(step)), J.terms(way(-step))
        slope = float((ahead - behind).sum()) / (2 * small)
        if abs(slope) > FLAT * size + ROUNDING * float(np.abs(ahead).sum()) / small:
            return f"{name}: slope {slope / size:.3g} of J"
    return None


def _components_are_at_rest(J: MixtureObjective) -> str | None:
    """mu, Sigma and pi of each component are those of its rows, and of the prior."""
    N, _C = J.scatters()
    W = J.known.weight[:, None] * J.U[:, : len(N)]
    some = N > 1e-9 * N.sum()  # a component without rows stands where it stood
    means = W.T @ J.s.X / np.where(N > 0, N, 1.0)[:, None]
    off = np.abs(means - J.shape.V)[some].max(initial=0.0) / J.s.spread
    if off > 1e-5:
        return f"means are off by {off:.3g} spreads"
    share = np.abs(N / J.known.weight.sum() - J.shape.pi).max()
    if share > 1e-5:
        return f"weights are off by {share:.3g}"
    sigma = J.best_covariances()
    off = np.abs(sigma - J.shape.sigma)[some].max(initial=0.0) / np.abs(J.shape.sigma).max()
    return None if off <= 1e-5 else f"covariances are off by {off:.3g}"


# ---------------------------------------------------------------------- two fits that must be one
def _differ(one: Any, two: Any, spread: float, V: np.ndarray, J: float) -> str | None:
    """Whether model `two` has the centres V and the objective J of model `one` in its own units."""
    gap = abs(two.objective_ - J) / max(abs(J), 1e-300)
    off = np.abs(two.cluster_centers_ - V).max() / spread
    if gap <= SAME_J or (off <= 1e-8 and gap <= 1e-5):
        return None
    return f"J {two.objective_:.10g} against {J:.10g}, centres {off:.3g} spreads apart"


def _as(fit: Fitted, other: Sentence) -> str | None:
    two = other.fit()
    return _differ(fit.model, two, fit.s.spread, fit.model.cluster_centers_, fit.model.objective_)


def shuffled_rows(fit: Fitted) -> str | None:
    """The order of rows does not matter."""
    order = _rng(fit).permutation(len(fit.s.X))
    return _as(fit, fit.s.rows(order, np.argsort(order)))


def rows_of_weight_0_are_absent(fit: Fitted) -> str | None:
    """Further rows of weight 0, also labelled and far away, change nothing."""
    s, rng = fit.s, _rng(fit)
    n, extra = len(s.X), 5
    more = s.rows(np.r_[np.arange(n), rng.integers(n, size=extra)], np.arange(n))
    X, weight = more.X.copy(), more.weights.copy()
    X[n:] += rng.normal(size=(extra, X.shape[1])) * s.spread * 10.0 ** rng.uniform(-1, 3, (extra, 1))
    weight[n:] = 0.0
    order = rng.permutation(n + extra)
    return _as(fit, replace(more, X=X, weight=weight).rows(order, np.argsort(order)))


def a_weight_is_a_number_of_copies(fit: Fitted) -> str | None:
    """A row of weight k is k equal rows."""
    rng = _rng(fit)
    copies = rng.integers(1, 4, len(fit.s.X))
    copies[fit.s.linked] = 2  # a pair of rows of weight k is k pairs: both ends have one weight
    # Of copies others are drawn as a start than of rows with weights.
    init = fit.model.cluster_centers_ if isinstance(fit.s.init, str) else fit.s.init
    s = replace(fit.s, weight=copies.astype(float), init=init)
    repeated = np.repeat(np.arange(len(copies)), copies)
    first = np.cumsum(copies) - copies
    two = replace(s, weight=None).rows(repeated, first)
    both = {
        name: np.vstack([pairs, pairs + np.array([1, 1, 0])])
        for name, pairs in (("must", two.must), ("cannot", two.cannot))
    }
    one = Fitted(s, s.fit(), None)
    return _as(one, replace(two, **both))


def units_do_not_matter(fit: Fitted) -> str | None:
    """The rows times a factor, plus a shift, have the same answer in other units."""
    s, rng, model = fit.s, _rng(fit), fit.model
    factor = 10.0 ** rng.uniform(-3, 3)
    shift = rng.normal(size=s.X.shape[1]) * s.spread * factor * 10.0
    if s.geometry == "directions":  # a shift turns them
        shift = shift * 0.0
    two = s.in_units(factor, shift).fit()
    if s.estimator == "GaussianMixture":
        J = model.objective_ + fit.J.known.weight.sum() * s.X.shape[1] * np.log(factor)
    else:
        J = model.objective_ * (1.0 if s.geometry in ("mahalanobis", "directions") else factor**2)
    return _differ(model, two, s.spread * factor, model.cluster_centers_ * factor + shift, J)


def a_fit_from_its_answer_stays(fit: Fitted) -> str | None:
    """A fit that starts where this one ended ends there."""
    s, model = fit.s, fit.model
    if len(s.linked):  # their memberships are no part of a start
        return None
    start = (model.cluster_centers_,)
    if s.geometry in ("lines", "planes"):  # a cluster of one row has no covariance, but a direction
        axes = np.asarray(model.directions_, float).reshape(len(start[0]), -1, s.X.shape[1])
        start += (np.einsum("kra,krb->kab", axes, axes),)
    elif hasattr(model, "covariances_"):
        start += (model.covariances_,)
    if hasattr(model, "weights_"):
        start += (model.weights_,)
    changes = {"init": start if len(start) > 1 else start[0]}
    if s.estimator in TYPICAL:
        changes["scale"] = model.scale_
    two = s.fit(**changes)
    return _differ(model, two, s.spread, model.cluster_centers_, model.objective_)


# ---------------------------------------------------------------------- what is read out
def predictions_are_the_fit(fit: Fitted) -> str | None:
    """`predict` says of rows without labels and pairs what the fit said, in bits."""
    s, model = fit.s, fit.model
    free = np.isnan(fit.J.known.allowed).all(axis=1) & np.isnan(fit.J.known.target).all(axis=1)
    free[s.linked] = False
    if not np.array_equal(model.predict(s.X)[free], model.labels_[free]):
        return "predict differs from labels_"
    same = np.array_equal(model.predict_proba(s.X)[free], model.memberships_[free])
    return None if same else "predict_proba differs from memberships_"


def a_saved_model_is_the_model(fit: Fitted) -> str | None:
    """What comes back from a file predicts the same bits."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.zip"
        sc.save(fit.model, path)
        again = sc.load(path)
    X, model = fit.s.X, fit.model
    same = np.array_equal(again.predict_proba(X), model.predict_proba(X))
    same &= np.array_equal(again.memberships_, model.memberships_) and again.objective_ == model.objective_
    return None if same else "the loaded model differs"


def _rng(fit: Fitted) -> Any:
    return np.random.default_rng([7, fit.s.seed])


AT_THE_ANSWER = (objective_is_j, rows_are_at_their_least, shapes_are_at_rest)
OF_TWO_FITS = (
    shuffled_rows,
    rows_of_weight_0_are_absent,
    a_weight_is_a_number_of_copies,
    units_do_not_matter,
    a_fit_from_its_answer_stays,
)
OF_READING = (predictions_are_the_fit, a_saved_model_is_the_model)
