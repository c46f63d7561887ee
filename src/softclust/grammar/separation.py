"""Separation: what keeps centres apart?  Terms of J in the centres alone.

A part has `value(V)`; `solve(H, B, V)` -> the centres that minimise tr V'HV - 2 tr V'B + value(V),
started at V; `apart(V)`: a start at which the value is finite; `in_units(c, units)`: itself with c
strengths in the units of the loop; and, where `is_automatic`, `chosen(V, weight, scale, total)`:
itself with the strength that the rule gives at centres V of these weights and scales.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from softclust.compat.sklearn import InvalidParameterError

_COINCIDENT = 1e-4  # of the data's spread


def pair_strengths(strength, c):
    """(c, c) coefficients eta_k + eta_l of each pair, 0 on the diagonal."""
    eta = np.broadcast_to(np.asarray(strength, dtype=float), (c,))
    pairs = eta[:, None] + eta[None, :]
    return pairs - np.diag(np.diag(pairs))


def _is_automatic(strength):
    return isinstance(strength, str) and strength == "auto"


def _checked(part, c):
    """The strength as c numbers, or a sentence saying what would fit."""
    name, strength = type(part).__name__, part.strength
    values = np.atleast_1d(np.asarray(strength, dtype=object))
    numbers = all(isinstance(s, Real) and 0 <= float(s) < np.inf for s in values)
    if values.ndim != 1 or len(values) not in (1, c) or not numbers:
        raise InvalidParameterError(
            f"The strength of {name} must be a number >= 0, {c} such numbers (one per cluster) "
            f"or 'auto'. Got {strength!r} instead."
        )
    return np.asarray(values, dtype=float)


@dataclass(frozen=True)
class Repulsion:
    """J_rep = sum_k eta_k sum_{l != k} 1/|v_k - v_l|^2 (Timm 2004; Antoine 2018 eq. (3)).

    A pair has the coefficient eta_k + eta_l (the paper's gradient and eq. (4) carry eta_k alone, which
    is no gradient).  The centres are found by a trust region on c x p numbers.

    Parameters
    ----------
    strength : float, sequence of n_clusters floats or "auto", default="auto"
        eta_k, in units of the data to the fourth power.  "auto" is (total weight / n_clusters) times
        the square of the mean scale: it grows with the data and has no unit to choose.  It is at most
        what weighs half as much as the rows of the lightest cluster at the start, so that no centre is
        driven out.
    """

    strength: object = "auto"

    @property
    def is_automatic(self):
        return _is_automatic(self.strength)

    def of_clusters(self, keep, c):
        """The same term on some of c clusters."""
        return _of_clusters(self, keep, c)

    def apart(self, V):
        """V with coincident centres moved a little, each its own way."""
        V = V.copy()
        for k in range(1, len(V)):
            while (np.abs(V[:k] - V[k]).max(axis=1) < _COINCIDENT).any():
                V[k, k % V.shape[1]] += k * 10 * _COINCIDENT
        return V

    def in_units(self, c, units):
        return replace(self, strength=units.squares_to_loop(units.squares_to_loop(_checked(self, c))))

    def chosen(self, V, weight, scale, total):
        mean = float(np.mean(scale))
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            push = (2 / np.maximum(_squared_gaps(V), mean) ** 2).sum(axis=1)  # of strength 1
            bound = float(np.min(weight / push)) / 2 if len(V) > 1 else 0.0
        return replace(self, strength=min(total / len(V) * mean * mean, bound, 1e250))

    def value(self, V):
        d = _squared_gaps(V)
        return 0.5 * float((pair_strengths(self.strength, len(V)) / d).sum())

    def gradient(self, V):
        """-2 sum_l (eta_k + eta_l)(v_k - v_l)/|v_k - v_l|^4."""
        gap = V[:, None] - V[None]
        ratio = pair_strengths(self.strength, len(V)) / _squared_gaps(V) ** 2
        return -2 * np.einsum("kl,kla->ka", ratio, gap)

    def hessian(self, V):
        """Blocks 8 w ee'/|e|^6 - 2 w I/|e|^4 of each pair on the diagonal, their negatives beside it."""
        c, p = V.shape
        gap = V[:, None] - V[None]
        d = _squared_gaps(V)
        w = pair_strengths(self.strength, c)
        block = np.einsum("kl,kla,klb->klab", 8 * w / d**3, gap, gap)
        block -= np.einsum("kl,ab->klab", 2 * w / d**2, np.eye(p))
        full = -block
        full[np.arange(c), np.arange(c)] = block.sum(axis=1)
        return full.transpose(0, 2, 1, 3).reshape(c * p, c * p)

    def solve(self, H, B, V):
        c, p = V.shape

        def value(v):
            V = v.reshape(c, p)
            return float(np.sum(V * (H @ V)) - 2 * np.sum(V * B)) + self.value(V)

        def gradient(v):
            V = v.reshape(c, p)
            return (2 * (H @ V) - 2 * B + self.gradient(V)).ravel()

        def hessian(v):
            return np.kron(2 * H, np.eye(p)) + self.hessian(v.reshape(c, p))

        return _minimise(value, gradient, hessian, V.ravel()).reshape(c, p)


def _minimise(value, gradient, hessian, start):
    """A local minimiser no higher than `start`, to rounding.

    From one iteration of the loop to the next the centres hardly move, and Newton steps alone do.  A
    trust region takes over where they fail; it cannot finish, though, because near the minimum its
    differences of values are rounding.
    """
    with np.errstate(all="ignore"):  # trial steps may meet coincident centres
        v = _newton(value, gradient, hessian, start)
        rest = np.linalg.norm(gradient(v))
        beyond = not (np.isfinite(rest) and np.isfinite(hessian(v)).all())  # the range of floats: stay
        if rest > 1e-6 * np.linalg.norm(gradient(start)) and not beyond:
            from scipy.optimize import minimize  # takes a tenth of a second to load

            # A few short steps: the loop comes back, and a centre on its way out is not hurried.
            options = {
                "gtol": 1e-8 * rest,
                "initial_trust_radius": 0.1,
                "max_trust_radius": 1.0,
                "maxiter": 20,
            }
            try:
                best = minimize(value, v, jac=gradient, hess=hessian, method="trust-exact", options=options)
            except (ValueError, UnboundLocalError):  # SciPy's words for derivatives that left the range
                return v
            if np.isfinite(best.x).all() and best.fun <= value(v):
                v = _newton(value, gradient, hessian, best.x)
    return v


def _newton(value, gradient, hessian, v, most=20):
    """Newton steps while the Hessian is definite, each halves the gradient and none raises the value."""
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
class CentralDistance:
    """J_cd = - sum_k beta_k sum_{h != k} |v_k - v_h|^2 (Liu & Wu eq. (3-1)).

    The centres solve (H - L) V = B, L the Laplacian of the pairs' coefficients beta_k + beta_h: for
    equal beta, 2 beta (c I - 11').  Eq. (3-3) prints half of that.  Where H - L is not positive
    definite there is no minimum, and the fit is refused.

    Parameters
    ----------
    strength : float, sequence of n_clusters floats or "auto", default="auto"
        beta_k, without a unit.  "auto" pushes no centre farther than a tenth of the smallest radius
        sqrt(gamma_k) in the first step: more, and centres lose their rows and run away, since J has no
        lower bound for any strength.
    """

    strength: object = "auto"

    @property
    def is_automatic(self):
        return _is_automatic(self.strength)

    def of_clusters(self, keep, c):
        """The same term on some of c clusters."""
        return _of_clusters(self, keep, c)

    def apart(self, V):
        return V

    def in_units(self, c, units):
        return replace(self, strength=_checked(self, c))

    def chosen(self, V, weight, scale, total):
        mass = np.diag(np.maximum(weight, 1e-9 * weight.max() or 1.0))
        load = _load(mass, replace(self, strength=1.0), V)
        reach = float(np.linalg.norm(V - V.mean(axis=0), axis=1).max())
        share = 0.1 * min(1.0, float(np.sqrt(scale.min())) / reach) if reach > 0 else 0.0
        return replace(self, strength=share / load if load > 0 else 0.0)

    def value(self, V):
        d = _squared_gaps(V)
        np.fill_diagonal(d, 0.0)
        return -0.5 * float((pair_strengths(self.strength, len(V)) * d).sum())

    def laplacian(self, V):
        w = pair_strengths(self.strength, len(V))
        return np.diag(w.sum(axis=1)) - w

    def solve(self, H, B, V):
        load = _load(H, self, V)
        if load >= 1:
            strongest = float(np.max(np.asarray(self.strength, dtype=float)))
            raise NoMinimumError(
                f"CentralDistance(strength={strongest:.6g}) outweighs the clusters: with their "
                f"present weights the objective has no minimum. The largest admissible strength is "
                f"{strongest / load:.6g}."
            )
        return np.linalg.solve(H - self.laplacian(V), B)


def _load(H, part, V):
    """Greatest share of H that the term takes away in any direction; from 1 on there is no minimum."""
    C = np.linalg.inv(np.linalg.cholesky(H))
    return float(np.linalg.eigvalsh(C @ part.laplacian(V) @ C.T).max())


def _of_clusters(part, keep, c):
    return replace(part, strength=np.broadcast_to(part.strength, (c,))[keep])


def _squared_gaps(V):
    """(c, c) squared distances of the centres, infinite on the diagonal."""
    d = ((V[:, None] - V[None]) ** 2).sum(axis=2)
    np.fill_diagonal(d, np.inf)
    return d
