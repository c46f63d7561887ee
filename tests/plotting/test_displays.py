"""Displays: what is drawn, where, in which colour, under which name; and a sentence for what cannot be."""

import sys
import warnings

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

from softclust import (
    EvidentialCMeans,
    FuzzyCMeans,
    GaussianMixture,
    HardCMeans,
    KMedoids,
    PossibilisticCMeans,
)
from softclust.datasets import make_ellipses
from softclust.metrics import simplified_fuzzy_silhouette
from softclust.plotting import (
    ConvergenceDisplay,
    CredalPartitionDisplay,
    FuzzySilhouetteDisplay,
    MassCurvesDisplay,
    MembershipHeatmapDisplay,
    MembershipMapDisplay,
    SupervisionCurveDisplay,
    TernaryDisplay,
    TypicalityDisplay,
)
from softclust.plotting.palette import blend, certainty, cluster_colours, cluster_marker, tint

NEED_X = [MembershipMapDisplay, CredalPartitionDisplay, FuzzySilhouetteDisplay]
NEED_NONE = [
    MembershipHeatmapDisplay,
    TernaryDisplay,
    MassCurvesDisplay,
    TypicalityDisplay,
    ConvergenceDisplay,
]
FROM_ESTIMATOR = NEED_X + NEED_NONE


@pytest.fixture(autouse=True)
def no_figure_stays():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def blobs():
    """Three clouds and a row far from all."""
    rng = np.random.default_rng(0)
    means = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 4.5]])
    return np.vstack([mean + rng.standard_normal((40, 2)) for mean in means] + [[[18.0, 16.0]]])


@pytest.fixture(scope="module")
def fuzzy(blobs):
    return FuzzyCMeans(3, random_state=0).fit(blobs)


@pytest.fixture(scope="module")
def typical(blobs):
    return PossibilisticCMeans(3, random_state=0).fit(blobs)


@pytest.fixture(scope="module")
def evidential(blobs):
    return EvidentialCMeans(3, random_state=0).fit(blobs)


@pytest.fixture(scope="module")
def iris():
    return load_iris(as_frame=True).data


def fitted_for(display, request):
    named = {
        TypicalityDisplay: "typical",
        CredalPartitionDisplay: "evidential",
        MassCurvesDisplay: "evidential",
    }
    return request.getfixturevalue(named.get(display, "fuzzy"))


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# ---------------------------------------------------------------------- what all share
@pytest.mark.parametrize("display", FROM_ESTIMATOR)
def test_draws_on_given_axes_and_returns_itself(display, request, blobs):
    estimator = fitted_for(display, request)
    figure, ax = plt.subplots()
    made = display.from_estimator(estimator, blobs, ax=ax)
    assert isinstance(made, display)
    assert made.ax_ is ax and made.figure_ is figure
    assert len(plt.get_fignums()) == 1
    again = made.plot()
    assert again is made and made.ax_ is not ax and len(plt.get_fignums()) == 2
    made.figure_.canvas.draw()


@pytest.mark.parametrize("display", FROM_ESTIMATOR)
def test_not_fitted(display, blobs):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        display.from_estimator(EvidentialCMeans(), blobs)
    assert not plt.get_fignums()


@pytest.mark.parametrize("display", NEED_NONE)
def test_rows_of_the_fit_need_not_be_given(display, request, blobs):
    estimator = fitted_for(display, request)
    without, given = display.from_estimator(estimator), display.from_estimator(estimator, blobs)
    for a, b in zip(without.ax_.lines, given.ax_.lines, strict=True):
        assert_array_equal(a.get_xydata(), b.get_xydata())


@pytest.mark.parametrize("display", FROM_ESTIMATOR)
def test_missing_matplotlib(display, request, blobs, monkeypatch):
    estimator = fitted_for(display, request)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"^Plots need matplotlib: pip install softclust\[plot\]\.$"):
        display.from_estimator(estimator, blobs)


@pytest.mark.parametrize("display", FROM_ESTIMATOR)
def test_everything_lies_inside_the_figure(display, request, blobs):
    """Names, ticks and the legend are not cut off, and the legend covers no data."""
    made = display.from_estimator(fitted_for(display, request), blobs)
    made.figure_.canvas.draw()
    whole, tight = made.figure_.bbox, made.ax_.get_tightbbox()
    assert tight.x0 >= whole.x0 - 1 and tight.x1 <= whole.x1 + 1
    assert tight.y0 >= whole.y0 - 1 and tight.y1 <= whole.y1 + 1
    legend = made.ax_.get_legend()
    if legend is not None and display not in (TernaryDisplay, ConvergenceDisplay):
        box, axes = legend.get_window_extent(), made.ax_.get_window_extent()
        assert box.x0 >= axes.x1 - 1 or box.y0 >= axes.y1 - 1


def test_rows_of_the_fit_are_known_by_their_scores(blobs):
    """Labels change what the fit says of a row; other rows, as many, are predicted."""
    y = np.full(len(blobs), -1)
    y[[0, 40, 80]] = [0, 1, 2]
    y[45] = 2  # a wrong one
    model = FuzzyCMeans(3, label_strength=50.0, random_state=0).fit(blobs, y)
    drawn = MembershipMapDisplay.from_estimator(model, blobs).memberships
    assert_allclose(drawn, model.memberships_)
    assert np.abs(drawn[45] - model.predict_proba(blobs)[45]).max() > 0.1
    others = blobs[::-1] + 0.01
    drawn = MembershipHeatmapDisplay.from_estimator(model, others).memberships
    assert_allclose(drawn, model.predict_proba(others))


# ---------------------------------------------------------------------- colours
def test_colours_differ_for_as_many_clusters_as_one_can_name():
    colours = cluster_colours(56)
    looks = {(tuple(colour.round(6)), cluster_marker(k)) for k, colour in enumerate(colours)}
    assert len(looks) == 56 and colours.min() >= 0 and colours.max() <= 1
    assert_allclose(colours[0], to_rgb("#0072B2"))
    assert len({tuple(colour.round(6)) for colour in cluster_colours(22)}) == 22


def test_tints_and_mixtures():
    colour = cluster_colours(2)[1]
    assert_allclose(tint(colour, 1.0), colour)
    assert (tint(colour, 0.0) > tint(colour, 0.5)).all()
    assert_allclose(certainty(np.array([[1.0, 0, 0], [1 / 3, 1 / 3, 1 / 3]])), [1, 0], atol=1e-12)
    assert_array_equal(certainty(np.ones((2, 1))), [1, 1])
    none, first, both = blend([[0, 0], [1, 0], [1, 1]])
    assert_allclose(none, to_rgb("#333333"))
    assert_allclose(first, cluster_colours(2)[0])
    assert_allclose(both, np.sqrt((cluster_colours(2) ** 2).mean(axis=0)))


# ---------------------------------------------------------------------- maps
def test_map_shows_winner_doubt_outliers_and_centres(fuzzy, blobs):
    display = MembershipMapDisplay.from_estimator(fuzzy, blobs)
    winners, colours = fuzzy.memberships_.argmax(axis=1), cluster_colours(3)
    assert fuzzy.outlier_mask_[-1]
    for k, scatter in enumerate(display.scatters_):
        rows = (winners == k) & ~fuzzy.outlier_mask_
        assert_allclose(scatter.get_offsets(), blobs[rows])
        strength = (fuzzy.memberships_[rows].max(axis=1) - 1 / 3) / (2 / 3)
        assert_allclose(scatter.get_facecolors()[:, :3], tint(colours[k], strength))
    assert_allclose(display.outliers_.get_offsets(), blobs[fuzzy.outlier_mask_])
    assert_allclose(display.centers_.get_offsets(), fuzzy.cluster_centers_)
    assert_allclose(display.centers_.get_facecolors()[:, :3], colours)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("feature 0", "feature 1")
    names = ["cluster 0", "cluster 1", "cluster 2", "in doubt", "centre", "outlier"]
    assert legend_texts(display.ax_) == [*names, *(f"membership {u}" for u in (0.5, 0.7, 0.9))]


def test_map_lines_run_where_the_winner_has_that_membership(fuzzy, blobs):
    display = MembershipMapDisplay.from_estimator(fuzzy, blobs)
    assert len(display.contours_) == 3
    for k, lines in enumerate(display.contours_):
        assert_array_equal(lines.levels, [0.5, 0.7, 0.9])
        for level, path in zip(lines.levels, lines.get_paths(), strict=True):
            U = fuzzy.predict_proba(path.vertices)
            assert_allclose(U[:, k], level, atol=0.03)
            assert (U.argmax(axis=1) == k).mean() > 0.95  # at 0.5 rounding may choose another


def test_map_ground_has_the_colour_of_the_winner(fuzzy, blobs):
    display = MembershipMapDisplay.from_estimator(fuzzy, blobs)
    picture, (left, right, bottom, top) = display.ground_.get_array(), display.ground_.get_extent()
    size = picture.shape[0]
    assert display.ground_.origin == "lower"
    for k, (x, y) in enumerate(fuzzy.cluster_centers_):
        i, j = int((y - bottom) / (top - bottom) * size), int((x - left) / (right - left) * size)
        expected = 1 - 0.3 * (1 - cluster_colours(3)[k])
        assert_allclose(picture[i, j], expected, atol=0.01)
    low, high = blobs.min(axis=0), blobs.max(axis=0)
    assert left < low[0] and right > high[0] and bottom < low[1] and top > high[1]


def test_map_levels(fuzzy, blobs):
    display = MembershipMapDisplay.from_estimator(fuzzy, blobs, levels=[0.8, 0.6])
    assert_array_equal(display.contours_[0].levels, [0.6, 0.8])
    assert legend_texts(display.ax_)[-2:] == ["membership 0.6", "membership 0.8"]
    with pytest.raises(
        ValueError, match=r"^levels has 0.3; lines are drawn at memberships in \[0.5, 1\)\.$"
    ):
        display.plot(levels=[0.3, 0.6])


def test_map_of_many_features_is_their_plane(iris):
    model = FuzzyCMeans(3, random_state=0).fit(iris)
    display = MembershipMapDisplay.from_estimator(model, iris)
    at = np.vstack([scatter.get_offsets() for scatter in display.scatters_])
    order = np.argsort(model.labels_, kind="stable")[: len(at)]
    assert not model.outlier_mask_.any()
    scores = PCA(2).fit_transform(iris.to_numpy())[order]
    assert_allclose(np.abs(at), np.abs(scores), atol=1e-8)
    assert display.ground_ is None and not display.contours_ and not display.ellipses_
    assert display.ax_.get_xlabel() == "principal component 1 (92% of variance)"
    centers = display.centers_.get_offsets()
    for k in range(3):
        assert np.linalg.norm(at[model.labels_[order] == k].mean(axis=0) - centers[k]) < 0.3


def test_map_names_axes_by_the_features(iris):
    X = iris.iloc[:, 2:]
    model = GaussianMixture(3, random_state=0).fit(X)
    ax = MembershipMapDisplay.from_estimator(model, X).ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("petal length (cm)", "petal width (cm)")
    ax = MembershipMapDisplay.from_estimator(model, X, feature_names=["a", "b"]).ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")


def test_map_names_clusters_by_their_classes(blobs):
    y = np.full(len(blobs), None, dtype=object)
    y[[0, 40]] = ["red", "green"]
    model = FuzzyCMeans(3, random_state=0).fit(blobs, y)
    assert legend_texts(MembershipMapDisplay.from_estimator(model, blobs).ax_)[:3] == [
        "green",
        "red",
        "cluster 2",
    ]


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_map_ellipses_are_two_deviations_wide(blobs, kind):
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(blobs[:-1])
    display = MembershipMapDisplay.from_estimator(model, blobs[:-1])
    full = {
        "full": lambda S: S,
        "tied": lambda S: np.stack([S, S]),
        "diag": lambda S: np.stack([np.diag(s) for s in S]),
        "spherical": lambda S: np.stack([s * np.eye(2) for s in S]),
    }[kind](model.covariances_)
    for ellipse, mean, S in zip(display.ellipses_, model.means_, full, strict=True):
        on = ellipse.get_patch_transform().transform([(1, 0), (0, 1), (-0.6, 0.8)]) - mean
        assert_allclose(np.einsum("ij,jk,ik->i", on, np.linalg.inv(S), on), 4.0)


@pytest.mark.parametrize("slope", [-0.9, 0.0, 0.9])
def test_map_ellipses_lean_as_the_covariance_does(blobs, slope):
    S = np.array([[4.0, 2 * slope], [2 * slope, 1.0]])
    U = np.ones((len(blobs), 1))
    display = MembershipMapDisplay.from_predictions(
        blobs, U, centers=[[1, 2]], covariances=S[None], radius=3.0
    )
    (ellipse,) = display.ellipses_
    on = ellipse.get_patch_transform().transform([(1, 0), (0, 1), (-0.6, 0.8)]) - [1, 2]
    assert_allclose(np.einsum("ij,jk,ik->i", on, np.linalg.inv(S), on), 9.0)


def test_map_shells_run_through_their_rows():
    X, _ = make_ellipses(200, noise=0.0, random_state=0)
    model = FuzzyCMeans(2, geometry="shells", random_state=0).fit(X)
    display = MembershipMapDisplay.from_estimator(model, X)
    for k, ellipse in enumerate(display.ellipses_):
        rows = X[model.labels_ == k]
        unit = ellipse.get_patch_transform().inverted().transform(rows)
        assert_allclose(np.linalg.norm(unit, axis=1), 1, atol=1e-3)
        assert_allclose(sorted([ellipse.width, ellipse.height]), sorted(2 * model.semi_axes_[k]))
    assert display.ax_.get_aspect() == 1


def test_map_of_hard_clusters_has_one_line(blobs):
    for model in (HardCMeans(3, random_state=0), KMedoids(3, random_state=0), KMeans(3, n_init=1)):
        display = MembershipMapDisplay.from_estimator(model.fit(blobs), blobs)
        assert [list(lines.levels) for lines in display.contours_] == [[0.5]] * 3
        plt.close(display.figure_)


def test_map_from_predictions(blobs):
    U = np.tile([0.8, 0.2], (len(blobs), 1))
    outliers = np.arange(len(blobs)) < 4
    display = MembershipMapDisplay.from_predictions(
        blobs, U, outliers=outliers, cluster_names=["a", "b"], feature_names=["x", "y"]
    )
    assert display.ground_ is None and display.centers_ is None and not display.ellipses_
    assert len(display.scatters_[0].get_offsets()) == len(blobs) - 4
    assert len(display.scatters_[1].get_offsets()) == 0
    assert_array_equal(display.outliers_.get_offsets(), blobs[:4])
    assert legend_texts(display.ax_) == ["a", "b", "in doubt", "outlier"]


def test_far_centres_do_not_squash_the_rows(blobs):
    U = np.tile([0.8, 0.2], (len(blobs), 1))
    ax = MembershipMapDisplay.from_predictions(blobs, U, centers=[[0, 0], [1e4, 0]]).ax_
    left, right = ax.get_xlim()
    assert right - left < 2 * np.ptp(blobs[:, 0])


@pytest.mark.parametrize(
    ("X", "U", "more", "sentence"),
    [
        (np.eye(2), [[1.0]], {}, "X has 2 rows and memberships 1; they need the same number."),
        (np.eye(2), [[0.5, 0.4], [1, 0]], {}, r"memberships\[0\] sums to 0.9"),
        (
            np.eye(2),
            np.eye(2),
            {"centers": [[1, 2, 3]]},
            r"centers has the shape \(1, 3\); .* \(2, 2\) would fit",
        ),
        (
            np.eye(2),
            np.eye(2),
            {"outliers": [1, 0]},
            r"outliers is int64 of shape \(2,\); a bool for each of 2",
        ),
        (np.eye(2), np.eye(2), {"feature_names": ["a"]}, "There are 1 names for 2 features"),
        (np.eye(2), np.eye(2), {"cluster_names": "abc"}, "There are 3 names for 2 clusters"),
    ],
)
def test_map_refuses(X, U, more, sentence):
    with pytest.raises(ValueError, match=sentence):
        MembershipMapDisplay.from_predictions(X, U, **more)


def test_map_refuses_distances(blobs):
    D = np.abs(blobs[:, :1] - blobs[:, 0])
    model = KMedoids(2, metric="precomputed", random_state=0).fit(D)
    with pytest.raises(
        ValueError, match=r"^KMedoids was fitted to distances: there are no features to draw.$"
    ):
        MembershipMapDisplay.from_estimator(model, D)


# ---------------------------------------------------------------------- credal
SETS = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=bool)
SQUARE = np.array([[0, 0], [1, 0], [0, 1], [5, 5], [6, 5], [5, 6], [3, 3], [9, 0]], dtype=float)
SQUARE_MASSES = np.eye(4)[[1, 1, 1, 2, 2, 2, 3, 0]]


def test_credal_markers_and_colours_tell_the_set():
    display = CredalPartitionDisplay.from_predictions(SQUARE, SQUARE_MASSES, SETS)
    assert sorted(display.scatters_) == [0, 1, 2, 3]
    for j, rows in {0: [7], 1: [0, 1, 2], 2: [3, 4, 5], 3: [6]}.items():
        scatter = display.scatters_[j]
        assert_array_equal(scatter.get_offsets(), SQUARE[rows])
        drawn = scatter.get_edgecolors() if j == 0 else scatter.get_facecolors()
        assert_allclose(drawn[0, :3], blend(SETS)[j])
    corners = [len(display.scatters_[j].get_paths()[0].vertices) for j in range(4)]
    assert (
        corners[1] == corners[2] > corners[3] == 5
    )  # discs have many corners, a square is closed by a fifth
    assert legend_texts(display.ax_)[:4] == ["empty set", "cluster 0", "cluster 1", "clusters 0 or 1"]


def test_credal_hulls():
    display = CredalPartitionDisplay.from_predictions(SQUARE, SQUARE_MASSES, SETS)
    for hulls, rows in ((display.lower_hulls_, [0, 1, 2]), (display.upper_hulls_, [0, 1, 2, 6])):
        corners = {tuple(corner) for corner in hulls[0].get_xy()}
        assert corners == {tuple(row) for row in SQUARE[rows]}
    assert (
        display.upper_hulls_[1].get_linestyle() == "--"
        and display.lower_hulls_[1].get_linestyle() == "solid"
    )
    assert_allclose(display.lower_hulls_[1].get_edgecolor()[:3], cluster_colours(2)[1])
    bare = CredalPartitionDisplay.from_predictions(SQUARE, SQUARE_MASSES, SETS, hulls=False)
    assert not bare.lower_hulls_ and not bare.upper_hulls_
    flat = np.column_stack([np.arange(8.0), np.arange(8.0)])
    assert not CredalPartitionDisplay.from_predictions(flat, SQUARE_MASSES, SETS).upper_hulls_


def test_credal_links_and_rings():
    y = [0, -1, -1, 1, -1, -1, -1, -1]
    display = CredalPartitionDisplay.from_predictions(
        SQUARE, SQUARE_MASSES, SETS, y, must_link=[(0, 1), (3, 4)], cannot_link=[(0, 5)]
    )
    must, cannot = display.must_links_, display.cannot_links_
    assert_array_equal(must.get_segments(), SQUARE[[[0, 1], [3, 4]]])
    assert_array_equal(cannot.get_segments(), SQUARE[[[0, 5]]])
    red, green, blue = must.get_colors()[0, :3]
    assert green > 0.5 > max(red, blue)
    red, green, blue = cannot.get_colors()[0, :3]
    assert min(red, blue) > 0.5 > green
    assert must.get_linestyles()[0][1] is None and cannot.get_linestyles()[0][1] is not None
    assert_array_equal(display.rings_.get_offsets(), SQUARE[[0, 3]])
    assert_allclose(display.rings_.get_edgecolors()[:, :3], cluster_colours(2))
    assert len(display.rings_.get_facecolors()) == 0
    assert legend_texts(display.ax_)[4:7] == ["labelled", "must-link", "cannot-link"]


def test_credal_rings_of_several_classes_are_mixed():
    y = np.full((8, 3), np.nan)
    y[2], y[4] = [1, 1, 0], [0, 1, 0]
    three = np.column_stack([SETS, np.zeros(4, dtype=bool)])
    display = CredalPartitionDisplay.from_predictions(SQUARE, SQUARE_MASSES, three, y)
    assert_array_equal(display.rings_.get_offsets(), SQUARE[[2, 4]])
    assert_allclose(display.rings_.get_edgecolors()[:, :3], blend([[1, 1, 0], [0, 1, 0]]))


def test_credal_from_estimator_takes_masses_of_the_fit(blobs):
    must, cannot = [(0, 1)], [(2, 50), (3, 70)]
    model = EvidentialCMeans(3, random_state=0).fit(blobs, must_link=must, cannot_link=cannot)
    display = CredalPartitionDisplay.from_estimator(model, blobs, must_link=must, cannot_link=cannot)
    assert_allclose(display.partition.masses, model.masses_)
    assert_array_equal(display.scatters_[0].get_offsets(), blobs[model.outlier_mask_])
    assert len(display.cannot_links_.get_segments()) == 2
    assert_allclose(display.centers_.get_offsets(), model.cluster_centers_)


def test_credal_ellipses_and_names(iris):
    X = iris.iloc[:, 2:]
    model = EvidentialCMeans(3, geometry="ellipsoids", random_state=0).fit(X)
    display = CredalPartitionDisplay.from_estimator(model, X, cluster_names=["a", "b", "c"])
    assert len(display.ellipses_) == 3 and display.ax_.get_xlabel() == "petal length (cm)"
    names = legend_texts(display.ax_)
    assert {"a", "b", "c", "any cluster"} <= set(names) and any(" or " in name for name in names)
    plane = CredalPartitionDisplay.from_estimator(EvidentialCMeans(3, random_state=0).fit(iris), iris)
    assert plane.ax_.get_ylabel().startswith("principal component 2") and not plane.ellipses_


@pytest.mark.parametrize("display", [CredalPartitionDisplay, MassCurvesDisplay])
def test_no_masses(display, fuzzy, blobs):
    with pytest.raises(ValueError, match=r"^FuzzyCMeans has no masses to draw; EvidentialCMeans has.$"):
        display.from_estimator(fuzzy, blobs)


@pytest.mark.parametrize(
    ("arguments", "more", "sentence"),
    [
        ((SQUARE[:3], SQUARE_MASSES, SETS), {}, "X has 3 rows and masses 8; they need the same number."),
        ((SQUARE, SQUARE_MASSES * 2, SETS), {}, r"masses\[0\] sums to 2"),
        (
            (SQUARE, SQUARE_MASSES, SETS),
            {"must_link": [(0, 99)]},
            r"must_link\[0\] = \(0, 99\) names row 99",
        ),
        ((SQUARE, SQUARE_MASSES, SETS, [0, 1]), {}, "y has 2 entries; X has 8 rows."),
    ],
)
def test_credal_refuses(arguments, more, sentence):
    with pytest.raises(ValueError, match=sentence):
        CredalPartitionDisplay.from_predictions(*arguments, **more)


def test_mass_curves_fall(evidential):
    display = MassCurvesDisplay.from_estimator(evidential)
    sizes = evidential.focal_sets_.sum(axis=1)
    for j, line in enumerate(display.lines_):
        assert_array_equal(line.get_ydata(), np.sort(evidential.masses_[:, j])[::-1])
        assert_allclose(to_rgb(line.get_color()), blend(evidential.focal_sets_)[j])
        assert line.get_linestyle() == {0: ":", 1: "-", 2: "--"}.get(sizes[j], "-.")
    labels = ["empty set", "cluster 0", "cluster 1", "cluster 2"]
    assert legend_texts(display.ax_)[:4] == labels and legend_texts(display.ax_)[-1] == "any cluster"


# ---------------------------------------------------------------------- memberships without features
def test_heatmap_sorts_rows(fuzzy):
    display = MembershipHeatmapDisplay.from_estimator(fuzzy)
    U = fuzzy.memberships_[display.order_]
    assert_allclose(display.image_.get_array(), U)
    winners, best = U.argmax(axis=1), U.max(axis=1)
    assert (np.diff(winners) >= 0).all()
    assert all((np.diff(best[winners == k]) <= 0).all() for k in range(3))
    borders = np.cumsum(np.bincount(winners))[:-1] - 0.5
    assert_array_equal([line.get_ydata()[0] for line in display.lines_], borders)
    assert display.image_.get_clim() == (0, 1)
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == [
        "cluster 0",
        "cluster 1",
        "cluster 2",
    ]
    assert display.colorbar_.ax.get_ylabel() == "membership"


def test_heatmap_turns_names_that_do_not_fit():
    U = np.full((4, 10), 0.1)
    names = [f"a rather long name {k}" for k in range(10)]
    ax = MembershipHeatmapDisplay.from_predictions(U, cluster_names=names).ax_
    assert all(tick.get_rotation() > 0 for tick in ax.get_xticklabels())
    short = MembershipHeatmapDisplay.from_predictions(U, cluster_names="abcdefghij").ax_
    assert all(tick.get_rotation() == 0 for tick in short.get_xticklabels())


def test_heatmap_of_labels_and_of_what_keeps_nothing(blobs):
    from sklearn.mixture import GaussianMixture as Other

    model = KMedoids(3, random_state=0).fit(blobs)
    assert_array_equal(MembershipHeatmapDisplay.from_estimator(model).memberships, np.eye(3)[model.labels_])
    other = Other(2, random_state=0).fit(blobs)
    assert_allclose(
        MembershipHeatmapDisplay.from_estimator(other, blobs).memberships, other.predict_proba(blobs)
    )
    with pytest.raises(ValueError, match=r"^GaussianMixture keeps no memberships of its fit; give X.$"):
        MembershipHeatmapDisplay.from_estimator(other)


def test_ternary_places():
    U = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1 / 3, 1 / 3, 1 / 3], [0.2, 0.8, 0]])
    display = TernaryDisplay.from_predictions(U, cluster_names=["a", "b", "c"])
    h = np.sqrt(0.75)
    at = [[0, 0], [1, 0], [0.5, h], [0.5, h / 3], [0.8, 0]]
    assert_allclose(display.scatter_.get_offsets(), at, atol=1e-12)
    assert_allclose(display.scatter_.get_facecolors()[:3, :3], cluster_colours(3))
    assert_allclose(display.scatter_.get_facecolors()[3, :3], tint(cluster_colours(3)[0], 0.0))
    assert [(text.get_text(), *text.xy) for text in display.texts_] == [
        ("a", 0, 0),
        ("b", 1, 0),
        ("c", 0.5, h),
    ]
    assert display.outliers_ is None


def test_ternary_outliers(fuzzy):
    display = TernaryDisplay.from_estimator(fuzzy)
    assert len(display.outliers_.get_offsets()) == fuzzy.outlier_mask_.sum() > 0
    assert legend_texts(display.ax_) == ["outlier"]


@pytest.mark.parametrize("c", [1, 2, 4])
def test_ternary_needs_three_clusters(c, blobs):
    sentence = f"^A triangle has corners for 3 clusters, not {c}; MembershipHeatmapDisplay takes them.$"
    with pytest.raises(ValueError, match=sentence):
        TernaryDisplay.from_predictions(np.full((5, c), 1 / c))
    with pytest.raises(ValueError, match=sentence):
        TernaryDisplay.from_estimator(FuzzyCMeans(c, random_state=0).fit(blobs))


# ---------------------------------------------------------------------- typicalities
def test_typicality_curves_and_the_line():
    T = np.array([[0.9, 0.2], [0.05, 0.1], [0.3, 0.7], [0.11, 0.0]])
    display = TypicalityDisplay.from_predictions(T)
    assert_array_equal(display.lines_[0].get_ydata(), [0.9, 0.3, 0.11, 0.05])
    assert_array_equal(display.greatest_.get_ydata(), [0.9, 0.7, 0.11, 0.1])
    (line,) = display.threshold_lines_
    assert list(line.get_ydata()) == [0.1, 0.1] and line.get_label() == "at most 0.1: 1 of 4 rows"
    assert display.ax_.get_yscale() == "linear"


@pytest.mark.parametrize("parameters", [{}, {"scale_factor": 1.0}, {"outlier_threshold": 0.3}])
def test_typicality_counts_the_outliers_of_the_estimator(blobs, parameters):
    model = PossibilisticCMeans(3, random_state=0, **parameters).fit(blobs)
    display = TypicalityDisplay.from_estimator(model)
    counted = f"{model.outlier_mask_.sum()} of {len(blobs)} rows"
    assert display.threshold_lines_[0].get_label().endswith(counted)
    height = display.threshold_lines_[0].get_ydata()[0]
    bottom, top = display.ax_.transAxes.inverted().transform(
        display.ax_.transData.transform([(0, height), (0, 1)])
    )[:, 1]
    assert 0.05 < bottom < top < 1  # the line is off the axis


def test_typicality_draws_a_line_for_each_cluster_where_they_differ():
    T = np.array([[0.9, 0.2], [0.05, 0.15]])
    display = TypicalityDisplay.from_predictions(T, threshold=[0.1, 0.2])
    assert [line.get_ydata()[0] for line in display.threshold_lines_] == [0.1, 0.2]
    assert legend_texts(display.ax_)[-1] == "at most these: 1 of 2 rows"


def test_typicality_refuses(evidential):
    with pytest.raises(ValueError, match=r"^EvidentialCMeans has no typicalities to draw; Possib.* has.$"):
        TypicalityDisplay.from_estimator(evidential)
    with pytest.raises(ValueError, match=r"^typicalities\[0, 1\] = 1.5 is not a number between 0 and 1.$"):
        TypicalityDisplay.from_predictions([[0.1, 1.5]])
    with pytest.raises(ValueError, match=r"^threshold=2 is not a number between 0 and 1"):
        TypicalityDisplay.from_predictions([[0.1, 0.5]], threshold=2)


# ---------------------------------------------------------------------- convergence
def test_convergence_is_logarithmic_and_counts_iterations(fuzzy):
    display = ConvergenceDisplay.from_estimator(fuzzy)
    falls = -np.diff(fuzzy.objective_history_)
    x, y = display.line_.get_data()
    assert_array_equal(x, np.flatnonzero(falls > 0) + 1)
    assert_array_equal(y, falls[falls > 0])
    assert display.ax_.get_yscale() == "log" and legend_texts(display.ax_) == ["FuzzyCMeans"]


def test_convergence_of_several_fits_in_one_picture():
    first = ConvergenceDisplay.from_predictions([4.0, 2.0, 1.0], name="a")
    second = ConvergenceDisplay.from_predictions([4.0, 1.0, 0.5], name="b", ax=first.ax_)
    assert first.ax_ is second.ax_ and legend_texts(first.ax_) == ["a", "b"]
    assert first.line_.get_marker() != second.line_.get_marker()
    assert_allclose(to_rgb(second.line_.get_color()), cluster_colours(2)[1])


def test_convergence_without_decrease():
    display = ConvergenceDisplay.from_predictions([1.0, 1.0])
    assert not len(display.line_.get_xdata()) and display.ax_.get_legend() is None
    assert [text.get_text() for text in display.ax_.texts] == ["no decrease"]
    display.figure_.canvas.draw()


@pytest.mark.parametrize("history", [[1.0], [[1.0, 2.0]], [1.0, np.nan]])
def test_convergence_refuses(history, blobs):
    with pytest.raises(
        ValueError, match=r"^objective_history has the shape .*two or more finite numbers.$"
    ):
        ConvergenceDisplay.from_predictions(history)
    with pytest.raises(ValueError, match=r"^KMedoids keeps no history of its objective.$"):
        ConvergenceDisplay.from_estimator(KMedoids(2, random_state=0).fit(blobs))


# ---------------------------------------------------------------------- silhouettes
def test_silhouettes_are_those_of_the_index(fuzzy, blobs):
    display = FuzzySilhouetteDisplay.from_estimator(fuzzy, blobs)
    U, V = fuzzy.memberships_, fuzzy.cluster_centers_
    expected = simplified_fuzzy_silhouette(blobs, U, V)
    assert display.fuzzy_silhouette_ == expected == display.line_.get_xdata()[0]
    two = np.sort(U, axis=1)[:, -2:]
    assert_allclose(np.average(display.silhouettes_, weights=two[:, 1] - two[:, 0]), expected)
    assert legend_texts(display.ax_) == [f"fuzzy silhouette {expected:.3f}"]


def test_silhouette_bars_are_sorted_by_cluster(fuzzy, blobs):
    display = FuzzySilhouetteDisplay.from_estimator(fuzzy, blobs)
    winners, below = fuzzy.memberships_.argmax(axis=1), -np.inf
    ticks = display.ax_.get_yticks()
    for k, bars in enumerate(display.bars_):
        boxes = np.array([path.vertices[:4] for path in bars.get_paths()])
        lengths, tops = boxes[:, 1, 0], boxes[:, 0, 1]
        assert_allclose(lengths, np.sort(display.silhouettes_[winners == k])[::-1])
        assert_allclose(np.diff(tops), 1)
        assert tops[0] > below
        below = tops[-1] + 1
        assert tops[0] < ticks[k] < below
        sure = np.argmax(lengths)
        assert bars.get_facecolors()[sure, :3].sum() < bars.get_facecolors()[-1, :3].sum() + 1e-12
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == [
        "cluster 0",
        "cluster 1",
        "cluster 2",
    ]


def test_silhouette_refuses(blobs):
    with pytest.raises(ValueError, match=r"^There is one cluster, and silhouettes compare two or more.$"):
        FuzzySilhouetteDisplay.from_predictions(blobs, np.ones((len(blobs), 1)), [[0, 0]])
    with pytest.raises(ValueError, match=r"^centers has the shape \(1, 2\); .* \(2, 2\) would fit.$"):
        FuzzySilhouetteDisplay.from_predictions(np.eye(2), np.eye(2), [[0, 0]])
    with pytest.raises(ValueError, match=r"^X has 2 rows and memberships 3; they need the same number.$"):
        FuzzySilhouetteDisplay.from_predictions(np.eye(2), np.eye(3), np.eye(3, 2))
    D = np.abs(blobs[:, :1] - blobs[:, 0])
    model = KMedoids(2, metric="precomputed", random_state=0).fit(D)
    with pytest.raises(ValueError, match=r"^KMedoids has no centres to take silhouettes by.$"):
        FuzzySilhouetteDisplay.from_estimator(model, D)


def test_silhouette_of_one_feature(blobs):
    model = FuzzyCMeans(2, random_state=0).fit(blobs[:, :1])
    display = FuzzySilhouetteDisplay.from_estimator(model, blobs[:, :1])
    assert sum(len(bars.get_paths()) for bars in display.bars_) == len(blobs)


# ---------------------------------------------------------------------- supervision
def test_supervision_interval_is_students():
    from scipy import stats

    shares, scores = [0.0, 0.05, 0.2], np.random.default_rng(0).random((3, 8))
    display = SupervisionCurveDisplay.from_predictions(shares, {"a": scores, "b": [0.2, 0.3, 0.4]})
    assert_allclose(display.lines_["a"].get_xydata(), np.column_stack([shares, scores.mean(axis=1)]))
    assert_allclose(display.lines_["b"].get_ydata(), [0.2, 0.3, 0.4])
    assert list(display.bands_) == ["a"]
    corners = display.bands_["a"].get_paths()[0].vertices
    for share, row in zip(shares, scores, strict=True):
        low, high = stats.t.interval(0.95, 7, row.mean(), stats.sem(row))
        at = corners[np.isclose(corners[:, 0], share), 1]
        assert_allclose([at.min(), at.max()], [low, high])
    assert_array_equal(display.half_widths_["b"], 0)
    narrow = SupervisionCurveDisplay.from_predictions(shares, {"a": scores}, confidence=0.5)
    assert (narrow.half_widths_["a"] < display.half_widths_["a"]).all()


def test_supervision_names():
    display = SupervisionCurveDisplay.from_predictions([0, 0.1], {"a": np.eye(2), "b": np.eye(2)})
    display.figure_.canvas.draw()
    assert legend_texts(display.ax_) == ["a", "b"]
    assert display.ax_.get_legend().get_title().get_text() == "mean, 95% interval"
    assert display.ax_.get_ylabel() == "adjusted Rand index"
    assert "10%" in [tick.get_text() for tick in display.ax_.get_xticklabels()]
    a, b = display.lines_.values()
    assert a.get_linestyle() != b.get_linestyle() and a.get_marker() != b.get_marker()


@pytest.mark.parametrize(
    ("shares", "scores", "more", "sentence"),
    [
        ([0.1, 2.0], {"a": np.eye(2)}, {}, r"^shares\[1\] = 2 is not a share between 0 and 1.$"),
        ([0.2, 0.1], {"a": np.eye(2)}, {}, "^shares do not rise from each to the next"),
        (0.2, {"a": np.eye(2)}, {}, r"^shares has the shape \(\), but a list of numbers is needed.$"),
        ([0.1, 0.2], np.eye(2), {}, "^scores is not a dict that gives each method its scores"),
        (
            [0.1, 0.2],
            {"a": np.eye(3)},
            {},
            r"^scores\['a'\] has the shape \(3, 3\); .* 2 shares, would fit.$",
        ),
        (
            [0.1, 0.2],
            {"a": np.eye(2)},
            {"confidence": 95},
            "^confidence=95 is not a number between 0 and 1.$",
        ),
    ],
)
def test_supervision_refuses(shares, scores, more, sentence):
    with pytest.raises(ValueError, match=sentence):
        SupervisionCurveDisplay.from_predictions(shares, scores, **more)


# ---------------------------------------------------------------------- odd data
def test_odd_rows_are_drawn(blobs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flat = FuzzyCMeans(2, random_state=0).fit(np.column_stack([blobs[:, 0], np.ones(len(blobs))]))
    constant = np.column_stack([blobs[:, 0], np.ones(len(blobs))])
    MembershipMapDisplay.from_estimator(flat, constant).figure_.canvas.draw()
    one = MembershipMapDisplay.from_predictions([[1.0, 2.0, 3.0]], [[0.5, 0.5]])
    one.figure_.canvas.draw()
    assert_allclose(one.scatters_[0].get_offsets(), [[0, 0]])
    single = FuzzyCMeans(1).fit(blobs)
    assert not MembershipMapDisplay.from_estimator(single, blobs).contours_
    f32 = EvidentialCMeans(2, random_state=0).fit(blobs.astype(np.float32))
    CredalPartitionDisplay.from_estimator(f32, blobs.astype(np.float32)).figure_.canvas.draw()


def test_many_clusters_keep_their_legend_inside():
    rng = np.random.default_rng(0)
    X, U = rng.random((60, 2)), np.eye(30)[np.arange(60) % 30]
    display = MembershipMapDisplay.from_predictions(X, U)
    display.figure_.canvas.draw()
    assert len(legend_texts(display.ax_)) == 31
    assert display.ax_.get_legend().get_window_extent().x1 <= display.figure_.bbox.x1 + 1
    shapes = [scatter.get_paths()[0].vertices.shape for scatter in display.scatters_]
    assert shapes[0] == shapes[7] != shapes[8]
