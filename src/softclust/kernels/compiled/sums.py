"""Sums in a fixed order: sixteen running sums side by side, then their sum, then what is left over.

The compiler could vectorise a plain loop only if it might reorder its sum, and each processor would get
another order.  These sums have the same last bits on every processor that multiplies and adds in one step.
"""

from functools import partial

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from softclust.kernels.compiled.vectors import Vectors, arrays

_LANES, _SUMS = 4, 4
_i64 = ir.IntType(64)


def lane_total(code, x):
    """Return the sum of a vector of four doubles."""
    for order in ([2, 3, 0, 1], [1, 0, 3, 2]):
        x = code.builder.fadd(x, code.mix(x, x, order))
    return code.builder.extract_element(x, ir.Constant(ir.IntType(32), 0))


def _sum(context, builder, signature, arguments, is_gain=False):
    """Emit sum_j x_j, or sum_j x_j y_j of two arrays, or sum_j x_j max(y_j - z_j, 0), in doubles."""
    code = Vectors(builder, True, _LANES)
    given = [Vectors(builder, kind.dtype == types.float64, _LANES) for kind in signature.args]
    data = arrays(context, builder, signature, arguments, range(len(arguments)))
    number = ir.DoubleType()
    n = builder.extract_value(data[0].shape, 0)
    whole = builder.and_(n, _i64(-_LANES * _SUMS))
    zeros = ir.Constant(code.vector, [0.0] * _LANES)
    sums = [cgutils.alloca_once_value(builder, zeros) for _ in range(_SUMS)]
    left = cgutils.alloca_once_value(builder, number(0.0))

    def add(numbers, out):
        x, *others = numbers
        if is_gain:
            gap = builder.fsub(*others)
            zero = zeros if gap.type == code.vector else number(0.0)
            others = [builder.select(builder.fcmp_ordered(">", gap, zero), gap, zero)]
        before = builder.load(out)
        builder.store(code.multiply_add(x, *others, before) if others else builder.fadd(before, x), out)

    def widened(x, kind):
        return x if x.type == kind else builder.fpext(x, kind)

    with cgutils.for_range_slice(builder, _i64(0), whole, _i64(_LANES * _SUMS), inc=True) as (first, _):
        for q, out in enumerate(sums):
            place = builder.add(first, _i64(q * _LANES))
            add(
                [widened(v.load(a.data, place), code.vector) for v, a in zip(given, data, strict=True)], out
            )
    with cgutils.for_range_slice(builder, whole, n, _i64(1), inc=True) as (place, _):
        add([widened(builder.load(builder.gep(a.data, [place])), number) for a in data], left)
    a, b, c, d = (builder.load(out) for out in sums)
    x = builder.fadd(builder.fadd(a, b), builder.fadd(c, d))
    return builder.fadd(lane_total(code, x), builder.load(left))


@intrinsic
def total(typing_context, x):
    """Return the sum of a contiguous array, in doubles."""
    return types.float64(x), _sum


@intrinsic
def dot(typing_context, x, y):
    """Return the dot product of two contiguous arrays of one length, in doubles."""
    return types.float64(x, y), _sum


@intrinsic
def gain(typing_context, weight, before, after):
    """Return the sum of weight * max(before - after, 0) over contiguous arrays, in doubles."""
    return types.float64(weight, before, after), partial(_sum, is_gain=True)
