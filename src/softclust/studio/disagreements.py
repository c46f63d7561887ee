"""Labels that an expert probably got wrong, as the page lists them."""

from __future__ import annotations

from typing import Any

import numpy as np

from softclust.active import Session, doubted_labels
from softclust.active.events import kind_of
from softclust.active.forms import with_settings
from softclust.studio.data import StudioData

FOLDS = 10  # fits of a check of labels
_MOST_CHECKED = 3_000  # labels that are checked: each is compared with all others
_MOST_LISTED = 200
_FEWEST = 10  # labels; fewer do not foresee each other


def checked_rows(session: Session) -> list[int]:
    """Return rows with a label of one class; of very many, single answers first, then some bulk labels."""
    told = session.told
    hard = [row for row, label in told.labels.items() if kind_of(label) == "hard"]
    if len(hard) <= _MOST_CHECKED:
        return hard
    hard.sort(key=lambda row: row in told.strengths)
    single = len(hard) - sum(row in told.strengths for row in hard)
    chosen = hard[: min(single, _MOST_CHECKED)]
    left = _MOST_CHECKED - len(chosen)
    return chosen + hard[single :: max(1, -(-(len(hard) - single) // max(left, 1)))][:left]


def doubted(data: StudioData, session: Session) -> list[dict[str, Any]]:
    """Return the labels that another class contradicts, the worst first."""
    told = session.told
    hard = checked_rows(session)
    classes = {told.labels[row] for row in hard}
    if len(hard) < _FEWEST or len(classes) < 2:
        return []
    y = np.full((len(session.X), len(session.classes)), np.nan)
    rows = np.array(hard)
    y[rows] = session.y[:, :: session.per_class][rows, : y.shape[1]]
    names = session.classes
    found: list[dict[str, Any]] = []
    model = with_settings(session.estimator, told.settings)
    for one in doubted_labels(model, session.X, y, folds=FOLDS):
        if one["doubt"] <= 0.5 or one["told"] == one["likely"] or len(found) == _MOST_LISTED:
            continue
        row, likely = int(one["row"]), names[int(one["likely"])]
        found.append(
            {
                "row": row,
                "number": data.number(row),
                "told": names[int(one["told"])],
                "foreseen": likely,
                "score": round(float(one["doubt"]), 4),
                "why": f"Without this label, the model and the labelled rows nearby would say {likely}.",
            }
        )
    return found
