"""A model is a sentence of the grammar."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from softclust.grammar.frame import Frame
from softclust.knowledge.penalties import LabelLikelihood, LabelPenalty, LinkPenalty, SubsetPenalty
from softclust.values import Value


@dataclass(frozen=True)
class Model(Value):
    """J = sum_i w_i [fit(p_i, d_i) + labels(p_i, d_i, f_i)] + links(P) + separation(V), in loop units."""

    prototypes: Any
    partition: Any
    frame: Frame
    separation: Any = None
    centre_density_rate: float = 0.0  # Schneider's row weights sum_k exp(-rate d_ik); 0 = none
    labels: LabelPenalty | SubsetPenalty | LabelLikelihood | None = None
    links: LinkPenalty | None = None

    @property
    def n_clusters(self):
        return self.frame.sets.shape[1]

    @cached_property
    def rule(self):
        """The partition as compiled passes see it, None where there is no such pass."""
        return self.partition.rule if self.prototypes.passes else None

    def of_clusters(self, keep):
        """The same sentence about some of the clusters."""
        separation = self.separation and self.separation.of_clusters(keep, self.n_clusters)
        frame = Frame.singletons(len(keep), self.frame.noise)
        return replace(self, frame=frame, separation=separation)

    def objective(self, state, stats):
        """J of a state, from the statistics of a sweep at it."""
        apart = self.separation.value(state.centers) if self.separation else 0.0
        return stats.loss + apart + self.prototypes.penalty(state.theta)

    def cluster_weight(self, stats):
        """(c,) what holds each centre in its place."""
        return (self.frame.mean**2).T @ stats.weight

    @cached_property
    def parameters(self):
        """The numbers of the rule, for the compiled passes."""
        printed = self.labels is not None and self.labels.printed_centers
        return self.partition.rule.parameters(self.frame.noise, self.centre_density_rate, printed)

    @cached_property
    def link_forms(self):
        """What the columns of a row have to do with each other, for pairs; None without."""
        return self.links and self.links.forms(self.frame)

    def known(self, rows):
        """Positions, wanted degrees and strengths alpha_i of the rows that the penalty is about."""
        return None if self.labels is None or rows.known is None else rows.known.active(self.labels)

    @cached_property
    def noise_cost(self):
        """What noise costs a linked row; None where there is none."""
        is_entropic = self.partition.is_entropic
        return self.partition.noise_cost(self.frame.noise) if is_entropic else self.frame.noise or None

    def scale(self, scale):
        """The scales; ones where the partition has none."""
        return self._no_scale if scale is None else scale

    @cached_property
    def _no_scale(self):
        return np.ones(len(self.frame.sets))
