"""
An expert who cannot decide
===========================

A label need not be one class.  ``y`` may have a column for each class: ``[0, 1, 1]`` says "B or C",
``[0, 0.7, 0.3]`` says "rather B", and NaN says nothing.  This example asks what is best for an expert who
knows one kind of iris well and cannot tell the other two apart.
"""

import matplotlib.pyplot as plt
import numpy as np

from softclust import FuzzyCMeans, FuzzyLabelSpreading, GaussianMixture
from softclust.datasets import load_iris
from softclust.plotting import TernaryDisplay
from softclust.plotting.palette import cluster_colours

# %%
# Four ways to answer
# -------------------
# The expert sees ten flowers of each kind.  All setosas are sure, and so is one flower of each other
# kind.  Of the other eighteen the expert may guess, keep silent, say "B or C", or say how much it looks
# like either.

X, truth = load_iris(return_X_y=True)
WAYS = ("guesses", "keeps silent", 'says "B or C"', "gives degrees")


def answers(seed):
    """Draw flowers; return the labels by each way to answer, and the rows that the expert did not see."""
    rng = np.random.default_rng(seed)
    seen = np.array([rng.choice(np.flatnonzero(truth == k), 10, replace=False) for k in range(3)])
    silent = np.full((150, 3), np.nan)
    silent[seen[0]] = (1, 0, 0)
    silent[seen[1, 0]], silent[seen[2, 0]] = (0, 1, 0), (0, 0, 1)
    hard = seen[1:, 1:].ravel()
    told = {way: silent.copy() for way in WAYS}
    told["guesses"][hard] = np.eye(3)[rng.integers(1, 3, len(hard))]
    told['says "B or C"'][hard] = (0, 1, 1)
    told["gives degrees"][hard] = (0, 0.3, 0.3) + 0.4 * np.eye(3)[truth[hard]]
    return told, np.setdiff1d(np.arange(150), seen)


MODELS = {
    "FuzzyCMeans": FuzzyCMeans(3, random_state=0),
    "GaussianMixture": GaussianMixture(3, random_state=0),
    "FuzzyLabelSpreading": FuzzyLabelSpreading(random_state=0),
}
DRAWS = 6
right = {name: np.empty((len(WAYS), DRAWS)) for name in MODELS}
for draw in range(DRAWS):
    told, unseen = answers(draw)
    for name, model in MODELS.items():
        for place, way in enumerate(WAYS):
            right[name][place, draw] = (model.fit(X, told[way]).labels_ == truth)[unseen].mean()
for name, values in right.items():
    print(name, {way: f"{value:.0%}" for way, value in zip(WAYS, values.mean(axis=1), strict=True)})

# %%
# Accuracy on the flowers that the expert did not see
# ---------------------------------------------------
# Dots are draws, bars are their means.  Whoever guesses may teach the model to swap two classes.  Silence
# is better.  "B or C" says no more than silence here, as nobody took these flowers for setosas, and label
# spreading even loses by it.

figure, ax = plt.subplots(figsize=(7.2, 4.0), layout="constrained")
width = 0.26
for k, (name, values) in enumerate(right.items()):
    at = np.arange(len(WAYS)) + (k - 1) * width
    ax.bar(at, values.mean(axis=1), width * 0.92, color=cluster_colours(3)[k], alpha=0.75, label=name)
    ax.plot(np.repeat(at, DRAWS), values.ravel(), ".", color="black", ms=4)
ax.set_xticks(np.arange(len(WAYS)), WAYS)
ax.set(ylabel="share of flowers that are right", ylim=(0.4, 1.02))
ax.set_xlabel("What the expert does when in doubt", fontsize=12, labelpad=8)
figure.legend(loc="outside upper center", ncols=3, frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The answer with degrees, row by row
# -----------------------------------
# Memberships in a triangle: the nearer a corner, the surer.

model = MODELS["GaussianMixture"].fit(X, answers(0)[0]["gives degrees"])
display = TernaryDisplay.from_estimator(model, cluster_names=["setosa", "versicolor", "virginica"])
display.ax_.set_title("A mixture, told degrees", pad=24)
plt.show()

# %%
# Take home: when in doubt do not guess; say nothing, or give degrees, which on average did no worse than
# silence here.
