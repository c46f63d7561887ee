"""Start a session in the studio, or resume it from its file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from softclust import acronyms, estimators
from softclust.active import Session, forms, journal
from softclust.active.journal import Writer
from softclust.selection import select
from softclust.studio import commands
from softclust.studio.data import StudioData

_TRIED_ROWS = 2_000  # rows by which a number of clusters is chosen
_TRIED = range(2, 9)  # numbers of clusters


def open_session(
    data: StudioData,
    path: Path,
    *,
    method: str | None = None,
    clusters: int | None = None,
    classes: Iterable[str] = (),
    standardize: bool = True,
    settings: Callable[[Any], dict[str, Any]] = lambda estimator: {},
    seed: int = 0,
    say: Callable[[str], None] = lambda sentence: None,
) -> tuple[Session, Writer]:
    """Return the session of a file, new or resumed, and the writer that holds the file.

    Parameters
    ----------
    data : StudioData
        The rows.
    path : Path
        The session's file; if it exists, the session goes on.
    method, clusters, classes
        Name of the method, number of clusters and classes; a session that goes on changes to them.
        Without a method a new session begins with fuzzy c-means, and labels may spread.
    standardize : bool, default=True
        Give every column mean 0 and standard deviation 1; a session that goes on keeps what it had.
    settings : callable, default=None
        Returns further parameters for the estimator of a new session.
    seed : int, default=0
        Seed of a new session.
    say : callable, default=None
        Hears sentences for the user.

    Returns
    -------
    session : Session
    writer : Writer
    """
    classes = tuple(map(str, classes))
    if path.exists():
        session = _resumed(data, path, say)
        session = _changed(session, method, clusters, classes)
    else:
        session = _new(data, method, clusters, classes, standardize, settings, seed, say)
    return session, Writer(path, session.header.record(), session.events)


def _new(
    data: StudioData,
    method: str | None,
    clusters: int | None,
    classes: tuple[str, ...],
    standardize: bool,
    settings: Callable[[Any], dict[str, Any]],
    seed: int,
    say: Callable[[str], None],
) -> Session:
    """Start a session; labels in the file are its first events."""
    known = {} if data.labels is None else _rows_by_class(data.labels)
    classes = tuple(dict.fromkeys([*classes, *known]))
    if clusters is None:
        clusters = len(classes) if len(classes) > 1 else chosen_clusters(data, standardize, seed)
        if len(classes) < 2:
            say(f"{clusters} clusters fit best; change the number with --clusters or on the page.")
    if clusters < 1 or clusters > min(commands.MOST_CLASSES, len(data.X)):
        raise ValueError(f"--clusters {clusters} does not fit {len(data.X)} rows.")
    estimator = _named(method, n_clusters=clusters, random_state=seed)
    estimator.set_params(**settings(estimator))
    session = Session.start(
        data.X, estimator, classes=classes, keys=data.keys, key=data.key, data=data.path, seed=seed,
        standardize=data.scaling if standardize else False, spreading="auto" if method is None else False,
    )  # fmt: skip
    for name, rows in known.items():
        session = session.tell(rows, name)
    return session


def _named(method: str | None, **parameters: Any) -> Any:
    """Return the estimator of a method: an acronym of a paper, or an estimator with its own defaults."""
    if method is not None and method not in estimators.__all__:
        return acronyms.make(method, **parameters)
    model = getattr(estimators, method or "FuzzyCMeans")()
    return model.set_params(**{k: v for k, v in parameters.items() if k in model.get_params()})


def _rows_by_class(labels: Iterable[Any]) -> dict[str, list[int]]:
    """Return the rows of each class, classes in alphabetical order."""
    found: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        if label is not None and str(label).strip():
            found.setdefault(str(label), []).append(row)
    return dict(sorted(found.items()))


def chosen_clusters(data: StudioData, standardize: bool, seed: int) -> int:
    """Return the number of clusters, 2 to 8, that the fuzzy silhouette of a sample of rows prefers."""
    X = (data.X - data.scaling[0]) / data.scaling[1] if standardize else data.X
    rng = np.random.default_rng(seed)
    if len(X) > _TRIED_ROWS:
        X = X[rng.choice(len(X), _TRIED_ROWS, replace=False)]
    numbers = [c for c in _TRIED if c < len(np.unique(X, axis=0))]
    if len(numbers) < 2:
        return max(1, len(numbers))
    found = select(_named(None, n_clusters=2, random_state=seed), X, n_clusters=numbers)
    return int(found.best_params_["n_clusters"])


def _resumed(data: StudioData, path: Path, say: Callable[[str], None]) -> Session:
    """Load a session; if the data changed and rows have keys, the old file is kept under another name."""
    session = Session.load(path, data.X, keys=data.keys, data=data.path)
    if journal.read_header(path) != session.header.record():  # the rows were found again by their keys
        old = kept_name(path)
        path.rename(old)
        say(f"The data changed; rows are found by {data.key}, and the session so far is kept as {old}.")
    say(f"{path} goes on: {in_words(session)}.")
    return session


def _changed(
    session: Session, method: str | None, clusters: int | None, classes: tuple[str, ...]
) -> Session:
    """Return the session with options that differ from what it had."""
    if method is not None:
        wanted = _named(method)
        session = commands.with_settings(session, {"method": type(wanted).__name__})
        present = forms.with_settings(session.estimator, session.told.settings).get_params()
        for name, value in wanted.get_params().items():
            if name not in ("n_clusters", "random_state") and value != present[name]:
                session = session.set(name, value)
    if clusters is not None:
        session = commands.with_settings(session, {"clusters": clusters})
    for name in classes:
        if name not in session.classes:
            session = session.name_class(name)
    return session


def in_words(session: Session) -> str:
    """Return how much was said: 5 labels and 1 pair."""
    labels, pairs = len(session.told.labels), len(session.told.pairs)
    return f"{labels:,} label{'' if labels == 1 else 's'} and {pairs:,} pair{'' if pairs == 1 else 's'}"


def kept_name(path: Path) -> Path:
    """Return a free name for an old session file: data.studio.old-1.jsonl."""
    numbers = range(1, 10_000)
    return next(
        other
        for number in numbers
        if not os.path.lexists(other := path.with_name(f"{path.stem}.old-{number}{path.suffix}"))
    )
