"""Labelled rows: their memberships, and their part of the sums over a block."""

import numpy as np

from softclust.kernels.codes import FUZZY, HARD, IMPROVED, POSSIBILISTIC, POSSIBILISTIC_FUZZY
from softclust.kernels.tiers import load_pass
from softclust.kernels.workspace import plain, read_only

PENALISED = HARD, FUZZY, POSSIBILISTIC, POSSIBILISTIC_FUZZY, IMPROVED
_AT_ONCE = 4096  # labelled rows in memory at a time, beside the block

_known_rows = load_pass("labels.known_rows")
_subset_rows = load_pass("labels.subset_rows")
_known_costs = load_pass("labels.known_costs")
_add_known = load_pass("labels.add_known")


def sweep_known(
    solve, X, weight, units, V, roots, factor, least, kind, parameters, scale, known, target, alpha,
    sums, moment, second,
):  # fmt: skip
    """Add labelled rows to the sums of a block that left them out.

    `solve` is `known_rows` or `subset_rows`, depending on the label term.
    """
    c, p = V.shape
    places = plain(V, np.float64)  # one signature for all types of rows
    for first in range(0, len(known), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        q = len(known[some])
        x, D, weighs = np.empty((q, p)), np.empty((q, c)), np.empty(q)
        _known_costs(X, known[some], weight, units, V, roots, factor, least, parameters, x, D, weighs)
        _, _, W, loss, _, _ = solve(kind, parameters, scale, D, target[some], alpha[some])
        _add_known(x, places, D, W, weighs, loss, sums, moment, second)


def _room(q, c):
    """Return arrays of zeros for q rows: U, T, W, loss, noise's share and label."""
    U, T, W = np.zeros((q, c)), np.zeros((q, c)), np.zeros((q, c))
    return U, T, W, np.zeros(q), np.zeros(q), np.zeros(q, np.int64)


def known_rows(kind, parameters, scale, D, target, alpha):
    """Return U, T, W, loss, noise's share and label of rows with a label penalty, from their distances."""
    if kind not in PENALISED:
        raise NotImplementedError(f"Rule {kind} has no solver for labelled rows; {PENALISED} have one.")
    U, T, W, loss, share, label = _room(*D.shape)
    scale, D, target, alpha = (read_only(array, np.float64) for array in (scale, D, target, alpha))
    eta, b = parameters.eta, parameters.b
    if kind in (POSSIBILISTIC, POSSIBILISTIC_FUZZY) and eta != 2.0 and parameters.entropy == 0.0:
        from softclust.kernels.typicalities import solve  # compiled only for exponents that need it

        T = solve(D, scale, b, eta, target, alpha)
    cost = np.zeros(D.shape[1])
    _known_rows(kind, parameters, scale, D, target, alpha, cost, U, T, W, loss, share, label)
    return U, T, W, loss, share, label


def subset_rows(kind, parameters, scale, D, target, alpha):
    """Return the same for rows with subset labels; `target` is t, `alpha` is delta."""
    U, T, W, loss, share, label = _room(*D.shape)
    D, target, alpha = (read_only(array, np.float64) for array in (D, target, alpha))
    row = np.zeros((5, D.shape[1] + 1))
    _subset_rows(parameters.m, parameters.noise, D, target, alpha, row, U, W, loss, share, label)
    return U, T, W, loss, share, label
