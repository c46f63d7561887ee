"""Anchor-graph regularisation of Liu, He & Chang (2010), word by word, on memberships of fuzzy c-means.

W. Liu, J. He, S.-F. Chang: Large graph construction for scalable semi-supervised learning, ICML 2010.
"""

from __future__ import annotations

import numpy as np


def regression_matrix(X, anchors, m, nearest=3):
    """Z of eq. (3): the memberships of each row in its s nearest anchors, which sum to one.

    Memberships are those of fuzzy c-means, u_ik = d_ik^(-1/(m-1)) / sum_j d_ij^(-1/(m-1)), of which the
    greatest s are kept and normalised.
    """
    n, k = len(X), len(anchors)
    Z = np.zeros((n, k))
    for i in range(n):
        d = np.array([np.sum((X[i] - v) ** 2) for v in anchors])
        u = np.zeros(k)
        if (d == 0).any():
            u[d == 0] = 1.0
        else:
            u = np.array([1 / sum((d[a] / d[b]) ** (1 / (m - 1)) for b in range(k)) for a in range(k)])
        kept = np.argsort(-u, kind="stable")[: min(nearest, k)]
        Z[i, kept] = u[kept] / u[kept].sum()
    return Z


def adjacency(Z, weight):
    """W = Z Lambda^-1 Z' of eq. (6), Lambda_kk = sum_i w_i Z_ik."""
    mass = weight @ Z
    n = len(Z)
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            W[i, j] = sum(Z[i, k] * Z[j, k] / mass[k] for k in range(Z.shape[1]) if mass[k] > 0)
    return W


def objective(A, Z, rows, Y, weight, gamma, ridge=1e-6):
    """Q(A) of eq. (9), with a little ridge: ||Z_l A - Y||^2 + gamma tr(A' Z' (I - W) Z A) + ridge ||A||^2.

    Rows count by their weight; rows of W sum to one, so I - W is the graph's Laplacian.
    """
    F = Z @ A
    fit = sum(weight[i] * np.sum((F[i] - y) ** 2) for i, y in zip(rows, Y, strict=True))
    W = adjacency(Z, weight)
    smooth = sum(
        weight[i] * weight[j] * W[i, j] * np.sum((F[i] - F[j]) ** 2) / 2
        for i in range(len(Z))
        for j in range(len(Z))
    )
    return fit + gamma * smooth + ridge * np.sum(A**2)


def reduced_laplacian(Z, weight):
    """Z' L Z = Z'Z - Z'Z Lambda^-1 Z'Z of eq. (9)."""
    gram = Z.T @ np.diag(weight) @ Z
    mass = weight @ Z
    inverse = np.diag([1 / x if x > 0 else 0.0 for x in mass])
    return gram - gram @ inverse @ gram


def spread(Z, rows, Y, weight, gamma, ridge=1e-6):
    """A* of eq. (10)."""
    k = Z.shape[1]
    told = np.diag(weight[rows])
    left = Z[rows].T @ told @ Z[rows] + gamma * reduced_laplacian(Z, weight) + ridge * np.eye(k)
    return np.linalg.inv(left) @ Z[rows].T @ told @ Y


def class_shares(Z, anchors, Y, rows, weight):
    """Each class's share of the labels, which counts like 3 labels of each, and of the rows near them.

    An anchor stands for the rows it has, sum_i w_i Z_ik.  It goes to the classes of the labels that belong
    to it or, if there are none, to those of the nearest anchor with a label.
    """
    among_labels = sum(weight[i] * y for i, y in zip(rows, Y, strict=True)) / weight[rows].sum()
    labels = {}
    for k in range(len(anchors)):
        mine = sum(weight[i] * Z[i, k] * y for i, y in zip(rows, Y, strict=True))
        if mine.sum() > 0:
            labels[k] = mine / mine.sum()
    among_rows = np.zeros(Y.shape[1])
    for k, v in enumerate(anchors):
        nearest = min(labels, key=lambda j: np.sum((anchors[j] - v) ** 2))
        among_rows += weight @ Z[:, k] / weight.sum() * labels[nearest]
    own, told = 3 * (among_labels > 0).sum(), weight[rows].sum()
    return (own * among_labels + told * among_rows) / (own + told)


def normalised(A, Z, wanted, weight):
    """A with columns such that the mean score of each class is its share (eq. (11))."""
    found = weight @ (Z @ A) / weight.sum()
    return A * (wanted / found)


def scores(X, anchors, m, rows, Y, weight=None, gamma=1.0):
    """Scores of all rows, whose greatest column is the class."""
    weight = np.ones(len(X)) if weight is None else weight
    Z = regression_matrix(X, anchors, m)
    A = spread(Z, rows, Y, weight, gamma)
    return Z @ normalised(A, Z, class_shares(Z, anchors, Y, rows, weight), weight)


def left_out(X, anchors, m, rows, Y, weight=None, gamma=1.0):
    """Scores of each labelled row when its own label is taken away, found by solving anew for each."""
    weight = np.ones(len(X)) if weight is None else weight
    Z = regression_matrix(X, anchors, m)
    out = []
    for place, row in enumerate(rows):
        others = np.arange(len(rows)) != place
        out.append(Z[row] @ spread(Z, rows[others], Y[others], weight, gamma))
    return np.array(out)
