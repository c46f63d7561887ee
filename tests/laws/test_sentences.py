"""Laws for random sentences of the grammar, against an objective written beside the library's."""

import pytest

from sentences.judging import judged

FEW, MANY = 200, 5_000
CHUNK = 25
# 166 and 216 take some 10 s each: fits that need thousands of iterations; the others half a second.
LONG = {49, 73, 125, 152, 166, 167, 216, 293}
MOST_EXEMPT = 0.02  # of the checks


def hold(seeds):
    verdict = judged(seeds)
    print(verdict)
    assert not verdict.broken, str(verdict)
    assert len(verdict.exempt) < MOST_EXEMPT * verdict.checked, str(verdict)


@pytest.mark.parametrize("first", range(0, FEW, CHUNK))
def test_laws(first):
    hold(sorted({*range(first, min(first + CHUNK, FEW))} - LONG))


# Sentences that were broken once, most of them beyond the few: planes through two rows, starts of clusters
# without rows, shares that round to nothing, clusters far narrower than the rows.  Two more, 2249 and 2568,
# take 10 s each, and are left to the many.
FOUND = (1028, 1867, 1987, 2225, 2717, 2912, 3185, 3488, 3506, 3776, 3800, 3853, 4080, 4244)
FOUND += (4256, 4420, 4547, 4582)


def test_found():
    hold(FOUND)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(FEW, MANY, 4 * CHUNK))
def test_laws_of_many(first):
    late = range(first, min(first + 4 * CHUNK, MANY))
    hold(sorted({*LONG, *late}) if first == FEW else late)
