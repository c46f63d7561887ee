"""Every display draws rows that are not those of the fit, for every estimator that it takes."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from sklearn.datasets import load_iris

import softclust
from softclust import plotting
from softclust.estimators import __all__ as ESTIMATORS

X, TRUTH = load_iris(return_X_y=True)
NEW = X[::3] + 0.07
FAR = np.vstack([NEW, [[40.0, 40.0, 40.0, 40.0]]])

TAKES = {
    "ConvergenceDisplay": "objective_history_",
    "CredalPartitionDisplay": "masses_",
    "FuzzySilhouetteDisplay": "cluster_centers_",
    "MassCurvesDisplay": "masses_",
    "MembershipHeatmapDisplay": "memberships_",
    "MembershipMapDisplay": "memberships_",
    "TernaryDisplay": "memberships_",
    "TypicalityDisplay": "typicalities_",
}


def test_every_display_is_here():
    from_estimator = {
        name for name in plotting.__all__ if hasattr(getattr(plotting, name), "from_estimator")
    }
    assert from_estimator == set(TAKES)


@pytest.fixture(scope="module", params=ESTIMATORS)
def model(request):
    cls = getattr(softclust, request.param)
    if request.param == "FuzzyLabelSpreading":  # has as many clusters as labels have classes
        return cls(random_state=0).fit(X, np.where(np.arange(150) % 5 == 0, TRUTH, -1))
    fitted = cls(3, random_state=0)
    return fitted.fit(X) if request.param == "KMedoids" else fitted.fit(X, np.where(TRUTH == 0, 0, -1))


@pytest.mark.parametrize("name", TAKES)
def test_rows_that_are_not_those_of_the_fit(name, model):
    display = getattr(plotting, name)
    if np.shape(getattr(model, TAKES[name], [])) == (1,):
        pytest.skip("the fit began at its answer: there is no way to draw")
    if not hasattr(model, TAKES[name]):
        with pytest.raises(ValueError, match=type(model).__name__):
            display.from_estimator(model, NEW)
        return
    drawn = display.from_estimator(model, NEW)
    drawn.figure_.draw_without_rendering()
    memberships = getattr(drawn, "memberships", None)
    if memberships is not None and name != "ConvergenceDisplay":
        assert np.shape(memberships) == (len(NEW), 3)


@pytest.mark.parametrize("name", ["MembershipMapDisplay", "TernaryDisplay"])
def test_a_new_row_far_from_all_is_an_outlier(name, model):
    if not hasattr(model, "outlier_mask"):
        pytest.skip("medoids know of no outliers")
    drawn = getattr(plotting, name).from_estimator(model, FAR)
    assert np.flatnonzero(model.outlier_mask(FAR)).tolist()[-1:] == [len(NEW)]
    assert drawn.outliers is None or drawn.outliers[-1]


def test_the_mask_of_the_fitted_rows_is_that_of_the_fit():
    for name in ESTIMATORS:
        if name not in ("KMedoids", "FuzzyLabelSpreading"):  # they know of no outliers
            fitted = getattr(softclust, name)(3, random_state=0).fit(X)
            assert np.array_equal(fitted.outlier_mask(X), fitted.outlier_mask_)
