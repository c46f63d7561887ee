"""
Labels, pairs and doubt together
================================

``EvidentialCMeans`` takes labels and pairs of rows at once, and answers with belief in sets of clusters.
On Iris, fifteen labels and thirty pairs help to tell the two kinds apart that overlap.  The rows that
stay in doubt are those on the border.
"""

import matplotlib.pyplot as plt
from sklearn.metrics import adjusted_rand_score

from softclust import EvidentialCMeans, sample_supervision
from softclust.datasets import load_iris
from softclust.plotting import CredalPartitionDisplay, MassCurvesDisplay

# %%
# Without and with knowledge
# --------------------------

X, truth = load_iris(return_X_y=True)
model = EvidentialCMeans(3, geometry="ellipsoids", random_state=0)
print(f"ECM alone: {adjusted_rand_score(truth, model.fit(X).labels_):.2f}")
told = sample_supervision(truth, labels=15, must_link=15, cannot_link=15, random_state=0)
links = {"must_link": told.must_link, "cannot_link": told.cannot_link}
model.fit(X, told.y, **links)
print(f"with 15 labels and 30 pairs: {adjusted_rand_score(truth, model.labels_):.2f}")
doubt = model.credal_partition_.nonspecificity
print(f"rows in most doubt: {doubt.argsort()[-5:].tolist()}; not honoured: {len(model.unsatisfied_)}")

# %%
# The map of belief
# -----------------
# Rings are labels; lines are pairs that belong together or apart.  Four features are drawn in the plane
# of their two main directions.

display = CredalPartitionDisplay.from_estimator(
    model, X, told.y, **links, cluster_names=["setosa", "versicolor", "virginica"], hulls=False
)
display.figure_.suptitle("Iris: what each row believes in most")
plt.show()

# %%
# How much belief each set gets
# -----------------------------

display = MassCurvesDisplay.from_estimator(model, cluster_names=["setosa", "versicolor", "virginica"])
display.ax_.set_title("Masses of the sets, sorted")
plt.show()

# %%
# Take home: tell the model all that you know, in whatever form, and ask it for the rows that stay in doubt.
