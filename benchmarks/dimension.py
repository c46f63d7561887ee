"""Agreement with the truth against the number of features: m = 2, m = "auto" and k-means.

    python benchmarks/dimension.py [--plot docs/images/dimension.png]

Five Gaussian clusters of 100 rows each, as far apart in every dimension: two centres are on average
six standard deviations apart, whatever p is.  Features are standardised.  ARI, mean over draws.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from common import machine, parser, print_table
from softclust import FuzzyCMeans

FEATURES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256)
CLUSTERS, EACH, APART = 5, 100, 6.0
METHODS = {
    "m = 2": lambda seed: FuzzyCMeans(CLUSTERS, m=2.0, random_state=seed),
    'm = "auto"': lambda seed: FuzzyCMeans(CLUSTERS, random_state=seed),
    "k-means": lambda seed: KMeans(CLUSTERS, n_init=3, random_state=seed),
}


def clouds(p: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows in p features, and the cluster of each row."""
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((CLUSTERS, p))
    gaps = np.linalg.norm(V[:, None] - V, axis=2)
    V *= APART / gaps[np.triu_indices(CLUSTERS, 1)].mean()
    y = np.repeat(np.arange(CLUSTERS), EACH)
    return scale(V[y] + rng.standard_normal((len(y), p))), y


def draw(found: dict[str, np.ndarray], path: Path) -> None:
    """Draw the means as lines with the spread of the draws as bands."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    colours = {"m = 2": "#b3432b", 'm = "auto"': "#1f6f8b", "k-means": "#8a8a8a"}
    for name, scores in found.items():
        mean, spread = scores.mean(axis=1), scores.std(axis=1) / np.sqrt(scores.shape[1])
        style = "--" if name == "k-means" else "-"
        axes.plot(FEATURES, mean, style, color=colours[name], lw=2)
        axes.fill_between(
            FEATURES, mean - 2 * spread, mean + 2 * spread, color=colours[name], alpha=0.15, lw=0
        )
    ends = {"m = 2": (34, 0.12), 'm = "auto"': (34, 0.81), "k-means": (34, 0.73)}
    for name, (x, y) in ends.items():
        axes.annotate(name, (x, y), color=colours[name], fontsize=12, fontweight="bold")
    axes.set(xscale="log", ylim=(-0.02, 1.03), xlabel="features", ylabel="agreement with the truth (ARI)")
    axes.set_xticks(FEATURES, map(str, FEATURES))
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--plot", type=Path, help="also draw the table into this file")
    options.add_argument("--draws", type=int, default=10)
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    print(machine(), "\n")
    found = {name: np.empty((len(FEATURES), arguments.draws)) for name in METHODS}
    for row, p in enumerate(FEATURES):
        for seed in range(arguments.draws):
            X, y = clouds(p, seed)
            for name, make in METHODS.items():
                found[name][row, seed] = adjusted_rand_score(y, make(seed).fit(X).labels_)
    rows = [
        [str(p), *(f"{found[name][row].mean():.2f}" for name in METHODS)] for row, p in enumerate(FEATURES)
    ]
    print_table(["features", *METHODS], rows)
    if arguments.plot:
        draw(found, arguments.plot)


if __name__ == "__main__":
    main()
