"""The fuzzy rule for m = 2 and few clusters, in registers for a vector of rows at a time.

Plain loops would store the tile and load it again between the reciprocals, their sum and the squares.
That traffic, not the arithmetic, was a quarter of a pass over data with few features.
"""

from functools import reduce

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from softclust.kernels.codes import TILE
from softclust.kernels.compiled.vectors import Vectors, arrays

MOST_CLUSTERS = 8
_GROUP = 4
_FLAGS = ("contract", "nsz")
_VECTOR_BYTES = 32
_i64 = ir.IntType(64)


class _Registers(Vectors):
    """Emit arithmetic on vectors of rows."""

    def __init__(self, builder, double):
        super().__init__(builder, double, _VECTOR_BYTES // (8 if double else 4))
        self.one = ir.Constant(self.vector, [1.0] * self.lanes)

    def larger(self, a, b):
        return self.builder.select(self.builder.fcmp_ordered(">", a, b), a, b)

    def times(self, a, b):
        return self.builder.fmul(a, b, flags=_FLAGS)

    def plus(self, a, b):
        return self.builder.fadd(a, b, flags=_FLAGS)

    def over(self, a, b):
        return self.builder.fdiv(a, b, flags=_FLAGS)

    def product(self, numbers):
        return reduce(self.times, numbers)

    def sum(self, numbers):
        return reduce(self.plus, numbers)


def _by_products(code, costs, rest):
    """Return u_k and the least objective with one division.

    u_k = (product of the other costs) / (sum of these products over the clusters and noise).
    """
    groups = [costs[first : first + _GROUP] for first in range(0, len(costs), _GROUP)]
    whole = [code.product(group) for group in groups]
    parts = [
        [code.product([x for q, x in enumerate(group) if q != k] or [code.one]) for k in range(len(group))]
        for group in groups
    ]
    other = whole[::-1] if len(groups) == 2 else [code.one]
    everything = code.product(whole)
    sums = [code.times(code.sum(part), x) for part, x in zip(parts, other, strict=True)]
    share = code.over(code.one, code.sum([code.times(rest, everything), *sums]))
    factors = [code.times(x, share) for x in other]
    u = [code.times(x, factor) for part, factor in zip(parts, factors, strict=True) for x in part]
    return u, code.times(everything, share)


def _by_reciprocals(code, costs, rest):
    """Return the same by u_k = (1/cost_k) / sum 1/cost, with a division for each cluster.

    For float32, where products of eight costs would leave the range.
    """
    parts = [code.over(code.one, x) for x in costs]
    share = code.over(code.one, code.sum([rest, *parts]))
    return [code.times(x, share) for x in parts], share


@intrinsic
def fuzzy_squares(typing_context, cost, w, loss, rest, tiny):
    """Compute w <- u^2 and loss <- sum_k u_k^2 cost_k for one tile and at most MOST_CLUSTERS clusters.

    `rest` is the reciprocal of the squared noise distance, or 0; costs count as `tiny` at least.
    Doubles must lie within 2^+-120: eight of them are multiplied.
    """

    def build(context, builder, signature, arguments):
        double = signature.args[0].dtype == types.float64
        code = _Registers(builder, double)
        quotients = _by_products if double else _by_reciprocals
        cost, w, loss = arrays(context, builder, signature, arguments, range(3))
        rest, tiny = code.broadcast(arguments[3]), code.broadcast(arguments[4])
        clusters = builder.extract_value(cost.shape, 0)
        end = builder.append_basic_block("end")
        switch = builder.switch(clusters, end)
        for c in range(1, MOST_CLUSTERS + 1):
            block = builder.append_basic_block(f"clusters{c}")
            switch.add_case(_i64(c), block)
            builder.position_at_end(block)
            with cgutils.for_range(builder, _i64(TILE // code.lanes)) as loop:
                first = builder.mul(loop.index, _i64(code.lanes))
                places = [builder.add(first, _i64(k * TILE)) for k in range(c)]
                costs = [code.larger(code.load(cost.data, place), tiny) for place in places]
                u, least = quotients(code, costs, rest)
                for x, place in zip(u, places, strict=True):
                    code.store(code.times(x, x), w.data, place)
                code.store(least, loss.data, first)
            builder.branch(end)
        builder.position_at_end(end)
        return context.get_dummy_value()

    number = cost.dtype
    return types.void(cost, w, loss, number, number), build
