"""
How many clusters?
==================

Nobody tells the number of clusters.  ``select`` fits a model for each number and compares validity indices,
none of which needs class labels.  They need not agree, so all of them are shown.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from softclust import FuzzyCMeans, select
from softclust.plotting import FuzzySilhouetteDisplay, SelectionDisplay

# sphinx_gallery_thumbnail_number = 2

# %%
# Three cultivars of wine, unknown to the method
# ----------------------------------------------

X = scale(load_wine().data)
found = select(FuzzyCMeans(m=1.3, random_state=0), X, n_clusters=range(2, 7))
for setting, votes in zip(found.settings, found.votes(), strict=True):
    print(f"{setting['n_clusters']} clusters: {votes} indices")
print(f"{found.index} chooses {found.best_params_['n_clusters']}")

# %%
# All indices side by side
# ------------------------
# A ring marks the best number of each index; the title of the index that decides is bold.

SelectionDisplay.from_selection(found)
plt.show()

# %%
# The clusters that were chosen
# -----------------------------
# The silhouette of a row is near 1 if its own cluster is much nearer than the next one.

model = FuzzyCMeans(found.best_params_["n_clusters"], m=1.3, random_state=0).fit(X)
display = FuzzySilhouetteDisplay.from_estimator(model, X)
display.figure_.suptitle("Three clusters of wines")
plt.show()

# %%
# Take home: look at several indices, and trust a number of clusters that many of them choose.
