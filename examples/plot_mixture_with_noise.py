"""
A Gaussian mixture with labels and noise
========================================

``GaussianMixture`` takes a few labels and has a component for noise, spread evenly over the region of the
rows.  Twenty rows that are no wine at all are planted among 178 wines.  The mixture names the cultivars and
sets the intruders apart.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import scale

from softclust import GaussianMixture
from softclust.plotting.palette import INK, certainty, cluster_colours, tint

# %%
# 178 wines, 20 intruders, nine labels
# ------------------------------------

X, truth = load_wine(return_X_y=True)
rng = np.random.default_rng(0)
rows = np.vstack([scale(X), rng.uniform(-6, 6, (20, X.shape[1]))])
told = np.array([0, 10, 20, 60, 80, 100, 140, 150, 170])
y = np.full(len(rows), -1)
y[told] = truth[told]

with_noise = GaussianMixture(3, covariance_type="diag", noise=True, random_state=0).fit(rows, y)
plain = GaussianMixture(3, covariance_type="diag", random_state=0).fit(rows, y)
for name, model in (("with noise", with_noise), ("without", plain)):
    print(f"{name}: {(model.labels_[:178] == truth).mean():.0%} of the wines are right")
found = with_noise.outlier_mask_[178:].sum()
print(f"noise: {with_noise.noise_weight_:.0%} of the rows; {found} of the 20 planted")

# %%
# What the two mixtures see
# -------------------------
# The rows are drawn in the plane of the two main directions of the wines.  A ring marks a labelled row,
# and a cross a row that the mixture takes for noise.

points = PCA(2).fit(rows[:178]).transform(rows)
figure, axes = plt.subplots(1, 2, figsize=(7.6, 4.0), layout="constrained", sharey=True)
for ax, model, name in zip(
    axes, (plain, with_noise), ("without noise", "with a noise component"), strict=True
):
    U, crossed = model.memberships_, model.outlier_mask_
    colours = tint(cluster_colours(3)[model.labels_], certainty(U))
    edges = np.where(np.arange(len(rows)) < 178, "none", INK)
    ax.scatter(*points[~crossed].T, s=24, c=colours[~crossed], edgecolors=edges[~crossed], linewidths=1.0)
    ax.scatter(*points[crossed].T, s=40, c=INK, marker="x", linewidths=1.6)
    ax.scatter(*points[told].T, s=130, facecolors="none", edgecolors="black", linewidths=1.4)
    right = (model.labels_[:178] == truth).mean()
    ax.set(title=f"{name}:\n{right:.0%} of the wines are right", xlabel="first component")
axes[0].set_ylabel("second component")
plt.show()

# %%
# Take home: with ``noise=True`` intruders have a place of their own, so that the components describe the
# wines.
