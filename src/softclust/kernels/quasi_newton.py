"""A proposal of L-BFGS, compiled: of few numbers, the calls of BLAS would take longer than its work."""

from math import sqrt

import numpy as np

from softclust.kernels.compiled import compiled, compiled_pass
from softclust.kernels.workspace import plain

_LEAST_COSINE = 1e-8  # between a step and how the plain step bends along it
_DOUBLE = np.dtype("f8")


@compiled
def _dot(x, y):
    total = 0.0
    for j in range(x.shape[0]):
        total += x[j] * y[j]
    return total


@compiled
def _add(share, x, out):
    """out += share x"""
    for j in range(x.shape[0]):
        out[j] += share * x[j]


@compiled
def _learn(x, image, kept, products, count):
    """Keep the pair that the last step has shown; forget all where the way does not bend upwards."""
    window = products.shape[1]
    place = count % window if count > 0 else 0
    last, before, step, bend = kept[0], kept[1], kept[2 + place], kept[2 + window + place]
    for j in range(x.shape[0]):
        downhill = image[j] - x[j]
        step[j] = x[j] - last[j]
        bend[j] = before[j] - downhill
        last[j], before[j] = x[j], downhill
    if count < 0:  # x is the first
        return 0
    product = _dot(step, bend)
    products[0, place] = product
    least = _LEAST_COSINE * sqrt(_dot(step, step) * _dot(bend, bend))
    return count + 1 if product > least and least > 0.0 else 0


@compiled_pass
def _two_loops(x, image, kept, products, count, way):
    """Nocedal & Wright, algorithm 7.4."""
    count = _learn(x, image, kept, products, count)
    window, shares = products.shape[1], products[1]
    steps, bends = kept[2 : 2 + window], kept[2 + window :]
    for j in range(way.shape[0]):
        way[j] = kept[1, j]
    first = max(count - window, 0)
    for n in range(count - 1, first - 1, -1):
        k = n % window
        shares[k] = _dot(steps[k], way) / products[0, k]
        _add(-shares[k], bends[k], way)
    if count > 0:
        k = (count - 1) % window
        guess = min(max(products[0, k] / _dot(bends[k], bends[k]), 1.0), 2.0)
        for j in range(way.shape[0]):
            way[j] *= guess
    for n in range(first, count):
        k = n % window
        _add(shares[k] - _dot(bends[k], way) / products[0, k], steps[k], way)
    size = 0.0
    for j in range(way.shape[0]):
        way[j] += x[j]
        size += way[j] * way[j]
    return count if size < np.inf else 0


def propose(x, image, kept, products, count):
    """x + H (image - x) with the inverse Hessian H of the pairs, and how many pairs there are now.

    Rows of `kept`: the last point and its plain step, steps, and how the plain step has bent along each.
    There have been `count` such pairs, the n-th in place n modulo the window; below 0: not even a point.
    Where there are none, or the way leaves the range of floats, it is the image itself.
    """
    way = np.empty(len(x))
    count = _two_loops(plain(x, _DOUBLE), plain(image, _DOUBLE), kept, products, count, way)
    return way if count > 0 else image, count
