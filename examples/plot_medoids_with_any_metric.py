"""
Medoids: any dissimilarity will do
==================================

Words have no coordinates, but any two of them can be compared.  ``KMedoids`` needs nothing else: the
centre of a cluster is one of its words, the medoid.  Here words are alike if they share pairs of adjacent
letters.
"""

import matplotlib.pyplot as plt
import numpy as np

from softclust import KMedoids
from softclust.plotting.palette import cluster_colours

# %%
# A matrix of dissimilarities
# ---------------------------

FAMILIES = ("cluster clusters clustering clustered cloister", "medoid medoids medal medium")
WORDS = " ".join([*FAMILIES, "fuzzy fuzzier fuzz fuzziness buzz"]).split()


def apart(one, other):
    """Return 1 - the share of pairs of adjacent letters that both words have."""
    a, b = ({word[i : i + 2] for i in range(len(word) - 1)} for word in (one, other))
    return 1 - len(a & b) / len(a | b)


D = np.array([[apart(one, other) for other in WORDS] for one in WORDS])
model = KMedoids(3, metric="precomputed").fit(D)
for k, medoid in enumerate(model.medoid_indices_):
    mine = [word for word, label in zip(WORDS, model.labels_, strict=True) if label == k]
    print(f"{WORDS[medoid]}: {', '.join(mine)}")

# %%
# The matrix, sorted by cluster
# -----------------------------
# Dark squares are words that are alike.  Medoids are bold.

order = np.lexsort([D[model.medoid_indices_[model.labels_], np.arange(len(WORDS))], model.labels_])
figure, ax = plt.subplots(figsize=(6.4, 5.8), layout="constrained")
picture = ax.imshow(D[np.ix_(order, order)], cmap="cividis", vmin=0, vmax=1)
names = [WORDS[i] for i in order]
ax.set_xticks(np.arange(len(WORDS)), names, rotation=60, ha="right", rotation_mode="anchor", fontsize=11)
ax.set_yticks(np.arange(len(WORDS)), names, fontsize=11)
for place, row in enumerate(order):
    for tick in (ax.get_xticklabels()[place], ax.get_yticklabels()[place]):
        tick.set_color(cluster_colours(3)[model.labels_[row]] * 0.85)
        tick.set_fontweight("bold" if row in model.medoid_indices_ else "normal")
for edge in np.cumsum(np.bincount(model.labels_))[:-1] - 0.5:
    ax.axhline(edge, color="white", lw=2)
    ax.axvline(edge, color="white", lw=2)
ax.set_title("How far words are apart")
figure.colorbar(picture, ax=ax, label="dissimilarity", shrink=0.8)
plt.show()

# %%
# Take home: if you can say how far two rows are apart, ``KMedoids(metric="precomputed")`` can cluster them.
