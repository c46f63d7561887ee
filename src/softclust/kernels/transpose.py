"""Four rows by four features, transposed in registers; and rows fetched before they are wanted.

Element by element, turning a tile of rows into a tile of columns costs as much as its distances to
eight centres: LLVM does not find the shuffles by itself.  Nor does the processor guess the order in
which rows are read, so that they would be waited for.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from softclust.kernels.compiled import TILE

_FLAGS = ("contract", "nsz")
_LANES = 4


@intrinsic
def load_square(typing_context, X, row, feature, units, xt, column):
    """xt[feature + q, column + r] <- X[row + r, feature + q] in loop units, for r, q < 4.

    units is (factor, limit, origin...): x * factor - origin, held within +-limit.
    """

    def build(context, builder, signature, arguments):
        _, row, feature, _, _, column = arguments
        rows, centres, tile = (
            make_array(signature.args[place])(context, builder, arguments[place]) for place in (0, 3, 4)
        )
        element = ir.DoubleType() if signature.args[0].dtype == types.float64 else ir.FloatType()
        size = 8 if signature.args[0].dtype == types.float64 else 4
        vector = ir.VectorType(element, _LANES)
        i64 = ir.IntType(64)
        p = builder.extract_value(rows.shape, 1)

        def pointer(data, first, stride, second):
            index = builder.add(builder.mul(first, stride), second)
            return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())

        def mix(a, b, order):
            return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), _LANES), order))

        def everywhere(number):
            undefined = ir.Constant(vector, ir.Undefined)
            first = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
            return mix(first, undefined, [0] * _LANES)

        def unit(place):
            return everywhere(builder.load(builder.gep(centres.data, [place])))

        a, b, c, d = (
            builder.load(pointer(rows.data, builder.add(row, i64(r)), p, feature), align=size)
            for r in range(_LANES)
        )
        ab_even, ab_odd = mix(a, b, [0, 4, 2, 6]), mix(a, b, [1, 5, 3, 7])
        cd_even, cd_odd = mix(c, d, [0, 4, 2, 6]), mix(c, d, [1, 5, 3, 7])
        columns = (
            mix(ab_even, cd_even, [0, 1, 4, 5]),
            mix(ab_odd, cd_odd, [0, 1, 4, 5]),
            mix(ab_even, cd_even, [2, 3, 6, 7]),
            mix(ab_odd, cd_odd, [2, 3, 6, 7]),
        )
        factor, limit = unit(i64(0)), unit(i64(1))
        least = builder.fneg(limit)
        for q, x in enumerate(columns):
            place = builder.add(feature, i64(q))
            origin = unit(builder.add(place, i64(2)))
            x = builder.fsub(builder.fmul(x, factor, flags=_FLAGS), origin, flags=_FLAGS)
            x = builder.select(builder.fcmp_ordered(">", x, least), x, least)
            x = builder.select(builder.fcmp_ordered("<", x, limit), x, limit)
            builder.store(x, pointer(tile.data, place, i64(TILE), column), align=size)
        return context.get_dummy_value()

    intp = types.intp
    return types.void(X, intp, intp, units, xt, intp), build


@intrinsic
def prefetch(typing_context, X, index):
    """Ask for the cache line of X.flat[index]; past the end of X nothing happens."""

    def build(context, builder, signature, arguments):
        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        reading, second_level, data_cache = i32(0), i32(2), i32(1)
        builder.call(function, [address, reading, second_level, data_cache])
        return context.get_dummy_value()

    return types.void(X, types.intp), build
