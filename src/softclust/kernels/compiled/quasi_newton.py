"""A proposal of L-BFGS.

It is compiled: for few numbers, calling BLAS would take longer than the work itself.
"""

from math import sqrt

import numpy as np

from softclust.kernels.compiled.decorators import compiled, compiled_pass
from softclust.kernels.compiled.sums import dot

_LEAST_COSINE = 1e-8  # between a step and its bend, the change of the plain step along it


@compiled
def _add(share, x, out):
    """Add a multiple: out += share x."""
    for j in range(x.shape[0]):
        out[j] += share * x[j]


@compiled
def _learn(x, image, kept, products, count):
    """Keep the pair (step, bend) that the last step has shown; return the new number of pairs.

    The bend is the decrease of the plain step, image - x, along the step.  If the function does not bend
    upwards along the step, all pairs are forgotten.
    """
    window = products.shape[1]
    place = count % window if count > 0 else 0
    last, before, step, bend = kept[0], kept[1], kept[2 + place], kept[2 + window + place]
    for j in range(x.shape[0]):
        downhill = image[j] - x[j]
        step[j] = x[j] - last[j]
        bend[j] = before[j] - downhill
        last[j], before[j] = x[j], downhill
    if count < 0:  # x is the first point
        return 0
    product: float = dot(step, bend)
    products[0, place] = product
    least = _LEAST_COSINE * sqrt(dot(step, step) * dot(bend, bend))
    return count + 1 if product > least and least > 0.0 else 0


@compiled_pass("D1 D1 D2 D2 l D1")
def two_loops(x, image, kept, products, count, way):
    """Compute way <- the proposal, and return the number of pairs: Nocedal & Wright, algorithm 7.4.

    The number is 0 if the proposal leaves the range of floats.
    """
    count = _learn(x, image, kept, products, count)
    window, shares = products.shape[1], products[1]
    steps, bends = kept[2 : 2 + window], kept[2 + window :]
    for j in range(way.shape[0]):
        way[j] = kept[1, j]
    first = max(count - window, 0)
    for n in range(count - 1, first - 1, -1):
        k = n % window
        shares[k] = dot(steps[k], way) / products[0, k]
        _add(-shares[k], bends[k], way)
    if count > 0:
        k = (count - 1) % window
        guess = min(max(products[0, k] / dot(bends[k], bends[k]), 1.0), 2.0)
        for j in range(way.shape[0]):
            way[j] *= guess
    for n in range(first, count):
        k = n % window
        _add(shares[k] - dot(bends[k], way) / products[0, k], steps[k], way)
    for j in range(way.shape[0]):
        way[j] += x[j]
    return count if dot(way, way) < np.inf else 0
