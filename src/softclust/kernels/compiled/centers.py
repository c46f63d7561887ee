"""The step of centres that are points.

It is compiled: for a few centres, calling NumPy would take most of the time.
"""

from softclust.kernels.compiled.decorators import compiled_pass


@compiled_pass("D2 D1 D2 D2")
def means(moment, weight, V, out):
    """Compute out <- moment / weight; a centre without weight keeps its place in V."""
    for k in range(V.shape[0]):
        for j in range(V.shape[1]):
            out[k, j] = moment[k, j] / weight[k] if weight[k] > 0.0 else V[k, j]


@compiled_pass("D2 D2")
def longest(x, y):
    """Return the greatest |x - y|, or NaN if there is any."""
    longest = 0.0
    for k in range(x.shape[0]):
        for j in range(x.shape[1]):
            gap = abs(x[k, j] - y[k, j])
            if gap > longest or gap != gap:  # NaN exceeds all: a loop with NaN must not end
                longest = gap
    return longest
