"""The errors and warnings that softclust adds to those of Python and scikit-learn."""

from __future__ import annotations

import sys
import warnings

_INSIDE = ("softclust", "sklearn", "importlib")


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line of user code from which the library was called."""
    frame, depth = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, category, stacklevel=depth)


class DegenerateClusterWarning(UserWarning):
    """A cluster lost its own place: coincident centres, a singular shape, or too strong a repulsion."""


class FeatureScaleWarning(UserWarning):
    """Features spread so differently that distances see only the widest of them."""


class ConstraintConflictError(ValueError):
    """Pairs, or pairs and labels, cannot all hold: the message names the chain of rows."""


class DataLostError(RuntimeError):
    """Rows on a cluster could not be read, even after several tries."""


class CheckpointError(ValueError):
    """A file is no checkpoint, is damaged, or belongs to other parameters or other data."""


class ModelFileError(ValueError):
    """A file is not a softclust model, is damaged, or was written by a newer version."""


class SessionFileError(ValueError):
    """A file is not a session, is damaged, or belongs to other data or to another session."""
