"""The numbers by which a compiled pass knows a partition and its parameters."""

from typing import NamedTuple

HARD, FUZZY, POSSIBILISTIC, POSSIBILISTIC_FUZZY, IMPROVED = range(5)


class Rule(NamedTuple):
    """A partition as the compiled passes see it: its kind and six numbers."""

    kind: int
    m: float = 2.0  # exponent of the fuzzy memberships
    eta: float = 2.0  # exponent of the typicalities
    a: float = 1.0  # weight of the fuzzy part
    b: float = 1.0  # weight of the possibilistic part
    entropy: bool = False  # typicalities by the entropy penalty

    def parameters(self, noise, density_rate, printed_centers=False, linear_labels=False):
        """m, eta, a, b, entropy, squared noise distance, density rate (0 = none), printed, linear."""
        entropy, printed, linear = float(self.entropy), float(printed_centers), float(linear_labels)
        return (self.m, self.eta, self.a, self.b, entropy, noise, density_rate, printed, linear)


NEGLIGIBLE = 32.0  # a term of a density below exp(-32) = 1.3e-14 is left out: 1e-8 in all for a million
