"""
Many features, and why m = "auto"
=================================

Fuzzy c-means has one famous parameter, the fuzzifier m, and every textbook says m = 2.  In more than about
eight features that makes all memberships alike and lets all centres fall together.  softclust therefore
chooses m from the number of directions in which the rows differ.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from softclust import DegenerateClusterWarning, FuzzyCMeans, HardCMeans
from softclust.plotting import MembershipMapDisplay
from softclust.plotting.palette import cluster_colours

# %%
# Five clouds, equally far apart in every dimension
# -------------------------------------------------
# Two centres are on average six standard deviations apart, whatever the number of features is.  So the
# clusters do not become harder to find: a method that loses them has itself to blame.

CLUSTERS, EACH, APART, DRAWS = 5, 100, 6.0, 5
FEATURES = (2, 4, 8, 16, 32, 64, 128)


def clouds(p, seed):
    """Return rows with p features, and the cloud of each row."""
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((CLUSTERS, p))
    gaps = np.linalg.norm(V[:, None] - V, axis=2)
    V *= APART / gaps[np.triu_indices(CLUSTERS, 1)].mean()
    y = np.repeat(np.arange(CLUSTERS), EACH)
    return scale(V[y] + rng.standard_normal((len(y), p))), y


warnings.simplefilter("ignore", DegenerateClusterWarning)  # with m = 2 each fit warns that centres coincide
models = {
    'm = "auto"': FuzzyCMeans(CLUSTERS, random_state=0),
    "m = 2": FuzzyCMeans(CLUSTERS, m=2.0, random_state=0),
    "hard (k-means)": HardCMeans(CLUSTERS, random_state=0),
}
scores = {name: np.empty((len(FEATURES), DRAWS)) for name in models}
chosen = np.empty((len(FEATURES), DRAWS))
for row, p in enumerate(FEATURES):
    for seed in range(DRAWS):
        X, truth = clouds(p, seed)
        for name, model in models.items():
            scores[name][row, seed] = adjusted_rand_score(truth, model.fit(X).labels_)
        chosen[row, seed] = models['m = "auto"'].m_
for name, values in scores.items():
    print(f"{name}: " + ", ".join(f"{value:.2f}" for value in values.mean(axis=1)))

# %%
# What is found, and the m that was chosen
# ----------------------------------------

figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.8), layout="constrained", width_ratios=(3, 2))
styles = {'m = "auto"': (0, "-"), "m = 2": (1, "-"), "hard (k-means)": (7, ":")}
for name, (k, style) in styles.items():
    colour = cluster_colours(8)[k]
    left.plot(FEATURES, scores[name].mean(axis=1), style, color=colour, lw=2.5, label=name)
left.set(title="Agreement with the truth", ylabel="adjusted Rand index", ylim=(-0.03, 1.05))
left.legend(loc="center left", bbox_to_anchor=(0.02, 0.35))
right.plot(FEATURES, chosen.mean(axis=1), "o-", color=cluster_colours(1)[0], lw=2.5)
right.axhline(2, color=cluster_colours(2)[1], lw=2.5)
right.set(title='The m of "auto"', ylim=(0.95, 2.1))
for ax in (left, right):
    ax.set_xscale("log")
    ax.set_xticks(FEATURES, map(str, FEATURES))
    ax.minorticks_off()
    ax.set_xlabel("number of features")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", alpha=0.25)
plt.show()

# %%
# The same rows with 64 features
# ------------------------------
# The rows are drawn in the plane of their two main directions.  With m = 2 every row is pale, as it belongs
# to all clusters alike; the stars, which are the centres, lie upon each other.

X, _ = clouds(64, 0)
figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.6), layout="constrained", sharey=True)
for ax, name in zip(axes, ("m = 2", 'm = "auto"'), strict=True):
    model = models[name].fit(X)
    display = MembershipMapDisplay(X=X, memberships=model.memberships_, centers=model.cluster_centers_)
    display.plot(legend=False, ax=ax)
    ax.set(title=f"64 features, {name}", xlabel="first component", ylabel="")
    ax.set_aspect("auto")
axes[0].set_ylabel("second component")
plt.show()

# %%
# Take home: leave ``m`` at its default; it is 2 in the plane, falls towards 1 as features are added, and
# keeps the clusters apart.
