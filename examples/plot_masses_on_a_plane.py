"""
Doubt as belief in sets
=======================

``EvidentialCMeans`` divides the belief of each row among sets of clusters.  Belief in {0} says "cluster 0",
belief in {0, 1} says "one of these two, I cannot tell", and belief in the empty set says "none of them".
This picture shows all of these on the plane.
"""

import matplotlib.pyplot as plt
import numpy as np

from softclust import EvidentialCMeans
from softclust.datasets import make_overlapping_blobs
from softclust.plotting import CredalPartitionDisplay

# %%
# Three clouds that overlap, and a few strange rows
# -------------------------------------------------
# ``noise_distance`` says from where on a row is like no cluster.

X, _ = make_overlapping_blobs(300, 2, 3, overlap=0.12, random_state=4)
X = np.vstack([X, [(-6.5, 6.0), (7.0, 6.5), (6.5, -6.0)]])
model = EvidentialCMeans(3, noise_distance=3.0, random_state=0).fit(X)
names = ["+".join(map(str, np.flatnonzero(members))) or "none" for members in model.focal_sets_]
for row in (0, len(X) - 1):
    masses = zip(names, model.masses_[row], strict=True)
    print(f"row {row}:", ", ".join(f"{name}: {mass:.2f}" for name, mass in masses))

# %%
# The set that each row believes in most
# --------------------------------------
# A solid line surrounds the rows that surely are in a cluster, and a dashed line those that perhaps are.

display = CredalPartitionDisplay.from_estimator(model, X)
display.figure_.suptitle("What each row believes in most")
plt.show()

# %%
# The mass of three sets everywhere
# ---------------------------------

low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
across, up = np.meshgrid(np.linspace(low[0], high[0], 150), np.linspace(low[1], high[1], 150))
masses = model.predict_mass(np.column_stack([across.ravel(), up.ravel()]))
sizes = model.focal_sets_.sum(axis=1)
panels = {
    "one cluster": masses[:, sizes == 1].sum(axis=1),
    "two or three": masses[:, sizes >= 2].sum(axis=1),
    "none of them": masses[:, sizes == 0].sum(axis=1),
}
figure, axes = plt.subplots(1, 3, figsize=(7.6, 3.0), layout="constrained", sharey=True)
for ax, (title, values) in zip(axes, panels.items(), strict=True):
    picture = ax.pcolormesh(across, up, values.reshape(across.shape), cmap="cividis", vmin=0, vmax=1)
    ax.scatter(*X.T, s=3, c="white", alpha=0.6)
    ax.set(title=title, xticks=[], yticks=[], aspect="equal")
figure.colorbar(picture, ax=axes, label="mass", shrink=0.8)
plt.show()

# %%
# Take home: masses tell two kinds of doubt apart, "between these clusters" and "like none of them", which
# one membership for each cluster cannot.
