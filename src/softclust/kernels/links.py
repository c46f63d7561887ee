"""Memberships and labels of linked rows."""

import numpy as np

from softclust.kernels.tiers import load_pass

_settle = load_pass("links.settle")
_settle_hard = load_pass("links.settle_hard")
_first_labels = load_pass("links.first_labels")


def settle(cost, b, f, alpha, m, graph, forms, share, sweeps, tol, p):
    """Compute p (q, F) <- memberships of linked rows, by exact descent from p.

    The strengths of all pairs are multiplied by `share`.
    """
    counts, single, meets = forms
    spare = np.empty_like(p), np.empty_like(p), np.empty((4, p.shape[1]))
    _settle(
        cost, b, f, alpha, float(m), graph.component, graph.first, graph.other, graph.must, graph.strength,
        share, sweeps, tol, counts, single, meets, p, *spare,
    )  # fmt: skip


def settle_hard(cost, graph, share, sweeps, c, label):
    """Compute label (units,) <- labels of linked units, by descent from `label`.

    Column c, if there is one, is noise.
    """
    spare = np.empty(cost.shape[1]), np.empty(cost.shape[1])
    _settle_hard(
        cost, graph.component, graph.first, graph.other, graph.must, graph.strength,
        *graph.blocks, share, sweeps, c, label, *spare,
    )  # fmt: skip


def first_labels(cost, graph, colour, order, c):
    """Return the cheapest label of each unit, in turn, that breaks no infinite cannot-link.

    A unit whose `colour` is not negative keeps it as its label.
    """
    label = colour.copy()
    _first_labels(
        np.ascontiguousarray(cost), graph.first, graph.other, graph.must, graph.strength, order, label, c,
        np.empty(cost.shape[1]),
    )  # fmt: skip
    return label
