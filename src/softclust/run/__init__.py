"""Where the rows are: sources that fold a function over blocks of rows in a fixed order.

A source has `reduce(f, *args)`: the sum of f(block, *args) over the blocks, added along a fixed tree,
so that the result does not depend on who computed which block, nor when; `fill(f, arrays, *args)`:
f writes its block's part of row-wise arrays; and `sample(size, rng)`: a smaller source.
"""

from softclust.run.local import LocalSource, n_threads

__all__ = ["LocalSource", "n_threads"]
