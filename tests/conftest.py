"""Settings and data that all tests share."""

import os

os.environ.setdefault(
    "SCIPY_ARRAY_API", "1"
)  # before SciPy is imported: scikit-learn's contract asks for it

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("dev", max_examples=20, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

BLOB_MEANS = np.array([[0.0, 0.0], [12.0, 1.0], [5.0, 11.0]])


def make_blobs(seed=0, each=50, spread=0.6):
    """Three round clouds a dozen units apart, rows in a mixed order, and the class of each row."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(3), each))
    return BLOB_MEANS[y] + spread * rng.standard_normal((3 * each, 2)), y


@pytest.fixture(params=[0, 1, 2], ids="seed{}".format)
def seed(request):
    return request.param


@pytest.fixture
def blobs():
    return make_blobs()


@pytest.fixture
def iris():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)
