"""The numbers that compiled passes and their callers share: kinds, parameters and sizes."""

from typing import NamedTuple

TILE = 128  # rows in a tile: p x 128 numbers fit the first-level cache for the usual p
# Wider rows are handled this many features at a time: the columns of a tile lie a power of two apart, and
# more of them would drive each other out of that cache.
FEATURES = 16

HARD, FUZZY, POSSIBILISTIC, POSSIBILISTIC_FUZZY, IMPROVED, ENTROPIC = range(6)


class Parameters(NamedTuple):
    """The numbers of a model that compiled passes take.  All are floats, so that there is one signature."""

    m: float  # m, eta, a and b are those of `Rule`
    eta: float
    a: float
    b: float
    entropy: float  # 1: typicalities by the entropy penalty
    noise: float  # squared noise distance, 0 = none
    density_rate: float  # rate of the row weights that follow the centres, 0 = none
    printed_centers: float  # 1: the label penalty does not pull centres
    by_direction: float  # 1: rows count by their direction alone, divided by their length


class Rule(NamedTuple):
    """A partition as the compiled passes see it: its kind and five numbers.

    For an entropic partition, m is the exponent of the influence, eta divides the distances, and b is the
    log-density of noise if a is 1.
    """

    kind: int
    m: float = 2.0  # exponent of the fuzzy memberships
    eta: float = 2.0  # exponent of the typicalities
    a: float = 1.0  # weight of the fuzzy part
    b: float = 1.0  # weight of the possibilistic part
    entropy: bool = False  # typicalities by the entropy penalty

    def parameters(self, noise, density_rate, printed_centers=False, by_direction=False):
        """Return the numbers of the rule and of the model around it, as fields of `Parameters`.

        All are converted to floats: for m = 2 instead of 2.0 Numba would compile everything anew.
        """
        numbers = (*self[1:], noise, density_rate, printed_centers, by_direction)
        return Parameters(*map(float, numbers))


NEGLIGIBLE = 32.0  # terms of a density below exp(-32) = 1.3e-14 are left out: a million of them make 1e-8
# From so many clusters, with so many coordinates in all, adding the rows of a hard partition one by one
# beats sums over all clusters.
MANY_CLUSTERS, MANY_COORDINATES = 8, 512
# Influence below this counts as 0: its products would be subnormal numbers, which take Intel processors a
# hundred times as long.
LEAST_INFLUENCE, LEAST_SINGLE = 1e-260, 1e-30  # of float64 and float32
NARROW_EXPONENT = 40  # coordinates within +-2^this: a product of eight squared distances is finite

EDGE = 1e18  # densities: coordinates within +-EDGE have a finite square in single precision
GROUP = 32  # densities: reference rows that are skipped or summed together
CELLS = 8  # densities: cells at a time, so that their distances stay in the first-level cache
SQUARED, PLAIN, MANHATTAN, HALF = range(4)  # medoids: |x - y|^2, |x - y|, sum |x_j - y_j|, |x - y|^2 / 2
FOUND, IMPOSSIBLE, GIVEN_UP = range(3)  # colourings: how a search ended
