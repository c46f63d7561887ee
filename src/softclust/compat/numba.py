"""Numba: compiled passes on disk, in files that no other process and no other code can mistake."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, NullCache
from numba.core.registry import CPUDispatcher

from softclust._lazy import collector_paused
from softclust.errors import warn


class _KeyedFiles:
    """Compiled code in one file a key, in the place of Numba's index and numbered files.

    Two processes that write an index at once may both take the same number for different code.  Here the
    name of a file contains digests of the sources and of the key (types, CPU, versions), and the file
    contains the key itself, which is compared on loading.
    """

    def __init__(self, of_numba: Any, sources: str) -> None:
        self._files = of_numba
        self._sources = sources  # digest of the sources of compiled code
        self._stem = of_numba._index_name.removesuffix(".nbi")

    def _name_and_key(self, key: Any) -> tuple[str, str]:
        whole = repr((self._files._version, key))
        digest = hashlib.sha256(whole.encode()).hexdigest()
        return f"{self._stem}.{self._sources[:12]}.{digest[:12]}.nbc", f"{self._sources} {whole}"

    def load(self, key: Any) -> Any:
        """The code of this key, or None."""
        name, whole = self._name_and_key(key)
        try:
            stored, data = self._files._load_data(name)
        except Exception:  # no such file, or one that was cut off: the pass is compiled again
            return None
        return data if stored == whole else None

    def save(self, key: Any, data: Any) -> None:
        """Write the code of this key, and remove what was compiled from other sources."""
        name, whole = self._name_and_key(key)
        self._files._save_data(name, (whole, data))
        for path in Path(self._files._cache_path).glob(f"{self._stem}.*"):
            if not path.name.startswith(f"{self._stem}.{self._sources[:12]}."):
                path.unlink(missing_ok=True)

    def flush(self) -> None:
        """Do nothing: files of other sources have other names."""


class _PassCache(FunctionCache):
    """Numba's cache of a function, with files by key."""

    def __init__(self, function: Any, sources: str) -> None:
        super().__init__(function)
        self._cache_file: Any = _KeyedFiles(self._cache_file, sources)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load without the target's registries, which compiled code does not need.

        Numba would first read everything that it can compile, which is a tenth of a first fit.
        """
        with collector_paused(), self._guard_against_spurious_io_errors():
            code = self._load_overload(sig, target_context)
        if code is None:
            _say_that_it_compiles()
        return code

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:  # the disk is full, or has become read-only
            _warn_once(str(error))


def cached_on_disk(dispatcher: Any, function: Any, sources: str) -> Any:
    """Keep what the dispatcher compiles on disk; where no place can be written, in memory alone.

    `sources` is a digest of everything that the compiled code is made of.
    """
    try:
        dispatcher._cache = _PassCache(function, sources)
    except RuntimeError as error:  # Numba finds no folder that it may write to
        dispatcher._cache = NullCache()
        _warn_once(str(error))
    return dispatcher


class _Inner(CPUDispatcher):
    """A function that other compiled functions call.  It has no entry for Python, only its code."""

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python, in a test: through a function that has an entry."""
        if self not in _OUTER:

            @numba.njit(error_model="numpy")
            def outer(*arguments: Any) -> Any:
                return inner(*arguments)

            inner = self
            _OUTER[self] = outer
        return _OUTER[self](*arguments)


_OUTER: dict[Any, Any] = {}


def without_entry(dispatcher: Any) -> Any:
    """Spare a function its entries for Python and C: compiling them took a seventh of the time."""
    dispatcher.targetoptions.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    dispatcher.__class__ = _Inner  # Numba's own call would jump to an address of 0
    return dispatcher


_SAID: list[str] = []


def _warn_once(reason: str) -> None:
    """Say once in a process why compiled code is not kept."""
    if _SAID:
        return
    _SAID.append(reason)
    warn(
        f"Compiled code cannot be stored ({reason}), so every new process compiles again, which takes "
        "seconds. NUMBA_CACHE_DIR=FOLDER with a folder that can be written to would avoid it.",
        RuntimeWarning,
    )


def _say_that_it_compiles() -> None:
    """Write one line to the log, once in a process: compiling is silent and takes long."""
    if not _COMPILES:
        _COMPILES.append(True)
        logging.getLogger("softclust").warning(
            "softclust compiles its passes, which takes half a minute once; later fits start at once."
        )


_COMPILES: list[bool] = []
