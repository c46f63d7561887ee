"""The explanation of one row, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class Neighbor(NamedTuple):
    """A labelled row near the explained one."""

    row: int
    label: str
    distance: float  # Euclidean, between rows as the model sees them
    name: str  # of the row, as a sentence says it


class SetMass(NamedTuple):
    """The mass of belief in a set of clusters."""

    clusters: tuple[int, ...]
    name: str
    mass: float


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why a row is in its cluster, and how near it is to another one.

    `contributions` and `constants` add up to `difference`.  A positive part speaks for `cluster`, and a
    negative one for `rival`.

    Attributes
    ----------
    row : int
        Position of the row.
    name : str
        The row as a sentence names it, such as "row 71" or "line 73".
    cluster : int
        The cluster that the row is in, or the first of the clusters that were asked about.
    rival : int or None
        The next likely cluster, or the second that was asked about; None if there is one cluster only.
    cluster_names : tuple of str
        A name for each cluster: the classes of the labels, or numbers.
    feature_names : tuple of str
        A name for each feature.
    values : ndarray of shape (p,)
        The row, in original units.
    centers : ndarray of shape (c, p)
        The centres of all clusters, in original units.
    contributions : ndarray of shape (p,)
        The part of each feature in the difference of the squared distances to `rival` and `cluster`.  In a
        metric A the part of feature j is z_j (A z)_j, with z the row minus the centre.
    constants : dict of float
        Parts that no feature has a share in: of mixtures, "log determinant" and "log weight".
    difference : float
        Squared distance to `rival` minus squared distance to `cluster`; of mixtures, twice the logarithm of
        the joint density of `cluster` over that of `rival`.  Without a rival, the squared distance to
        `cluster`, or -2 times the logarithm of the joint density, but for a constant.
    offsets : ndarray of shape (p,)
        The part of each feature in the squared distance to `cluster`.
    memberships : ndarray of shape (c,)
        Memberships of the row.
    predicted : ndarray of shape (c,)
        The same by the values of the row alone, without its label and pairs.
    typicalities : ndarray of shape (c,) or None
        Typicalities, if the model has any.
    masses : tuple of SetMass or None
        Masses of the sets of clusters, if the model has any; the greatest first.
    is_outlier : bool
        Whether the row belongs to no cluster.
    neighbors : tuple of Neighbor
        The nearest labelled rows, if labels were given.
    sentence : str
        The explanation in one sentence.
    remarks : tuple of str
        Further sentences, where there is more to say.
    """

    row: int
    name: str
    cluster: int
    rival: int | None
    cluster_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    values: np.ndarray
    centers: np.ndarray
    contributions: np.ndarray
    constants: dict[str, float]
    difference: float
    offsets: np.ndarray
    memberships: np.ndarray
    predicted: np.ndarray
    typicalities: np.ndarray | None
    masses: tuple[SetMass, ...] | None
    is_outlier: bool
    neighbors: tuple[Neighbor, ...]
    sentence: str = ""
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.sentence, *self.remarks])

    def __repr__(self) -> str:
        return f"<Explanation: {self}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain lists, numbers and strings, for JSON.

        Returns
        -------
        told : dict
            The attributes; clusters by name, features by name.
        """
        names, features = self.cluster_names, self.feature_names
        typicalities = None if self.typicalities is None else _named(names, self.typicalities)
        masses = None if self.masses is None else [{"name": m.name, "value": m.mass} for m in self.masses]
        return {
            "row": self.row,
            "name": self.name,
            "cluster": names[self.cluster],
            "rival": None if self.rival is None else names[self.rival],
            "sentence": self.sentence,
            "remarks": list(self.remarks),
            "memberships": _named(names, self.memberships),
            "predicted": _named(names, self.predicted),
            "typicalities": typicalities,
            "masses": masses,
            "is_outlier": self.is_outlier,
            "values": _named(features, self.values),
            "contributions": _named(features, self.contributions),
            "constants": self.constants,
            "difference": self.difference,
            "neighbors": [neighbor._asdict() for neighbor in self.neighbors],
        }


def _named(names: tuple[str, ...], values: np.ndarray) -> list[dict[str, Any]]:
    """Return names with values; two names may be equal, so this is no dict."""
    return [{"name": name, "value": float(v)} for name, v in zip(names, values, strict=True)]
