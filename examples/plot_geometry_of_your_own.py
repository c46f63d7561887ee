"""
A geometry of your own
======================

Three functions make a geometry: how far rows are from the clusters, which sums over rows the clusters
need, and how clusters follow from the sums.  This one measures city-block distances, so that a centre is
a median.  It works with every partition, with labels and with noise.
"""

import matplotlib.pyplot as plt
import numpy as np

from softclust import FuzzyCMeans, PossibilisticCMeans
from softclust.datasets import load_iris
from softclust.plotting import MembershipMapDisplay

# %%
# City-block distances
# --------------------
# ``theta`` is a tuple of arrays, the centres first.  Moments are sums over rows, so they may be added up
# over blocks, files or machines; a median is found on a grid of values.


class CityBlock:
    """Distances d_ik = sum_j |x_ij - v_kj|; v_kj is the weighted median, found on a grid of 201 values."""

    def __init__(self, X):
        self.grid = np.linspace(X.min(axis=0), X.max(axis=0), 201)

    def distances(self, X, theta):
        return np.abs(X[:, None, :] - theta[0]).sum(axis=2)

    def moments(self, X, W, theta):
        below = np.array([W.T @ (X <= edge) for edge in self.grid])  # weight of the rows up to each value
        return (below.transpose(1, 0, 2),)

    def solve(self, weight, moments, theta):
        place = (moments[0] < 0.5 * weight[:, None, None]).sum(axis=1)
        return (np.take_along_axis(self.grid, np.minimum(place, 200), axis=0),)


# %%
# With labels, in two partitions
# ------------------------------

X, y = load_iris(return_X_y=True)
known = np.where(np.arange(len(y)) % 10 == 0, y, -1)
for model in (FuzzyCMeans(3, geometry=CityBlock(X)), PossibilisticCMeans(3, geometry=CityBlock(X))):
    model.set_params(random_state=0).fit(X, known)
    right = (model.labels_ == y).mean()
    print(f"{type(model).__name__}: {right:.0%} right, {model.n_iter_} iterations")

# %%
# What it looks like
# ------------------
# Two features of Iris.  The lines of equal membership have corners where city blocks do, and are smooth
# with the usual distances.

petals = X[:, 2:]
models = {
    "points": FuzzyCMeans(3, random_state=0),
    "city blocks": FuzzyCMeans(3, geometry=CityBlock(petals), random_state=0),
}
figure, axes = plt.subplots(1, 2, figsize=(7.8, 4.0), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    U = model.fit(petals, known).memberships_
    display = MembershipMapDisplay(
        X=petals, memberships=U, centers=model.cluster_centers_, predict_proba=model.predict_proba
    )
    display.plot(legend=False, ax=ax)
    ax.set(title=name, xlabel="petal length", ylabel="")
axes[0].set_ylabel("petal width")
plt.show()

# %%
# Take home: a new kind of cluster takes three short functions, and everything else comes with it.
