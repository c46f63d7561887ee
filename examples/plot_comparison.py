"""
All estimators on the same data
===============================

Six sets of rows in the plane, one in each row of the picture, and the nine estimators of softclust, one in
each column, all with their defaults.  Colour is the cluster, and a pale colour is doubt.  The number in
the corner is the time of the fit on one core.
"""

import time
import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.preprocessing import scale

import softclust
from softclust.plotting.palette import certainty, cluster_colours, tint

# %%
# The data
# --------
# Rings and moons are no clouds about a centre, so no method with one centre for each cluster can find them.
# The other clouds are of unlike width, oblong, or lie in noise.  In the last set there is nothing to find.

N = 500
rng = np.random.default_rng(8)
no_structure = rng.random((N, 2))
oblong, oblong_truth = make_blobs(N, random_state=170)
clouds, clouds_truth = make_blobs(N - 60, centers=[(-4, 4), (4, 4), (0, -4)], random_state=3)
noise = rng.uniform(-9, 9, (60, 2))
SETS = {
    "rings": make_circles(N, factor=0.5, noise=0.05, random_state=30),
    "moons": make_moons(N, noise=0.05, random_state=30),
    "unlike widths": make_blobs(N, cluster_std=[1.0, 2.5, 0.5], random_state=170),
    "oblong": (oblong @ [[0.6, -0.6], [-0.4, 0.8]], oblong_truth),
    "in noise": (np.vstack([clouds, noise]), np.append(clouds_truth, np.full(60, -1))),
    "no clusters": (no_structure, (3 * no_structure[:, 0]).astype(int)),
}

# %%
# The estimators
# --------------
# ``FuzzyLabelSpreading`` needs labels: it gets three rows of each class, ringed in the picture.  The others
# are told the number of clusters and nothing else.


def estimators(c):
    """Return the nine estimators for c clusters, by the name above their column."""
    return {
        "Hard\nCMeans": softclust.HardCMeans(c, random_state=0),
        "Fuzzy\nCMeans": softclust.FuzzyCMeans(c, random_state=0),
        "Possibilistic\nCMeans": softclust.PossibilisticCMeans(c, random_state=0),
        "Possibilistic\nFuzzy\nCMeans": softclust.PossibilisticFuzzyCMeans(c, random_state=0),
        "Improved\nPossibilistic\nCMeans": softclust.ImprovedPossibilisticCMeans(c, random_state=0),
        "Evidential\nCMeans": softclust.EvidentialCMeans(c, random_state=0),
        "Gaussian\nMixture": softclust.GaussianMixture(c, random_state=0),
        "KMedoids": softclust.KMedoids(c, random_state=0),
        "Fuzzy\nLabel\nSpreading": softclust.FuzzyLabelSpreading(random_state=0),
    }


def fit(model, X, y):
    """Fit the model, with the labels if it needs them; return the least processor time of three fits."""
    labels = (y,) if isinstance(model, softclust.FuzzyLabelSpreading) else ()
    model.set_params(n_jobs=1)
    seconds = []
    with warnings.catch_warnings():  # PossibilisticCMeans says that two centres are in one place
        warnings.simplefilter("ignore", softclust.DegenerateClusterWarning)
        for _ in range(3):
            begin = time.process_time()
            model.fit(X, *labels)
            seconds.append(time.process_time() - begin)
    return min(seconds)


def memberships(model, truth, c):
    """Return the memberships, with the cluster that is most like class k in column k."""
    U = getattr(model, "memberships_", np.eye(c)[model.labels_])
    shared = np.array([U[truth == k].sum(axis=0) for k in range(c)])
    return U[:, linear_sum_assignment(-shared)[1]]


# %%
# The picture
# -----------

columns = list(estimators(2))
figure, axes = plt.subplots(
    len(SETS), len(columns), figsize=(12, 8.8), gridspec_kw={"wspace": 0.04, "hspace": 0.04}
)
figure.subplots_adjust(left=0.035, right=0.995, bottom=0.01, top=0.9)
for line, (name, (X, truth)) in zip(axes, SETS.items(), strict=True):
    X, c = scale(X), truth.max() + 1
    y = np.full(N, -1)
    told = np.concatenate([rng.choice(np.flatnonzero(truth == k), 3, replace=False) for k in range(c)])
    y[told] = truth[told]
    for ax, model in zip(line, estimators(c).values(), strict=True):
        seconds = fit(model, X, y)
        U = memberships(model, truth, c)
        ax.scatter(*X.T, s=7, c=tint(cluster_colours(c)[U.argmax(axis=1)], certainty(U)))
        if isinstance(model, softclust.FuzzyLabelSpreading):
            right = (U.argmax(axis=1) == truth)[truth >= 0].mean()
            print(f"{name}: {right:.0%} of the rows are right by nine labels or fewer")
            ax.scatter(*X[told].T, s=34, facecolors="none", edgecolors="black", linewidths=1.2)
        ax.text(
            0.03, 0.03, f"{1000 * seconds:.0f} ms", transform=ax.transAxes, va="bottom",
            fontsize=11, bbox={"fc": "white", "ec": "none", "alpha": 0.7, "pad": 1},
        )  # fmt: skip
        ax.set(xticks=[], yticks=[], xlim=(-2.8, 2.8), ylim=(-2.8, 2.8))
    line[0].set_ylabel(name, fontsize=14)
for ax, column in zip(axes[0], columns, strict=True):
    ax.set_title(column, fontsize=13)
plt.show()

# %%
# Take home: methods with one centre for each cluster find clouds and tell where they are in doubt; for
# shapes that are no clouds, a few labels and ``FuzzyLabelSpreading`` do.
