"""
Shells and lines
================

``geometry`` says what a cluster is: not only a cloud about a centre, but also a ring, an ellipse or a
line without an end.  Each of these three data sets is fitted twice, with points and with the geometry
that suits it.
"""

import matplotlib.pyplot as plt
import numpy as np

from softclust import FuzzyCMeans
from softclust.datasets import make_ellipses
from softclust.metrics import matched_accuracy
from softclust.plotting.palette import cluster_colours

# %%
# Rings, lines and crossing clouds
# --------------------------------

rng = np.random.default_rng(0)
rings = make_ellipses(300, shapes="rings", random_state=0)
along = rng.uniform(-4, 4, 300)
which = np.arange(300) % 3
slope, height = np.array([1.0, -0.6, 0.0])[which], np.array([0.0, 1.0, -3.0])[which]
lines = (np.column_stack([along, slope * along + height]) + 0.12 * rng.normal(size=(300, 2)), which)
tilt = np.array([(1.0, 0.9), (-1.0, 0.9)])[np.arange(300) % 2]
clouds = (rng.normal(size=(300, 1)) * 2.2 * tilt + 0.35 * rng.normal(size=(300, 2)), np.arange(300) % 2)
SETS = {"shells": rings, "lines": lines, "ellipsoids": clouds}

# %%
# Points against the right geometry
# ---------------------------------

figure, axes = plt.subplots(2, 3, figsize=(7.8, 5.4), layout="constrained")
for column, (geometry, (X, truth)) in zip(axes.T, SETS.items(), strict=True):
    c = truth.max() + 1
    for ax, kind in zip(column, ("points", geometry), strict=True):
        model = FuzzyCMeans(c, geometry=kind, n_init=20, random_state=0).fit(X)
        right = matched_accuracy(truth, model.labels_)
        print(f"{kind}: {right:.0%} of the rows are right")
        ax.scatter(*X.T, s=9, c=cluster_colours(c)[model.labels_])
        ax.set(title=f'"{kind}": {right:.0%} right', xticks=[], yticks=[])
        ax.set_aspect("equal", adjustable="datalim")
plt.show()

# %%
# Take home: choose the geometry by what a cluster is; the rest of the model stays as it is.
