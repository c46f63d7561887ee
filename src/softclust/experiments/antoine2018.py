"""Antoine, Guerrero, Boone & Romero 2018: possibilistic clustering with seeds."""

from __future__ import annotations

from softclust.experiments.frame import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
