"""Strategies: which rows are most worth asking.  A strategy is a function (view, n, rng) -> rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from softclust.active import coverage
from softclust.active.view import View

_LEAST_FLOOR = 0.05  # what a row counts at least whose cluster is certain, beside a doubt in [0, 1]
_FLOOR_SHARE = 3.0  # with less, small classes in a corner are not seen while a large one is in doubt
_ALIKE = 0.1  # difference of ranks within which places count as about equally thin
_MOST_ANSWERS = 1000  # that tell the chance of having no class; of more, as after a lasso, every k-th
_NEAREST = 20  # rows whose mean distance tells how typical a row is

Strategy = Callable[[View, int, np.random.Generator], np.ndarray]


def _greatest(score: np.ndarray, view: View, n: int) -> np.ndarray:
    """Return the candidates with the greatest scores; of equals, the first."""
    return view.candidates[np.argsort(-score[view.candidates], kind="stable")[:n]]


def _random(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw rows by lot."""
    return rng.choice(view.candidates, min(n, len(view.candidates)), replace=False)


def _entropy(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Take the rows of greatest entropy."""
    return _greatest(view.entropy, view, n)


def _margin(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Take the rows of least difference between their two greatest memberships."""
    return _greatest(view.margin, view, n)


def _density_entropy(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Take the rows of greatest entropy times density."""
    probes = view.near.places[:: -(-len(view.places) // coverage.MOST_PROBES)]
    density = coverage.kernel(view.near.at(view.X), probes).mean(axis=1, dtype=np.float64)
    return _greatest(view.entropy * density, view, n)


def _nonspecificity(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Take the rows whose masses are on the greatest sets of clusters."""
    return _greatest(view.nonspecificity, view, n)


def _change(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Take the rows whose answer would pull centres most: sum_k u_k (1 - u_k) |x - v_k|."""
    U = view.memberships
    V = U.T @ view.X / np.maximum(U.sum(axis=0), 1e-300)[:, None]
    centre = view.near.centre
    far = np.sqrt(coverage.squared_distances(view.X - centre, V - centre))
    return _greatest((U * (1 - U) * far).sum(axis=1), view, n)


def _farthest(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Take rows one after the other, each as far as possible from all asked rows."""
    Z = view.near.at(view.X)
    free, gaps = Z[view.candidates], np.full(len(view.candidates), np.inf)
    start = Z[view.asked] if len(view.asked) else np.zeros((1, Z.shape[1]), dtype=np.float32)
    for z in start:
        np.minimum(gaps, ((free - z) ** 2).sum(axis=1), out=gaps)
    chosen: list[int] = []
    for _ in range(min(n, len(free))):
        chosen.append(int(gaps.argmax()))
        np.minimum(gaps, ((free - free[chosen[-1]]) ** 2).sum(axis=1), out=gaps)
        gaps[chosen] = -1.0
    return view.candidates[chosen]


def _typical(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Take the most typical row of each of the largest groups without an asked row (TypiClust).

    The rows are parted into as many groups as there are asked rows and questions.  A row is typical if its
    mean distance to its 20 nearest rows of the group is small (Hacohen, Dekel & Weinshall 2022).
    """
    from softclust.estimators.hard import HardCMeans

    k = min(len(view.asked) + n, len(view.places))
    seed = int(rng.integers(2**31))
    groups = HardCMeans(k, n_init=1, random_state=seed).fit(view.X[view.places])
    mine = groups.predict(view.X[view.candidates])
    seen = groups.predict(view.X[view.asked]) if len(view.asked) else view.asked
    sizes = np.bincount(mine, minlength=k).astype(float)
    sizes[np.unique(seen)] -= len(view.rows)  # groups with an asked row come last
    chosen: list[int] = []
    for group in np.argsort(-sizes, kind="stable"):
        rows = view.candidates[mine == group]
        if len(rows) and len(chosen) < n:
            Z = view.X[rows] - view.X[rows].mean(axis=0)
            gaps = np.sort(np.sqrt(coverage.squared_distances(Z, Z)), axis=1)[:, 1 : _NEAREST + 1]
            chosen.append(int(rows[gaps.mean(axis=1).argmin() if gaps.size else 0]))
    return np.array(chosen, dtype=np.int64)


def _covering(view: View, n: int, weight: np.ndarray) -> np.ndarray:
    """Choose rows that cover the places greedily, by these weights of the places."""
    Z = view.near.at(view.X[view.candidates])
    return view.candidates[coverage.greedy(Z, view.near.places, weight, view.covered, n)[0]]


def _chance_of_no_class(view: View, reach: np.ndarray) -> np.ndarray:
    """(candidates,) the chance that each belongs to no class, as the answers about equally thin places say.

    It is the share of the rows of no class among the asked rows and one row of some class; an asked row
    counts by exp(-gap^2 / 2), where the gap to the candidate is that of their ranks by reach over .1.
    """
    asked = view.asked[:: -(-len(view.asked) // _MOST_ANSWERS)]
    _, of_asked = view.near.standing(view.near.at(view.X[asked]), view.own_places(asked))
    order = np.sort(reach)
    ranks, known = (np.searchsorted(order, some) / len(order) for some in (reach, of_asked))
    alike = np.exp(-0.5 * ((ranks[:, None] - known) / _ALIKE) ** 2)
    return alike[:, np.isin(asked, view.nowhere)].sum(axis=1) / (1.0 + alike.sum(axis=1))


def _cover(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Cover all rows alike."""
    return _covering(view, n, np.ones(len(view.places)))


def _doubt_cover(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Cover doubtful rows (Uncertainty Herding; Bae, Oliveira & Sutherland 2025)."""
    return _covering(view, n, view.margin[view.places])


def mixed_weight(view: View) -> tuple[float, np.ndarray]:
    """Return the floor, which every place counts, and the (places,) doubt that counts beside it.

    The margin of a row counts only as far as its place is dense.  The floor is three times the mean doubt,
    at least .05.  With .05 alone (as in Uncertainty Herding without a floor), a large class in doubt kept
    the questions away from small classes.
    """
    doubt = view.margin[view.places] * view.near.is_dense
    return max(_LEAST_FLOOR, _FLOOR_SHARE * float(doubt.mean())), doubt


def _doubt_mix(view: View, n: int, rng: np.random.Generator) -> np.ndarray:
    """Cover all rows, and doubtful rows more; the doubt of rows in empty places counts for little.

    Rows are near if the model, too, sees them alike.  An isolated row informs nobody: what a row earns from
    its own place counts only as far as it has neighbours, and all it earns as far as its place is as dense
    as those of its neighbours.  Else many of the late questions, whose kernel is narrow, would meet noise.
    A thin place by itself does not count less, for it may be a small class, until the expert has said of
    rows in equally thin places that they belong to no class.
    """
    floor, doubt = mixed_weight(view)
    own = view.own_places(view.candidates)
    Z = view.near.at(view.X[view.candidates])
    lost = 1 - view.near.company(Z, own)
    worth, reach = view.near.standing(Z, own)
    if len(view.nowhere):
        worth = worth * (1 - _chance_of_no_class(view, reach))
    alike, points = view.alike, view.seen(view.candidates)
    chosen, _ = coverage.greedy(
        alike.at(points), alike.places, floor + doubt, view.covered_alike, n, own, lost, worth
    )
    return view.candidates[chosen]


STRATEGIES: dict[str, Strategy] = {
    "random": _random,
    "entropy": _entropy,
    "margin": _margin,
    "density-entropy": _density_entropy,
    "nonspecificity": _nonspecificity,
    "change": _change,
    "farthest": _farthest,
    "typical": _typical,
    "cover": _cover,
    "doubt-cover": _doubt_cover,
    "doubt-mix": _doubt_mix,
}
