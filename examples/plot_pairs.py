"""
Pairs that belong together, pairs that do not
=============================================

Sometimes nobody can name a class, but everybody can say whether two rows belong together.  ``must_link``
and ``cannot_link`` hold such pairs of row positions.  Here they decide between two ways to divide the
same rows, of which the data alone prefer the wrong one.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from softclust import ConstraintConflictError, HardCMeans, sample_supervision
from softclust.metrics import matched_accuracy
from softclust.plotting.palette import CANNOT, MUST, cluster_colours

# %%
# Two long strips
# ---------------
# Without pairs, clusters with a metric of their own divide both strips in the middle.

rng = np.random.default_rng(0)
truth = np.repeat([0, 1], 150)
X = rng.normal(size=(300, 2)) * (4, 0.5) + np.outer(truth, (0, 2.5))
told = sample_supervision(truth, labels=0, must_link=20, cannot_link=20, random_state=0)
links = {"must_link": told.must_link, "cannot_link": told.cannot_link}
print("the first pairs that belong together:", told.must_link.pairs[:3].astype(int).tolist())

model = HardCMeans(2, geometry="ellipsoids", random_state=0)
found = {"without pairs": model.fit(X).labels_, "with 40 pairs": model.fit(X, **links).labels_}
for name, labels in found.items():
    print(f"{name}: {matched_accuracy(truth, labels):.0%} right")
print(f"pairs that the model did not honour: {len(model.unsatisfied_)}")

# %%
# Green lines join rows that belong together, dashed lines rows that do not.

figure, axes = plt.subplots(2, 1, figsize=(6.4, 5.2), layout="constrained", sharex=True)
for ax, (name, labels) in zip(axes, found.items(), strict=True):
    if name != "without pairs":
        for pairs, colour, style in ((told.must_link, MUST, "solid"), (told.cannot_link, CANNOT, "dashed")):
            ends = X[pairs.pairs.astype(int)]
            ax.add_collection(LineCollection(list(ends), colors=colour, linestyles=style, lw=1.1))
    ax.scatter(*X.T, s=16, c=cluster_colours(2)[labels], edgecolors="white", linewidths=0.4, zorder=3)
    ax.set(title=f"{name}: {matched_accuracy(truth, labels):.0%} right", xticks=[], yticks=[])
plt.show()

# %%
# Pairs as constraints
# --------------------
# With ``link_strength=inf`` every pair holds.  If that is impossible, the error names the rows.

strict = HardCMeans(2, link_strength=np.inf, random_state=0).fit(X, **links)
print(f"as constraints: {len(strict.unsatisfied_)} pairs are not honoured")
try:
    strict.fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
except ConstraintConflictError as conflict:
    print(conflict)

# %%
# Take home: where the data allow several answers, a few pairs tell which of them is meant.
