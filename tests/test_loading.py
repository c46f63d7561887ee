"""The collector is paused while code is loaded, and only then; a module that none looks into waits."""

import gc
import os
import subprocess
import sys

import pytest

from softclust._lazy import collector_paused
from softclust.compat.scipy_stats import postponed


def test_the_collector_is_as_it_was_afterwards():
    with pytest.raises(RuntimeError), collector_paused():
        assert not gc.isenabled()
        raise RuntimeError
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


STATS = "scipy.stats"
WAITING = (
    "import sys, softclust; softclust.FuzzyCMeans\n"
    f"assert not any({STATS!r} in name for name in sys.modules)"
)


def passes(code):
    subprocess.run([sys.executable, "-c", code], check=True)


LATER = [
    "import scipy.stats; assert scipy.stats.norm.cdf(0) == 0.5",
    "import scipy; assert scipy.stats.norm.cdf(0) == 0.5",
    "from scipy import stats; assert stats.norm.cdf(0) == 0.5 and stats is sys.modules['scipy.stats']",
    "import scipy.stats.qmc; assert scipy.stats.qmc.Halton(1).random().shape == (1, 1)",
    "from sklearn.utils.fixes import _mode; assert _mode([2, 1, 2]).mode[0] == 2",
    "from sklearn.preprocessing import QuantileTransformer; QuantileTransformer",
]


def test_statistics_are_there_when_someone_asks():
    """Whoever asks first, in any of these ways."""
    if not hasattr(os, "fork"):
        for later in LATER:
            passes(f"{WAITING}\n{later}")
        return
    code = f"{WAITING}\nimport os, traceback\nfor later in {LATER!r}:\n"
    code += "    child = os.fork()\n"  # which has loaded the library, and nothing else
    code += "    if child == 0:\n        try:\n            exec(later, {'sys': sys})\n"
    code += "        except BaseException:\n            traceback.print_exc()\n            os._exit(1)\n"
    code += "        os._exit(0)\n    assert os.waitpid(child, 0)[1] == 0, later\n"
    passes(code)


def test_statistics_that_are_there_already_stay():
    code = "import sys, scipy.stats as stats, softclust; softclust.FuzzyCMeans"
    passes(f"{code}; assert stats is sys.modules[{STATS!r}]")


def test_who_looks_inside_has_the_module_itself():
    name = "json.tool"
    sys.modules.pop(name, None)
    with postponed(name):
        held = sys.modules[name]
        from json.tool import main

        assert sys.modules[name] is not held
        assert held.main is main
    assert sys.modules[name].main is main


def test_a_failed_import_leaves_nothing_behind():
    sys.modules.pop("json.tool", None)
    with pytest.raises(RuntimeError), postponed("json.tool"):
        raise RuntimeError
    assert "json.tool" not in sys.modules


def test_threads_that_load_the_same_get_it():
    passes(
        "import threading, softclust\n"
        "found = []\n"
        "def look():\n"
        "    from scipy.stats import norm\n"
        "    found.append(norm.cdf(0))\n"
        "threads = [threading.Thread(target=look) for _ in range(4)]\n"
        "[t.start() for t in threads[:2]]; softclust.FuzzyCMeans; [t.start() for t in threads[2:]]\n"
        "[t.join() for t in threads]\n"
        "assert found == [0.5] * 4"
    )
