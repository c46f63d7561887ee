"""
Wrong labels are found
======================

People make mistakes when they label rows.  ``FuzzyLabelSpreading`` outvotes a wrong label by the labels
about it, and ``label_doubts_`` lists all labels, the least credible first.  ``softclust.active`` does the
same for any estimator.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from softclust import FuzzyCMeans, FuzzyLabelSpreading
from softclust.active import doubted_labels
from softclust.datasets import load_iris
from softclust.plotting.palette import certainty, cluster_colours, tint

# %%
# Sixty labels, six of them wrong
# -------------------------------

X, truth = make_moons(600, noise=0.12, random_state=0)
rng = np.random.default_rng(1)
told = rng.choice(600, 60, replace=False)
wrong = rng.choice(told, 6, replace=False)
y = np.full(600, -1)
y[told] = truth[told]
y[wrong] = 1 - y[wrong]

model = FuzzyLabelSpreading(random_state=0).fit(X, y)
doubts = model.label_doubts_
print(f"{(model.labels_ == truth).mean():.1%} of the rows are right")
print(f"the six labels in most doubt: {doubts['row'][:6]}; wrong are {np.sort(wrong)}")

# %%
# The doubt of each label
# -----------------------
# On the left, squares are labels in the colour of the class that they name; a ring marks a wrong one.  On
# the right, the labels are sorted by their doubt.  Above 0.5 another class is likelier than the one that
# was told.

figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.6), layout="constrained", width_ratios=(5, 3))
colours, U = cluster_colours(2), model.memberships_
left.scatter(*X.T, s=12, c=tint(colours[model.labels_], 0.5 * certainty(U)))
left.scatter(*X[told].T, s=34, marker="s", c=colours[y[told]], edgecolors="black", linewidths=0.6)
left.scatter(*X[wrong].T, s=190, facecolors="none", edgecolors="black", linewidths=1.8, label="wrong label")
left.set(title="60 labels, 6 of them wrong", xticks=[], yticks=[], aspect="equal")
left.legend(loc="lower left", fontsize=9)
is_wrong = np.isin(doubts["row"], wrong)
right.bar(np.arange(60), doubts["doubt"], width=0.9, color=np.where(is_wrong, "#D55E00", "0.75"))
right.axhline(0.5, color="black", ls="--", lw=1)
right.text(59, 0.52, "another class is likelier", ha="right", fontsize=9)
right.set(title="Doubt of each label", xlabel="labels, sorted", ylim=(0, 1.02))
right.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# With any other estimator
# ------------------------
# ``softclust.active.doubted_labels`` fits the model several times, each time without a part of the labels,
# and asks what it says of them.

X, species = load_iris(return_X_y=True)
known = np.where(np.arange(150) % 3 == 0, species, -1)
known[[9, 90]] = 2, 0  # two mistakes
found = doubted_labels(FuzzyCMeans(3, geometry="ellipsoids", random_state=0), X, known)
for row, name, likely, doubt in found[:4]:
    print(f"row {row}: told {name}, likely {likely}, doubt {doubt:.2f}")

# %%
# Take home: read ``label_doubts_`` before you trust your labels; the first few lines are worth a second
# look.
