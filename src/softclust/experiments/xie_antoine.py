"""Xie & Antoine: evidential c-means with labels and pairs."""

from __future__ import annotations

from softclust.experiments.frame import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
