"""Cover the rows with questions: a question about a row also tells something about the rows near it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOST_PROBES = 256  # rows from which the radius and the densities are estimated
_MOST_NEIGHBOURS = 1000  # rows among which a candidate has neighbours, or none
_TENTH = 10  # the neighbour whose distance tells how thin a place is
_LEAST_STANDING = 1e-3  # of a row in a thin place: its question is not worth nothing
_BLOCK = 256  # candidates whose kernel fits into the cache
_AGAIN = 32  # candidates whose gain is computed anew at a time


@dataclass(frozen=True)
class Neighbourhoods:
    """Places in units of the kernel's radius: K(x, y) = exp(-|x - y|^2), and the density of each place.

    The ball about a row that holds q rows has the median distance of a row to its q-th nearest row, itself
    included, as its radius.  Densities are sums over balls; the kernel is `width` times as wide.
    """

    places: np.ndarray  # (m, p) float32
    centre: np.ndarray  # (p,)
    radius: float
    density: np.ndarray  # (m,) float64, the mean of K over the probes
    width: float = 1.0  # of the kernel, in balls

    @classmethod
    def of(cls, X: np.ndarray, q: int, width: float = 1.0) -> Neighbourhoods:
        """Find the ball that holds q of the rows X, and make the kernel `width` times as wide."""
        centre = np.median(X, axis=0)
        gaps = X - centre
        size = float(np.ldexp(1.0, np.frexp(np.abs(gaps).max())[1] - 1))  # squares must have a float32
        Z = (gaps / size).astype(np.float32)
        probes = Z[:: -(-len(Z) // MOST_PROBES)]
        gaps = squared_distances(probes, Z)
        reach = np.partition(gaps, min(max(q, 2), len(Z)) - 1, axis=1)[:, min(max(q, 2), len(Z)) - 1]
        radius = float(np.sqrt(np.median(reach)))
        if not radius > 0:  # most rows have many copies
            radius = float(np.sqrt(gaps[gaps > 0].min())) if (gaps > 0).any() else 1.0
        density = np.exp(-gaps / np.float32(radius * radius)).mean(axis=0, dtype=np.float64)
        radius *= width
        return cls(Z / np.float32(radius), centre, radius * size, density, width)

    def at(self, X: np.ndarray) -> np.ndarray:
        """Return rows in units of the radius."""
        return ((X - self.centre) / self.radius).astype(np.float32)

    @property
    def is_dense(self) -> np.ndarray:
        """(m,) the density over the median density, at most 1."""
        return np.minimum(1.0, self.density / np.median(self.density))

    def company(self, Z: np.ndarray, own: np.ndarray) -> np.ndarray:
        """(a,) the density about rows Z, themselves left out, over its median, at most 1.

        `own` is the position of each row among the places, or -1.  A row without neighbours has 0.
        """
        step, is_other = self._others(own)
        others, width = self.places[::step] * np.float32(self.width), np.float32(self.width)
        density = np.concatenate(
            [
                kernel(Z[i : i + _BLOCK] * width, others).sum(axis=1, dtype=np.float64)
                for i in range(0, len(Z), _BLOCK)
            ]
        )
        density = np.maximum(density - is_other, 0.0) / np.maximum(len(others) - is_other, 1)
        usual = np.median(density)
        return np.minimum(1.0, density / usual) if usual > 0 else np.ones(len(Z))

    def standing(self, Z: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(a,) the mean reach of the ten neighbours of rows Z over their own, at most 1; and their own.

        The reach of a row is the distance to its tenth nearest other row.  A row of a small class, far from
        all others, stands as well as its neighbours do; noise among dense clusters does not (after the
        local outlier factor of Breunig, Kriegel, Ng & Sander 2000).  `own` is as for `company`.
        """
        step, is_other = self._others(own)
        others = self.places[::step]
        tenth = min(_TENTH, len(others) - 1)
        if tenth < 1:
            return np.ones(len(Z)), np.zeros(len(Z))
        _, theirs = _nearest(others, others, np.arange(len(others)), tenth)
        nearest, mine = _nearest(Z, others, np.where(is_other, own // step, -1), tenth)
        usual = theirs[nearest].mean(axis=1)
        share = np.divide(usual, mine, out=np.ones(len(Z)), where=mine > 0)
        return np.clip(share, _LEAST_STANDING, 1.0), mine

    def _others(self, own: np.ndarray) -> tuple[int, np.ndarray]:
        """Return the step between places that count as others, and which rows are among these places."""
        step = -(-len(self.places) // _MOST_NEIGHBOURS)
        return step, (own >= 0) & (own % step == 0)


def _nearest(Z: np.ndarray, others: np.ndarray, own: np.ndarray, q: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions (a, q) of the q nearest others of each row, and the distance of the last one.

    `own` is the position of the row itself among the others, or -1.
    """
    nearest, reach = np.empty((len(Z), q), dtype=np.int64), np.empty(len(Z))
    for start in range(0, len(Z), _BLOCK):
        gaps = squared_distances(Z[start : start + _BLOCK], others)
        mine = own[start : start + _BLOCK]
        gaps[np.flatnonzero(mine >= 0), mine[mine >= 0]] = np.inf
        found = np.argpartition(gaps, q - 1, axis=1)[:, :q]
        nearest[start : start + _BLOCK] = found
        reach[start : start + _BLOCK] = np.sqrt(np.take_along_axis(gaps, found, axis=1).max(axis=1))
    return nearest, reach


def squared_distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """(a, b) squared distances of the rows of A and B."""
    gaps = _products(A, B)
    return np.maximum(gaps, 0, out=gaps)


def _products(A: np.ndarray, B: np.ndarray, sign: float = 1.0) -> np.ndarray:
    """(a, b) |x|^2 - 2 x'y + |y|^2 as one product of matrices, times a sign; may round below 0."""
    a, b = np.empty((len(A), A.shape[1] + 2), A.dtype), np.empty((len(B), B.shape[1] + 2), B.dtype)
    np.multiply(A, -2 * sign, out=a[:, :-2])
    a[:, -2], a[:, -1] = sign * np.einsum("ij,ij->i", A, A), sign
    b[:, :-2], b[:, -2], b[:, -1] = B, 1, np.einsum("ij,ij->i", B, B)
    return a @ b.T


def kernel(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """(a, b) exp(-|x - y|^2)."""
    gaps = _products(A, B, sign=-1.0)
    np.minimum(gaps, 0, out=gaps)
    return np.exp(gaps, out=gaps)


def covered_by(asked: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(m,) max over the asked rows of K; 0 if nothing was asked."""
    covered = np.zeros(len(places), dtype=np.float32)
    for start in range(0, len(asked), _BLOCK):
        np.maximum(covered, kernel(asked[start : start + _BLOCK], places).max(axis=0), out=covered)
    return covered


def gains_of(Z: np.ndarray, places: np.ndarray, weight: np.ndarray, covered: np.ndarray) -> np.ndarray:
    """(a,) sum_j weight_j max(0, K_ij - covered_j) for each row i of Z."""
    gains = np.empty(len(Z))
    for start in range(0, len(Z), _BLOCK):
        K = kernel(Z[start : start + _BLOCK], places)
        K -= covered
        gains[start : start + _BLOCK] = np.maximum(K, 0, out=K) @ weight
    return gains


def greedy(
    Z: np.ndarray,
    places: np.ndarray,
    weight: np.ndarray,
    covered: np.ndarray,
    n: int,
    own: np.ndarray | None = None,
    lost: np.ndarray | None = None,
    worth: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Choose n rows of Z one after the other, each with the greatest gain; return positions and gains.

    `own` is the position of each row among the places, or -1, and `lost` the share of its own place that a
    row does not earn; `worth` multiplies the gain of each row.  A gain never grows when other rows are
    chosen, so an old gain bounds the new one, and only the rows with the greatest bounds are computed anew.
    """
    weight, covered = weight.astype(np.float32), covered.copy()
    if own is None or lost is None:
        own, lost = np.zeros(len(Z), dtype=np.int64), np.zeros(len(Z))
    own_weight = np.where(own >= 0, lost * weight[own], 0.0)

    def gains_now(some: np.ndarray) -> np.ndarray:
        alone = own_weight[some] * np.maximum(1 - covered[own[some]], 0)
        gains = gains_of(Z[some], places, weight, covered) - alone
        return gains if worth is None else gains * worth[some]

    bound = gains_now(np.arange(len(Z)))
    fresh = np.ones(len(Z), dtype=bool)
    chosen, gains = [], []
    for _ in range(min(n, len(Z))):
        best = int(bound.argmax())
        while not fresh[best]:
            stale = np.flatnonzero(~fresh)
            stale = stale[np.argsort(-bound[stale], kind="stable")[:_AGAIN]]
            bound[stale] = np.minimum(bound[stale], gains_now(stale))
            fresh[stale] = True
            best = int(bound.argmax())
        chosen.append(best)
        gains.append(bound[best])
        np.maximum(covered, kernel(Z[best : best + 1], places)[0], out=covered)
        bound[best] = -np.inf
        fresh[:] = False
        fresh[chosen] = True
    return np.array(chosen, dtype=np.int64), np.array(gains)
