"""What the page shows about one row, and the sentences about questions."""

from __future__ import annotations

from typing import Any

import numpy as np

from softclust.active import Session
from softclust.active.events import Label, kind_of
from softclust.studio.data import StudioData
from softclust.studio.fitted import NO_CLUSTER, Fitted

_NEAREST = 3  # labelled rows that are shown beside a row
_CLEAR = 0.8  # a share from which a row is clearly in its cluster
_LITTLE = 0.01  # masses below are not shown
_MOST_TEXT = 20_000  # letters of a cell that are shown

_WHY = {
    "region": "Nobody has answered about rows like this yet.",
    "audit": "Drawn by lot: the answer measures how often the model is right.",
}


def percent(share: float) -> str:
    """Return a share as people read it."""
    return f"{share:.0%}"


def label_words(label: Label) -> str:
    """Return a label in words: setosa; setosa or virginica; 70% setosa, 30% virginica; none of these."""
    kind = kind_of(label)
    named = [(name, degree) for name, degree in label if degree > 0]
    if kind == "none":
        return "none of these"
    if kind == "soft":
        return ", ".join(f"{percent(degree)} {name}" for name, degree in named)
    return " or ".join(name for name, _ in named)


def told_of(session: Session, row: int) -> dict[str, Any] | None:
    """Return what was said about a row."""
    told = session.told
    if row not in told.labels:
        return None
    label = told.labels[row]
    kind = "bulk" if row in told.strengths else kind_of(label)
    return {"kind": kind, "degrees": dict(label)}


def row_card(data: StudioData, session: Session, fitted: Fitted, row: int) -> dict[str, Any]:
    """Return all that the page shows about a row."""
    reason = session.memory.questions.get(row, (None, None))[0]
    asked = row in session.told.labels or row in session.told.skipped
    return {
        "row": row,
        "number": data.number(row),
        "key": None if session.keys is None else session.keys[row],
        "text": texts(data, row),
        "picture": data.pictures is not None and data.pictures.has(row),
        "values": values(data, fitted, row),
        "memberships": memberships(fitted, row),
        "sets": sets(fitted, row),
        "outlying": round(fitted.outlying(row), 4),
        "told": told_of(session, row),
        "skipped": row in session.told.skipped,
        "near": near(data, session, row),
        "reason": None if asked else reason,
        "sentence": sentence(fitted, row),
    }


def texts(data: StudioData, row: int) -> list[dict[str, str]]:
    """Return text to read, and what is no feature."""
    found = [(name, data.shown(row, name)[:_MOST_TEXT]) for name in data.words]
    return [{"name": name, "value": value} for name, value in found if value]


def values(data: StudioData, fitted: Fitted, row: int) -> list[dict[str, Any]]:
    """Return the features, the most unusual one for the row's cluster first."""
    k = int(fitted.winner[row])
    means, spreads = fitted.typical
    x, features = fitted.session.X[row], data.names("feature")
    if k == NO_CLUSTER:
        mean, spread = fitted.session.X.mean(axis=0), fitted.session.X.std(axis=0)
    else:
        mean, spread = means[k], spreads[k]
    unusual = np.where(spread > 0, (x - mean) / np.where(spread > 0, spread, 1.0), 0.0)
    scaling = fitted.session.header.scaling
    typical = mean if scaling is None else mean * scaling[1] + scaling[0]
    return [
        {
            "name": features[j],
            "value": data.shown(row, features[j]),
            "typical": f"{typical[j]:.4g}",
            "unusual": round(float(unusual[j]), 2),
        }
        for j in np.argsort(-np.abs(unusual), kind="stable")
    ]


def memberships(fitted: Fitted, row: int) -> list[dict[str, Any]]:
    """Return the shares of a row, the greatest first."""
    shares = np.nan_to_num(fitted.shares[row])
    order = np.argsort(-shares, kind="stable")
    return [{"name": fitted.names[k], "share": round(float(shares[k]), 4)} for k in order]


def sets(fitted: Fitted, row: int) -> list[dict[str, Any]]:
    """Return the masses of sets of clusters, the greatest first; none for a model without masses."""
    masses = getattr(fitted.model, "masses_", None)
    if masses is None or fitted.session.per_class != 1:
        return []
    found = []
    for members, mass in zip(fitted.model.focal_sets_, np.asarray(masses)[row], strict=True):
        inside = np.flatnonzero(members)
        if len(inside) != 1 and mass > _LITTLE:
            name = " or ".join(fitted.names[k] for k in inside) or "none of them"
            found.append({"name": name, "mass": round(float(mass), 4)})
    return sorted(found, key=lambda one: -one["mass"])


def near(data: StudioData, session: Session, row: int) -> list[dict[str, Any]]:
    """Return the nearest labelled rows."""
    told = np.array([other for other in session.told.labels if other != row], dtype=np.int64)
    if not len(told):
        return []
    gaps = ((session.X[told] - session.X[row]) ** 2).sum(axis=1)
    found = []
    for other in told[np.argsort(gaps, kind="stable")[:_NEAREST]].tolist():
        text = texts(data, other)[:1]
        found.append(
            {
                "row": other,
                "number": data.number(other),
                "label": label_words(session.told.labels[other]),
                "key": None if session.keys is None else session.keys[other],
                "text": text[0]["value"][:80] if text else None,
                "picture": data.pictures is not None and data.pictures.has(other),
            }
        )
    return found


def sentence(fitted: Fitted, row: int) -> str:
    """Say why a row is where it is."""
    shares = memberships(fitted, row)
    first = shares[0]
    if fitted.winner[row] == NO_CLUSTER:
        return "It belongs to no cluster."
    far = " It is far from every cluster." if fitted.outlier[row] else ""
    if len(shares) == 1 or first["share"] >= _CLEAR:
        return f"Most like {first['name']} ({percent(first['share'])}).{far}"
    second = shares[1]
    return (
        f"Between {first['name']} ({percent(first['share'])}) and "
        f"{second['name']} ({percent(second['share'])}).{far}"
    )


def row_questions(data: StudioData, fitted: Fitted, asked: np.ndarray) -> list[dict[str, Any]]:
    """Return questions about rows as the page lists them."""
    found = []
    for one in asked:
        row = int(one["row"])
        shares = memberships(fitted, row)
        second = shares[1] if len(shares) > 1 else None
        reason = str(one["reason"])
        found.append(
            {
                "row": row,
                "number": data.number(row),
                "reason": reason,
                "first": shares[0]["name"],
                "second": None if second is None else second["name"],
                "share": shares[0]["share"],
                "why": _WHY.get(reason) or _doubtful(shares),
            }
        )
    return found


def _doubtful(shares: list[dict[str, Any]]) -> str:
    first, *others = shares
    if not others or first["share"] >= _CLEAR:
        return "The model is less sure about the rows around it than elsewhere."
    return (
        f"{first['name']} ({percent(first['share'])}) and {others[0]['name']} "
        f"({percent(others[0]['share'])}) compete here."
    )


def pair_questions(data: StudioData, asked: np.ndarray) -> list[dict[str, Any]]:
    """Return questions about pairs as the page lists them."""
    return [
        {
            "row": int(one["row"]),
            "number": data.number(int(one["row"])),
            "other": int(one["other"]),
            "other_number": data.number(int(one["other"])),
            "same": round(float(one["p_same"]), 4),
            "why": f"The chance that they belong together is {percent(float(one['p_same']))}.",
        }
        for one in asked
    ]
