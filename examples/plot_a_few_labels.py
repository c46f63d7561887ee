"""
What a few labels gain
======================

Someone knows the class of a few rows.  Given to ``fit`` as ``y``, with -1 for the others, they help on all
other rows, too.  The gain is measured on rows without a label only, because the labelled rows are given the
right answer.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score

from softclust import FuzzyCMeans, FuzzyLabelSpreading, sample_supervision
from softclust.plotting import SupervisionCurveDisplay

# %%
# Handwritten digits
# ------------------
# 899 pictures of digits, each described by its first twelve principal components.  ``sample_supervision``
# draws rows by lot and reveals their labels.

X, truth = load_digits(return_X_y=True)
X, truth = PCA(12, random_state=0).fit_transform(X)[::2], truth[::2]
y = sample_supervision(truth, labels=100, random_state=0).y
print("labels of the first rows:", *y[:25])

# %%
# What the labels gain
# --------------------
# Two models know the number of clusters, and learn names and places from the labels.  Label spreading knows
# nothing else than the labels, so its curve begins with the first of them.

MODELS = {
    "FuzzyCMeans": FuzzyCMeans(10, random_state=0),
    "FuzzyCMeans\nwith ellipsoids": FuzzyCMeans(10, geometry="ellipsoids", random_state=0),
    "FuzzyLabelSpreading": FuzzyLabelSpreading(n_anchors=150, random_state=0),
}
COUNTS, DRAWS = (10, 30, 100, 200), 4


def score(model, count, seed):
    """Return the agreement on the rows without a label, with this number of labels."""
    y = np.array(sample_supervision(truth, labels=count, every_class=True, random_state=seed).y)
    free = y == -1
    return adjusted_rand_score(truth[free], model.fit(X, y).labels_[free])


scores = {}
for name, model in MODELS.items():
    told = np.array([[score(model, count, draw) for draw in range(DRAWS)] for count in COUNTS])
    scores[name] = told
    words = " ".join(name.split())
    print(f"{words}: {told[0].mean():.2f} with 10 labels, {told[-1].mean():.2f} with 200")
alone = {name: adjusted_rand_score(truth, MODELS[name].fit(X).labels_) for name in list(MODELS)[:2]}
print("without labels:", " and ".join(f"{value:.2f}" for value in alone.values()))

# %%
# Each point is the mean of four draws of labels, and the band is the 95 % interval of that mean.  The
# dots on the left are the fits without any label.  Label spreading takes the shares of the classes among
# the labels for their shares among all rows: ten labels are one of each class here, but thirty are drawn
# by lot, and mislead it.

display = SupervisionCurveDisplay.from_predictions(np.array(COUNTS) / len(X), scores)
for name, value in alone.items():
    display.ax_.plot(0, value, "o", color=display.lines_[name].get_color(), ms=8, clip_on=False)
display.ax_.set(title="Handwritten digits: the rows without a label", xlim=(0, None), ylim=(0.5, 1))
plt.show()

# %%
# Take home: give ``fit`` the labels that you have, and choose a model that can learn shapes from them.
