"""A model: a sentence of the grammar, with one choice for each of its words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from softclust.grammar.frame import Frame
from softclust.knowledge.penalties import LabelLikelihood, LabelPenalty, LinkPenalty, SubsetPenalty
from softclust.values import Value

if TYPE_CHECKING:
    from softclust.grammar.partitions import Partition
    from softclust.grammar.prototypes import Prototypes
    from softclust.grammar.separation import CentralDistance, Repulsion
    from softclust.grammar.state import State, Stats
    from softclust.kernels.codes import Parameters, Rule
    from softclust.sources.rows import Rows

    LinkForms = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Model(Value):
    """The parts of an objective J, which the loop minimises.

    J = sum_i w_i [fit(p_i, d_i) + labels(p_i, d_i, f_i)] + links(P) + separation(V), in loop units.  The
    prototypes define the distances d_i of row i, the partition and the frame define fit.
    """

    prototypes: Prototypes
    partition: Partition
    frame: Frame
    separation: Repulsion | CentralDistance | None = None
    centre_density_rate: float = 0.0  # Schneider's row weights sum_k exp(-rate d_ik); 0 = none
    labels: LabelPenalty | SubsetPenalty | LabelLikelihood | None = None
    links: LinkPenalty | None = None

    @property
    def n_clusters(self) -> int:
        """Number c of clusters."""
        return self.frame.sets.shape[1]

    @cached_property
    def rule(self) -> Rule | None:
        """The partition as compiled passes see it; None if the model has no compiled pass."""
        return self.partition.rule if self.prototypes.passes else None

    def of_clusters(self, keep: np.ndarray) -> Model:
        """Return the same model of the clusters `keep` alone, each of them a singleton."""
        separation = self.separation and self.separation.of_clusters(keep, self.n_clusters)
        frame = Frame.singletons(len(keep), self.frame.noise)
        return replace(self, frame=frame, separation=separation)

    def objective(self, state: State, stats: Stats) -> float:
        """Return J at a state, from the statistics of a sweep at that state."""
        apart = self.separation.value(state.centers) if self.separation else 0.0
        return stats.loss + apart + self.prototypes.penalty(state.theta)

    def cluster_weight(self, stats: Stats) -> np.ndarray:
        """Return the weight (c,) with which rows hold each centre in its place."""
        return (self.frame.mean**2).T @ stats.weight

    @cached_property
    def parameters(self) -> Parameters:
        """The numbers of the rule, as the compiled passes take them."""
        printed = self.labels is not None and self.labels.printed_centers
        assert self.partition.rule is not None
        return self.partition.rule.parameters(
            self.frame.noise, self.centre_density_rate, printed, self.prototypes.by_direction
        )

    @cached_property
    def link_forms(self) -> LinkForms | None:
        """The forms by which pairs compare two rows' columns (`LinkPenalty.forms`); None without pairs."""
        return cast("LinkForms | None", self.links and self.links.forms(self.frame))

    def known(self, rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Return positions, wanted degrees and strengths alpha_i of the labelled rows, or None."""
        if self.labels is None or rows.known is None:
            return None
        place, target, alpha = rows.known.active(self.labels)
        # An FCM run beside a credal model has the singletons alone, which are the first columns.
        return place, target[:, : len(self.frame.sets)], alpha

    @cached_property
    def noise_cost(self) -> float | None:
        """The cost of noise for a linked row; None without noise."""
        return self.partition.noise_cost(self.frame.noise)

    def scale(self, scale: np.ndarray | None) -> np.ndarray:
        """Return the scales, or ones (K,) if the partition has no scales."""
        return self._no_scale if scale is None else scale

    @cached_property
    def _no_scale(self) -> np.ndarray:
        return np.ones(len(self.frame.sets))
