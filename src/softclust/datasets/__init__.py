"""Data sets for clustering: loaders of published data, and generators."""

from __future__ import annotations

from softclust.datasets.generators import (
    make_ellipses,
    make_gauss_k2,
    make_noisy_iris,
    make_overlapping_blobs,
    make_x12,
    make_x2000,
)
from softclust.datasets.loaders import (
    load_breast_cancer,
    load_ecoli,
    load_glass,
    load_iris,
    load_iris_uci,
    load_letters_ijl,
    load_wine,
)

__all__ = [
    "load_breast_cancer",
    "load_ecoli",
    "load_glass",
    "load_iris",
    "load_iris_uci",
    "load_letters_ijl",
    "load_wine",
    "make_ellipses",
    "make_gauss_k2",
    "make_noisy_iris",
    "make_overlapping_blobs",
    "make_x12",
    "make_x2000",
]
