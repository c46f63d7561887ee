"""Typicalities near wanted degrees, for exponents that have no formula; many entries at a time."""

from softclust.kernels.codes import TILE
from softclust.kernels.compiled.decorators import compiled, compiled_pass
from softclust.kernels.compiled.vector_math import raise_row, raised

_HALVINGS = 200
_LEAST_SLOPE = 1e-300
_LAST_STEP = 1e-8  # relative to min(t, 1 - t): the error after such a step is its square


@compiled
def _settle(share, rest, pull, wish, eta, t, low, high, up, down):
    """Find the roots t of a t^(eta-1) - c (1 - t)^(eta-1) + 2 r (t - f) by Newton steps between bounds.

    The function rises with t; a is `share`, c `rest`, 2 r `pull` and f `wish`.  An entry whose bounds are
    equal has settled and stays where it is.
    """
    for _ in range(_HALVINGS):
        for i in range(TILE):
            middle = 0.5 * (low[i] + high[i])
            x = t[i] if (t[i] > low[i]) & (t[i] < high[i]) else middle
            t[i] = x
            up[i] = x
            down[i] = 1.0 - x
        raise_row(up, eta - 1.0)
        raise_row(down, eta - 1.0)
        moving = 0.0
        for i in range(TILE):
            x, y = t[i], 1.0 - t[i]
            rises, falls = share[i] * up[i], rest[i] * down[i]
            gap = rises - falls + pull[i] * (x - wish[i])
            slope = (eta - 1.0) * (rises * y + falls * x) + pull[i] * x * y  # times t (1 - t)
            step = gap * x * y / max(slope, _LEAST_SLOPE)
            is_far = (x > low[i]) & (x < high[i]) & (abs(step) > _LAST_STEP * min(x, y))
            least = low[i] if gap > 0.0 else x
            most = x if gap > 0.0 else high[i]
            new = x - step
            settled = min(max(new, least), most)
            low[i] = least if is_far else settled
            high[i] = most if is_far else settled
            t[i] = new if is_far else settled
            moving += 1.0 if is_far else 0.0
        if moving == 0.0:
            return
    for i in range(TILE):  # no step is left: keep t within its bounds
        t[i] = min(max(t[i], low[i]), high[i])


@compiled_pass("D1 D1 d d D1 D1 9D1 D1")
def solve(d, gamma, b, eta, f, alpha, work, out):
    """Compute out <- t of all entries, a tile at a time; entries without a wanted degree have a formula."""
    share, rest, pull, wish, t, low, high, up, down = work
    for first in range(0, d.shape[0], TILE):
        count = min(TILE, d.shape[0] - first)
        for i in range(TILE):
            e = first + min(i, count - 1)
            told = f[e] == f[e] and alpha[e] > 0.0 and d[e] > 0.0
            # Both terms are in units of d + gamma, so that neither overflows.
            near, far, weight = d[e] / (d[e] + gamma[e]), gamma[e] / (d[e] + gamma[e]), alpha[e]
            share[i], rest[i] = eta * b * near, eta * far
            pull[i], wish[i] = (2.0 * weight * near, f[e]) if told else (0.0, 0.0)
            if told:  # start from the formula for eta = 2
                t[i] = (far + weight * f[e] * near) / (far + (b + weight) * near)
                low[i], high[i] = 0.0, 1.0
            else:
                t[i] = low[i] = high[i] = 1.0 / (1.0 + raised(b * d[e] / gamma[e], 1.0 / (eta - 1.0)))
        _settle(share, rest, pull, wish, eta, t, low, high, up, down)
        for i in range(count):
            out[first + i] = t[i]
