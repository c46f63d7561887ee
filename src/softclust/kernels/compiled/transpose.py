"""Transpose four rows by four features in registers, and fetch rows before they are needed.

Element by element, transposing a tile costs as much as its distances to eight centres: LLVM does not find
the shuffles by itself.  Nor does the processor guess the order in which rows are read, so without a request
in advance the code would wait for them.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from softclust.kernels.codes import TILE
from softclust.kernels.compiled.vectors import Vectors, arrays

_FLAGS = ("contract", "nsz")
_LANES = 4
_i64 = ir.IntType(64)


class _Loader(Vectors):
    """Emit code that moves vectors of four numbers from rows of X to columns of a tile, in loop units."""

    def __init__(self, context, builder, signature, arguments):
        super().__init__(builder, signature.args[0].dtype == types.float64, _LANES)
        self.X, self.units, self.xt = arrays(context, builder, signature, arguments, (0, 3, 4))
        self.factor, self.limit = self.unit(_i64(0)), self.unit(_i64(1))
        self.least = builder.fneg(self.limit)

    def row(self, index):
        """Load four numbers of X from X.flat[index] on."""
        return self.load(self.X.data, index)

    def unit(self, place):
        """Load one number of `units` into all four lanes."""
        return self.broadcast(self.builder.load(self.builder.gep(self.units.data, [place])))

    def put(self, x, feature, column):
        """Store x * factor - origin, held within +-limit, in its place in the tile."""
        builder = self.builder
        origin = self.unit(builder.add(feature, _i64(2)))
        x = builder.fsub(builder.fmul(x, self.factor, flags=_FLAGS), origin, flags=_FLAGS)
        x = builder.select(builder.fcmp_ordered(">", x, self.least), x, self.least)
        x = builder.select(builder.fcmp_ordered("<", x, self.limit), x, self.limit)
        self.store(x, self.xt.data, builder.add(builder.mul(feature, _i64(TILE)), column))


@intrinsic
def load_square(typing_context, X, row, feature, units, xt, column):
    """Transpose a square: xt[feature + q, column + r] <- X[row + r, feature + q], for r, q < 4.

    Numbers are converted to loop units: `units` is (factor, limit, origin...), and x becomes
    x * factor - origin, held within +-limit.
    """

    def build(context, builder, signature, arguments):
        _, row, feature, _, _, column = arguments
        code = _Loader(context, builder, signature, arguments)
        p = builder.extract_value(code.X.shape, 1)
        starts = (builder.mul(builder.add(row, _i64(r)), p) for r in range(_LANES))
        a, b, c, d = (code.row(builder.add(start, feature)) for start in starts)
        ab_even, ab_odd = code.mix(a, b, [0, 4, 2, 6]), code.mix(a, b, [1, 5, 3, 7])
        cd_even, cd_odd = code.mix(c, d, [0, 4, 2, 6]), code.mix(c, d, [1, 5, 3, 7])
        columns = (
            code.mix(ab_even, cd_even, [0, 1, 4, 5]),
            code.mix(ab_odd, cd_odd, [0, 1, 4, 5]),
            code.mix(ab_even, cd_even, [2, 3, 6, 7]),
            code.mix(ab_odd, cd_odd, [2, 3, 6, 7]),
        )
        for q, x in enumerate(columns):
            code.put(x, builder.add(feature, _i64(q)), column)
        return context.get_dummy_value()

    return types.void(X, types.intp, types.intp, units, xt, types.intp), build


@intrinsic
def load_pairs(typing_context, X, row, feature, units, xt, column):
    """Transpose four rows of data with just two features, 0 and 1, as `load_square` does.

    Such rows lie side by side, so two vectors hold all four.
    """

    def build(context, builder, signature, arguments):
        _, row, feature, _, _, column = arguments
        code = _Loader(context, builder, signature, arguments)
        start = builder.mul(row, _i64(2))
        a, b = code.row(start), code.row(builder.add(start, _i64(_LANES)))
        code.put(code.mix(a, b, [0, 2, 4, 6]), feature, column)
        code.put(code.mix(a, b, [1, 3, 5, 7]), builder.add(feature, _i64(1)), column)
        return context.get_dummy_value()

    return types.void(X, types.intp, types.intp, units, xt, types.intp), build


@intrinsic
def prefetch(typing_context, X, index):
    """Ask the processor for the cache line of X.flat[index]; past the end of X nothing happens."""

    def build(context, builder, signature, arguments):
        [X] = arrays(context, builder, signature, arguments, [0])
        byte, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        address = builder.bitcast(builder.gep(X.data, [arguments[1]]), byte)
        reading, second_level, data_cache = i32(0), i32(2), i32(1)
        builder.call(function, [address, reading, second_level, data_cache])
        return context.get_dummy_value()

    return types.void(X, types.intp), build
