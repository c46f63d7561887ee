"""Roots of rising functions, elementwise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_MOST_STEPS = 300  # three times as many as bisection alone would need
_EPS, _TINY = np.finfo(float).eps, np.finfo(float).tiny


def rising_root(
    f: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray, halvings: int
) -> np.ndarray:
    """Return where each rising f crosses 0 within its bracket: an end of it if f has one sign there.

    Chandrupatla's method (Advances in Engineering Software 28, 1997): inverse quadratic interpolation
    where it is safe, else bisection.  About ten evaluations find what so many `halvings` of the
    bracket would.  The answer is the upper
    end of the last bracket, so f is not negative there, unless it is negative at `high` already.
    """
    # `a` is the newest point, `b` the other end of the bracket, `c` the point that left it.
    a, b = high.astype(float), low.astype(float)
    f_a, f_b = f(a), f(b)
    smallest = (a - b) * 0.5**halvings + _TINY
    is_out = (f_b >= 0) | (f_a <= 0)
    end = np.where(f_b >= 0, b, a)
    t = np.full_like(a, 0.5)
    for _ in range(_MOST_STEPS):
        x = np.where(is_out, a, a + t * (b - a))
        f_x = np.where(is_out, f_a, f(x))
        same = (f_x < 0) == (f_a < 0)
        c, f_c = np.where(same, a, b), np.where(same, f_a, f_b)
        b, f_b = np.where(same, b, a), np.where(same, f_b, f_a)
        a, f_a = x, f_x
        width = np.abs(b - a)
        least = 2 * _EPS * np.maximum(np.abs(a), np.abs(b)) + smallest
        if not ((width > least) & (f_a != 0) & ~is_out).any():
            break
        with np.errstate(all="ignore"):
            t = np.clip(_interpolated(a, b, c, f_a, f_b, f_c), least / (2 * width), 1 - least / (2 * width))
        t = np.where(np.isfinite(t), t, 0.5)
    return np.where(is_out, end, np.where(f_a >= 0, a, b))


def _interpolated(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, f_a: np.ndarray, f_b: np.ndarray, f_c: np.ndarray
) -> np.ndarray:
    """Return how far from `a` towards `b` to go."""
    xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
    quadratic = f_a / (f_b - f_a) * f_c / (f_b - f_c)
    quadratic = quadratic + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
    return np.where((phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi), quadratic, 0.5)
