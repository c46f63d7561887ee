"""Fuzzy c-varieties: clusters that are points, lines, planes, ... (Bezdek, Coray, Gunderson, Watson 1981).

"The paper" is Detection and characterization of cluster substructure, I. Linear structure: fuzzy c-lines,
and II. Fuzzy c-varieties and convex combinations thereof (SIAM J. Appl. Math. 40). With the identity for
its norm matrix and row weights w_i of ours:

    J = sum_i w_i sum_k u_ik^m d_ik,  sum_k u_ik = 1,
    d_ik = |x_i - v_k|^2 - sum_{j <= r} ((x_i - v_k)'s_kj)^2,

the squared distance of x_i to the r-dimensional variety through v_k spanned by orthonormal s_k1 ... s_kr:
r = 0 is FCM, r = 1 lines, r = 2 planes. S is (c, r, p), S[k, j] = s_kj. Signs of the s_kj, and their choice
within the variety, are arbitrary: compare ``projectors(S)``. v_k is one point of its variety, the weighted
mean of the rows; any other point of the variety gives the same d.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .geometries import fcm_memberships, fuzzy_covariance, fuzzy_part, row_weights, weighted_mean


class VarietiesAnswer(NamedTuple):
    """``Answer`` with the directions (c, r, p) of the FINAL varieties."""

    centers: np.ndarray
    memberships: np.ndarray
    typicalities: None
    objective: float
    history: np.ndarray
    n_iter: int
    directions: np.ndarray


def projectors(S):
    """P_k = sum_j s_kj s_kj' (c, p, p): what is left of the directions after signs and rotations."""
    c, r, p = np.shape(S)
    P = np.zeros((c, p, p))
    for k in range(c):
        for j in range(r):
            P[k] += np.outer(S[k][j], S[k][j])
    return P


def distances(X, V, S):
    """d_ik = |z|^2 - sum_j (z's_kj)^2, z = x_i - v_k, computed as |z - sum_j (z's_kj) s_kj|^2.

    The two agree as the s_kj are orthonormal; the second is never negative and sharp near zero.
    """
    X, V, S = np.array(X, float), np.array(V, float), np.array(S, float)
    c, r = S.shape[:2]
    D = np.zeros((len(X), c))
    for k in range(c):
        if not np.allclose(S[k] @ S[k].T, np.eye(r), rtol=0, atol=1e-9):
            raise ValueError("the directions of a variety must be orthonormal")
        for i in range(len(X)):
            z = X[i] - V[k]
            residual = z.copy()
            for j in range(r):
                residual -= (z @ S[k, j]) * S[k, j]
            D[i, k] = residual @ residual
    return D


def objective(X, U, V, S, m, weight=None):
    """J = sum_i w_i sum_k u_ik^m d_ik."""
    return fuzzy_part(distances(X, V, S), np.array(U, float), m, row_weights(X, weight))


def directions(X, a, v, r):
    """The first r unit eigenvectors of sum_i a_i (x_i - v)(x_i - v)', largest eigenvalue first."""
    _, vectors = np.linalg.eigh(fuzzy_covariance(X, a, v))
    return vectors[:, ::-1][:, :r].T


def update(X, U, r, m, w):
    """v_k = weighted mean with a = w u^m, S_k = ``directions`` about the NEW v_k; both together minimise J.

    sum_i a_i d_ik = tr(C) - sum_j s_j'C s_j for the scatter C about v_k: the largest eigenvalues are taken
    away, and what is left is the sum of the p - r smallest. A cluster without any weight is a ValueError.
    """
    c, p = U.shape[1], X.shape[1]
    V, S = np.zeros((c, p)), np.zeros((c, r, p))
    for k in range(c):
        a = w * U[:, k] ** m
        V[k] = weighted_mean(X, a)
        S[k] = directions(X, a, V[k], r)
    return V, S


def fit(X, V, S, r, m, weight=None, steps=5000, tol=1e-13) -> VarietiesAnswer:
    """Plain alternation from the varieties (V, S): memberships, varieties, memberships, ...

    u_ik = d_ik^(-1/(m-1)) / sum_l d_il^(-1/(m-1)); a row on several varieties is shared among them equally.
    Ends after ``steps`` updates of the varieties or once no coordinate of a centre and no entry of a
    projector moved by more than ``tol``.
    """
    X, V, S = np.array(X, float), np.array(V, float), np.array(S, float)
    if S.shape != (len(V), r, X.shape[1]) or not 0 <= r < X.shape[1]:
        raise ValueError("S must hold r directions for each centre, 0 <= r < p")
    w = row_weights(X, weight)

    def rows(V, S):
        D = distances(X, V, S)
        U = fcm_memberships(D, m)
        return U, fuzzy_part(D, U, m, w)

    U, J = rows(V, S)
    history = [J]
    n_iter = 0
    while n_iter < steps:
        n_iter += 1
        V_new, S_new = update(X, U, r, m, w)
        shift = max(np.max(np.abs(V_new - V)), np.max(np.abs(projectors(S_new) - projectors(S))))
        V, S = V_new, S_new
        U, J = rows(V, S)
        history.append(J)
        if shift <= tol:
            break
    return VarietiesAnswer(V, U, None, J, np.array(history), n_iter, S)
