"""
Six labels on two moons
=======================

The moons are no clouds, so no centre describes them.  ``FuzzyLabelSpreading`` puts many small soft clusters
among the rows and lets the labels spread along them.  The answer is a closed form, so it is quick, and it
says where it is in doubt.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from softclust import FuzzyCMeans, FuzzyLabelSpreading
from softclust.metrics import matched_accuracy
from softclust.plotting.palette import certainty, cluster_colours, tint

# %%
# 600 rows, three labels for each moon
# ------------------------------------

X, truth = make_moons(600, noise=0.1, random_state=0)
rng = np.random.default_rng(3)
told = np.concatenate([rng.choice(np.flatnonzero(truth == k), 3, replace=False) for k in (0, 1)])
y = np.full(len(X), -1)
y[told] = truth[told]
spreading = FuzzyLabelSpreading(random_state=0).fit(X, y)
centres = FuzzyCMeans(2, random_state=0).fit(X, y)
models = {"FuzzyCMeans": centres, "FuzzyLabelSpreading": spreading}
for name, model in models.items():
    print(f"{name} with six labels: {matched_accuracy(truth, model.labels_):.1%} right")

# %%
# The ground shows the class of every point
# -----------------------------------------
# A pale ground is doubt.  Rings are the labelled rows, and small crosses are the anchors along which labels
# spread.

low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
across, up = np.meshgrid(np.linspace(low[0], high[0], 200), np.linspace(low[1], high[1], 140))
grid = np.column_stack([across.ravel(), up.ravel()])
colours = cluster_colours(2)
figure, axes = plt.subplots(2, 1, figsize=(6.4, 7.0), layout="constrained", sharex=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    U = model.predict_proba(grid)
    ground = 0.5 + 0.5 * tint(colours[U.argmax(axis=1)], certainty(U))
    ax.imshow(
        ground.reshape(*across.shape, 3),
        origin="lower",
        extent=(low[0], high[0], low[1], high[1]),
        aspect="auto",
    )
    ax.scatter(*X.T, s=14, c=colours[model.labels_], edgecolors="white", linewidths=0.4)
    ax.scatter(*X[told].T, s=120, facecolors="none", edgecolors="black", linewidths=1.8)
    ax.set(title=f"{name}: {matched_accuracy(truth, model.labels_):.1%} right", xticks=[], yticks=[])
axes[1].scatter(*spreading.anchors_.T, s=16, c="black", marker="+", linewidths=0.8)
plt.show()

# %%
# Take home: where classes are shapes rather than clouds, a handful of labels and ``FuzzyLabelSpreading``
# do.
