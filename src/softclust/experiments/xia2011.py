"""Xia, Han, Liu & Zhou 2011: sample-weighted fuzzy c-means on Iris, with noise, and on Gaussian data."""

from __future__ import annotations

from softclust.experiments.frame import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
