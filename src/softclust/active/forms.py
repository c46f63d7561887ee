"""From what an expert said to what a fit is told, and back: columns, classes and shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from softclust.active import choice
from softclust.active.choice import Form
from softclust.active.events import kind_of
from softclust.active.links import labels_by_links
from softclust.active.refits import Knowledge, Memory, class_shares, refit
from softclust.active.strategies import STRATEGIES

if TYPE_CHECKING:
    from softclust.active.answers import Answers

AUTO = "auto"  # as the name of an estimator: fuzzy c-means, or label spreading if it foresees as much
_MOST_DECISIVE = 1000  # labels by which a form is chosen; answers to single questions come first
_MOST_FORMS = 8  # that are remembered
_BATCH = 5  # answers between two batches that are compared: fewer would seldom change a cluster


def check_form(
    estimator: Any,
    clusters_per_class: int | str,
    label_weight: float = 1.0,
    spreading: bool | str = False,
) -> None:
    """Raise an error if a session cannot fit this estimator."""
    if (
        "label_strength" not in estimator.get_params()
        and not estimator.__sklearn_tags__().target_tags.required
    ):
        raise ValueError(
            f"{type(estimator).__name__} takes no labels, so that answers would teach it nothing."
        )
    if spreading is not False and spreading != "auto":
        raise ValueError(f"spreading={spreading!r} is neither False nor 'auto'.")
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

    name = "FuzzyCMeans" if name == AUTO else name
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
    """Return what a fit is told; label spreading is told what follows from the pairs."""
    told, form = session.told, form_of(session)
    strengths = None
    if told.strengths:
        strengths = np.ones(len(session.X))
        strengths[list(told.strengths)] = list(told.strengths.values())
    y, must_link, cannot_link = degrees_of(session, form.per_class), session.must_link, session.cannot_link
    if form.spreads:
        y = labels_by_links(y, must_link, cannot_link)
        must_link, cannot_link = must_link[:0], cannot_link[:0]
    return Knowledge(
        y,
        must_link,
        cannot_link,
        strengths,
        session.classes,
        form.per_class,
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


# ---------------------------------------------------------------------- the form of the model
def spreading_of(session: Answers) -> bool | str:
    """Return whether labels may spread: as the session started, or as its method was changed."""
    method = session.told.settings.get("estimator")
    if method is None:
        return session.header.spreading
    return "auto" if method == AUTO else False


def form_of(session: Answers) -> Form:
    """Return the form of the model; where there is a choice, the told labels decide."""
    forms = choice.forms_of(session.header.clusters_per_class, spreading_of(session))
    labels, memory = session.told.labels, session.memory
    hard = [row for row, label in labels.items() if kind_of(label) == "hard"]
    hard = sorted(hard, key=lambda row: row in session.told.strengths)[:_MOST_DECISIVE]
    decisive = hard[: len(hard) // choice.AGAIN * choice.AGAIN]
    said = tuple((row, labels[row]) for row in decisive)
    key = hash((said, repr(session.told.settings), tuple(forms)))
    if key not in memory.forms:
        estimator = with_settings(session.estimator, session.told.settings)
        told, seed = _decisive(session, decisive), session.header.seed
        memory.forms[key] = choice.chosen(forms, estimator, session.X, told, seed)
        for old in list(memory.forms)[:-_MOST_FORMS]:
            memory.forms.pop(old, None)
    return memory.forms[key]


def _decisive(session: Answers, rows: list[int]) -> Knowledge:
    """Return the labels of some rows alone."""
    y, nothing = degrees_of(session, 1), np.empty((0, 2), dtype=np.int64)
    told = np.full_like(y, np.nan)
    told[rows] = y[rows]
    weight = session.header.label_weight
    return Knowledge(told, nothing, nothing, None, session.classes, 1, weight)


def fit_without_answers(session: Answers) -> Any:
    """Fit the session's estimator to the rows alone."""
    estimator = with_settings(session.estimator, session.told.settings)
    return refit(estimator, session.X, _decisive(session, []), session.header.seed, Memory())
