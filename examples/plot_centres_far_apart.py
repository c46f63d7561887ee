"""
Centres that keep their distance
================================

Possibilistic c-means looks for dense places and may find the same place twice.  A repulsion between centres
(``separation=Repulsion()``) keeps them apart.  The fit without it warns that two centres coincide.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from softclust import DegenerateClusterWarning, PossibilisticCMeans, Repulsion
from softclust.datasets import load_iris
from softclust.plotting.palette import cluster_colours

# %%
# Three kinds of iris, two of which overlap
# -----------------------------------------
# The settings are those of the literature, which are harder than softclust's defaults.

X, _ = load_iris(return_X_y=True)
fitted = {}
for separation in (None, Repulsion()):
    model = PossibilisticCMeans(3, m=2.0, scale_factor=1.0, separation=separation, random_state=0)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", DegenerateClusterWarning)
        V = model.fit(X).cluster_centers_
    gap = min(np.linalg.norm(V[i] - V[j]) for i in range(3) for j in range(i))
    print(f"separation={separation}: the nearest two centres are {gap:.2f} apart")
    for warning in heard:
        print(f"warned: {warning.message}")
    fitted["without repulsion" if separation is None else "with repulsion"] = model, gap

# %%
# Typicality and centres
# ----------------------
# Rows in the colour of the cluster that they are most typical of.

figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.9), layout="constrained", sharey=True)
for ax, (name, (model, gap)) in zip(axes, fitted.items(), strict=True):
    colours = cluster_colours(3)
    ax.scatter(*X[:, 2:].T, s=22, c=colours[model.labels_], alpha=0.45, linewidths=0)
    V = model.cluster_centers_[:, 2:]
    ax.scatter(*V.T, s=320, marker="*", c=colours, edgecolors="black", linewidths=1.2, zorder=3)
    ax.set(title=f"{name}:\nnearest centres {gap:.2f} apart", xlabel="petal length")
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("petal width")
plt.show()

# %%
# Take home: if a ``DegenerateClusterWarning`` says that centres coincide, add ``separation=Repulsion()``
# or let memberships hold them apart (``PossibilisticFuzzyCMeans``).
