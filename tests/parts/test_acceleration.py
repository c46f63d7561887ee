"""The schemes by themselves, on maps whose fixed points are known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import Fuzzy
from softclust.grammar.prototypes import Points
from softclust.grammar.state import State
from softclust.loop.acceleration import SCHEMES, QuasiNewton
from softclust.loop.engine import Options, alternate, restart_from, resume
from softclust.sources import LocalSource
from softclust.sources.rows import rows_in_units


def contraction(rng, size, slowest):
    """x -> x - H (x - fixed) with curvatures between 1 - slowest and 1."""
    Q = np.linalg.qr(rng.normal(size=(size, size)))[0]
    H = (Q * np.linspace(1 - slowest, 1, size)) @ Q.T
    fixed = rng.normal(size=size)
    return (lambda x: x - H @ (x - fixed)), fixed


def distances(scheme, image, fixed, x, turns):
    far = []
    for _ in range(turns):
        x = scheme.propose(x, image(x))
        far.append(np.linalg.norm(x - fixed))
    return far


@pytest.mark.parametrize("name", SCHEMES)
def test_a_slow_contraction_is_hastened(name):
    rng = np.random.default_rng(0)
    image, fixed = contraction(rng, 6, 0.99)
    x = plain = rng.normal(size=6)
    far = distances(SCHEMES[name](), image, fixed, x, 40)
    for _ in range(40):
        plain = image(plain)
    assert far[-1] < 1e-3 * np.linalg.norm(plain - fixed)


def inverse_hessian(pairs):
    """The BFGS update of a whole matrix, Nocedal & Wright (6.17), from the class's bounded first guess."""
    step, bend, _ = pairs[-1]
    H = min(max(step @ bend / (bend @ bend), 1.0), 2.0) * np.eye(len(step))
    for s, y, _ in pairs:
        V = np.eye(len(s)) - np.outer(y, s) / (s @ y)
        H = V.T @ H @ V + np.outer(s, s) / (s @ y)
    return H


def test_lbfgs_is_the_textbooks():
    rng = np.random.default_rng(1)
    linear, _ = contraction(rng, 10, 0.95)
    x, scheme, compared = rng.normal(size=10), QuasiNewton(), 0
    for _ in range(20):
        image = linear(x) + 0.01 * np.sin(x)
        proposal = scheme.propose(x, image)
        if scheme.pairs:
            compared += 1
            assert_allclose(proposal, x + inverse_hessian(scheme.pairs) @ (image - x), atol=1e-12)
        x = proposal
    assert compared > 10
    assert len(scheme.pairs) <= scheme.window


def test_lbfgs_walks_away_from_a_saddle():
    """x -> x (1.1, 0.5) flees from 0 along its first axis; Anderson mixing would return to it."""
    scheme, x = QuasiNewton(), np.array([1e-3, 1.0])
    for _ in range(20):
        last, x = x, scheme.propose(x, x * [1.1, 0.5])
        assert x[0] > last[0]


def test_lbfgs_forgets_where_the_way_bends_down():
    scheme, x = QuasiNewton(), np.array([1.0])
    scheme.propose(x, 0.5 * x)
    scheme.propose(0.5 * x, 0.3 * x)
    assert len(scheme.pairs) == 1
    scheme.propose(0.3 * x, -10 * x)  # a longer step than the one before
    assert scheme.pairs == []


def test_a_restart_is_a_plain_step():
    rng = np.random.default_rng(2)
    image, _ = contraction(rng, 3, 0.9)
    for make in SCHEMES.values():
        scheme, x = make(), rng.normal(size=3)
        for _ in range(4):
            x = scheme.propose(x, image(x))
        scheme.restart()
        assert_allclose(scheme.propose(x, image(x)), image(x), rtol=0, atol=0)


class Counted:
    """A source that counts its passes."""

    def __init__(self, source):
        self.source, self.rows, self.passes = source, source.rows, 0

    def reduce(self, f, *args):
        self.passes += 1
        return self.source.reduce(f, *args)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_loop_goes_on_with_what_another_has_learned(name, iris):
    X, _ = iris
    source = LocalSource(rows_in_units(X))
    model = Model(Points(), Fuzzy(2.0), Frame.singletons(3))
    begin = State((source.rows.units.to_loop(X[[0, 1, 100]]),))
    first = alternate(model, source, begin, Options(tol=0.05, acceleration=name))
    known = repr(first.scheme)
    options = Options(tol=1e-9, acceleration=name)
    fresh, going_on = Counted(source), Counted(source)
    one = alternate(model, fresh, restart_from(first), options)
    other = alternate(model, going_on, resume(first), options)
    assert going_on.passes < fresh.passes
    assert other.history[0] == one.history[0] == first.history[-1]
    assert_allclose(other.state.centers, one.state.centers, atol=1e-7)
    assert repr(first.scheme) == known  # what was kept is not written on


@pytest.mark.parametrize("name", SCHEMES)
def test_no_point_is_proposed_that_has_no_float(name):
    """Where the way leads beyond the range of floats the image itself comes next, and all is well later."""
    scheme, huge = SCHEMES[name](), 1e200 * np.array([1.0, -1.0])
    for x in (huge, 0.9 * huge, -huge, np.array([1.0, 2.0])):
        for share in (0.5, -3.0, 0.9):
            point = scheme.propose(x, share * x)
            assert np.isfinite(np.vdot(point, point)) or np.array_equal(point, share * x)
    image, fixed = contraction(np.random.default_rng(3), 2, 0.9)
    assert distances(scheme, image, fixed, np.ones(2), 40)[-1] < 1e-6


def test_lbfgs_begins_anew_where_what_was_kept_does_not_fit():
    """A file may hold anything; compiled code must not look beyond it."""
    x, image = np.arange(3.0), np.ones(3)
    for kept, products in (((18, 2), (2, 8)), ((18, 3), (2, 100)), ((4, 3), (2, 8)), ((18, 3), (2, 0))):
        scheme = QuasiNewton(np.ones(kept), np.ones(products), 5)
        assert_allclose(scheme.propose(x, image), image, rtol=0, atol=0)
        assert scheme.count == 0
