"""Compiled passes over blocks of rows; the only place that is written for the machine.

A pass walks a block in tiles of `TILE` rows.  Each tile is transposed once into a small buffer that
stays in the first-level cache, and from there on the ROW is the inner, vectorised index: distances,
rule, accumulation.  A short last tile is padded with rows of weight 0, so that every loop has the
same length and a row's bits do not depend on its neighbours.

Nothing here allocates inside a loop, and each pass has one signature per floating type.
"""
