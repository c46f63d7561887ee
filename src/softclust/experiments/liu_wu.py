"""Liu & Wu: semi-supervised possibilistic fuzzy c-means on maximized central distance."""

from __future__ import annotations

from softclust.experiments.frame import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
