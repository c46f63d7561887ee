"""Fitted estimators in a file without pickle."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import softclust
from softclust import estimators
from softclust.errors import ModelFileError
from softclust.estimators.anchor_graph import FittedSpreading, Graph
from softclust.estimators.anchors import Anchors
from softclust.estimators.readout import Fitted, FittedCredal, FittedMixture
from softclust.grammar import partitions, prototypes, separation
from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.state import State, Stats
from softclust.knowledge.penalties import LabelLikelihood, LabelPenalty, LinkPenalty, SubsetPenalty
from softclust.sources import is_remote
from softclust.sources.units import Units
from softclust.storage.archive import Archive
from softclust.storage.fitted import check_estimator

FORMAT = 1

_CLASSES = {
    cls.__name__: cls
    for cls in (
        *(getattr(estimators, name) for name in estimators.__all__),
        *(
            getattr(partitions, name)
            for name in partitions.__all__
            if hasattr(getattr(partitions, name), "rule")
        ),
        *(part for part in map(vars(prototypes).get, prototypes.__all__) if isinstance(part, type)),
        *(separation.Repulsion, separation.CentralDistance),
        *(Frame, State, Stats, Units, Model, Fitted, FittedCredal, FittedMixture),
        *(Anchors, FittedSpreading, Graph),
        *(LabelLikelihood, LabelPenalty, LinkPenalty, SubsetPenalty),
    )
}
# Names of parts in older files.
_CLASSES |= {
    "Own": prototypes.Custom,
    "Refitted": prototypes.FreeVolume,
    "Whitened": prototypes.SharedMetric,
}
_MODEL = Archive("softclust model", ModelFileError, _CLASSES)


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write an estimator to a file; an existing file is replaced only by a complete new one.

    After a fit on a dask collection, the results for each row are lazy and are not written.

    Parameters
    ----------
    estimator : softclust estimator
        The estimator to write, fitted or not.
    path : path-like
        The file.

    Returns
    -------
    None
        `load` reads the estimator back from the file.
    """
    name = type(estimator).__name__
    if _CLASSES.get(name) is not type(estimator):
        raise TypeError(f"save writes softclust estimators; got {name}.")
    header = {"format": FORMAT, "version": softclust.__version__, "estimator": name}
    stored = {key: value for key, value in vars(estimator).items() if not is_remote(value)}
    _MODEL.write(path, header, stored)


def load(path: str | os.PathLike[str]) -> Any:
    """Read an estimator from a file that `save` wrote; any other file raises `ModelFileError`.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    estimator : softclust estimator
        An estimator with the parameters and the fitted attributes of the one that was saved.
    """
    header, state = _MODEL.read(path, FORMAT)
    if header.get("estimator") not in estimators.__all__:
        raise ModelFileError(f"{path} does not hold an estimator.")
    cls = _CLASSES[header["estimator"]]
    estimator = cls.__new__(cls)
    try:
        estimator.__dict__.update(state)
        _renew(estimator)
        check_estimator(estimator)
    except Exception as error:  # whatever the file holds in the place of an estimator's parts
        said = str(error).split("\n")[0].removesuffix(".")
        raise ModelFileError(f"{path} is damaged: {said}.") from error
    return estimator


def _renew(estimator: Any) -> None:
    """Join the parts of `_fitted`, which are attributes in older files."""
    if "_model" not in vars(estimator):
        return
    model, fitted, units = (vars(estimator).pop(name) for name in ("_model", "_state", "_units"))
    limits = vars(estimator).pop("_outlier_limits", None)
    readout = estimator._readout(model, fitted, units)
    estimator._fitted = readout if limits is None else replace(readout, limits=limits)
