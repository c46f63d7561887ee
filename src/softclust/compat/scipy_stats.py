"""SciPy: a stand-in for `scipy.stats` while scikit-learn is loaded."""

import sys
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType


class _Postponed(ModuleType):
    """Stands for a module until the first look at what is in it."""

    def __getattr__(self, name):
        self.leave()
        return getattr(import_module(self.__name__), name)

    def leave(self):
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]


@contextmanager
def postponed(name):
    """Modules that are loaded inside have the named one only when they look into it.

    Nothing stays of this afterwards: whoever imports that module then gets it as ever.  Those who took it
    inside ask its package for it, which has to load its parts by itself, as scipy does.
    """
    stand_in = _Postponed(name)
    sys.modules.setdefault(name, stand_in)  # one that is loaded, or is being loaded, is left alone
    try:
        yield
    finally:
        stand_in.leave()
