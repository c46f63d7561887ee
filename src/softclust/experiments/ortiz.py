"""Ortiz: optimization-based clustering, its figures and claims."""

from __future__ import annotations

from softclust.experiments.frame import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
