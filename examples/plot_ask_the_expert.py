"""
Ask the expert about the right rows
===================================

An expert has time for forty answers.  Which rows should be shown?  ``softclust.active`` asks where the
model is in doubt and where it knows nothing yet.  A simulated expert measures what that gains over rows
drawn by lot.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import t
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from softclust import FuzzyLabelSpreading
from softclust.active import Session, advice, simulate
from softclust.plotting.palette import cluster_colours

# %%
# A session
# ---------
# A session asks, takes answers and fits again.  It can be written to a file at any time, and answers can be
# undone.  The rows are pictures of the digits 0 to 5, described by eight principal components.

X, truth = load_digits(n_class=6, return_X_y=True)
X, truth = PCA(8, random_state=0).fit_transform(X)[:300], truth[:300]
estimator = FuzzyLabelSpreading(n_anchors=40, random_state=0)
session = Session.start(X, estimator)
for _ in range(4):
    for row in session.ask(5)["row"]:
        session = session.tell(row, f"digit {truth[row]}")
model = session.fit()
names = np.array(session.classes)
right = (names[model.labels_] == [f"digit {k}" for k in truth]).mean()
print(f"after 20 answers {right:.0%} of the rows are right")
print(advice(session).sentence)

# %%
# What the questions are worth
# ----------------------------
# ``simulate`` repeats such sessions with an expert who knows the truth.  Accuracy is measured on rows
# that are never asked.  The bands are 95 % intervals of the mean of six sessions.

curves = simulate(
    estimator,
    X,
    truth,
    strategies={"where in doubt": "doubt-mix", "by lot": "random"},
    budget=40,
    batch=8,
    repetitions=6,
    random_state=0,
)
figure, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
for k, name in enumerate(curves.strategies):
    told, scores = curves.table(name)
    mean = scores.mean(axis=0)
    half = t.ppf(0.975, len(scores) - 1) * scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
    colour = cluster_colours(2)[k]
    ax.plot(told, mean, "o-" if k == 0 else "s--", color=colour, lw=2, label=name)
    ax.fill_between(told, mean - half, mean + half, color=colour, alpha=0.18, lw=0)
    print(f"{name}: {mean[1]:.2f} with 8 answers, {mean[-1]:.2f} with 40")
ax.set(xlabel="answers of the expert", ylabel="accuracy on rows never asked")
ax.set_title("What forty answers teach")
ax.legend(loc="lower right", title="rows are chosen")
ax.grid(axis="y", alpha=0.25)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Take home: let ``Session.ask`` choose the rows, and the same number of answers teaches more.
