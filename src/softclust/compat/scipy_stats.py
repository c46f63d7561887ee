"""SciPy: a stand-in for `scipy.stats` while scikit-learn is loaded.

scikit-learn's base loads `scipy.stats` for one function that few people ever call, which takes half a
second. SOFTCLUST_SCIPY_STATS=1 in the environment switches the stand-in off.  It can be removed when
scikit-learn no longer imports `scipy.stats` in `sklearn.utils.fixes`; `tests/test_compat.py` says so when
that happens.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


class _Postponed(ModuleType):
    """Stands for a module until the first look at one of its names."""

    def __getattr__(self, name: str) -> Any:
        self.leave()
        return getattr(import_module(self.__name__), name)

    def leave(self) -> None:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]


@contextmanager
def postponed(name: str = "scipy.stats") -> Iterator[None]:
    """Let modules that are imported inside have the named module only when they look into it.

    Nothing stays afterwards: whoever imports the named module then gets the real one.  Modules that took
    the stand-in ask its package for the real one; the package has to load its parts by itself, as scipy
    does.
    """
    if os.environ.get("SOFTCLUST_SCIPY_STATS") == "1":
        yield
        return
    stand_in = _Postponed(name)
    sys.modules.setdefault(name, stand_in)  # a module that is loaded, or is being loaded, is left alone
    try:
        yield
    finally:
        stand_in.leave()
