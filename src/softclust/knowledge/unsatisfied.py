"""Labels and pairs that a fit did not honour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from softclust.knowledge.labels import Known
    from softclust.knowledge.pairs import NamedPairs

UNSATISFIED = np.dtype(
    [
        ("kind", "U11"),
        ("row", "i8"),
        ("other", "i8"),
        ("wanted", "i8"),
        ("found", "i8"),
        ("shortfall", "f8"),
    ]
)


def unsatisfied(known: Known | None, labels: Any, shares: Any) -> np.ndarray:
    """Return the labels that a fit did not honour, as records of `UNSATISFIED`.

    A label is honoured if the row's likeliest cluster is one that the label wants most; a label that only
    excludes clusters is honoured if it does not exclude that cluster.  The shortfall is the share
    (membership or typicality) of the found cluster minus that of the best wanted cluster.
    """
    if known is None:
        return np.empty(0, UNSATISFIED)
    most = np.nan_to_num(known.target).max(axis=1, keepdims=True)
    wanted = np.where(most > 0, known.target == most, np.isnan(known.target))
    found, shares = np.asarray(labels[known.rows]), np.asarray(shares[known.rows])
    missed = np.flatnonzero(~wanted[np.arange(len(found)), found] & wanted.any(axis=1))
    rows, place = known.rows[missed], np.arange(len(missed))
    options = np.where(wanted[missed], shares[missed], -np.inf)
    best = options.argmax(axis=1)
    out = np.empty(len(missed), UNSATISFIED)
    out["kind"], out["row"], out["other"] = "label", rows, -1
    out["wanted"], out["found"] = best, found[missed]
    out["shortfall"] = shares[missed, found[missed]].astype(np.float64) - options[place, best]
    return out


def worst_first(*records: np.ndarray) -> np.ndarray:
    """Join records of `UNSATISFIED`, the greatest shortfall first."""
    if not any(map(len, records)):
        return records[0]
    out = np.concatenate(records)
    return out[np.argsort(-out["shortfall"], kind="stable")]


def unsatisfied_pairs(pairs: NamedPairs | None, labels: Any, shares: Any) -> np.ndarray:
    """Return the pairs that a fit did not honour, as records of `UNSATISFIED`.

    A must-link is honoured if both rows have the same likeliest cluster, a cannot-link if the clusters
    differ.  The shortfall is the chance that the pair is broken: 1 - u_i'u_j for a must-link, u_i'u_j for
    a cannot-link.
    """
    if pairs is None:
        return np.empty(0, UNSATISFIED)
    rows, places = np.unique(pairs.ends, return_inverse=True)
    labels, shares = np.asarray(labels[rows]), np.asarray(shares[rows])
    i, j = places.reshape(pairs.ends.shape).T
    missed = np.flatnonzero((labels[i] == labels[j]) != pairs.must)
    i, j, must = i[missed], j[missed], pairs.must[missed]
    together = (shares[i] * shares[j]).sum(axis=1, dtype=np.float64)
    out = np.empty(len(missed), UNSATISFIED)
    out["kind"] = np.where(must, "must-link", "cannot-link")
    out["row"], out["other"] = rows[i], rows[j]
    out["found"] = labels[i]
    out["wanted"] = np.where(must, labels[j], -1)
    out["shortfall"] = np.where(must, 1 - together, together)
    return out
