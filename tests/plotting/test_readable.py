"""Every picture reads: no text is cut off, covered or too pale, and the axes are not squeezed."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from gallery import CASES, DISPLAYS, draws, picture
from readable import complaints
from softclust import FuzzyCMeans
from softclust.plotting import MembershipMapDisplay

PICTURES = [(display, case) for display in DISPLAYS for case in CASES if draws(display, case)]
# Ten clusters have long names elsewhere, and dark pictures short ones.
LESS = {"ten clusters", "dark long names"}


@pytest.fixture(autouse=True)
def no_figure_stays():
    yield
    plt.close("all")


@pytest.mark.parametrize(
    ("display", "case"),
    [
        pytest.param(
            display,
            case,
            id=f"{display}-{case.name}",
            marks=pytest.mark.slow if case.name in LESS else (),
        )
        for display, case in PICTURES
    ],
)
def test_every_picture_reads(display, case):
    assert complaints(picture(display, case).figure_) == []


def test_a_wide_picture_reads_at_every_resolution():
    """Letters have whole pixels, so a legend is wider at some resolutions than at others."""
    case = next(case for case in CASES if case.name == "ten long names")
    figure = picture("CredalPartitionDisplay", case).figure_
    for dpi in (50, 70, 150, 220):
        figure.set_dpi(dpi)
        assert complaints(figure) == []


def test_a_legend_beside_a_flat_map_is_not_cut_off():
    """Axes with one scale on both sides become narrower in each round of layout."""
    X = np.random.default_rng(0).normal(size=(60, 5)) * [0.3, 0.7, 0.2, 0.2, 0.2]
    X[:, 0] += np.repeat([-2, 2], 30)
    model = FuzzyCMeans(2, random_state=0).fit(X)
    names = ["short", "a very long name of a cluster that nobody would type"]
    assert complaints(MembershipMapDisplay.from_estimator(model, X, cluster_names=names).figure_) == []


def test_a_picture_that_does_not_read_is_found():
    figure, ax = plt.subplots(figsize=(4, 3))
    ax.set_xlabel("far too long a name for these axes, which nobody will ever be able to read in full here")
    ax.text(0.5, 0.5, "one")
    ax.text(0.5, 0.51, "two")
    ax.text(0.1, 0.1, "pale", color="0.9")
    small = figure.add_axes([0.9, 0.9, 0.05, 0.05])
    small.axis("off")
    words = " ".join(complaints(figure))
    for expected in (
        "is cut off",
        "'one' covers 'two'",
        "'pale' is too pale",
        "the axes measure 0.20 x 0.15",
    ):
        assert expected in words
