"""Rows drawn at random from shapes that are known."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

# centre, semi-axes, angle in degrees
_ELLIPSES = (((-2.0, 0.0), (3.0, 1.5), 0.0), ((3.0, 1.0), (2.5, 1.2), 75.0))
_RINGS = (((0.0, 0.0), (2.0, 2.0), 0.0), ((3.0, 0.5), (1.5, 1.5), 0.0), ((1.0, 3.5), (1.2, 1.2), 0.0))
_SHAPES = {"ellipses": _ELLIPSES, "rings": _RINGS}


def make_ellipses(n_samples=300, *, shapes="ellipses", noise=0.05, outliers=0.0, random_state=None):
    """Rows near the lines of ellipses, each as often as the others.

    Parameters
    ----------
    n_samples : int, default=300
        Rows on the ellipses.
    shapes : {"ellipses", "rings"} or list of (centre, semi-axes, degrees), default="ellipses"
        Two ellipses, three circles, or your own: a pair of coordinates, a pair of semi-axes, and the
        angle of the first from the horizontal.
    noise : float, default=0.05
        Standard deviation of each coordinate about the line.
    outliers : float, default=0.0
        Further rows, as a share of `n_samples`, uniform on the rectangle of the others.
    random_state : int, RandomState instance or None, default=None
        Determines the rows.

    Returns
    -------
    X : ndarray of shape (n_samples + outliers, 2)
        The rows, in a mixed order.
    y : ndarray of shape (n_samples + outliers,)
        The ellipse of each row, -1 for outliers.

    Examples
    --------
    >>> from softclust.datasets import make_ellipses
    >>> X, y = make_ellipses(100, outliers=0.2, random_state=0)
    >>> X.shape, (y == -1).sum()
    ((120, 2), np.int64(20))
    """
    rng = check_random_state(random_state)
    if isinstance(shapes, str):
        if shapes not in _SHAPES:
            raise ValueError(f"shapes={shapes!r} is not known; 'ellipses' and 'rings' are, or a list.")
        shapes = _SHAPES[shapes]
    y = np.arange(n_samples) % len(shapes)
    turn = rng.uniform(0, 2 * np.pi, n_samples)
    X = np.empty((n_samples, 2))
    for k, (centre, axes, degrees) in enumerate(shapes):
        angle = np.deg2rad(degrees)
        rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        on = np.column_stack([np.cos(turn[y == k]), np.sin(turn[y == k])]) * axes
        X[y == k] = on @ rotation.T + centre
    X += noise * rng.standard_normal(X.shape)
    extra = rng.uniform(X.min(axis=0), X.max(axis=0), (round(outliers * n_samples), 2))
    order = rng.permutation(n_samples + len(extra))
    return np.vstack([X, extra])[order], np.concatenate([y, np.full(len(extra), -1)])[order]
