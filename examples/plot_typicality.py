"""
Typicality against membership
=============================

A membership says how a row is shared among clusters; a typicality says how like a cluster the row is.  A
row between two clusters and a row far from both have the same memberships, one half each.  Only
typicalities tell them apart.
"""

import matplotlib.pyplot as plt
import numpy as np

from softclust import PossibilisticFuzzyCMeans
from softclust.datasets import make_x12

# %%
# Twelve famous points
# --------------------
# Two diamonds, point 10 between them, and point 11 far above.

X, _ = make_x12()
model = PossibilisticFuzzyCMeans(2, random_state=0).fit(X)
for row in (2, 10, 11):
    U, T = model.memberships_[row], model.typicalities_[row]
    print(f"point {row}: memberships {U.round(2)}, typicalities {T.round(3)}")

# %%
# Both on the plane
# -----------------
# The ground is the membership in the right cluster, and the greater of the two typicalities.  The number
# beside a point is its own value.

across, up = np.meshgrid(np.linspace(-6.5, 6.5, 160), np.linspace(-4, 12, 160))
grid = np.column_stack([across.ravel(), up.ravel()])
right = model.cluster_centers_[:, 0].argmax()
panels = {
    "membership in the right one": (model.predict_proba(grid)[:, right], model.memberships_[:, right]),
    "greatest typicality": (model.predict_typicality(grid).max(axis=1), model.typicalities_.max(axis=1)),
}
figure, axes = plt.subplots(1, 2, figsize=(7.2, 4.6), layout="constrained", sharey=True)
for ax, (title, (ground, values)) in zip(axes, panels.items(), strict=True):
    picture = ax.pcolormesh(across, up, ground.reshape(across.shape), cmap="cividis", vmin=0, vmax=1)
    ax.scatter(*X.T, s=36, c="white", edgecolors="black", linewidths=1.0)
    for row in (10, 11):
        ax.annotate(
            f"{values[row]:.2f}", X[row], (0, 10), textcoords="offset points", ha="center", fontsize=11,
            bbox={"fc": "white", "ec": "none", "alpha": 0.85, "pad": 1.5},
        )  # fmt: skip
    ax.set(title=title, xticks=[], yticks=[], aspect="equal")
figure.colorbar(picture, ax=axes, shrink=0.8)
plt.show()

# %%
# Take home: read memberships to know which cluster, and typicalities to know whether any cluster at all.
