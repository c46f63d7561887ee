"""The plane in which rows are drawn: two features, two principal components of more, or a strip of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_rows
from softclust.plotting.canvas import LETTER, fair_aspect, fit_figure, inches
from softclust.plotting.palette import theme_of
from softclust.plotting.reading import check_names
from softclust.plotting.words import wrapped

if TYPE_CHECKING:
    from matplotlib.collections import PathCollection
    from matplotlib.patches import Ellipse

_MARGIN = 0.06
_FARTHEST = 0.3  # share of the rows' range by which centres and ellipses may widen the picture
_GOLDEN = (5**0.5 - 1) / 2
_STRIP = (7.0, 2.9)  # inches, of a figure of one feature


@dataclass(frozen=True)
class Plane:
    """The projection x -> (x - origin) @ axes.

    `is_whole` is True for rows with two features, which the projection keeps.  Rows with one feature form a
    strip: `is_strip` is True, the feature is the first coordinate, and the second one means nothing.
    """

    origin: np.ndarray
    axes: np.ndarray
    names: tuple[str, str]
    is_whole: bool
    is_strip: bool = False

    @property
    def has_ground(self) -> bool:
        """Whether a point of the plane is a row, so that the plane has memberships everywhere."""
        return self.is_whole or self.is_strip

    def project(self, X: np.ndarray) -> np.ndarray:
        """Return the points of the rows X in the plane, (n, 2)."""
        return (X - self.origin) @ self.axes

    def scatter(self, X: np.ndarray) -> np.ndarray:
        """Return the points of the rows X in the plane, (n, 2); in a strip they are spread in height.

        The heights are multiples of the golden ratio, modulo 1: they look random, yet fill the strip evenly
        and are the same in every drawing.
        """
        points = self.project(X)
        if self.is_strip:
            points[:, 1] = 2 * ((np.arange(len(X)) * _GOLDEN) % 1) - 1
        return points


def plane_of(X: ArrayLike, feature_names: Sequence[str] | None = None) -> tuple[np.ndarray, Plane]:
    """Check the rows and return them with their plane."""
    X = check_rows(X)
    p = X.shape[1]
    names = check_names(feature_names, p, "feature")
    if p == 1:
        return X, Plane(np.zeros(1), np.array([[1.0, 0.0]]), (names[0], ""), False, True)
    if p == 2:
        return X, Plane(np.zeros(2), np.eye(2), (names[0], names[1]), True)
    origin = X.mean(axis=0)
    _, lengths, axes = np.linalg.svd(X - origin, full_matrices=False)
    axes = axes[:2] if len(axes) > 1 else np.vstack([axes, np.zeros_like(axes)])
    axes = axes * np.where(axes[np.arange(2), np.abs(axes).argmax(axis=1)] < 0, -1, 1)[:, None]
    lengths = lengths / (lengths.max() or 1.0)  # squares of the lengths themselves might overflow
    shares = np.append(lengths**2, 0)[:2] / ((lengths**2).sum() or 1.0)
    first, second = (
        f"principal component {j + 1} ({share:.0%} of variance)" for j, share in enumerate(shares)
    )
    return X, Plane(origin, axes.T, (first, second), False)


def limits(
    points: np.ndarray,
    centers: np.ndarray | None = None,
    covariances: np.ndarray | None = None,
    radius: float = 2.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a window on all rows, and on centres and ellipses that are not too far off."""
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    widest_low, widest_high = low - _FARTHEST * span, high + _FARTHEST * span
    if centers is not None:
        reach = 0.0 if covariances is None else radius * np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
        low = np.maximum(np.minimum(low, (centers - reach).min(axis=0)), widest_low)
        high = np.minimum(np.maximum(high, (centers + reach).max(axis=0)), widest_high)
    return low - _MARGIN * span, high + _MARGIN * span


def draw_plane(display: Any, plane: Plane, low: np.ndarray, high: np.ndarray) -> None:
    """Set the limits of the window, the shape of a new figure, and the names of the axes."""
    ax = display.ax_
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    if plane.is_strip:
        ax.set_yticks([])
        ax.spines[["left", "top", "right"]].set_visible(False)
        if display._has_own_figure:
            display.figure_.set_size_inches(_STRIP)
    else:
        fair_aspect(ax, low, high)
        fit_figure(display, low, high)
    width, height = inches(display)
    ax.set_xlabel(wrapped(plane.names[0], max(16, int(width / LETTER))))
    ax.set_ylabel(wrapped(plane.names[1], max(16, int(height / LETTER))))


def draw_centers(ax: Any, centers: np.ndarray, colours: np.ndarray) -> PathCollection:
    """Draw each centre as a star in the colour of its cluster."""
    edge = theme_of(ax).edge
    return ax.scatter(*centers.T, s=170, marker="*", c=colours, edgecolors=edge, linewidths=1.0, zorder=6)


def draw_ellipses(
    ax: Any, centers: Any, covariances: np.ndarray, radius: float, colours: np.ndarray
) -> list[Ellipse]:
    """Draw the ellipses of Mahalanobis distance `radius`; radius 1 draws shells themselves."""
    from matplotlib.patches import Ellipse

    theme, drawn = theme_of(ax), []
    for center, covariance, colour in zip(centers, covariances, colours, strict=True):
        squares, axes = np.linalg.eigh(covariance)
        width, height = 2 * radius * np.sqrt(np.maximum(squares, 0))
        angle = np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))
        ellipse = Ellipse(
            center, width, height, angle=angle, fill=False, ec=theme.outline(colour), lw=1.8, zorder=4
        )
        drawn.append(ax.add_patch(ellipse))
    return drawn


def draw_outliers(ax: Any, points: np.ndarray, area: float) -> PathCollection:
    """Draw outliers as crosses."""
    look = {"s": 1.3 * max(area, 8.0), "marker": "x", "linewidths": 1.2}
    return ax.scatter(*points.T, c=theme_of(ax).ink, zorder=3, **look)
