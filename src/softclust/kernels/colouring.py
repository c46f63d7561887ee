"""Two searches for a colouring of a graph: an exact one for small cores, and repair for large ones."""

from softclust.kernels.tiers import load_pass

search = load_pass("colouring.search")
repair = load_pass("colouring.repair")
