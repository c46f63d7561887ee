"""The passes over blocks of rows, and the functions that they call.

A pass walks a block in tiles of `TILE` rows.  It transposes each tile once into a small buffer that
stays in the first-level cache.  From there on the ROW is the inner, vectorised index: of the distances,
of the partition's rule and of the sums.  A short last tile is padded with rows of weight 0, so every loop
has the same length and a row's bits do not depend on its neighbours.

Nothing here allocates inside a loop, and each pass has one signature per floating type.  In docstrings,
`a <- b` means that a function writes b into the array a.
"""
