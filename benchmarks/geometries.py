"""Gaussian mixtures beside scikit-learn's, and Gustafson-Kessel beside our own mixtures.

    python benchmarks/geometries.py [--rounds N]

100,000 x 16, c = 8 overlapping Gaussians, full covariances, 20 plain iterations from the same start; an
iteration is a twentieth of the difference between 21 and 1.
"""

import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Theirs

from common import machine, median, parser, print_table, seconds, verdict
from softclust import FuzzyCMeans, GaussianMixture

N, P, C = 100_000, 16, 8


def data():
    rng = np.random.default_rng(0)
    means, shapes = 2 * rng.normal(size=(C, P)), rng.normal(size=(C, P, P)) / 4
    y = rng.integers(C, size=N)
    X = means[y] + np.einsum("iab,ib->ia", (np.eye(P) + shapes)[y], rng.normal(size=(N, P)))
    return X, X[rng.choice(N, C, replace=False)]


def models(V, steps):
    sigma, shares = np.tile(np.eye(P), (C, 1, 1)), np.full(C, 1 / C)
    plain = {"max_iter": steps, "tol": 0.0}
    return {
        "scikit-learn": Theirs(C, means_init=V, precisions_init=sigma, weights_init=shares, **plain),
        "GaussianMixture": GaussianMixture(
            C, init=(V, sigma, shares), covariance_prior=0, acceleration=None, **plain
        ),
        "Gustafson-Kessel": FuzzyCMeans(
            C, m=2.0, geometry="ellipsoids", init=(V, sigma), acceleration=None, **plain
        ),
    }


def main():
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=3)
    args = options.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(machine())
    X, V = data()
    fitted = {name: model.fit(X) for name, model in models(V, 20).items()}
    took = {name: [] for name in fitted}
    for _ in range(args.rounds):
        for name in took:
            one, many = (seconds(lambda: models(V, s)[name].fit(X)) for s in (1, 21))  # noqa: B023
            took[name].append((many - one) / 20 * 1000)
    best = {name: min(times) for name, times in took.items()}
    rows = [[name, f"{best[name]:.0f}", f"{median(times):.0f}"] for name, times in took.items()]
    print_table([f"{N:,} x {P}, c = {C}, ms an iteration", "best", "median"], rows)
    ratio = best["scikit-learn"] / best["GaussianMixture"]
    ours, theirs = fitted["GaussianMixture"].score(X), fitted["scikit-learn"].score(X)
    print()
    results = [
        verdict("a mixture's iteration at least 5x as fast as scikit-learn's", f"{ratio:.1f}x", ratio >= 5),
        verdict(
            "the same log-likelihood to 1e-8 of its value",
            f"{abs(ours - theirs):.1e} of {theirs:.3f}",
            abs(ours - theirs) <= 1e-8 * abs(theirs),
        ),
    ]
    beside = best["Gustafson-Kessel"] / best["GaussianMixture"]
    results.append(verdict("Gustafson-Kessel within 1.5x of our mixture", f"{beside:.2f}x", beside <= 1.5))
    return 1 if args.strict and not all(results) else 0


if __name__ == "__main__":
    sys.exit(main())
