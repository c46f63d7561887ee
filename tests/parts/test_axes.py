"""Eigenvalue problems of the metrics, also where LAPACK's first way fails."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from softclust.grammar.prototypes.axes import axes


def _fails(matrices):
    raise np.linalg.LinAlgError("Eigenvalues did not converge")


@pytest.mark.parametrize("shape", [(5, 5), (3, 5, 5), (1, 1, 1)])
def test_another_way_is_found(shape, monkeypatch):
    A = np.random.default_rng(0).normal(size=shape)
    A = A + A.swapaxes(-1, -2)
    expected, _ = axes(A)
    monkeypatch.setattr(np.linalg, "eigh", _fails)
    values, vectors = axes(A)
    assert_allclose(values, expected, atol=1e-13)
    assert_allclose((vectors * values[..., None, :]) @ vectors.swapaxes(-1, -2), A, atol=1e-13)


def test_what_is_not_finite_has_no_axes():
    with pytest.raises(np.linalg.LinAlgError):
        axes(np.full((2, 3, 3), np.nan))
