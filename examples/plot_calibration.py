"""
Do memberships mean what they say?
==================================

A membership of 0.8 should be right in eight cases of ten.  ``calibration_table`` compares how sure a
model is with how often it is right, where classes are known.  It shows what the choice of m does to
memberships.
"""

import matplotlib.pyplot as plt
import numpy as np

from softclust import FuzzyCMeans, GaussianMixture, HardCMeans
from softclust.datasets import make_overlapping_blobs
from softclust.metrics import brier_skill, calibration_table
from softclust.plotting.palette import cluster_colours

# %%
# Clouds that overlap, in six features
# ------------------------------------
# Neighbouring clouds share a fifth of their mass, so that no method can be right about all rows.

X, truth = make_overlapping_blobs(6000, 6, 4, overlap=0.2, random_state=0)
MODELS = {
    'm = "auto"': FuzzyCMeans(4, random_state=0),
    "m = 2": FuzzyCMeans(4, m=2.0, random_state=0),
    "m = 1.1": FuzzyCMeans(4, m=1.1, random_state=0),
    "mixture": GaussianMixture(4, covariance_type="spherical", random_state=0),
    "hard": HardCMeans(4, random_state=0),
}
memberships = {
    name: model.memberships_ if hasattr(model.fit(X), "memberships_") else np.eye(4)[model.labels_]
    for name, model in MODELS.items()
}
tables = {name: calibration_table(U, truth) for name, U in memberships.items()}
for name, table in tables.items():
    error, skill = table.expected_calibration_error, brier_skill(memberships[name], truth)
    print(f"{name}: calibration error {error:.3f}, Brier skill {skill:.2f}")

# %%
# The reliability diagram
# -----------------------
# On the diagonal a model is as often right as it says.  Above it, it is too modest; below it, too sure.
# Larger dots stand for more rows.

figure, ax = plt.subplots(figsize=(6.4, 5.0), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.6", lw=1.5, ls="--")
ax.text(0.30, 0.93, "too modest", color="0.4")
ax.text(0.66, 0.38, "too sure", color="0.4")
for (name, table), colour, marker in zip(tables.items(), cluster_colours(5), "osD^v", strict=True):
    full = table.count >= 20
    ax.plot(table.confidence[full], table.accuracy[full], color=colour, lw=1.5)
    sizes = 20 + 200 * table.count[full] / len(X)
    ax.scatter(
        table.confidence[full], table.accuracy[full], s=sizes, color=colour, marker=marker, label=name
    )
ax.set(
    xlabel="greatest membership", ylabel="share of rows that are right", xlim=(0.2, 1.03), ylim=(0.2, 1.03)
)
ax.set_title("How sure, and how often right")
ax.legend(loc="lower right")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Take home: in six features m = 2 is far too modest and hard labels are too sure; m = "auto" lies
# between, and a mixture is best where clouds are as Gaussian as these.
