"""The model that the options of a command describe."""

from __future__ import annotations

import ast
import inspect

import softclust
from softclust import estimators

DEFAULT_METHOD = "FuzzyCMeans"


def make_model(method, clusters, y, settings, seed):
    """Return the estimator of a method, with settings given as name=value.

    A method is an acronym, with the values of its paper, or the name of an estimator, with the values
    that work best.
    """
    if clusters is None:
        if y is None:
            raise ValueError(
                "How many clusters? Say --clusters 3, or let `softclust select` compare several numbers."
            )
        clusters = len({value for value in y if value is not None})
    if method in estimators.__all__:
        model = getattr(estimators, method)()
        given = {"n_clusters": clusters, "random_state": seed}
        model.set_params(**{name: value for name, value in given.items() if name in model.get_params()})
    else:
        model = softclust.make(method, n_clusters=clusters, random_state=seed)
    return model.set_params(**parsed_settings(settings, model))


def parsed_settings(settings, model):
    """Parse name=value settings into parameters: a value is a Python literal, or else a string."""
    parsed = {}
    for one in settings or ():
        name, mark, text = one.partition("=")
        if not mark or not name:
            raise ValueError(f"--set {one} does not fit; write --set name=value, as in --set m=1.5.")
        if name not in model.get_params():
            own = ", ".join(sorted(model.get_params()))
            raise ValueError(f"{type(model).__name__} has no parameter {name!r}; it has {own}.")
        try:
            parsed[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: nested too deep
            parsed[name] = text
    return parsed


def fit_model(model, X, y, known):
    """Fit a model with the labels and pairs that it takes; refuse others."""
    takes = inspect.signature(model.fit).parameters
    refused = [name for name in known if name not in takes]
    if refused:
        raise ValueError(
            f"{type(model).__name__} takes no pairs: leave --{refused[0].replace('_', '-')} out."
        )
    labelled = hasattr(model, "label_strength") or isinstance(model, estimators.FuzzyLabelSpreading)
    if y is not None and not labelled:
        raise ValueError(f"{type(model).__name__} takes no labels: use --drop for that column.")
    model.fit(X, y, **known)
