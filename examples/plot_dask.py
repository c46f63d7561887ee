"""
Rows on a Dask cluster
======================

``fit`` takes Dask arrays and dataframes.  The passes run where the rows are, and only a few kilobytes of
sums travel.  What comes out for each row is lazy again, block by block.
"""

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from softclust import FuzzyCMeans
from softclust.plotting.palette import cluster_colours

# %%
# A million rows in ten blocks
# ----------------------------
# Each block is made when a worker needs it, as ``dask.array.from_zarr`` or ``read_parquet`` would do.  Here
# Dask's own threads do the work; with a ``dask.distributed.Client`` the same lines run on a cluster.

CENTRES = np.array([(0, 0), (6, 1), (2, 6), (8, 7), (-4, 5)], dtype=float)
rng = da.random.default_rng(0)
which = rng.integers(5, size=1_000_000, chunks=100_000)
X = rng.normal(size=(1_000_000, 2), chunks=(100_000, 2)) + which.map_blocks(
    lambda k: CENTRES[k], dtype=float, chunks=(which.chunks[0], (2,)), new_axis=1
)
with dask.config.set(scheduler="threads"):
    model = FuzzyCMeans(5, random_state=0).fit(X)
    sizes = da.bincount(model.labels_, minlength=5).compute()
    sure, edges = da.histogram(model.memberships_.max(axis=1), bins=40, range=(0.2, 1.0))
    sure = sure.compute()
print(type(model.labels_).__name__, model.labels_.chunks[0])
print(f"{model.n_iter_} iterations; clusters of {sizes.min():,} to {sizes.max():,} rows")
nearest = np.linalg.norm(model.cluster_centers_[:, None] - CENTRES, axis=2).min(axis=1)
print(f"the centres are within {nearest.max():.2f} of the true ones")

# %%
# A picture of a million rows
# ---------------------------
# Nothing needs all rows at once: the histograms are summed block by block, too.

with dask.config.set(scheduler="threads"):
    low, high = X.min(axis=0).compute(), X.max(axis=0).compute()
    spans = [(low[j], high[j]) for j in (0, 1)]
    counts, across, up = da.histogram2d(X[:, 0], X[:, 1], bins=160, range=spans)
    counts = counts.compute()
figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.9), layout="constrained", width_ratios=(3, 2))
left.pcolormesh(across, up, np.log1p(counts).T, cmap="Greys")
left.scatter(
    *model.cluster_centers_.T, s=260, marker="*", c=cluster_colours(5), edgecolors="black", zorder=3
)
left.set(title="1,000,000 rows and five centres", xticks=[], yticks=[])
right.bar(
    edges[:-1], sure / 1000, np.diff(edges), align="edge", color=cluster_colours(1), ec="white", lw=0.3
)
right.set(title="How sure the rows are", xlabel="greatest membership", ylabel="thousands of rows")
right.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Take home: a fit on Dask is the same call as one in memory, and its labels and memberships stay lazy.
