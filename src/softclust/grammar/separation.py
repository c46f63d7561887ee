"""Separation: the terms of J that keep centres apart.  They depend on the centres alone.

A separation has these members:

- `value(V)`: the term at centres V;
- `solve(H, B, V)`: the centres that minimise tr V'HV - 2 tr V'B + value(V), searched from V.  H (c, c) has
  the weights of the clusters and of the sets that tie them together, B (c, p) weighted sums of the rows;
- `apart(V)`: a start near V at which the value is finite;
- `in_units(c, units)`: the same separation with c strengths in the units of the loop;
- `of_clusters(keep, c)`: the same separation of the clusters `keep` out of c;
- `is_automatic`: whether the strength is "auto".  If so, `chosen(V, weight, scale, total)` is the same
  separation with the strength that the rule gives at the start of a fit: at centres V, with the sums of
  influence `weight` (c,), the scales gamma_k (c,) and the weight `total` of all rows.

Centres V are (c, p), in the units of the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Literal, Self, cast

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from softclust.compat.sklearn import InvalidParameterError

if TYPE_CHECKING:
    from softclust.sources.units import Units

    Strength = float | Sequence[float] | np.ndarray | Literal["auto"]
    Function = Callable[[np.ndarray], float]
    Derivative = Callable[[np.ndarray], np.ndarray]

_COINCIDENT = 1e-4  # of the data's spread
_GREATEST = float(np.finfo(float).max)  # strength


def pair_strengths(strength: Strength, c: int) -> np.ndarray:
    """Return the coefficients eta_k + eta_l (c, c) of all pairs of clusters, 0 on the diagonal."""
    eta = np.broadcast_to(np.asarray(strength, dtype=float), (c,))
    pairs = eta[:, None] + eta[None, :]
    return pairs - np.diag(np.diag(pairs))


@dataclass(frozen=True)
class _Separation:
    """A separation with one strength, or one per cluster."""

    strength: Strength = "auto"

    @property
    def is_automatic(self) -> bool:
        """Whether the strength is still to be chosen."""
        return isinstance(self.strength, str) and self.strength == "auto"

    def of_clusters(self, keep: np.ndarray, c: int) -> Self:
        """Return the same term of the clusters `keep` out of c."""
        return replace(self, strength=np.broadcast_to(self.strength, (c,))[keep])

    def _checked(self, c: int) -> np.ndarray:
        """Return the strength as 1 or c numbers, or raise an error that says what would fit."""
        values = np.atleast_1d(np.asarray(self.strength, dtype=object))
        numbers = all(isinstance(s, Real) and 0 <= cast(float, s) <= _GREATEST for s in values)
        if values.ndim != 1 or len(values) not in (1, c) or not numbers:
            raise InvalidParameterError(
                f"The strength of {type(self).__name__} must be a number >= 0, {c} such numbers (one per "
                f"cluster) or 'auto'. Got {self.strength!r} instead."
            )
        return np.asarray(values, dtype=float)


@dataclass(frozen=True)
class Repulsion(_Separation):
    """Centres repel each other: every two of them pay the inverse of their squared distance.

    J_rep = sum_k eta_k sum_{l != k} 1/|v_k - v_l|^2 (Timm 2004; Antoine 2018 eq. (3)).

    A pair has the coefficient eta_k + eta_l (the paper's gradient and eq. (4) carry eta_k alone, which
    is no gradient).  A trust region on c x p numbers finds the centres.

    Parameters
    ----------
    strength : float, sequence of n_clusters floats or "auto", default="auto"
        eta_k, in units of the data to the fourth power.  "auto" is (total weight / n_clusters) times
        the square of the mean scale: it grows with the data and has no unit to choose.  Its upper bound
        is the strength that weighs half as much as the rows of the lightest cluster at the start, so
        that no centre is driven out.

    References
    ----------
    .. [1] Timm, Borgelt, Doring & Kruse (2004), An extension to possibilistic fuzzy cluster analysis.
    .. [2] Antoine, Guerrero, Boone & Romero (2018), Possibilistic clustering with seeds.
    """

    def apart(self, V: np.ndarray) -> np.ndarray:
        """Move coincident centres a little, each in its own direction, so that the term is finite."""
        V = V.copy()
        for k in range(1, len(V)):
            while (np.abs(V[:k] - V[k]).max(axis=1) < _COINCIDENT).any():
                V[k, k % V.shape[1]] += k * 10 * _COINCIDENT
        return V

    def in_units(self, c: int, units: Units) -> Repulsion:
        """Check the strength and convert it to the units of the loop, to the fourth power."""
        return replace(self, strength=units.squares_to_loop(units.squares_to_loop(self._checked(c))))

    def chosen(self, V: np.ndarray, weight: np.ndarray, scale: np.ndarray, total: float) -> Repulsion:
        """Choose the automatic strength at the start of a fit."""
        mean = float(np.mean(scale))
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            push = (2 / np.maximum(_squared_gaps(V), mean) ** 2).sum(axis=1)  # of strength 1
            bound = float(np.min(weight / push)) / 2 if len(V) > 1 else 0.0
        return replace(self, strength=min(total / len(V) * mean * mean, bound, 1e250))

    def value(self, V: np.ndarray) -> float:
        """Return the term J_rep."""
        d = _squared_gaps(V)
        return 0.5 * float((pair_strengths(self.strength, len(V)) / d).sum())

    def gradient(self, V: np.ndarray) -> np.ndarray:
        """Return the gradient (c, p): -2 sum_l (eta_k + eta_l)(v_k - v_l)/|v_k - v_l|^4."""
        gap = V[:, None] - V[None]
        ratio = pair_strengths(self.strength, len(V)) / _squared_gaps(V) ** 2
        return -2 * np.einsum("kl,kla->ka", ratio, gap)

    def hessian(self, V: np.ndarray) -> np.ndarray:
        """Return the Hessian (c p, c p), made of the blocks 8 w ee'/|e|^6 - 2 w I/|e|^4 of the pairs.

        The blocks of a cluster's pairs add on the diagonal; their negatives stand beside it.
        """
        c, p = V.shape
        gap = V[:, None] - V[None]
        d = _squared_gaps(V)
        w = pair_strengths(self.strength, c)
        block = np.einsum("kl,kla,klb->klab", 8 * w / d**3, gap, gap)
        block -= np.einsum("kl,ab->klab", 2 * w / d**2, np.eye(p))
        full = -block
        full[np.arange(c), np.arange(c)] = block.sum(axis=1)
        return full.transpose(0, 2, 1, 3).reshape(c * p, c * p)

    def solve(self, H: np.ndarray, B: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Find a local minimiser of tr V'HV - 2 tr V'B + value(V); the search starts at V.

        A minimiser lies in the span of the rows of B, because the term depends on the gaps between centres
        alone: (H - L) V = B with a (c, c) matrix L.  So many features are searched in the span of B and V,
        which has at most 2 c dimensions.
        """
        c, p = V.shape
        if p > 2 * c:
            span = np.linalg.qr(np.vstack([V, B]).T)[0]
            return self.solve(H, B @ span, V @ span) @ span.T

        def value(v: np.ndarray) -> float:
            V = v.reshape(c, p)
            return float(np.sum(V * (H @ V)) - 2 * np.sum(V * B)) + self.value(V)

        def gradient(v: np.ndarray) -> np.ndarray:
            V = v.reshape(c, p)
            return (2 * (H @ V) - 2 * B + self.gradient(V)).ravel()

        def hessian(v: np.ndarray) -> np.ndarray:
            return np.kron(2 * H, np.eye(p)) + self.hessian(v.reshape(c, p))

        return _minimise(value, gradient, hessian, V.ravel()).reshape(c, p)


def _minimise(value: Function, gradient: Derivative, hessian: Derivative, start: np.ndarray) -> np.ndarray:
    """Return a local minimiser, to rounding, whose value is no higher than that of `start`.

    The centres hardly move from one iteration of the loop to the next, so Newton steps usually suffice.
    A trust region takes over where they fail.  It cannot finish the search, because near the minimum its
    differences of values are rounding.
    """
    with np.errstate(all="ignore"):  # trial steps may meet coincident centres
        v = _newton(value, gradient, hessian, start)
        rest = np.linalg.norm(gradient(v))
        # Stay at v if a derivative has left the range of floats.
        beyond = not (np.isfinite(rest) and np.isfinite(hessian(v)).all())
        if rest > 1e-6 * np.linalg.norm(gradient(start)) and not beyond:
            from scipy.optimize import minimize  # takes a tenth of a second to load

            # Take a few short steps: the loop comes back, and a centre that is driven out is not hurried.
            options = {
                "gtol": 1e-8 * rest,
                "initial_trust_radius": 0.1,
                "max_trust_radius": 1.0,
                "maxiter": 20,
            }
            try:
                best = minimize(value, v, jac=gradient, hess=hessian, method="trust-exact", options=options)
            except (ValueError, UnboundLocalError):  # SciPy raises these for derivatives beyond the range
                return v
            if np.isfinite(best.x).all() and best.fun <= value(v):
                v = _newton(value, gradient, hessian, best.x)
    return v


def _newton(
    value: Function, gradient: Derivative, hessian: Derivative, v: np.ndarray, most: int = 20
) -> np.ndarray:
    """Take at most `most` Newton steps from v.

    Stop where the Hessian is not definite, or where a step does not halve the gradient or raises the value.
    """
    f, g = value(v), gradient(v)
    for _ in range(most):
        H = hessian(v)
        try:
            new = v - cho_solve(cho_factor(H, check_finite=False), g) if np.isfinite(H).all() else v
        except LinAlgError:
            break
        f_new, g_new = value(new), gradient(new)
        halved = np.linalg.norm(g_new) <= 0.5 * np.linalg.norm(g)
        if not (halved and f_new <= f + 1e-13 * abs(f)):
            break
        v, f, g = new, f_new, g_new
    return v


class NoMinimumError(InvalidParameterError):
    """A separation outweighs the rows: there is no best place for the centres."""


@dataclass(frozen=True)
class CentralDistance(_Separation):
    """Centres move apart: J falls with the squared distance of every two of them.

    J_cd = - sum_k beta_k sum_{h != k} |v_k - v_h|^2 (Liu & Wu eq. (3-1)).

    The centres solve (H - L) V = B, L the Laplacian of the pairs' coefficients beta_k + beta_h: for
    equal beta, 2 beta (c I - 11').  Eq. (3-3) prints half of that.  Where H - L is not positive
    definite there is no minimum, and the fit is refused.

    Parameters
    ----------
    strength : float, sequence of n_clusters floats or "auto", default="auto"
        beta_k, without a unit.  "auto" pushes no centre farther than a tenth of the smallest radius
        sqrt(gamma_k) in the first step.  With a greater push centres lose their rows and run away,
        since J has no lower bound for any strength.

    References
    ----------
    .. [1] Liu & Wu, Semi-supervised possibilistic fuzzy c-means clustering algorithm on maximized
       central distance.
    """

    def apart(self, V: np.ndarray) -> np.ndarray:
        """Return the centres as they are: the term is finite everywhere."""
        return V

    def in_units(self, c: int, units: Units) -> CentralDistance:
        """Check the strength, which has no unit; `units` is not used."""
        return replace(self, strength=self._checked(c))

    def chosen(self, V: np.ndarray, weight: np.ndarray, scale: np.ndarray, total: float) -> CentralDistance:
        """Choose the automatic strength at the start of a fit; `total` is not used."""
        mass = np.diag(np.maximum(weight, 1e-9 * weight.max() or 1.0))
        load = _load(mass, replace(self, strength=1.0), V)
        reach = float(np.linalg.norm(V - V.mean(axis=0), axis=1).max())
        share = 0.1 * min(1.0, float(np.sqrt(scale.min())) / reach) if reach > 0 else 0.0
        return replace(self, strength=share / load if load > 0 else 0.0)

    def value(self, V: np.ndarray) -> float:
        """Return the term J_cd, which is never positive."""
        d = _squared_gaps(V)
        np.fill_diagonal(d, 0.0)
        return -0.5 * float((pair_strengths(self.strength, len(V)) * d).sum())

    def laplacian(self, V: np.ndarray) -> np.ndarray:
        """Return the Laplacian L (c, c) of the pairs' coefficients; only the number of centres counts.

        The term is -tr V'LV.
        """
        w = pair_strengths(self.strength, len(V))
        return np.diag(w.sum(axis=1)) - w

    def solve(self, H: np.ndarray, B: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Return the minimiser of tr V'HV - 2 tr V'B + value(V), or raise `NoMinimumError`.

        Only the number of the centres V counts.
        """
        load = _load(H, self, V)
        if load >= 1:
            strongest = float(np.max(np.asarray(self.strength, dtype=float)))
            raise NoMinimumError(
                f"CentralDistance(strength={strongest:.6g}) outweighs the clusters: with their "
                f"present weights the objective has no minimum. The largest admissible strength is "
                f"{strongest / load:.6g}."
            )
        return np.linalg.solve(H - self.laplacian(V), B)


def _load(H: np.ndarray, part: CentralDistance, V: np.ndarray) -> float:
    """Return the greatest share of H that the term takes away in any direction.

    From 1 on there is no minimum.
    """
    C = np.linalg.inv(np.linalg.cholesky(H))
    return float(np.linalg.eigvalsh(C @ part.laplacian(V) @ C.T).max())


def _squared_gaps(V: np.ndarray) -> np.ndarray:
    """Return the squared distances (c, c) of the centres, infinite on the diagonal."""
    d = ((V[:, None] - V[None]) ** 2).sum(axis=2)
    np.fill_diagonal(d, np.inf)
    return d
