"""Vectors of numbers in LLVM's own code, for loops that its vectoriser does not vectorise."""

from llvmlite import ir
from numba.core.cgutils import get_or_insert_function


def arrays(context, builder, signature, arguments, places):
    """Return the arguments at these places as arrays whose `data` and `shape` can be used."""
    from numba.np.arrayobj import make_array  # takes 30 ms; code loaded from disk does not need it

    return [make_array(signature.args[place])(context, builder, arguments[place]) for place in places]


class Vectors:
    """Emit code that loads, stores and mixes vectors of `lanes` numbers, at any address."""

    def __init__(self, builder, double, lanes):
        self.builder = builder
        self.lanes = lanes
        self.size = 8 if double else 4
        self.vector = ir.VectorType(ir.DoubleType() if double else ir.FloatType(), lanes)

    def pointer(self, data, index):
        """Return the address of data[index] as that of a vector."""
        return self.builder.bitcast(self.builder.gep(data, [index]), self.vector.as_pointer())

    def load(self, data, index):
        """Load the vector that begins at data[index]."""
        return self.builder.load(self.pointer(data, index), align=self.size)

    def store(self, x, data, index):
        """Store the vector x from data[index] on."""
        self.builder.store(x, self.pointer(data, index), align=self.size)

    def mix(self, a, b, order):
        """Return the numbers of a and b in this order; the numbers of b are counted on from those of a."""
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), order)
        return self.builder.shuffle_vector(a, b, mask)

    def multiply_add(self, a, b, c):
        """Return a b + c in one operation where the processor has it; a, b and c are vectors or numbers."""
        name = f"f{8 * self.size}" if a.type != self.vector else f"v{self.lanes}f{8 * self.size}"
        function = get_or_insert_function(
            self.builder.module, ir.FunctionType(a.type, [a.type] * 3), f"llvm.fmuladd.{name}"
        )
        return self.builder.call(function, [a, b, c])

    def broadcast(self, number):
        """Return a vector with one number in all lanes."""
        undefined = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
        return self.mix(first, undefined, [0] * self.lanes)
