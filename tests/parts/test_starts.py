"""k-means++, compiled, equals a literal transcription from the same numbers of chance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from softclust import FuzzyCMeans
from softclust.loop.draws import plus_plus


def literal(points, weight, known, count, rng, reach):
    """Arthur & Vassilvitskii 2007, each centre the best of a few trials; row by row."""
    trials, near, chosen = 2 + int(np.log(len(known) + count)), None, []

    def squared(row, centre):
        return sum((x - v) ** 2 for x, v in zip(row, centre, strict=True))

    if len(known):
        near = np.array([min(reach, *(squared(x, v) for v in known)) for x in points])
    for _ in range(count):
        chance = weight if near is None else weight * near
        if chance.sum() <= 0:  # fewer distinct rows than centres
            chance = weight
        sums, options = np.cumsum(chance), []
        for draw in rng.random(1 if near is None else trials):
            row = next((i for i, s in enumerate(sums) if s > draw * sums[-1]), len(points) - 1)
            far = np.array([squared(x, points[row]) for x in points])
            least = np.minimum(far, reach if near is None else near)
            options.append((weight @ least, row, least))
        _, row, near = min(options, key=lambda option: option[0])
        chosen.append(points[row])
    return np.array(chosen)


@pytest.mark.parametrize("reach", [np.inf, 2.0])
@pytest.mark.parametrize("known", [0, 2])
@pytest.mark.parametrize("rows", ["all differ", "some are equal", "all are equal", "some weigh nothing"])
@pytest.mark.parametrize("seed", range(5))
def test_the_literal_draws(rows, known, reach, seed):
    rng = np.random.default_rng(seed)
    points, weight = rng.normal(size=(40, 3)), rng.uniform(0.5, 2.0, 40)
    if rows == "some are equal":
        points = points.round()
    elif rows == "all are equal":
        points[:] = points[0]
    elif rows == "some weigh nothing":
        weight[rng.random(40) < 0.5] = 0.0
    centres = rng.normal(size=(known, 3))
    expected = literal(points, weight, centres, 5, np.random.default_rng(seed), reach)
    assert_array_equal(plus_plus(points, weight, centres, 5, np.random.default_rng(seed), reach), expected)


def test_inputs_are_left_alone():
    points, weight = np.arange(12.0).reshape(6, 2), np.ones(6)
    points.flags.writeable = weight.flags.writeable = False
    plus_plus(points, weight, points[:1], 2, np.random.default_rng(0))
    assert_array_equal(points, np.arange(12.0).reshape(6, 2))


def test_rows_without_weight_change_no_start():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) + 6 * np.eye(3, 2)[rng.integers(3, size=120)]
    more, weight = np.vstack([[[1e6, -1e6], [3e5, 1e7]], X]), np.repeat([0.0, 1.0], [2, 120])
    model, other = (FuzzyCMeans(3, init="k-means||", random_state=0) for _ in "ab")
    model.fit(X), other.fit(more, sample_weight=weight)
    assert_allclose(other.cluster_centers_, model.cluster_centers_, rtol=1e-6)
