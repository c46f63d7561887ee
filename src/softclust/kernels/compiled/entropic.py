"""Memberships of entropic partitions."""

import numpy as np

from softclust.kernels.compiled.decorators import compiled_pass
from softclust.kernels.compiled.vector_math import exp


@compiled_pass("D2 D2 D1")
def softmax(Q, U, loss):
    """Compute U <- exp(q_k) / sum of each row of Q, and loss <- -ln sum_k exp(q_k)."""
    size = Q.shape[1]
    for i in range(Q.shape[0]):
        most = Q[i, 0]
        for k in range(1, size):
            most = max(most, Q[i, k])
        for k in range(size):
            U[i, k] = exp(Q[i, k] - most)
        total = 0.0
        for k in range(size):
            total += U[i, k]
        share = 1.0 / total
        for k in range(size):
            U[i, k] *= share
        loss[i] = -most - np.log(total)
