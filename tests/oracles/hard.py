"""Hard c-means (k-means) as the lecture notes on optimisation-based clustering print it."""

from __future__ import annotations

import numpy as np

from .answer import Answer, alternate


def k_means(X, V0, *, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """K-means, the instance of GCHAS with squared Euclidean distance.

    J = sum_i w_i sum_k u_ik |x_i - v_k|^2, u_ik in {0, 1}, sum_k u_ik = 1.

    u_ik = 1 for the nearest centre (the first of equals), v_k = weighted mean of its rows.
    A cluster without rows keeps its centre (the notes leave this case open).
    """
    X = np.array(X, float)
    n, c = len(X), len(V0)
    w = np.ones(n) if weights is None else np.array(weights, float)

    def rows(V):
        U = np.zeros((n, c))
        J = 0.0
        for i in range(n):
            d = [np.sum((X[i] - V[k]) ** 2) for k in range(c)]
            nearest = int(np.argmin(d))
            U[i, nearest] = 1.0
            J += w[i] * d[nearest]
        return U, None, J

    def centres(V, U, T):
        V = V.copy()
        for k in range(c):
            total = np.sum(w * U[:, k])
            if total > 0:
                V[k] = (w * U[:, k]) @ X / total
        return V

    return alternate(V0, rows, centres, tol, max_iter)
