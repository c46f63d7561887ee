"""Laws for random sentences of the grammar, against an objective written beside the library's."""

import pytest

from sentences.judging import judged

FEW, MANY = 300, 5_000
CHUNK = 25
MOST_EXEMPT = 0.02  # of the checks


def hold(seeds):
    verdict = judged(seeds)
    print(verdict)
    assert not verdict.broken, str(verdict)
    assert len(verdict.exempt) < MOST_EXEMPT * verdict.checked, str(verdict)


@pytest.mark.parametrize("first", range(0, FEW, CHUNK))
def test_laws(first):
    hold(range(first, first + CHUNK))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(FEW, MANY, 4 * CHUNK))
def test_laws_of_many(first):
    hold(range(first, min(first + 4 * CHUNK, MANY)))
