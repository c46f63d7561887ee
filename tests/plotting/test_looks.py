"""Pictures stay honest and legible: doubt is pale, pairs are thin, paper may be dark, names long."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose, assert_array_equal

from readable import complaints
from softclust import FuzzyCMeans
from softclust.plotting import (
    ConvergenceDisplay,
    CredalPartitionDisplay,
    FuzzySilhouetteDisplay,
    MassCurvesDisplay,
    MembershipHeatmapDisplay,
    MembershipMapDisplay,
    TernaryDisplay,
)
from softclust.plotting.credal import set_name
from softclust.plotting.palette import OKABE_ITO, Theme, cluster_colours, contrast, luminance, rgb, tint
from softclust.plotting.words import shortened, wrapped

SETS = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=bool)


@pytest.fixture(autouse=True)
def no_figure_stays():
    yield
    plt.close("all")


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# ---------------------------------------------------------------------- credal: mass and pairs
def flat_masses(n, top):
    masses = np.full((n, 4), (1 - top) / 3)
    masses[np.arange(n), 1 + np.arange(n) % 2] = top
    return masses


def test_rows_fade_as_their_greatest_mass_falls():
    X = np.random.default_rng(0).random((20, 2))
    for top in (0.3, 0.6, 1.0):
        display = CredalPartitionDisplay.from_predictions(X, flat_masses(20, top), SETS)
        for j in (1, 2):
            drawn = display.scatters_[j].get_facecolors()[:, :3]
            assert_allclose(drawn, np.tile(tint(cluster_colours(2)[j - 1], top), (10, 1)))


def test_a_small_greatest_mass_is_not_called_sure():
    X = np.random.default_rng(0).random((178, 2))
    display = CredalPartitionDisplay.from_predictions(X, flat_masses(178, 0.28), SETS)
    assert display.lower_hulls_
    assert legend_texts(display.ax_)[-1] == "mass below 0.5: 178 of 178"
    assert not any("sure" in name for name in legend_texts(display.ax_))
    certain = CredalPartitionDisplay.from_predictions(X, flat_masses(178, 0.9), SETS)
    assert legend_texts(certain.ax_)[-1] == "mass 0.2"


def test_many_pairs_are_drawn_in_part_and_it_is_said():
    rng = np.random.default_rng(0)
    X, pairs = rng.random((400, 2)), rng.permutation(400).reshape(-1, 2)
    display = CredalPartitionDisplay.from_predictions(
        X, flat_masses(400, 0.8), SETS, must_link=pairs[:10], cannot_link=pairs[10:]
    )
    drawn = display.cannot_links_
    assert len(drawn.get_segments()) == 60 and len(display.must_links_.get_segments()) == 10
    assert {"must-link", "cannot-link (60 of 190)"} <= set(legend_texts(display.ax_))
    assert drawn.get_linewidths()[0] < 1 and drawn.get_alpha() < 1
    assert all(drawn.get_zorder() < rows.get_zorder() for rows in display.scatters_.values())
    given = {frozenset(map(tuple, ends)) for ends in X[pairs[10:]]}
    assert all(frozenset(map(tuple, ends)) in given for ends in drawn.get_segments())


def test_names_of_sets_stay_short():
    long = [f"{letter} very long name of some kind of flower" for letter in "abc"]
    name = set_name(np.array([True, True, False]), long)
    assert name.startswith("a very") and " or b very" in name and len(name) < 70
    assert set_name(np.array([True, False, True]), ["0", "1", "2"]) == "clusters 0 or 2"


# ---------------------------------------------------------------------- one feature
def test_one_feature_is_a_strip():
    X = np.concatenate([np.linspace(0, 1, 30), np.linspace(9, 10, 30)])[:, None]
    model = FuzzyCMeans(2, random_state=0).fit(X)
    display = MembershipMapDisplay.from_estimator(model, X, feature_names=["weight"])
    at = np.vstack([scatter.get_offsets() for scatter in display.scatters_])
    assert_allclose(np.sort(at[:, 0]), X[:, 0])
    assert len(np.unique(at[:, 1])) == 60 and np.abs(at[:, 1]).max() <= 1
    assert_allclose(display.centers_.get_offsets()[:, 1], 0)
    assert display.ax_.get_xlabel() == "weight" and not len(display.ax_.get_yticks())
    for k, lines in enumerate(display.contours_):
        for level, path in zip(lines.levels, lines.get_paths(), strict=True):
            assert_allclose(model.predict_proba(path.vertices[:, :1])[:, k], level, atol=0.03)
    again = MembershipMapDisplay.from_estimator(model, X)
    assert_array_equal(again.scatters_[0].get_offsets(), display.scatters_[0].get_offsets())


def test_one_feature_has_no_hulls():
    masses = np.eye(4)[np.arange(12) % 3 + 1]
    display = CredalPartitionDisplay.from_predictions(np.arange(12.0)[:, None], masses, SETS)
    assert not display.lower_hulls_ and not display.upper_hulls_
    assert sum(len(rows.get_offsets()) for rows in display.scatters_.values()) == 12


# ---------------------------------------------------------------------- many rows
def many_rows():
    rng = np.random.default_rng(0)
    first = rng.random(5000)
    return rng.random((5000, 2)), np.column_stack([first, 1 - first])


def test_thousands_of_rows_have_no_edges_and_doubt_lies_on_top():
    X, U = many_rows()
    display = MembershipMapDisplay.from_predictions(X, U)
    for k, scatter in enumerate(display.scatters_):
        assert scatter.get_linewidths()[0] == 0 and scatter.get_alpha() < 1 and scatter.get_rasterized()
        order = [int(np.flatnonzero((X == at).all(axis=1))[0]) for at in scatter.get_offsets()[::97]]
        assert (np.diff(U[order, k]) <= 0).all()
    few = MembershipMapDisplay.from_predictions(X[:100], U[:100])
    assert few.scatters_[0].get_linewidths()[0] > 0 and few.scatters_[0].get_alpha() is None


def test_heatmap_of_many_rows_averages_neighbours():
    _, U = many_rows()
    display = MembershipHeatmapDisplay.from_predictions(U)
    shown = display.image_.get_array()
    assert shown.shape == (500, 2)
    assert_allclose(shown, U[display.order_].reshape(500, 10, 2).mean(axis=1))
    assert display.ax_.get_ylim() == (4999.5, -0.5)


def test_heatmap_separates_thirty_from_seventy_percent():
    display = MembershipHeatmapDisplay.from_predictions([[0.3, 0.7]])
    low, high = display.image_.cmap([0.3, 0.7])[:, :3]
    assert contrast(low, high) > 3


# ---------------------------------------------------------------------- paper
@pytest.mark.parametrize("style", ["dark_background", "default", "ggplot", "Solarize_Light2"])
def test_text_and_ink_stand_out_on_every_paper(style):
    X, U = np.random.default_rng(0).random((30, 2)), np.eye(10)[np.arange(30) % 10]
    with plt.style.context(style):
        display = FuzzySilhouetteDisplay.from_predictions(X, U, X[:10])
        paper = display.ax_.get_facecolor()[:3]
        for label in display.ax_.get_yticklabels():
            assert contrast(to_rgb(label.get_color()), paper) >= 4.5
        assert contrast(to_rgb(display.line_.get_color()), paper) >= 4.5


def test_dark_paper_keeps_the_hues_and_fades_into_the_dark():
    light, dark = Theme((1.0, 1.0, 1.0)), Theme((0.0, 0.0, 0.0))
    assert not light.on_dark and dark.on_dark
    assert_allclose(dark.clusters(7), light.clusters(7))
    assert_allclose(light.clusters(8)[7], rgb(OKABE_ITO[-1]))
    assert contrast(dark.clusters(8)[7], dark.paper) > 15
    assert (contrast(dark.clusters(15), dark.paper) > 3).all()
    colour = dark.clusters(1)[0]
    assert luminance(dark.tint(colour, 0.1)) < luminance(dark.tint(colour, 0.9))
    X, U = np.random.default_rng(0).random((9, 2)), np.tile([0.6, 0.4], (9, 1))
    with plt.style.context("dark_background"):
        display = MembershipMapDisplay.from_predictions(X, U)
    assert_allclose(display.scatters_[0].get_facecolors()[0, :3], dark.tint(colour, 0.2))


def test_transparent_axes_take_the_paper_of_the_figure():
    _, ax = plt.subplots(facecolor="black")
    ax.set_facecolor("none")
    masses = MassCurvesDisplay.from_predictions(np.eye(4), SETS, ax=ax)
    assert contrast(to_rgb(masses.lines_[0].get_color()), (0, 0, 0)) > 10


# ---------------------------------------------------------------------- names
def test_names_are_wrapped_and_shortened():
    assert wrapped("petal length", 20) == "petal length"
    assert wrapped("a name of two lines", 12) == "a name of\ntwo lines"
    long = wrapped("x" * 200 + "end", 20)
    assert len(long) < 45 and long.endswith("end") and "…" in long
    assert wrapped("", 10) == "" and wrapped("two\nlines", 30) == "two lines"
    assert shortened("short", 10) == "short"


@pytest.mark.parametrize("name", [r"$\frac{$", "$a$ and $b$", "_hidden", "a\nb", "", "é" * 300])
def test_odd_names_are_drawn_as_they_are(name):
    U = np.eye(3)[np.arange(9) % 3]
    X = np.random.default_rng(0).random((9, 2))
    names = [name, "b", "c"]
    for display in (
        MembershipMapDisplay.from_predictions(X, U, cluster_names=names, feature_names=[name, "y"]),
        MembershipHeatmapDisplay.from_predictions(U, cluster_names=names),
        TernaryDisplay.from_predictions(U, cluster_names=names),
        FuzzySilhouetteDisplay.from_predictions(X, U, X[:3], cluster_names=names),
        MassCurvesDisplay.from_predictions(U, np.eye(3), cluster_names=names),
        ConvergenceDisplay.from_predictions([3.0, 2.0, 1.0], name=name),
    ):
        assert complaints(display.figure_) == []
        plt.close(display.figure_)


def test_a_legend_lists_no_more_than_one_can_read():
    masses, sets = np.eye(100), np.eye(100, dtype=bool)
    display = MassCurvesDisplay.from_predictions(masses, sets)
    assert len(legend_texts(display.ax_)) == 48
    assert legend_texts(display.ax_)[-1] == "and 53 more"
    assert complaints(display.figure_) == []


def test_a_legend_without_room_goes_onto_the_axes():
    figure, ax = plt.subplots(figsize=(6, 4))
    MassCurvesDisplay.from_predictions(np.eye(4), SETS, ax=ax)
    assert complaints(figure) == []
    X = np.random.default_rng(0).random((40, 2))
    figure, axes = plt.subplots(2, 1, figsize=(7, 8), layout="constrained")
    for ax in axes:
        CredalPartitionDisplay.from_predictions(X, flat_masses(40, 0.3), SETS, ax=ax)
        ax.set_title("A title of the user's own, as long as titles are")
    assert complaints(figure) == []
    figure = plt.figure(figsize=(7, 4), layout="constrained")
    CredalPartitionDisplay.from_predictions(
        X, flat_masses(40, 0.3), SETS, ax=figure.subfigures(1, 1).subplots()
    )
    assert complaints(figure) == []
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    display = MassCurvesDisplay.from_predictions(np.eye(4), SETS, ax=axes[0])
    assert complaints(figure) == []
    assert display.ax_.get_legend().get_window_extent().x0 >= axes[0].get_window_extent().x1
