"""
Noise that pulls at the centres
===============================

Rows of noise pull the centres of fuzzy c-means away from the clusters.  Two remedies are built in: a
noise cluster that is equally far from every row takes them up (``noise_distance``), or rows in empty
regions count less (``density_rate``).
"""

import matplotlib.pyplot as plt
import numpy as np

from softclust import FuzzyCMeans
from softclust.datasets import make_noisy_iris
from softclust.plotting.palette import cluster_colours

# %%
# Iris among rows of noise
# ------------------------
# The error is the mean distance of the centres from the means of the three species.  Every fit begins at
# these means, so that only the noise can move the centres.

WAYS = {"FCM": {}, "SWFCM": {"density_rate": "auto"}, "a noise cluster": {"noise_distance": 1.0}}


def fit(amount, seed, **parameters):
    """Fit Iris with this number of rows of noise; return the model, the rows and the error."""
    X, y = make_noisy_iris(amount, random_state=seed)
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    model = FuzzyCMeans(3, init=means, **parameters).fit(X)
    return model, X, np.linalg.norm(model.cluster_centers_ - means, axis=1).mean()


AMOUNTS, DRAWS = (0, 10, 20, 30, 40), 10
errors = {
    name: np.array([[fit(n, seed, **ways)[2] for seed in range(DRAWS)] for n in AMOUNTS])
    for name, ways in WAYS.items()
}
for name, values in errors.items():
    print(f"{name}: centres are {values[-1].mean():.2f} from the true means, with 40 rows of noise")

# %%
# How far the centres go astray
# -----------------------------
# On the right are petals of 150 irises and 40 rows of noise, with the centres that FCM (circles) and the
# fit with a noise cluster (stars) find.  The cross is the true mean.

figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 4.0), layout="constrained")
for (name, values), colour, marker in zip(errors.items(), cluster_colours(3), "osD", strict=True):
    left.plot(AMOUNTS, values.mean(axis=1), marker=marker, color=colour, lw=2, label=name)
left.set(title="Error of the centres", xlabel="rows of noise", ylim=(0, None))
left.legend()
X, y = make_noisy_iris(40, random_state=0)
right.scatter(*X[y >= 0][:, 2:].T, s=14, color="0.65", label="irises")
right.scatter(*X[y < 0][:, 2:].T, s=14, color="0.65", marker="x", label="noise")
shown = (("FCM", "o", 9, 0), ("a noise cluster", "*", 15, 2))
for name, marker, size, k in shown:
    V = fit(40, 0, **WAYS[name])[0].cluster_centers_
    style = {"mec": "black", "ls": "none", "label": name}
    right.plot(*V[:, 2:].T, marker, color=cluster_colours(3)[k], ms=size, **style)
means = np.array([X[y == k].mean(axis=0) for k in range(3)])
right.plot(*means[:, 2:].T, "+", color="black", ms=13, mew=2.5, ls="none", label="true mean")
right.set(title="Where the centres are", xlabel="petal length", ylabel="petal width")
right.legend(fontsize=9, loc="upper left", framealpha=0.9)
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Take home: if some rows belong nowhere, give them a noise cluster, or let dense regions count more.
