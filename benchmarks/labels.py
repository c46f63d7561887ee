"""What labels cost: the same fit without labels and with labels for 1 % of the rows.

    python benchmarks/labels.py [--rounds N]

1,000,000 x 16, c = 8, from the same centres.  A fit is timed at 1 and at 21 iterations; the difference is
the time of 20.  Both take turns, round after round.  Promised: at most 1.3 times the time without, for
every estimator at its default exponents; memberships with another exponent, solved row by row, are shown.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

from common import machine, make_data, median, parser, print_table, seconds, verdict
from softclust import (
    FuzzyCMeans,
    HardCMeans,
    ImprovedPossibilisticCMeans,
    PossibilisticCMeans,
    PossibilisticFuzzyCMeans,
)

N, P, C, SHARE, MOST = 1_000_000, 16, 8, 0.01, 1.3
SHORT, LONG = 1, 21
PROMISED = {
    "HardCMeans": (HardCMeans, {}),
    "FuzzyCMeans": (FuzzyCMeans, {}),
    "PossibilisticCMeans m=1.5": (PossibilisticCMeans, {"scale": 0.5}),
    "PossibilisticCMeans m=2": (PossibilisticCMeans, {"m": 2.0, "scale": 0.5}),
    "PossibilisticFuzzyCMeans": (PossibilisticFuzzyCMeans, {"scale": 0.5}),
    "ImprovedPossibilisticCMeans": (ImprovedPossibilisticCMeans, {"scale": 0.5}),
}
SHOWN = {"FuzzyCMeans m=1.7": (FuzzyCMeans, {"m": 1.7})}


def iteration(X, y, start, cls, settings, rounds):
    """ms an iteration without and with labels: (best, median) of each."""
    times = {}
    for _ in range(rounds):
        for known in (False, True):
            for iterations in (SHORT, LONG):
                model = cls(
                    C,
                    init=start,
                    tol=0.0,
                    max_iter=iterations,
                    acceleration=None,
                    label_strength=5.0,
                    **settings,
                )
                took = seconds(lambda: model.fit(X, y if known else None))  # noqa: B023
                times.setdefault((known, iterations), []).append(took)
    return [
        (1000 / (LONG - SHORT)) * (take(times[known, LONG]) - take(times[known, SHORT]))
        for known in (False, True)
        for take in (min, median)
    ]


def main():
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=5)
    args = options.parse_args()
    warnings.simplefilter("ignore")
    X, start = make_data(N, P, C)
    rng = np.random.default_rng(0)
    y = np.full(N, -1)
    rows = rng.choice(N, int(SHARE * N), replace=False)
    y[rows] = ((X[rows][:, None] - start) ** 2).sum(axis=2).argmin(axis=1)
    print(machine())
    print(f"{N:,} x {P}, c = {C}, {len(rows):,} labels\n")
    table, ratios = [], {}
    for name, (cls, settings) in {**PROMISED, **SHOWN}.items():
        best, middle, best_known, middle_known = iteration(X, y, start, cls, settings, args.rounds)
        ratios[name] = (best_known / best, middle_known / middle)
        figures = (best, middle, best_known, middle_known, *ratios[name])
        table.append([name, *(f"{x:.1f}" for x in figures[:4]), *(f"{x:.2f}" for x in figures[4:])])
    header = ["ms an iteration", "best", "median", "labels", "median", "ratio", "median"]
    print_table(header, table)
    print()
    kept = [
        verdict(f"{name} with labels within {MOST}x", f"{ratios[name][0]:.2f}x", ratios[name][0] <= MOST)
        for name in PROMISED
    ]
    sys.exit(args.strict and not all(kept))


if __name__ == "__main__":
    main()
