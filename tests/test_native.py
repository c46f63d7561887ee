"""The native library: every pass is in it, with the bits of the JIT; where it cannot run it steps aside."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from softclust.kernels import tiers

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "native"))
build = import_module("build")

pytestmark = pytest.mark.skipif(bool(build.missing()), reason=f"no native library: {build.missing()}")


def run(code, **environment):
    """What a fresh process prints."""
    kept = {name: value for name, value in os.environ.items() if name != "SOFTCLUST_NATIVE"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=kept | environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def library():
    return import_module("softclust.kernels._native")


def test_the_library_is_current():
    """`make test` builds it; after a change of kernels/compiled, run native/build.py."""
    assert build.is_current(build.wanted_levels())


def test_every_pass_has_a_native_form_for_each_type(library):
    wanted = {(name, " ".join(takes), " ".join(words)) for name, takes, words in build.all_forms()}
    sources = (ROOT / "src/softclust/kernels/compiled").glob("*.py")
    count = sum(path.read_text().count("\n@compiled_pass") for path in sources)
    for level, _ in library.levels():
        found = {(name, *takes.split("|")) for name, takes, _ in library.forms(level)}
        assert found == wanted
        assert {name for name, *_ in wanted} == {*library.passes(level)}
        assert len(library.passes(level)) == count


def test_the_best_level_runs_and_others_can_be_chosen(library):
    mine = [name for name, runs in library.levels() if runs]
    assert tiers.tier() in (f"native, for {mine[0]}", "just in time by Numba: SOFTCLUST_NATIVE=0")
    code = "from softclust.kernels.tiers import tier; print(tier())"
    for level in mine:
        assert run(code, SOFTCLUST_NATIVE=level) == f"native, for {level}"
    with pytest.raises(ValueError, match="there is no level 'z80'"):
        library.passes("z80")
    with pytest.raises(TypeError):
        library.forms(3)


def test_a_level_is_what_this_processor_has(monkeypatch):
    best, *less = build.LEVELS[build.platform.machine()]
    assert build.wanted_levels(every=True) == (best, *less)
    from llvmlite import binding

    monkeypatch.setattr(binding, "get_host_cpu_features", dict)
    assert build.wanted_levels() == ((best, *less)[-1:] if best.needs else (best,))


EVERYTHING = """
import sys, warnings, numpy as np, softclust as sc
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(m, 1, (40, 3)) for m in (0, 4, 8)])
y = np.full(120, -1); y[[0, 1, 40, 41, 80, 81]] = 0, 0, 1, 1, 2, 2
pairs = dict(must_link=[[0, 5], [41, 50]], cannot_link=[[3, 60], [45, 100]])
for dtype in ("f8", "f4"):
    rows = X.astype(dtype)
    for name in sc.catalogue():
        sc.make(name, n_clusters=3, random_state=0, max_iter=3).fit(rows)
    for name in ("HardCMeans", "FuzzyCMeans", "GaussianMixture", "EvidentialCMeans"):
        getattr(sc, name)(3, random_state=0, max_iter=3).fit(rows, y, **pairs).predict(rows)
    for eta in (1.5, 2.5):
        sc.PossibilisticFuzzyCMeans(3, eta=eta, random_state=0, max_iter=3).fit(rows, y)
    sc.FuzzyCMeans(3, density_rate="auto", random_state=0, max_iter=3).fit(rows)
    for metric in ("euclidean", "manhattan", "cosine"):
        sc.KMedoids(3, metric=metric, random_state=0).fit(rows).predict(rows)
print("numba" in sys.modules)
"""


def test_no_fit_loads_numba():
    assert run(EVERYTHING) == "False"


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "native, for "),
        ({"SOFTCLUST_NATIVE": "0"}, "just in time by Numba: SOFTCLUST_NATIVE=0"),
        ({"SOFTCLUST_NATIVE": "old-cpu"}, "just in time by Numba: the native library needs a processor of"),
    ],
)
def test_the_tier_can_be_chosen_and_says_so(environment, said):
    assert run("from softclust.kernels.tiers import tier; print(tier())", **environment).startswith(said)
    assert said in run("from softclust.cli import main\nmain(['--version'])", **environment)


def test_a_library_of_other_sources_is_not_used():
    code = (
        "from softclust.kernels import tiers; tiers.source_digest = lambda: 'f' * 64\n"
        "print(tiers.tier(), tiers.load_pass('centers.longest'))"
    )
    said = run(code)
    assert "was built from other sources" in said
    assert "CPUDispatcher" in said


BITS = """
import hashlib, warnings, numpy as np, softclust as sc
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(m, 1, (150, 5)) for m in (0, 3, 6)])
y = np.full(450, -1); y[:20] = rng.integers(0, 3, 20)
whole = hashlib.sha256()
for name in "fcm hcm pcm pcm-entropy pfcm ipcm ipcm2 ecm gk gmm sfcm spfcm".split():
    model = sc.make(name, n_clusters=3, random_state=0, max_iter=20)
    model.fit(X, y if name in ("sfcm", "spfcm") else None)
    whole.update(model.cluster_centers_.tobytes() + model.predict_proba(X).tobytes())
for m in (1.3, 3.0):
    whole.update(sc.FuzzyCMeans(3, m=m, random_state=0).fit(X).cluster_centers_.tobytes())
print(whole.hexdigest())
"""


@pytest.mark.slow  # it compiles every pass; `make test-jit` runs it
def test_both_tiers_and_all_levels_give_the_same_bits(library):
    jit = run(BITS, SOFTCLUST_NATIVE="0")
    for level in (name for name, runs in library.levels() if runs):
        assert run(BITS, SOFTCLUST_NATIVE=level) == jit, level


def test_a_native_pass_refuses_what_it_was_not_compiled_for(library):
    means = library.passes(library.levels()[-1][0])["centers.means"]
    good = np.ones((2, 3)), np.ones(2), np.ones((2, 3)), np.empty((2, 3))
    assert means(*good) is None
    assert (good[3] == 1).all()
    for place, wrong in [
        (0, np.ones((2, 3), "f4")),
        (0, np.ones(6)),
        (1, np.ones(2, ">f8")),
        (1, np.ones(2, "i8")),
        (2, np.ones((3, 2)).T),
        (2, None),
        (3, "text"),
    ]:
        arguments = [*good]
        arguments[place] = wrong
        with pytest.raises((TypeError, ValueError, BufferError)):
            means(*arguments)
    with pytest.raises(TypeError, match="takes 4 arguments, not 3"):
        means(*good[:3])


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_rows_that_are_not_aligned(library, dtype):
    """Rows that came over a network lie at any address."""
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape).astype(dtype) for shape in [(300, 5), (4, 5), (4, 5, 5)]]
    from softclust.kernels.ellipsoids import squared_distances

    expected = squared_distances(*arrays)
    buffer = np.empty(arrays[0].nbytes + 1, np.uint8)
    moved = buffer[1:].view(dtype).reshape(arrays[0].shape)
    moved[:] = arrays[0]
    assert not moved.flags.aligned
    np.testing.assert_array_equal(squared_distances(moved, *arrays[1:]), expected)


def test_versions_are_shown(capsys):
    import softclust

    softclust.show_versions()
    said = capsys.readouterr().out
    assert f"{softclust.__version__} (passes: {tiers.tier()})" in said
    assert "scikit-learn" in said
