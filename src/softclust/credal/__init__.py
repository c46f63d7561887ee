"""Credal partitions: masses of belief over sets of clusters, their read-outs and their agreement."""

from __future__ import annotations

from softclust.credal.agreement import credal_rand_index
from softclust.credal.partition import CredalPartition

__all__ = ["CredalPartition", "credal_rand_index"]
