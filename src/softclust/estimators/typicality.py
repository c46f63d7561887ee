"""What the models with typicalities share: the scales gamma_k."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from softclust.estimators.base import SoftClusterer
from softclust.loop.recipes import Scaling, tighter_scale

EXPONENT = [Interval(Real, 1, None, closed="neither")]


class TypicalityClusterer(SoftClusterer):
    """Base of the models with scales gamma_k and typicalities."""

    _parameter_constraints = {
        **SoftClusterer._parameter_constraints,
        "m": EXPONENT,
        "scale": [None, Interval(Real, 0, None, closed="neither"), StrOptions({"auto"}), "array-like"],
        "scale_factor": [None, Interval(Real, 0, None, closed="neither")],
        "scale_cut": [None, Interval(Real, 0, 1, closed="neither")],
        "merge_coincident": ["boolean"],
    }

    _passes = 1

    def _scaling(self, c, units):
        value = None
        if isinstance(self.scale, str):
            return Scaling(None, 1.0, self.scale_cut, self._fuzzy_exponent(), tighten=tighter_scale)
        if self.scale is not None:
            value = _checked_scale(self.scale, c)
            # A scale beyond the range of squared distances is as good as one at its edge.
            value = np.clip(units.squares_to_loop(value), 1e-290, 1e290)
        return Scaling(value, self._scale_factor(), self.scale_cut, self._fuzzy_exponent(), self._passes)

    def _scale_factor(self):
        return self.scale_factor

    def _fuzzy_exponent(self):
        """m of the FCM run from which the scales come."""
        return self.m

    def _merges(self):
        return self.merge_coincident

    def predict_typicality(self, X):
        """Typicality of each row in each cluster, in [0, 1]."""
        return self._told(X).typicalities


def _checked_scale(scale, c):
    values = np.asarray(scale, dtype=np.float64)
    if values.ndim > 1 or values.size not in (1, c):
        raise ValueError(f"scale has shape {values.shape}; it is a number or one for each of {c} clusters.")
    values = np.broadcast_to(values, (c,))
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if len(wrong):
        raise ValueError(f"scale[{wrong[0]}] is {values[wrong[0]]:g}; scales are finite numbers > 0.")
    return values
