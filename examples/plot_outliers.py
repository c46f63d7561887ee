"""
Rows that are like no cluster
=============================

Every estimator with centres gives each row an outlier score in ``outlier_scores_``, also for new rows by
``outlier_score``.  Here three clouds of unlike size lie in thin noise.  The score is compared with the
truth.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.metrics import roc_auc_score

from softclust import FuzzyCMeans, PossibilisticFuzzyCMeans
from softclust.plotting.palette import cluster_colours

# %%
# 300 rows in three clouds, and 40 rows of noise
# ----------------------------------------------

clouds, _ = make_blobs([150, 100, 50], centers=[(-4, 3), (4, 3), (0, -4)], random_state=0)
noise = np.random.default_rng(0).uniform(-9, 9, (40, 2))
X = np.vstack([clouds, noise])
is_noise = np.arange(len(X)) >= len(clouds)

models = {
    "FuzzyCMeans": FuzzyCMeans(3, random_state=0),
    "with a noise cluster": FuzzyCMeans(3, noise_distance=2.5, random_state=0),
    "PossibilisticFuzzyCMeans": PossibilisticFuzzyCMeans(3, random_state=0),
}
for name, model in models.items():
    print(f"{name}: AUC {roc_auc_score(is_noise, model.fit(X).outlier_scores_):.3f}")

# %%
# The score as a landscape
# ------------------------
# The darker the ground, the less a row there is like any cluster.  Crosses are the noise that was planted.

across, up = np.meshgrid(np.linspace(-9.5, 9.5, 150), np.linspace(-9.5, 9.5, 150))
grid = np.column_stack([across.ravel(), up.ravel()])
figure, axes = plt.subplots(1, 3, figsize=(7.8, 3.3), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    score = model.outlier_score(grid).reshape(across.shape)
    picture = ax.pcolormesh(across, up, score, cmap="Greys", vmin=0, vmax=1)
    ax.scatter(*clouds.T, s=7, c=cluster_colours(1))
    ax.scatter(*noise.T, s=16, c="#D55E00", marker="x", linewidths=1.2)
    title = name if name.startswith("with") else name.replace("FuzzyCMeans", "\nFuzzyCMeans").strip()
    ax.set(title=title, xticks=[], yticks=[], aspect="equal")
    ax.set_xlabel(f"area under ROC {roc_auc_score(is_noise, model.outlier_scores_):.2f}")
figure.colorbar(picture, ax=axes, label="outlier score", shrink=0.8)
plt.show()

# %%
# Which rows to look at
# ---------------------

first = models["FuzzyCMeans"].outlier_scores_.argsort()[::-1][:20]
print(f"of the 20 highest scores {is_noise[first].sum()} are planted noise")

# %%
# Take home: sort by ``outlier_scores_`` and look at the top; here the first twenty are all planted noise.
