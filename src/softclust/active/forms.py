"""From what an expert said to what a fit is told, and back: columns, classes and shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from softclust.active.refits import Knowledge, Memory, class_shares, refit
from softclust.active.strategies import STRATEGIES

if TYPE_CHECKING:
    from softclust.active.answers import Answers

_SEVERAL = 3  # clusters of a class, where "auto" takes more than one
_ENOUGH = 10  # labels from which "auto" decides; it decides anew after every fifth label
_FOLDS = 5
_BATCH = 5  # answers between two batches that are compared: fewer would seldom change a cluster


def check_form(estimator: Any, clusters_per_class: int | str, label_weight: float = 1.0) -> None:
    """Raise an error if a session cannot fit this estimator."""
    if (
        "label_strength" not in estimator.get_params()
        and not estimator.__sklearn_tags__().target_tags.required
    ):
        raise ValueError(
            f"{type(estimator).__name__} takes no labels, so that answers would teach it nothing."
        )
    if not 0 < label_weight < np.inf:
        raise ValueError(f"label_weight={label_weight} is not above 0, or not finite.")
    whole = isinstance(clusters_per_class, int) and clusters_per_class >= 1
    if not whole and clusters_per_class != "auto":
        raise ValueError(f"clusters_per_class={clusters_per_class!r} is neither a number nor 'auto'.")
    if clusters_per_class != 1 and "n_clusters" not in estimator.get_params():
        raise ValueError(f"{type(estimator).__name__} has no clusters; clusters_per_class=1 would fit.")


def check_setting(session: Answers, name: str, value: Any) -> None:
    """Raise an error if a session has no such setting."""
    if name == "strategy":
        if value not in STRATEGIES:
            raise ValueError(f"strategy={value!r} is not known; {', '.join(STRATEGIES)} are.")
    elif name == "estimator":
        check_form(made(value, session.estimator), session.header.clusters_per_class)
    else:
        estimator = with_settings(session.estimator, session.told.settings)
        if name not in estimator.get_params():
            raise ValueError(f"{type(estimator).__name__} has no parameter {name!r}.")


def made(name: Any, like: Any) -> Any:
    """Return the estimator of this name, with the number of clusters and the seed of another estimator."""
    from softclust import estimators

    if name not in estimators.__all__:
        raise ValueError(f"{name!r} is no estimator; {', '.join(estimators.__all__)} are.")
    if name == type(like).__name__:
        return like
    model, given = getattr(estimators, name)(), like.get_params()
    shared = {key: given[key] for key in ("n_clusters", "random_state") if key in given}
    return model.set_params(**{key: value for key, value in shared.items() if key in model.get_params()})


def with_settings(estimator: Any, settings: dict[str, Any]) -> Any:
    """Return the estimator with the parameters that the expert changed."""
    if not settings:
        return estimator
    model = clone(made(settings.get("estimator", type(estimator).__name__), estimator))
    known = model.get_params()
    return model.set_params(**{name: value for name, value in settings.items() if name in known})


def n_classes(session: Answers) -> int:
    """Return the number of classes, clusters without a name included."""
    settings = {**session.estimator.get_params(), **session.told.settings}
    return max(int(settings.get("n_clusters", 1)), len(session.classes))


def degrees_of(session: Answers, per_class: int) -> np.ndarray:
    """(n, classes * per_class) degrees; a class of several clusters is "one of these clusters"."""
    told = session.told
    place = {name: k for k, name in enumerate(told.classes)}
    y = np.full((len(session.X), n_classes(session)), np.nan)
    for row, degrees in told.labels.items():
        y[row] = 0.0
        for name, degree in degrees:
            y[row, place[name]] = degree
    return y if per_class == 1 else np.repeat(y, per_class, axis=1)


def knowledge(session: Answers) -> Knowledge:
    """Return what a fit is told."""
    told, per_class = session.told, session.per_class
    strengths = None
    if told.strengths:
        strengths = np.ones(len(session.X))
        strengths[list(told.strengths)] = list(told.strengths.values())
    return Knowledge(
        degrees_of(session, per_class),
        session.must_link,
        session.cannot_link,
        strengths,
        session.classes,
        per_class,
        session.header.label_weight,
    )


def shares_of(session: Answers, model: Any) -> np.ndarray:
    """(n, classes) the share of each row in each class."""
    U = np.asarray(model.memberships_)
    return class_shares(U, session.per_class) if U.shape[1] % session.per_class == 0 else U


def remember(session: Answers, model: Any, questions: np.ndarray) -> None:
    """Remember the questions, the class that the model foresees, and the clusters of all rows."""
    shares, names, memory = shares_of(session, model), session.classes, session.memory
    likeliest = shares.argmax(axis=1)
    named = model.classes_ is not None and shares.shape[1] >= len(names)
    labels = session.told.labels.values()
    known = {name for label in labels for name, degree in label if degree > 0}  # others own no cluster yet
    for one in questions:
        k = int(likeliest[one["row"]])
        shown = names[k] if named and k < len(names) and names[k] in known else None
        memory.questions[int(one["row"])] = str(one["reason"]), shown
    answers = len(session.asked)
    if not memory.batches or abs(answers - memory.answers) >= _BATCH:
        memory.answers = answers
        memory.batches.append(likeliest)
        del memory.batches[:-3]


# ---------------------------------------------------------------------- classes of several clusters
def per_class(session: Answers) -> int:
    """Return the number of clusters of each class; "auto" decides by the told labels alone."""
    asked = session.header.clusters_per_class
    if isinstance(asked, int):
        return asked
    hard = [row for row, degrees in session.told.labels.items() if len(degrees) == 1]
    decisive = tuple(hard[: len(hard) // 5 * 5])
    if len(decisive) < _ENOUGH:
        return 1
    key = decisive, tuple(session.told.labels[row][0][0] for row in decisive)
    if session.memory.chosen_form[0] != hash(key):
        better = _foreseen(session, decisive, _SEVERAL) > _foreseen(session, decisive, 1)
        session.memory.chosen_form = hash(key), _SEVERAL if better else 1
    return session.memory.chosen_form[1]


def _foreseen(session: Answers, rows: tuple[int, ...], per_class: int) -> float:
    """Return the mean share of the told class in labelled rows, each time with a fifth of them left out."""
    y, estimator = degrees_of(session, 1), with_settings(session.estimator, session.told.settings)
    told = np.full_like(y, np.nan)
    told[list(rows)] = y[list(rows)]
    nothing, shares = np.empty((0, 2), dtype=np.int64), []
    for fold in range(_FOLDS):
        left_out = np.array(rows[fold::_FOLDS])
        part = told.copy()
        part[left_out] = np.nan
        y_part, weight = np.repeat(part, per_class, axis=1), session.header.label_weight
        known = Knowledge(y_part, nothing, nothing, None, session.classes, per_class, weight)
        model = refit(estimator, session.X, known, session.header.seed, Memory())
        found = class_shares(np.asarray(model.memberships_)[left_out], per_class)
        shares.append((found * y[left_out]).sum(axis=1))
    return float(np.concatenate(shares).mean())
