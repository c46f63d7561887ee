"""Two searches for a colouring of a graph: an exact one for small cores, and repair for large ones.

The neighbours of node u are other[first[u] : first[u + 1]].  Colours are 0 .. c - 1, and -1 for a node
without a colour.
"""

from softclust.kernels.tiers import load_pass

search = load_pass("colouring.search")
repair = load_pass("colouring.repair")
