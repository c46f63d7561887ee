"""Distances and moments of a tile, in registers: some clusters by some rows or features at a time.

In plain loops, each multiplication would load and store its sum.  LLVM keeps a block of sums in registers
only if the code says which sums.
"""

from functools import partial
from itertools import chain

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from softclust.kernels.codes import FEATURES, TILE
from softclust.kernels.compiled.sums import lane_total
from softclust.kernels.compiled.vectors import Vectors, arrays

_FLAGS = ("contract", "nsz")
_VECTOR_BYTES = 32
_MOMENT_LANES = 4  # on every processor: the order of the sums depends on it
_DISTANCE_BLOCK = 2, 4  # clusters, vectors of rows
_SCALED_BLOCK = 1, 4  # fewer clusters, because scales take registers too
_MOMENT_BLOCK = 4, 3  # clusters, features
_SINGLE_MOMENT_BLOCK = 4, 2  # conversions take registers too: a spilled sum took 1.8 times as long
_i64 = ir.IntType(64)


class _Block(Vectors):
    """Emit sums in registers and the loops around them."""

    def __init__(self, builder, double, lanes):
        super().__init__(builder, double, lanes)
        self.zero = ir.Constant(self.vector, [0.0] * lanes)

    def sums(self, clusters, others):
        """Return a vector in a register for each cluster and each of the others (rows or features)."""
        register = partial(cgutils.alloca_once, self.builder, self.vector)
        return [[register() for _ in range(others)] for _ in range(clusters)]

    def clear(self, sums):
        """Set all sums to 0."""
        for total in chain(*sums):
            self.builder.store(self.zero, total)

    def add_product(self, a, b, total):
        """Add a product to a sum: total <- total + a b."""
        self.builder.store(self.multiply_add(a, b, self.builder.load(total)), total)

    def plus(self, index, number):
        """Return index + number."""
        return self.builder.add(index, _i64(number))

    def starts(self, first, count, length):
        """Return where the `count` rows from row `first` on begin, in an array with rows of this length."""
        return [self.builder.mul(self.plus(first, place), length) for place in range(count)]

    def steps(self, start, stop, step):
        """Return a loop; its `with` block is entered with the loop's index and counter."""
        return cgutils.for_range_slice(self.builder, start, stop, _i64(step), inc=True)

    def in_blocks(self, count, size, work):
        """Run work(first, size) on whole blocks of `count` things, then on the others one by one."""
        whole = self.builder.sub(count, self.builder.srem(count, _i64(size)))
        for first, stop, step in ((_i64(0), whole, size), (whole, count, 1)):
            with self.steps(first, stop, step) as (index, _):
                work(index, step)


def _distances(context, builder, signature, arguments):
    """Emit d[k, i] <- sum_j (x_ij - v_kj)^2 for the arguments (xt, V, d).

    For (xt, V, d, S) the terms are (s_kj x_ij - v_kj)^2.
    """
    double = signature.args[0].dtype == types.float64
    lanes = _VECTOR_BYTES // (8 if double else 4)
    code = _Block(builder, double, lanes)
    xt, V, d, *scales = arrays(context, builder, signature, arguments, range(len(arguments)))
    p, c = (builder.extract_value(array.shape, 0) for array in (xt, V))
    width, vectors = _SCALED_BLOCK if scales else _DISTANCE_BLOCK

    def block(rows, first, last, k, clusters):
        """Add features first..last to the distances between some rows and some clusters."""
        sums = code.sums(clusters, vectors)
        columns = [builder.add(column, rows) for column in code.starts(k, clusters, _i64(TILE))]
        places = [code.plus(column, lanes * q) for column in columns for q in range(vectors)]
        with builder.if_else(builder.icmp_signed("==", first, _i64(0))) as (begins, goes_on):
            with begins:
                code.clear(sums)
            with goes_on:
                for total, place in zip(chain(*sums), places, strict=True):
                    builder.store(code.load(d.data, place), total)
        centres = code.starts(k, clusters, p)
        with code.steps(first, last, 1) as (j, _):
            column = builder.add(builder.mul(j, _i64(TILE)), rows)
            x = [code.load(xt.data, code.plus(column, lanes * q)) for q in range(vectors)]
            for centre, totals in zip(centres, sums, strict=True):
                place = [builder.add(centre, j)]
                v, *s = (code.broadcast(builder.load(builder.gep(a.data, place))) for a in (V, *scales))
                for part, total in zip(x, totals, strict=True):
                    scaled = builder.fmul(part, s[0], flags=_FLAGS) if s else part
                    apart = builder.fsub(scaled, v, flags=_FLAGS)
                    code.add_product(apart, apart, total)
        for total, place in zip(chain(*sums), places, strict=True):
            code.store(builder.load(total), d.data, place)

    with code.steps(_i64(0), p, FEATURES) as (first, _):
        last = code.plus(first, FEATURES)
        last = builder.select(builder.icmp_signed("<", last, p), last, p)
        with code.steps(_i64(0), _i64(TILE), lanes * vectors) as (rows, _):
            code.in_blocks(c, width, partial(block, rows, first, last))
    return context.get_dummy_value()


@intrinsic
def squared_distances(typing_context, xt, V, d):
    """Compute d[k, i] <- |x_i - v_k|^2, summed directly: no cancellation, whatever the offset."""
    return types.void(xt, V, d), _distances


@intrinsic
def scaled_distances(typing_context, xt, V, d, S):
    """Compute d[k, i] <- sum_j (s_kj x_ij - v_kj)^2, summed directly."""
    return types.void(xt, V, d, S), _distances


def _moments(context, builder, signature, arguments, triangle):
    """Emit moment[k, j] += sum_i w[k, i] x[j, i], in doubles; with `triangle`, at least for j <= k."""
    lanes = _MOMENT_LANES
    code = _Block(builder, True, lanes)
    of_x, of_w = (Vectors(builder, kind.dtype == types.float64, lanes) for kind in signature.args[:2])
    xt, w, moment = arrays(context, builder, signature, arguments, range(3))
    p, c = (builder.extract_value(array.shape, 0) for array in (xt, w))
    width, columns = _MOMENT_BLOCK if of_x.vector == of_w.vector == code.vector else _SINGLE_MOMENT_BLOCK

    def load(given, data, place):
        """Load a vector as doubles."""
        x = given.load(data, place)
        return x if given.vector == code.vector else builder.fpext(x, code.vector)

    def block(k, clusters, j, features):
        """Add the moments of some clusters in some features."""
        sums = code.sums(clusters, features)
        code.clear(sums)
        of_clusters, of_features = (
            code.starts(first, count, _i64(TILE)) for first, count in ((k, clusters), (j, features))
        )
        with code.steps(_i64(0), _i64(TILE), lanes) as (i, _):
            x = [load(of_x, xt.data, builder.add(start, i)) for start in of_features]
            for start, totals in zip(of_clusters, sums, strict=True):
                weight = load(of_w, w.data, builder.add(start, i))
                for part, total in zip(x, totals, strict=True):
                    code.add_product(weight, part, total)
        for start, totals in zip(code.starts(k, clusters, p), sums, strict=True):
            for q, total in enumerate(totals):
                place = builder.gep(moment.data, [builder.add(start, code.plus(j, q))])
                whole = lane_total(code, builder.load(total))
                builder.store(builder.fadd(builder.load(place), whole), place)

    def some_clusters(k, clusters):
        code.in_blocks(code.plus(k, clusters) if triangle else p, columns, partial(block, k, clusters))

    code.in_blocks(c, width, some_clusters)
    return context.get_dummy_value()


@intrinsic
def add_moments(typing_context, xt, w, moment):
    """Add the moments of a tile, in doubles: moment[k, j] += sum_i w[k, i] x[j, i]."""
    return types.void(xt, w, moment), partial(_moments, triangle=False)


@intrinsic
def add_products(typing_context, z, weighed, second):
    """Add the products of a tile, in doubles: second[q, j] += sum_i weighed[q, i] z[j, i], for j <= q.

    Some entries above the diagonal are added too.
    """
    return types.void(z, weighed, second), partial(_moments, triangle=True)
