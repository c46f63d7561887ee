"""The state of a studio and the progress of its expert, as the page shows them."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from softclust.active import Session
from softclust.active.advising import advice, interval
from softclust.active.events import effective, kind_of
from softclust.studio import commands, exports, maps
from softclust.studio.desk import Desk
from softclust.studio.fitted import Fitted

_MOST_POINTS = 200  # of the progress curve


def state(desk: Desk) -> dict[str, Any]:
    """Return the state; all of it is of one session and one fit."""
    session, fitted, plane, data = desk.session, desk.fitted, desk.plane, desk.data
    rev = len(session.events)
    undo, redo = commands.last_words(session, data.number)
    said = advice(session)
    return {
        "rev": rev,
        "fitted": fitted.rev,
        "busy": fitted.rev != rev,
        "problem": fitted.problem,
        "title": data.title,
        "rows": len(session.X),
        "drawn": len(plane.points),
        "story": data.story,
        "clusters": fitted.shares.shape[1],
        "model": type(fitted.model).__name__,
        "names": list(fitted.names),
        "classes": _classes(session, fitted),
        "unnamed": [
            {"name": name, "rows": int(fitted.counts[k]), "index": k}
            for k, name in enumerate(fitted.names)
            if _is_unnamed(fitted, k)
        ],
        "views": [{"id": kind, "name": name} for kind, name in maps.VIEWS.items() if _has(data, kind)],
        "view": {"id": plane.id, "x": plane.x, "y": plane.y, "rev": plane.rev},
        "columns": [{"name": one.name, "role": one.role, "why": one.why} for one in data.columns],
        "counts": _counts(session),
        "links": [[i, j, same] for (i, j), same in sorted(session.told.pairs.items())],
        "undo": undo,
        "redo": redo,
        "settings": commands.settings_of(session),
        "advice": {
            "stop": said.stop,
            "sentence": said.sentence,
            "audit": list(said.audit) if said.audit[1] else None,
        },
        "files": exports.names(data),
        "session_file": desk.file.name,
        "saved": True,
    }


def _is_unnamed(fitted: Fitted, k: int) -> bool:
    """Whether a cluster has no class; label spreading leaves clusters without a class empty."""
    classes = fitted.session.classes
    has_name = k < len(classes) and fitted.names[k] == classes[k]
    return not has_name and (fitted.counts[k] > 0 or not fitted.session.form.spreads)


def _has(data: Any, kind: str) -> bool:
    return kind == "principal" or len(data.names("feature")) > 1


def _classes(session: Session, fitted: Fitted) -> list[dict[str, Any]]:
    """Return the classes with their labels, and the rows that each wins at the last fit."""
    told = session.told
    labels, bulk = Counter[str](), Counter[str]()
    for row, label in told.labels.items():
        for name, degree in label:
            if degree > 0:
                (bulk if row in told.strengths else labels)[name] += 1
    won = {name: int(count) for name, count in zip(fitted.names, fitted.counts, strict=True)}
    return [
        {"name": name, "labels": labels[name], "bulk": bulk[name], "rows": won.get(name, 0)}
        for name in session.classes
    ]


def _counts(session: Session) -> dict[str, int]:
    told = session.told
    kinds = Counter(
        "bulk" if row in told.strengths else kind_of(label) for row, label in told.labels.items()
    )
    must = sum(told.pairs.values())
    return {
        **{kind: kinds[kind] for kind in ("hard", "soft", "subset", "none", "bulk")},
        "skipped": len(told.skipped),
        "must": must,
        "cannot": len(told.pairs) - must,
    }


def progress(desk: Desk) -> dict[str, Any]:
    """Return, by the number of labels, the answers foreseen and the rows that kept their cluster."""
    session = desk.session
    points, labels, hits, lots = [], set[int](), [0, 0], [0, 0]
    for event in effective(session.events)[0]:
        if event.do not in ("label", "none"):
            continue
        labels.update(event.rows)
        if event.asked is not None and event.shown is not None:
            degrees = dict(event.degrees or ())
            right = degrees.get(event.shown, 0.0) == max(degrees.values(), default=1.0)
            for counts in (hits, lots) if event.asked == "audit" else (hits,):
                counts[0] += right
                counts[1] += 1
        points.append(
            {
                "labels": len(labels),
                "agreement": _finite(desk.agreements.get(len(labels))),
                "hits": list(hits),
                "audit": [*lots, *interval(*lots)] if lots[1] else None,
            }
        )
    if len(points) > _MOST_POINTS:
        kept = np.unique(np.linspace(0, len(points) - 1, _MOST_POINTS).astype(int))
        points = [points[i] for i in kept]
    seen = {name for label in session.told.labels.values() for name, degree in label if degree > 0}
    return {"points": points, "classes_seen": len(seen)}


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else round(value, 6)
