"""A geometry of the user's own: the same answers as built in, and sentences where it does not fit."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from configurations import FUZZY, WITH_DEGREES

EXAMPLE = Path(__file__).parents[2] / "examples" / "plot_geometry_of_your_own.py"


class Euclidean:
    """What geometry="points" does."""

    def distances(self, X, theta):
        return ((X[:, None, :] - theta[0]) ** 2).sum(axis=2)

    def moments(self, X, W, theta):
        return (W.T @ X,)

    def solve(self, weight, moments, theta):
        return (moments[0] / weight[:, None],)


@pytest.mark.parametrize("cls", WITH_DEGREES)
@pytest.mark.parametrize("labelled", [False, True], ids=["alone", "labelled"])
def test_every_partition_takes_it(cls, labelled, iris):
    X, y = iris
    known = np.where(np.arange(150) % 10 == 0, y, -1) if labelled else None
    start = {"init": X[[0, 60, 120]], "tol": 1e-9, "label_strength": 2.0}
    built_in = cls(3, **start).fit(X, known)
    own = cls(3, geometry=Euclidean(), **start).fit(X, known)
    assert_allclose(own.cluster_centers_, built_in.cluster_centers_, rtol=0, atol=1e-6)
    assert_allclose(own.memberships_, built_in.memberships_, rtol=0, atol=1e-6)
    assert own.objective_ == pytest.approx(built_in.objective_, rel=1e-6)  # IPCM: scales of a first fit
    assert_allclose(own.transform(X), built_in.transform(X), rtol=1e-6)


def test_noise_pairs_and_weights_go_with_it(iris):
    X, _ = iris
    start = {"init": X[[0, 60, 120]], "noise_distance": 1.5, "tol": 1e-9}
    known = {"must_link": [(0, 149)], "cannot_link": [(60, 61)], "sample_weight": np.linspace(0.1, 2, 150)}
    spread = np.average((X - np.average(X, axis=0, weights=known["sample_weight"])) ** 2, axis=0,
                        weights=known["sample_weight"]).sum()  # fmt: skip
    built_in = FUZZY(3, **start).fit(X, **known)
    # Distances of one's own have no unit that we know: neither has the strength of pairs.
    own = FUZZY(3, geometry=Euclidean(), link_strength=spread, **start).fit(X, **known)
    assert_allclose(own.memberships_, built_in.memberships_, rtol=0, atol=1e-6)


def test_a_step_that_goes_uphill_is_halved(iris):
    class Hasty(Euclidean):
        def solve(self, weight, moments, theta):
            (mean,) = super().solve(weight, moments, theta)
            return (theta[0] + 3.5 * (mean - theta[0]),)  # far beyond the minimum

    X, _ = iris
    model = FUZZY(3, geometry=Hasty(), init=X[[0, 60, 120]], acceleration=None, max_iter=500).fit(X)
    assert (np.diff(model.objective_history_) <= 1e-9).all()
    assert model.objective_ == pytest.approx(60.5057, abs=1e-3)


def test_the_example_is_short():
    """`tests/test_examples.py` runs it."""
    text = EXAMPLE.read_text()
    part = text[text.index("class CityBlock") : text.index("# With labels")]
    assert len(part.strip().splitlines()) < 30


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda X, theta: np.zeros((len(X), 2)), r"shape \(150, 2\); \(150, 3\) would fit"),
        (lambda X, theta: np.full((len(X), 3), -1.0), "gives -1.0 for row 0 .* numbers >= 0"),
        (lambda X, theta: np.full((len(X), 3), np.nan), "gives nan for row 0"),
    ],
)
def test_distances_that_are_none(wrong, words, iris):
    part = Euclidean()
    part.distances = wrong
    with pytest.raises(ValueError, match=words):
        FUZZY(3, geometry=part, random_state=0, n_jobs=1).fit(iris[0])


def test_something_else_is_refused(iris):
    with pytest.raises(ValueError, match="geometry"):
        FUZZY(3, geometry=object()).fit(iris[0])
    with pytest.raises(ValueError, match="geometry"):
        FUZZY(3, geometry="cubes").fit(iris[0])
