"""What a label should count for: accuracy on the rows without a label, by strength and by weight.

    python benchmarks/label_strength.py [--battery FILE] [--seeds N] [--only ESTIMATOR ...] [--quick]

Bundled and generated sets, z-scored, with labels for 1 %, 5 % and 10 % of each class (one at least), and
for 5 % and 10 % of which a fifth is wrong.  A row of the table is a setting: the default; `label_strength`
1, 5, 20 and inf; `label_weight` 5, 20 and "auto"; `clusters_per_class="auto"`.  "better" and "worse" count
the sets whose mean differs from the default's by more than 0.01.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from common import machine, parser, print_table
from quality_sets import LabelledSet, Set, battery, bundled, generated, labelled
from softclust import (
    EvidentialCMeans,
    FuzzyCMeans,
    GaussianMixture,
    HardCMeans,
    PossibilisticFuzzyCMeans,
)

CONDITIONS = {
    "1 %": (0.01, 0),
    "5 %": (0.05, 0),
    "10 %": (0.1, 0),
    "5 % wrong": (0.05, 0.2),
    "10 % wrong": (0.1, 0.2),
}
ESTIMATORS = [FuzzyCMeans, PossibilisticFuzzyCMeans, EvidentialCMeans, GaussianMixture, HardCMeans]
MOST_FEATURES, MOST_CLUSTERS = 130, 15  # beyond, a fit takes long and tells nothing new
NEAR = 0.01


def settings(cls):
    """Name -> parameters; certain labels of a mixture have no strength."""
    made = {"default": {}}
    if cls is not GaussianMixture:
        made |= {f"strength {s:g}": {"label_strength": s} for s in (1.0, 5.0, 20.0, np.inf)}
    made |= {f"weight {w}": {"label_weight": w} for w in (5.0, 20.0, "auto")}
    return made | {"clusters auto": {"clusters_per_class": "auto"}}


def accuracy(cls, one: LabelledSet, parameters) -> float:
    """The share of rows without a label whose class is found."""
    model = cls(one.clusters, random_state=one.seed, **parameters).fit(one.X, one.given)
    found = model.classes_[model.labels_[one.scored]]
    return float((found == one.y[one.scored]).mean())


def table_of(cls, sets: list[Set], conditions, seeds: int) -> list[list[str]]:
    """A row for each setting: means by condition, and how many sets differ from the default."""
    rows, default = [], np.zeros(0)
    for name, parameters in settings(cls).items():
        scores = np.array(
            [
                [
                    np.mean(
                        [accuracy(cls, labelled(one, *how, 0, seed), parameters) for seed in range(seeds)]
                    )
                    for how in conditions.values()
                ]
                for one in sets
            ]
        )
        each = scores.mean(axis=1)
        default = each if name == "default" else default
        gap = each - default
        counts = [(gap > NEAR).sum(), (gap < -NEAR).sum()]
        worst = f"{gap.min():+.3f} {sets[gap.argmin()].name}" if name != "default" else ""
        rows.append(
            [
                name,
                *(f"{x:.3f}" for x in scores.mean(axis=0)),
                f"{each.mean():.3f}",
                *map(str, counts),
                worst,
            ]
        )
    return rows


def main():
    options = parser(__doc__)
    options.add_argument("--battery", type=Path, help="further sets, in an .npz file")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--only", nargs="*", default=[cls.__name__ for cls in ESTIMATORS])
    options.add_argument("--quick", action="store_true", help="bundled sets, 5 %% of the labels")
    args = options.parse_args()
    warnings.simplefilter("ignore")
    sets = [*bundled()] if args.quick else [*bundled(), *generated()]
    sets += [] if args.battery is None else [*battery(args.battery)]
    sets = [one for one in sets if one.X.shape[1] <= MOST_FEATURES and one.clusters <= MOST_CLUSTERS]
    conditions = {k: v for k, v in CONDITIONS.items() if not args.quick or k.startswith("5 %")}
    print(machine())
    for cls in ESTIMATORS:
        if cls.__name__ in args.only:
            print(f"\n{len(sets)} sets\n")
            header = [cls.__name__, *conditions, "mean", "better", "worse", "worst"]
            print_table(header, table_of(cls, sets, conditions, args.seeds))


if __name__ == "__main__":
    main()
