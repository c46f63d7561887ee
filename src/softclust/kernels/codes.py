"""The numbers by which a compiled pass knows a partition and its parameters."""

from typing import NamedTuple

HARD, FUZZY, POSSIBILISTIC, POSSIBILISTIC_FUZZY, IMPROVED, ENTROPIC = range(6)


class Parameters(NamedTuple):
    """The numbers of a model, as compiled passes take them: all floats, so that there is one signature."""

    m: float
    eta: float
    a: float
    b: float
    entropy: float  # 1: typicalities by the entropy penalty
    noise: float  # squared noise distance, 0 = none
    density_rate: float  # of row weights that follow the centres, 0 = none
    printed_centers: float  # 1: the label penalty does not pull centres


class Rule(NamedTuple):
    """A partition as the compiled passes see it: its kind and five numbers.

    Of an entropic one m is the exponent of the influence, eta what distances are divided by, and b the
    log-density of noise where a is 1.
    """

    kind: int
    m: float = 2.0  # exponent of the fuzzy memberships
    eta: float = 2.0  # exponent of the typicalities
    a: float = 1.0  # weight of the fuzzy part
    b: float = 1.0  # weight of the possibilistic part
    entropy: bool = False  # typicalities by the entropy penalty

    def parameters(self, noise, density_rate, printed_centers=False):
        """The numbers of the rule and of the model around it.

        All as floats: for m = 2 instead of 2.0 Numba would compile everything anew.
        """
        return Parameters(*map(float, (*self[1:], noise, density_rate, printed_centers)))


NEGLIGIBLE = 32.0  # a term of a density below exp(-32) = 1.3e-14 is left out: 1e-8 in all for a million
NARROW_EXPONENT = 40  # of coordinates within +-2^this, eight squared distances have a product
