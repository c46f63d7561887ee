"""Generators of rows from known shapes and distributions."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy.special import ndtri
from sklearn.utils import check_random_state

from softclust.compat.sklearn import InvalidParameterError
from softclust.datasets.checks import check_flags, generator, positive_share, whole_number
from softclust.datasets.loaders import load_iris_uci

# centre, semi-axes, angle in degrees
_ELLIPSES = (((-2.0, 0.0), (3.0, 1.5), 0.0), ((3.0, 1.0), (2.5, 1.2), 75.0))
_RINGS = (((0.0, 0.0), (2.0, 2.0), 0.0), ((3.0, 0.5), (1.5, 1.5), 0.0), ((1.0, 3.5), (1.2, 1.2), 0.0))
_SHAPES = {"ellipses": _ELLIPSES, "rings": _RINGS}
_LEFT = ((-5.0, 0.0), (-3.34, 1.67), (-3.34, 0.0), (-3.34, -1.67), (-1.67, 0.0))
_RIGHT = ((1.67, 0.0), (3.34, 1.67), (3.34, 0.0), (3.34, -1.67), (5.0, 0.0))
_X12 = (*_LEFT, *_RIGHT, (0.0, 0.0), (0.0, 10.0))
# rows, mean, variances
_X2000 = ((500, (1.0, 0.0), (0.4, 0.8)), (1000, (3.0, 0.0), (0.6, 1.2)), (500, (5.0, 0.0), (0.4, 0.8)))
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_BLOCK_VALUES = 2**16  # drawn at once: 0.5 MB of float64


def make_ellipses(
    n_samples: int = 300,
    *,
    shapes: str | Sequence[tuple[Sequence[float], Sequence[float], float]] = "ellipses",
    noise: float = 0.05,
    outliers: float = 0.0,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows near the outlines of ellipses, equally many for each ellipse.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows near the ellipses, without outliers.
    shapes : {"ellipses", "rings"} or list of (centre, semi-axes, degrees), default="ellipses"
        "ellipses" are two ellipses, "rings" are three circles.  In a list, each ellipse has a pair of
        coordinates, a pair of semi-axes, and the angle of the first semi-axis from the horizontal.
    noise : float, default=0.05
        Standard deviation of each coordinate about the outline.
    outliers : float, default=0.0
        Number of further rows, as a share of `n_samples`.  Outliers are uniform on the bounding rectangle
        of the other rows.
    random_state : int, RandomState instance or None, default=None
        Determines the rows.

    Returns
    -------
    X : ndarray of shape (n_samples + n_outliers, 2)
        The rows, in random order; n_outliers is `outliers * n_samples`, rounded.
    y : ndarray of shape (n_samples + n_outliers,)
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


def make_x12(*, noise: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """X12: two diamonds of five points each, a point between the diamonds and a remote point.

    Parameters
    ----------
    noise : int, default=2
        Number of the last two points to include; with 0 the set is X10.

    Returns
    -------
    X : ndarray of shape (10 + noise, 2)
        The points in the order of the literature: the left diamond, the right one, (0, 0), (0, 10).
    y : ndarray of shape (10 + noise,)
        The diamond of each point, -1 for the last two.

    References
    ----------
    .. [1] Pal, N. R., Pal, K., Keller, J. M. and Bezdek, J. C. (2005). A possibilistic fuzzy c-means
       clustering algorithm. IEEE Transactions on Fuzzy Systems 13, 517-530.

    Examples
    --------
    >>> from softclust.datasets import make_x12
    >>> X, y = make_x12()
    >>> y
    array([ 0,  0,  0,  0,  0,  1,  1,  1,  1,  1, -1, -1])
    """
    noise = whole_number("noise", noise, 0, 2)
    return np.array(_X12[: 10 + noise]), np.repeat([0, 1, -1], [5, 5, noise])


def make_x2000(
    *, noise: int = 0, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """X2000: three Gaussian clouds in a line, the middle one twice as large, with optional noise.

    The clouds have 500, 1000 and 500 rows with means (1, 0), (3, 0), (5, 0).  The variances of the two
    coordinates are 0.4 and 0.8 in the outer clouds, and 0.6 and 1.2 in the middle cloud.

    Parameters
    ----------
    noise : int, default=0
        Number of further rows, uniform on [0, 6] x [-4, 4].  The literature uses 2000.
    random_state : int, RandomState instance or None, default=None
        Determines the rows.  The first 2000 rows do not depend on `noise`.

    Returns
    -------
    X : ndarray of shape (2000 + noise, 2)
        The rows: the clouds from left to right, then the noise.
    y : ndarray of shape (2000 + noise,)
        The cloud of each row, -1 for noise.

    Notes
    -----
    The paper that defines X2000 prints these variances as covariance matrices.  The rows of the paper are
    not published.

    References
    ----------
    .. [1] Xia, S., Han, X., Liu, B. and Zhou, Y. (2011). A sample-weighted robust fuzzy c-means clustering
       algorithm. ESEP 2011.

    Examples
    --------
    >>> from softclust.datasets import make_x2000
    >>> X, y = make_x2000(noise=2000, random_state=0)
    >>> X.shape, (y == 1).sum()
    ((4000, 2), np.int64(1000))
    """
    noise = whole_number("noise", noise, 0)
    rng = generator(random_state)
    clouds = [mean + np.sqrt(var) * rng.standard_normal((size, 2)) for size, mean, var in _X2000]
    extra = rng.uniform((0.0, -4.0), (6.0, 4.0), (noise, 2))
    return np.vstack([*clouds, extra]), np.repeat([0, 1, 2, -1], [500, 1000, 500, noise])


def make_gauss_k2(
    n_samples: int = 400, *, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """GaussK2: a wide Gaussian cloud and a dense one beside it.

    The first half of the rows is drawn from N((0, 0), I), the second half from N((2.2, 0), 0.16 I).

    Parameters
    ----------
    n_samples : int, default=400
        Number of rows of both clouds.  If odd, the wide cloud gets one more row.
    random_state : int, RandomState instance or None, default=None
        Determines the rows.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The rows: the wide cloud, then the dense one.
    y : ndarray of shape (n_samples,)
        0 for the wide cloud, 1 for the dense one.

    Notes
    -----
    The paper that names GaussK2 shows 400 rows of two Gaussians with different covariance matrices in a
    figure, but publishes neither rows nor parameters.  The parameters here are softclust's own, so scores
    on these rows cannot be compared with scores in the paper.

    References
    ----------
    .. [1] Antoine, V., Guerrero, J. A., Boone, T. and Romero, G. (2018). Possibilistic clustering with
       seeds.

    Examples
    --------
    >>> from softclust.datasets import make_gauss_k2
    >>> X, y = make_gauss_k2(random_state=0)
    >>> X.shape, y.sum()
    ((400, 2), np.int64(200))
    """
    n_samples = whole_number("n_samples", n_samples, 2)
    rng = generator(random_state)
    sizes = [n_samples - n_samples // 2, n_samples // 2]
    wide = rng.standard_normal((sizes[0], 2))
    dense = rng.standard_normal((sizes[1], 2)) * 0.4 + (2.2, 0.0)
    return np.vstack([wide, dense]), np.repeat([0, 1], sizes)


def make_noisy_iris(
    noise: int = 20, *, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Iris as UCI prints it, followed by rows of noise uniform on [0, 10]^4.

    Parameters
    ----------
    noise : int, default=20
        Number of rows of noise.  The literature uses 10, 20, 30 and 40.
    random_state : int, RandomState instance or None, default=None
        Determines the noise.  With the same int, a larger `noise` only appends rows.

    Returns
    -------
    X : ndarray of shape (150 + noise, 4)
        The rows of `load_iris_uci`, then the noise.
    y : ndarray of shape (150 + noise,)
        The species of each row, -1 for noise.

    Notes
    -----
    The paper with this experiment prints the region of the noise as [0, 10] x [0, 10].  With all four
    features in [0, 10], most figures of the paper lie within the spread of repeated draws.

    References
    ----------
    .. [1] Xia, S., Han, X., Liu, B. and Zhou, Y. (2011), as in `make_x2000`.

    Examples
    --------
    >>> from softclust.datasets import make_noisy_iris
    >>> X, y = make_noisy_iris(noise=10, random_state=0)
    >>> X.shape, (y == -1).sum()
    ((160, 4), np.int64(10))
    """
    noise = whole_number("noise", noise, 0)
    X, y = load_iris_uci(return_X_y=True)
    extra = generator(random_state).uniform(0.0, 10.0, (noise, 4))
    return np.vstack([X, extra]), np.concatenate([y, np.full(noise, -1)])


def make_overlapping_blobs(
    n_samples: int = 1000,
    n_features: int = 2,
    n_clusters: int = 3,
    overlap: float = 0.1,
    *,
    dtype: DTypeLike = np.float64,
    out: np.ndarray | None = None,
    return_centers: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, ...]:
    """Draw round Gaussian clouds of unit variance that overlap by a given share.

    The centres lie on a square grid, rotated at random.  Every cloud shares `overlap` of its mass with at
    least one neighbour, and shares no more with any other cloud.  Even a rule that knows the densities of
    two neighbours puts the share `overlap` / 2 of their rows into the wrong cloud.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.  The numbers of rows of two clouds differ by at most one.
    n_features : int, default=2
        Number of features.
    n_clusters : int, default=3
        Number of clouds, at most `n_samples`.
    overlap : float in (0, 1], default=0.1
        Area below both densities of two neighbours.  Near 0 the clouds are far apart; with 1 the clouds
        coincide.
    dtype : {float64, float32}, default=float64
        Type of the rows.  float32 gives the rows of float64, rounded.
    out : ndarray of shape (n_samples, n_features) or None, default=None
        Array of float64 or float32 to write the rows into, for example a `numpy.memmap` for more rows than
        memory holds.  If given, `dtype` has no effect.
    return_centers : bool, default=False
        Whether to return the centres too.
    random_state : int, RandomState instance or None, default=None
        Determines the rows.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows in mixed order; `out`, if given.
    y : ndarray of shape (n_samples,)
        The cloud of each row.
    centers : ndarray of shape (n_clusters, n_features)
        The centres; returned only with `return_centers=True`.

    Notes
    -----
    Rows are drawn in blocks of about 0.5 MB; memory beside the result is two such blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from softclust.datasets import make_overlapping_blobs
    >>> X, y = make_overlapping_blobs(900, 4, 3, overlap=0.2, dtype=np.float32, random_state=0)
    >>> X.shape, X.dtype, np.bincount(y)
    ((900, 4), dtype('float32'), array([300, 300, 300]))
    """
    n_clusters = whole_number("n_clusters", n_clusters, 1)
    n_samples = whole_number("n_samples", n_samples, 1)
    if n_samples < n_clusters:
        raise InvalidParameterError(
            f"n_samples={n_samples} is below n_clusters={n_clusters}; give at least one row for each."
        )
    n_features = whole_number("n_features", n_features, 1)
    overlap = positive_share("overlap", overlap)
    check_flags(return_centers=return_centers)
    X = _room_for_rows(out, (n_samples, n_features), dtype)
    rng = generator(random_state)
    centers = _grid_of_centers(n_clusters, n_features, -2 * ndtri(overlap / 2), rng)
    order, deviations = rng.spawn(2)
    y = np.arange(n_samples)
    y %= n_clusters
    for start in range(0, n_samples, _BLOCK_VALUES):
        order.shuffle(y[start : start + _BLOCK_VALUES])
    step = max(1, _BLOCK_VALUES // n_features)
    for start in range(0, n_samples, step):
        clouds = y[start : start + step]
        rows = deviations.standard_normal((len(clouds), n_features))
        rows += centers[clouds]
        X[start : start + step] = rows
    return (X, y, centers) if return_centers else (X, y)


def _room_for_rows(out: Any, shape: tuple[int, int], dtype: DTypeLike) -> np.ndarray:
    """Return the array to write the rows into: `out` if it can hold the rows, a new array without `out`."""
    if out is None:
        with contextlib.suppress(TypeError):
            if np.dtype(dtype) in _FLOATS:
                return np.empty(shape, dtype=dtype)
        raise InvalidParameterError(f"dtype={dtype!r} does not fit; give float32 or float64.")
    if not isinstance(out, np.ndarray):
        raise InvalidParameterError(f"out={out!r} is no array; give one of shape {shape}, or None.")
    if out.shape != shape or out.dtype not in _FLOATS or not out.flags.writeable:
        kind = "an" if out.flags.writeable else "a read-only"
        raise InvalidParameterError(
            f"out is {kind} array of shape {out.shape} and {out.dtype}; "
            f"give one of shape {shape} and float32 or float64 that can be written."
        )
    return out


def _grid_of_centers(count: int, n_features: int, distance: float, rng: np.random.Generator) -> np.ndarray:
    """Return points of a square grid about 0, rotated at random; each has a neighbour at `distance`."""
    sides = min(n_features, max(1, (count - 1).bit_length()))
    length = 1
    while length**sides < count:
        length += 1
    grid = np.column_stack(np.unravel_index(np.arange(count), (length,) * sides)).astype(np.float64)
    directions = np.linalg.qr(rng.standard_normal((n_features, sides)))[0]
    return distance * (grid - grid.mean(axis=0)) @ directions.T
