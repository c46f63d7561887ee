"""A labelling session: what an expert said, as a value that is replayed, saved and resumed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softclust.active import forms, journal, refits
from softclust.active.advising import Advice, advice
from softclust.active.answers import Answers
from softclust.active.checks import checked_keys, checked_scaling, rows_in_memory, scaled
from softclust.active.events import kind_of
from softclust.active.header import Header
from softclust.active.pair_questions import ask_pairs
from softclust.active.questions import ask_rows


@dataclass(frozen=True, eq=False, repr=False)
class Session(Answers):
    """What an expert said about the rows X: a frozen value, of which every change makes a new one.

    `Session.start` makes a session and `Session.load` resumes one.  Class names are strings.  The session,
    not the fit, binds each class to a column of `y`: classes have the columns in the order in which they
    were named.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows, standardised if the session does so.
    estimator : softclust estimator
        The estimator that `fit` clones.
    events : tuple of Event
        All that happened, undone events included.
    classes : tuple of str
        The classes in the order of their columns.
    y : ndarray of shape (n_samples, n_columns)
        Degrees as `fit` takes them; NaN where nothing is said.
    must_link, cannot_link : ndarray of shape (n_pairs, 2)
        Pairs of rows that belong together, and apart.
    asked : ndarray
        Rows that need no question: labelled, "none of them" or skipped.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.active import Session
    >>> s = Session.start(load_iris().data, FuzzyCMeans(3, random_state=0))
    >>> s = s.tell(12, "setosa").tell(60, {"versicolor", "virginica"}).link(3, 9, same=True)
    >>> s.y[60], s.undo().must_link.tolist(), s.undo().redo().must_link.tolist()
    (array([0., 1., 1.]), [], [[3, 9]])
    >>> len(s.ask(5))
    5
    """

    @classmethod
    def start(
        cls,
        X: Any,
        estimator: Any,
        *,
        classes: Iterable[Any] | None = None,
        keys: Sequence[Any] | None = None,
        key: str | None = None,
        data: str | os.PathLike[str] | None = None,
        clusters_per_class: int | str = 1,
        label_weight: float = 1.0,
        spreading: bool | str = False,
        seed: int = 0,
        standardize: Any = False,
    ) -> Session:
        """Start a session.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        estimator : softclust estimator
            What is fitted; it must have memberships.
        classes : iterable of str, default=None
            The classes, if they are known; others are added when they are told.
        keys : sequence of str, default=None
            A key of each row, by which `load` finds rows again in changed data.
        key : str, default=None
            The name of the column of keys.
        data : path-like, default=None
            The file that X was read from; its SHA-256 is kept.
        clusters_per_class : int or "auto", default=1
            Number of clusters of each class.  "auto": 1 or 3, whichever foresees the told labels better
            when they are left out, once there are ten.
        label_weight : float, default=1.0
            How many rows a labelled row stands for in a fit, if the estimator takes weights.
        spreading : False or "auto", default=False
            "auto": `FuzzyLabelSpreading` takes the place of the estimator if it foresees the told labels at
            least as well when they are left out, once there are ten.  Pairs then count through the labels
            of their rows.
        seed : int, default=0
            Determines the fits, if the estimator has no `random_state`, and the questions.
        standardize : bool or array-like of shape (2, n_features), default=False
            Give every column mean 0 and standard deviation 1 first; or subtract the first row of numbers,
            and divide by the second.

        Returns
        -------
        session : Session
        """
        rows = rows_in_memory(X)
        forms.check_form(estimator, clusters_per_class, label_weight, spreading)
        named = () if classes is None else tuple(dict.fromkeys(map(str, classes)))
        scaling = checked_scaling(standardize, rows)
        header = Header.of(
            rows, estimator, named, clusters_per_class, seed, key, data, scaling, label_weight, spreading
        )
        return cls(scaled(rows, scaling), estimator, header, keys=checked_keys(keys, len(rows)))

    def __repr__(self) -> str:
        told = self.told
        return (
            f"Session({len(self.X)} rows, {len(told.labels)} labels, {len(told.pairs)} pairs, "
            f"{len(self.classes)} classes, {len(self.events)} events)"
        )

    # ------------------------------------------------------------------ the model, and questions
    def fit(self) -> Any:
        """Fit the estimator to what was said, from the last centres, and return it.

        The same session gives the same fit without work.  Every tenth fit starts anew as well, and the
        lower objective wins.

        Returns
        -------
        model : fitted softclust estimator
            Column k belongs to class `classes[k]`.
        """
        estimator = forms.with_settings(self.estimator, self.told.settings)
        return refits.refit(
            self.form.model_of(estimator), self.X, forms.knowledge(self), self.header.seed, self.memory
        )

    def shares(self) -> np.ndarray:
        """Return the share of each row in each class, (n, classes); classes without a name come last."""
        return forms.shares_of(self, self.fit())

    def ask(self, n: int = 5, **options: Any) -> np.ndarray:
        """Choose the rows that are most worth a label; options and records are those of `ask_rows`."""
        model = self.fit()
        seed = [self.header.seed, len(self.asked)]
        options.setdefault("random_state", int(np.random.SeedSequence(seed).generate_state(1)[0] >> 1))
        options.setdefault("strategy", self.told.settings.get("strategy", "doubt-mix"))
        nowhere = [row for row, label in self.told.labels.items() if kind_of(label) == "none"]
        found = ask_rows(model, self.X, n, asked=self.asked, nowhere=nowhere, **options)
        forms.remember(self, model, found)
        return found

    def ask_pairs(self, n: int = 5, **options: Any) -> np.ndarray:
        """Choose the pairs that are most worth a question; options are those of `ask_pairs`."""
        options.setdefault("strategy", self.told.settings.get("strategy", "doubt-mix"))
        pairs = np.array(sorted(self.told.pairs), dtype=np.int64).reshape(-1, 2)
        options.setdefault("random_state", self.header.seed + len(pairs))
        return ask_pairs(self.fit(), self.X, n, told=pairs, **options)

    def advice(self) -> Advice:
        """Say whether more answers would still change much."""
        return advice(self)

    # ------------------------------------------------------------------ files
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file, or append to its file the events that it lacks.

        Events are appended, flushed and synchronised; nothing is rewritten.  The file of another session,
        or one with events that this session has not, is refused.

        Parameters
        ----------
        path : path-like
            The file, such as data.studio.jsonl.
        """
        journal.write(path, self.header.record(), self.events)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        X: Any,
        *,
        keys: Sequence[Any] | None = None,
        data: str | os.PathLike[str] | None = None,
        estimator: Any = None,
    ) -> Session:
        """Resume a session from its file.

        Parameters
        ----------
        path : path-like
            The file of the session.
        X : array-like of shape (n_samples, n_features)
            The rows, as `start` got them.  Other rows than those of the session are refused, unless both
            have keys.
        keys : sequence of str, default=None
            A key of each row.  If the rows changed, events find their rows by the keys; a warning lists
            keys that are gone.
        data : path-like, default=None
            The file that X was read from; a changed file is refused.
        estimator : softclust estimator, default=None
            The estimator in place of the one that the file names.

        Returns
        -------
        session : Session
        """
        record, stored = journal.read(path)
        header, rows = Header.from_record(record, path), rows_in_memory(X)
        names = checked_keys(keys, len(rows))
        if header.differs(rows, data):
            stored = header.rebound(path, rows, stored, names)
            header = header.for_rows(rows, data)
        header.check_events(path, stored, len(rows))
        model = header.made_estimator(path) if estimator is None else estimator
        return cls(scaled(rows, header.scaling), model, header, tuple(stored), names)
