"""
More rows than memory holds
===========================

``fit`` takes the path of a ``.npy`` or ``.parquet`` file, and also a function that gives the rows block by
block, as a reader of a stream would.  The clusters are the same as if all rows were in memory.
``partial_fit`` goes on with every further block.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softclust import FuzzyCMeans
from softclust.datasets import make_overlapping_blobs
from softclust.plotting.palette import cluster_colours

# %%
# A file, and a function
# ----------------------

X, _ = make_overlapping_blobs(200_000, 2, 4, overlap=0.05, random_state=0)
X = X.astype(np.float32)


def blocks():
    """Give the rows in blocks, as if they came from a database."""
    for start in range(0, len(X), 10_000):
        yield X[start : start + 10_000]


model = FuzzyCMeans(4, random_state=0)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "rows.npy"
    np.save(path, X)
    in_memory, from_file, from_blocks = (
        model.fit(rows).cluster_centers_.copy() for rows in (X, path, blocks)
    )
print(f"file against memory:   {np.abs(from_file - in_memory).max():.0e}")
print(f"blocks against memory: {np.abs(from_blocks - in_memory).max():.0e}")

# %%
# A stream that is read once
# --------------------------
# ``partial_fit`` sees each block of 200 rows once and keeps only its sums.  The ideal is the fit to all
# rows of the stream at once.

stream = FuzzyCMeans(4, random_state=0)
seen, steps = [], []
for start in range(0, 50_000, 200):
    stream.partial_fit(X[start : start + 200])
    seen.append(stream.n_samples_seen_)
    steps.append(stream.cluster_centers_.copy())
ideal = FuzzyCMeans(4, init=stream.cluster_centers_).fit(X[:50_000]).cluster_centers_
gaps = np.linalg.norm(np.array(steps) - ideal, axis=2)
print(f"centres are off by {gaps[0].mean():.2f} after 200 rows, by {gaps[-1].mean():.3f} after 50,000")

# %%
# The centres find their place
# ----------------------------
# The dashed line falls as the error of a mean does, with one over the square root of the number of rows.

figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.8), layout="constrained")
left.scatter(*X[:4000].T, s=3, color="0.8")
for k, colour in enumerate(cluster_colours(4)):
    left.plot(*np.array(steps)[:, k].T, color=colour, lw=1.2)
    left.plot(*ideal[k], "*", color=colour, mec="black", ms=14)
    right.plot(seen, gaps[:, k], color=colour, lw=2)
right.plot(seen, gaps[0].mean() * np.sqrt(seen[0] / np.array(seen)), "--", color="black", lw=1.2)
left.set(title="4,000 of the rows, and the centres", xticks=[], yticks=[], aspect="equal")
right.set(title="Distance from the fit to all rows", xscale="log", yscale="log", xlabel="rows seen so far")
right.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Take home: give ``fit`` a path or a function where rows do not fit into memory, and ``partial_fit`` each
# block of a stream that nobody keeps.
