"""Memberships of entropic partitions."""

import numpy as np

from softclust.kernels.tiers import load_pass

_softmax = load_pass("entropic.softmax")


def softmax(Q):
    """Return exp(q_k) / sum_k exp(q_k) for each row of Q, and -ln sum_k exp(q_k)."""
    Q = np.ascontiguousarray(Q, np.float64)
    U, loss = np.empty_like(Q), np.empty(len(Q))
    _softmax(Q, U, loss)
    return U, loss
