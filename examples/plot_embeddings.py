"""
Texts and embeddings: clusters of directions
============================================

The length of a text's vector tells how long the text is; its direction tells what the text is about.
``geometry="directions"`` compares directions only.  This example writes 600 short texts on four subjects,
some of them on two, and counts their words.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score

from softclust import FuzzyCMeans
from softclust.plotting import MembershipHeatmapDisplay
from softclust.plotting.palette import cluster_colours

# %%
# Texts that a die wrote
# ----------------------
# Each subject prefers words of its own.  A text has 5 to 400 words; one text in six is on two subjects.

SUBJECTS, WORDS, TEXTS = 4, 300, 600
rng = np.random.default_rng(0)
preferred = rng.dirichlet(np.full(WORDS, 0.15), SUBJECTS)
first, second = rng.integers(SUBJECTS, size=(2, TEXTS))
is_mixed = rng.random(TEXTS) < 1 / 6
share = np.where(is_mixed, 0.5, 1.0)[:, None]
lengths = np.exp(rng.uniform(np.log(5), np.log(400), TEXTS)).astype(int)
background = rng.dirichlet(np.full(WORDS, 1.0))
likely = 0.5 * background + 0.5 * (share * preferred[first] + (1 - share) * preferred[second])
counts = np.array([rng.multinomial(n, p) for n, p in zip(lengths, likely, strict=True)])
X = TfidfTransformer(norm=None).fit_transform(counts).toarray()

# %%
# Directions against points
# -------------------------

pure = ~is_mixed | (first == second)
models = {
    "directions": FuzzyCMeans(SUBJECTS, geometry="directions", random_state=0).fit(X),
    "points": FuzzyCMeans(SUBJECTS, random_state=0).fit(X),
}
agreement = {name: adjusted_rand_score(first[pure], model.labels_[pure]) for name, model in models.items()}
for name, value in agreement.items():
    print(f"{name}: adjusted Rand index {value:.2f} on texts with one subject")

# %%
# Each picture has a line for each text, sorted by cluster.  By points, all short texts are one cluster,
# whatever they are about, and the long ones make up the others.

figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.8), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    display = MembershipHeatmapDisplay(memberships=model.memberships_, cluster_names=["0", "1", "2", "3"])
    display.plot(colorbar=ax is axes[-1], ax=ax)
    ax.set(title=f"{name}: agreement {agreement[name]:.2f}", xlabel="cluster", ylabel="")
axes[0].set_ylabel("texts, by winning cluster and degree")
plt.show()

# %%
# Texts on two subjects are in doubt
# ----------------------------------
# The longer a text, the better its subject is known; texts on two subjects stay between two clusters.

sure = models["directions"].memberships_.max(axis=1)
figure, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
for mask, name, k in ((pure, "one subject", 0), (~pure, "two subjects", 1)):
    ax.scatter(lengths[mask], sure[mask], s=16, color=cluster_colours(2)[k], alpha=0.7, label=name)
ax.set(xscale="log", xlabel="number of words", ylabel="greatest membership", ylim=(0.2, 1.03))
ax.set_title("How sure the model is of each text")
ax.legend(loc="lower right")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Take home: cluster counts of words and embeddings of sentences with ``geometry="directions"``.
