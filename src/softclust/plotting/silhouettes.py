"""Silhouettes of rows, weighted by how certain their cluster is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics import simplified_fuzzy_silhouette
from softclust.metrics.checks import check_memberships, check_rows
from softclust.plotting import reading
from softclust.plotting.canvas import frame_off, inches
from softclust.plotting.display import Display
from softclust.plotting.palette import theme_of
from softclust.plotting.words import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LETTERS = 20  # in a line of a cluster's name
_FEW = 6  # clusters whose names have room for two lines
_LINE = 0.21  # inches, of a name


class FuzzySilhouetteDisplay(Display):
    """The silhouettes of the rows from distances to centres, in each cluster from greatest to least.

    s_i = (b_i - a_i)/max(a_i, b_i), where a_i is the distance to the centre of the row's cluster and b_i
    the distance to the nearest other centre.  The weight of a row is the difference of its two greatest
    memberships; a smaller weight makes a paler bar.  The dashed line is the mean with these weights,
    `simplified_fuzzy_silhouette`.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Rows.
    memberships : array-like of shape (n, c)
        Rows sum to 1; c > 1.
    centers : array-like of shape (c, p)
        Centres or medoids.
    cluster_names : list of str, default=None
        Names for the axis.

    Attributes
    ----------
    silhouettes_ : ndarray of shape (n,)
        The silhouettes s_i.
    fuzzy_silhouette_ : float
        The weighted mean of the silhouettes.
    bars_ : list of PolyCollection
        The bars of the rows of each cluster.
    line_ : Line2D
        The line of the mean.

    References
    ----------
    .. [1] Campello, Hruschka (2006), A fuzzy extension of the silhouette width criterion for cluster
       analysis, Fuzzy Sets and Systems 157(21), 2858-2875
    .. [2] Hruschka, de Castro, Campello (2004), Evolutionary algorithms for clustering gene-expression
       data, IEEE International Conference on Data Mining, 403-406

    Examples
    --------
    >>> from softclust.plotting import FuzzySilhouetteDisplay
    >>> X, U = [[0.0], [1.0], [9.0], [10.0]], [[1.0, 0.0], [0.9, 0.1], [0.1, 0.9], [0.0, 1.0]]
    >>> display = FuzzySilhouetteDisplay.from_predictions(X, U, [[0.5], [9.5]])
    >>> round(display.fuzzy_silhouette_, 4), len(display.bars_)
    (0.9446, 2)
    """

    def __init__(
        self,
        *,
        X: ArrayLike,
        memberships: ArrayLike,
        centers: ArrayLike,
        cluster_names: Sequence[str] | None = None,
    ) -> None:
        self.memberships = check_memberships(memberships, "memberships")
        n, c = self.memberships.shape
        self.X = check_rows(X)
        reading.check_count(self.X, n, "memberships")
        if c == 1:
            raise ValueError("There is one cluster, and silhouettes compare two or more.")
        self.centers = reading.check_shape(centers, (c, self.X.shape[1]), "centers")
        self.cluster_names = reading.check_names(cluster_names, c, "cluster")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        *,
        cluster_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the silhouettes of X from the centres of a fitted estimator.

        Parameters
        ----------
        estimator : object
            A fitted estimator with centres, and with `predict_proba` or `predict`.
        X : array-like of shape (n, p)
            Rows of the fit, or other rows.
        cluster_names, ax
            Names for the axis; None takes the classes of the labels.  `ax` as in `plot`.

        Returns
        -------
        display : FuzzySilhouetteDisplay
            The silhouettes, drawn.
        """
        reading.check_fitted(estimator)
        V = reading.centers_of(estimator)
        if V is None:
            raise ValueError(f"{type(estimator).__name__} has no centres to take silhouettes by.")
        U = reading.memberships_of(estimator, X)
        names = cluster_names or reading.cluster_names_of(estimator, U.shape[1])
        return cls(X=X, memberships=U, centers=V, cluster_names=names).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        X: ArrayLike,
        memberships: ArrayLike,
        centers: ArrayLike,
        *,
        cluster_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the silhouettes of given memberships.

        Parameters
        ----------
        X, memberships, centers, cluster_names, ax
            As in the class; `ax` as in `plot`.

        Returns
        -------
        display : FuzzySilhouetteDisplay
            The display, drawn.
        """
        return cls(X=X, memberships=memberships, centers=centers, cluster_names=cluster_names).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        from matplotlib.collections import PolyCollection

        U = self.memberships
        n, c = U.shape
        winners, two = U.argmax(axis=1), np.partition(U, -2, axis=1)[:, -2:]
        self.silhouettes_ = _silhouettes(self.X, winners, self.centers)
        self.fuzzy_silhouette_ = simplified_fuzzy_silhouette(self.X, U, self.centers)
        theme = theme_of(ax)
        colours, gap = theme.clusters(c), max(1.0, 0.02 * n)
        slots = self._slots(np.bincount(winners, minlength=c), gap)
        ends = np.cumsum(slots)
        middles = ends - slots / 2
        self.bars_ = []
        for k, colour in enumerate(colours):
            rows = np.flatnonzero(winners == k)
            rows = rows[np.argsort(-self.silhouettes_[rows], kind="stable")]
            bars = PolyCollection(
                _boxes(self.silhouettes_[rows], middles[k] - len(rows) / 2),
                facecolors=theme.tint(np.broadcast_to(colour, (len(rows), 3)), two[rows, 1] - two[rows, 0]),
                edgecolors="none",
            )
            ax.add_collection(bars, autolim=False)
            self.bars_.append(bars)
        self.line_ = ax.axvline(
            self.fuzzy_silhouette_,
            color=theme.ink,
            ls="--",
            lw=1.3,
            label=f"fuzzy silhouette {self.fuzzy_silhouette_:.3f}",
        )
        ax.axvline(0, color=theme.ink, lw=0.8)
        ax.set_xlim(min(-0.02, self.silhouettes_.min() - 0.02), 1.0)
        ax.set_ylim(ends[-1] + gap / 2, -gap / 2)
        lines = 2 if c <= _FEW else 1
        ax.set_yticks(middles, [wrapped(name, _LETTERS, lines) for name in self.cluster_names])
        ax.tick_params(axis="y", length=0)
        for label, colour in zip(ax.get_yticklabels(), colours, strict=True):
            label.set_color(theme.text(colour))
        ax.set_xlabel("silhouette by centres; pale rows count less")
        frame_off(ax)
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)

    def _slots(self, sizes: np.ndarray, gap: float) -> np.ndarray:
        """Return the heights of the clusters, (c,), in rows: their bars and a gap, or more for the name."""
        c, lines = len(sizes), 2 if len(sizes) <= _FEW else 1
        if self._has_own_figure:
            self.figure_.set_figheight(max(self._size[1], 1.0 + 1.5 * _LINE * c))
        height = 0.8 * self.figure_.get_figheight() if self._has_own_figure else inches(self)[1]
        share = min(lines * _LINE / height, 0.8 / c)  # of the axes, for the name of a small cluster
        slots = sizes + gap
        for _ in range(20):  # a slot that grows makes the others smaller shares: a few rounds settle it
            slots = np.maximum(sizes + gap, share * slots.sum())
        return slots


def _silhouettes(X: np.ndarray, winners: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return the silhouette of each row, (n,); 0 if its own centre and the next are at distance 0."""
    from scipy.spatial.distance import cdist

    D = cdist(X, V)
    own = winners[:, None]
    a = np.take_along_axis(D, own, axis=1)[:, 0]
    np.put_along_axis(D, own, np.inf, axis=1)
    b = D.min(axis=1)
    largest = np.maximum(a, b)
    return (b - a) / np.where(largest > 0, largest, 1.0)


def _boxes(lengths: np.ndarray, top: float) -> Any:
    """Return the corners of bars, (m, 4, 2): of height 1, starting at 0, one below the other."""
    above = top + np.arange(len(lengths))
    x = np.stack([np.zeros(len(lengths)), lengths, lengths, np.zeros(len(lengths))], axis=1)
    y = np.stack([above, above, above + 1, above + 1], axis=1)
    return np.stack([x, y], axis=2)
