"""Data to try clusterings on."""

from softclust.datasets.generators import make_ellipses

__all__ = ["make_ellipses"]
