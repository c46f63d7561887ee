"""Settings and data that all tests share."""

import os
import signal
import sys

os.environ.setdefault(
    "SCIPY_ARRAY_API", "1"
)  # before SciPy is imported: scikit-learn's contract asks for it
if "PYTEST_XDIST_WORKER" in os.environ:  # a worker for each core: threads of BLAS would wait for each other
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("dev", max_examples=20, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

os.fsync = os.fstat  # asks for an open file as well; that the disk has it, only a power cut would show

MOST_SECONDS = 120  # for one test of an estimator, the first of which compiles: a hang is a failure


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if item.path.parent.name != "estimators" or not hasattr(signal, "setitimer"):
        return (yield)

    def give_up(*_):
        raise TimeoutError(f"still running after {MOST_SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS, 5)  # again and again: Hypothesis repeats a failure
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


BLOB_MEANS = np.array([[0.0, 0.0], [12.0, 1.0], [5.0, 11.0]])


def make_blobs(seed=0, each=50, spread=0.6):
    """Three round clouds a dozen units apart, rows in a mixed order, and the class of each row."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(3), each))
    return BLOB_MEANS[y] + spread * rng.standard_normal((3 * each, 2)), y


def make_moons(n=300, seed=0, noise=0.1):
    """Two half moons, rows in a mixed order, and the moon of each row."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    angle = np.pi * rng.random(n)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[y == 1] = [1, 0.5] - X[y == 1]
    return X + noise * rng.standard_normal((n, 2)), y


@pytest.fixture(params=[0, 1, pytest.param(2, marks=pytest.mark.slow)], ids="seed{}".format)
def seed(request):
    return request.param


@pytest.fixture
def blobs():
    return make_blobs()


@pytest.fixture
def iris():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def few_starts_of_shells():
    """Two of ten, one of three, for laws that hold wherever a fit began: starts take longest."""
    from softclust.estimators import starts

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starts, "_SHELL_STARTS", 2)
        patch.setattr(starts, "_WIDE_STARTS", 1)
        yield


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
