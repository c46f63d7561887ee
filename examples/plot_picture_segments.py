"""
Segments of a picture, by pairs of neighbours
=============================================

Neighbouring pixels of a picture usually show the same thing.  Said as ``must_link`` pairs, this makes
clusters of pixels into segments: a pair may be broken, but each broken pair has its price.  So borders
stay, and grains of noise go.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.datasets import load_sample_image

from softclust import FuzzyCMeans
from softclust.metrics import matched_accuracy
from softclust.plotting.palette import cluster_colours


def neighbours(height, width):
    """Return the pairs of pixels that are side by side or one above the other."""
    number = np.arange(height * width).reshape(height, width)
    beside = np.column_stack([number[:, :-1].ravel(), number[:, 1:].ravel()])
    above = np.column_stack([number[:-1].ravel(), number[1:].ravel()])
    return np.vstack([beside, above])


# %%
# A grey picture with much noise
# ------------------------------
# Three shades of grey; the noise is more than half as large as the step from one to the next.

SIDE = 64
up, across = np.mgrid[:SIDE, :SIDE]
truth = np.where((across - 22) ** 2 + (up - 24) ** 2 < 15**2, 1, 0)
truth[36:56, 30:58] = 2
rng = np.random.default_rng(0)
picture = np.array([0.2, 0.5, 0.8])[truth] + 0.18 * rng.standard_normal((SIDE, SIDE))
pixels, pairs = picture.reshape(-1, 1), neighbours(SIDE, SIDE)
print(f"{len(pixels)} pixels, {len(pairs)} pairs")

found = {
    "the picture": picture,
    "pixels alone": FuzzyCMeans(3, random_state=0).fit(pixels).labels_,
    "with neighbours": FuzzyCMeans(3, link_strength=2.0, n_init=10, random_state=0)
    .fit(pixels, must_link=pairs)
    .labels_,
}
order = {name: np.argsort([pixels[found[name] == k].mean() for k in range(3)]) for name in list(found)[1:]}
figure, axes = plt.subplots(1, 3, figsize=(7.6, 2.75), layout="constrained")
axes[0].imshow(picture, cmap="gray")
axes[0].set_title("the picture")
for ax, (name, ranks) in zip(axes[1:], order.items(), strict=True):
    right = matched_accuracy(truth.ravel(), found[name])
    print(f"{name}: {right:.1%} of the pixels are right")
    shades = np.argsort(ranks)[found[name]].reshape(SIDE, SIDE)
    ax.imshow(shades, cmap=ListedColormap(cluster_colours(3)), interpolation="nearest")
    ax.set_title(f"{name}: {right:.1%}")
for ax in axes:
    ax.set_axis_off()
plt.show()

# %%
# A photograph
# ------------
# Every eighth pixel of a photograph of a flower, in three clusters of colours.

photo = load_sample_image("flower.jpg")[::8, ::8] / 255
height, width, _ = photo.shape
pixels, pairs = photo.reshape(-1, 3), neighbours(height, width)
alone = FuzzyCMeans(3, random_state=0).fit(pixels)
joined = FuzzyCMeans(3, link_strength=1.0, init=alone.cluster_centers_).fit(pixels, must_link=pairs)
figure, axes = plt.subplots(1, 3, figsize=(7.6, 2.0), layout="constrained")
for ax, shown, title in zip(
    axes,
    (photo, *(model.cluster_centers_[model.labels_].reshape(photo.shape) for model in (alone, joined))),
    ("the photograph", "pixels alone", "with neighbours"),
    strict=True,
):
    ax.imshow(np.clip(shown, 0, 1))
    ax.set(title=title)
    ax.set_axis_off()
plt.show()

# %%
# Take home: whatever you know about rows in pairs, such as "these pixels touch", can be told to the model.
