"""Metrics of k-medoids: compiled metrics, metrics of scikit-learn, and functions of the user."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from softclust._lazy import kernels
from softclust.kernels.codes import HALF, MANHATTAN, PLAIN, SQUARED, TILE
from softclust.sources.columns import column_range

_BLOCK_ROWS = 16384  # of a block of an assignment
_BLOCK_CANDIDATES = 256  # of a block of a table
_BLOCK_ENTRIES = 2**22  # of a block of distances that scikit-learn computes
_TILE_CENTRES = 64
_NEGATIVE = (
    1e-9  # share of the greatest distance: so little below 0 is rounding, not an error of the metric
)


# Exponents of two: beyond the first, the square of an entry has no float; beyond the second, a factor.
_EXPONENTS = {np.dtype("f4"): (30, 126), np.dtype("f8"): (400, 1022)}
_KINDS = {
    "sqeuclidean": SQUARED,
    "euclidean": PLAIN,
    "l2": PLAIN,
    "manhattan": MANHATTAN,
    "cityblock": MANHATTAN,
    "l1": MANHATTAN,
    "cosine": HALF,
}


@dataclass(frozen=True)
class Compiled:
    """A metric with a compiled kernel.

    The kernel sees entries times `factor`, a power of two that keeps squares in range.
    """

    name: str
    factor: float = 1.0

    @classmethod
    def of(cls, name: str, *arrays: Any) -> Compiled:
        """Return the metric in units that fit these rows; a power of two leaves distances as they are."""
        if name == "cosine":
            return cls(name)
        safe, most = min(_EXPONENTS[a.dtype] for a in arrays)
        largest = max(float(np.abs(end).max()) for a in arrays for end in column_range(a))
        exponent = int(np.frexp(largest)[1])
        return cls(name, 1.0 if abs(exponent) <= safe else 2.0 ** -max(-most, min(exponent, most)))

    def prepare(self, X: np.ndarray) -> np.ndarray:
        """Return the rows as the kernel takes them.

        The cosine distance is 1 - cos(x, y) = |x/|x| - y/|y||^2 / 2.  A row of zeros gets a direction of
        its own: its distance is 0 to other rows of zeros and 1 to all other rows, as in scikit-learn.
        """
        if self.name != "cosine":
            return X if self.factor == 1 else X * X.dtype.type(self.factor)
        unit = np.zeros((len(X), X.shape[1] + 1))
        largest = np.abs(X).max(axis=1, keepdims=True)
        np.divide(X, largest, out=unit[:, :-1], where=largest > 0)
        unit[:, -1] = largest[:, 0] == 0
        return unit / np.sqrt((unit**2).sum(axis=1, keepdims=True))

    def to_data(self, d: Any) -> Any:
        """Return distances in the units of the data."""
        with np.errstate(over="ignore", under="ignore"):
            for _ in range(2 if self.name == "sqeuclidean" else 1):
                d = d if self.factor == 1 else d / np.asarray(d).dtype.type(self.factor)
        return d

    def between(self, V: np.ndarray, X: np.ndarray, dtype: Any, threads: int = 1) -> np.ndarray:
        """Return the (k, n) distances from rows of X to centres V, both prepared."""
        _check_features(V, X)
        out = np.empty((len(V), len(X)), dtype)
        V = np.ascontiguousarray(V, dtype=np.float64)
        _each(partial(self._fill, V, X, out), _slices(len(V), _BLOCK_CANDIDATES), threads)
        return out

    def _fill(self, V: np.ndarray, X: np.ndarray, out: np.ndarray, part: slice) -> None:
        """Fill the part of the table `out` with the distances to some centres."""
        compiled = kernels("medoids")
        xt, d = _buffers(X.shape[1], min(_TILE_CENTRES, len(V[part])))
        compiled.distances(_KINDS[self.name], X, V[part], xt, d, out[part])

    def nearest(self, X: np.ndarray, V: np.ndarray, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the label and the distance of the nearest centre of each row; X and V are prepared."""
        _check_features(V, X)
        label, least = np.empty(len(X), np.int32), np.empty(len(X))
        V = np.ascontiguousarray(V, dtype=np.float64)
        _each(partial(self._label, X, V, label, least), _slices(len(X), _BLOCK_ROWS), threads)
        return label, least

    def _label(
        self, X: np.ndarray, V: np.ndarray, label: np.ndarray, least: np.ndarray, part: slice
    ) -> None:
        """Fill label and distance of the nearest centre for some rows."""
        compiled = kernels("medoids")
        xt, d = _buffers(X.shape[1], len(V))
        compiled.nearest(_KINDS[self.name], X[part], V, xt, d, label[part], least[part])


@dataclass(frozen=True)
class Named:
    """Any other metric of scikit-learn, or a function of two rows; it is taken to be symmetric."""

    name: Any
    parameters: dict[str, Any]

    def prepare(self, X: np.ndarray) -> np.ndarray:
        """Return the rows as the metric takes them."""
        from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

        return X.astype(bool) if self.name in PAIRWISE_BOOLEAN_FUNCTIONS else X

    def to_data(self, d: Any) -> Any:
        """Return the distances as they are: in the units of the data."""
        return d

    def between(self, V: np.ndarray, X: np.ndarray, dtype: Any, threads: int = 1) -> np.ndarray:
        """Return the (k, n) distances from rows of X to centres V.

        Raise ValueError if a distance is negative or not finite.
        """
        from sklearn.metrics import pairwise_distances

        # For one array, a function is called on half of all pairs.  A named metric gets two arrays: given
        # one, SciPy sets the distance of a row to itself to 0, which is wrong for "russellrao", and losses
        # would not add up.
        others = X if V is not X else None if callable(self.name) else X.view()
        d = pairwise_distances(V, others, metric=self.name, **self.parameters)
        wrong = ~np.isfinite(d) | (d < -_NEGATIVE * d.max(initial=0.0))
        if wrong.any():
            k, i = np.argwhere(wrong)[0]
            raise ValueError(
                f"metric={self.name!r} gives {d[k, i]} for the rows {_brief(V[k])} and {_brief(X[i])}; "
                "distances are finite numbers >= 0."
            )
        return np.ascontiguousarray(np.maximum(d, 0.0), dtype=dtype)

    def nearest(self, X: np.ndarray, V: np.ndarray, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the label and the distance of the nearest centre of each row."""
        label, least = np.empty(len(X), np.int32), np.empty(len(X))
        for part in _slices(len(X), max(1, _BLOCK_ENTRIES // len(V))):
            d = self.between(V, X[part], np.float64)
            label[part] = d.argmin(axis=0)
            least[part] = d[label[part], np.arange(d.shape[1])]
        return label, least


def metric_for(name: Any, parameters: dict[str, Any] | None, *arrays: Any) -> Compiled | Named:
    """Return the metric of this name, with a compiled kernel if there is one."""
    if isinstance(name, str) and name in _KINDS and not parameters:
        return Compiled.of(name, *arrays)
    return Named(name, parameters or {})


def _check_features(V: np.ndarray, X: np.ndarray) -> None:
    """Raise an error unless centres have the features of the rows: the kernels check no bounds."""
    if V.shape[1:] != X.shape[1:]:
        raise ValueError(f"The medoids have {V.shape[1]} features, the rows {X.shape[1]}.")


def _brief(row: np.ndarray) -> str:
    """Return the first entries of a row, for a message."""
    return f"({', '.join(str(x) for x in row[:4].tolist())}{', ...' if len(row) > 4 else ''})"


def _buffers(p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    return np.empty((p, TILE)), np.empty((k, TILE))


def _slices(n: int, size: int) -> list[slice]:
    return [slice(first, min(first + size, n)) for first in range(0, n, size)]


def _each(work: Callable[[slice], None], parts: list[slice], threads: int) -> None:
    """Call work(part) for every part, on several threads if there are several parts."""
    if threads == 1 or len(parts) == 1:
        for part in parts:
            work(part)
        return
    with ThreadPoolExecutor(min(threads, len(parts))) as pool:
        list(pool.map(work, parts))
