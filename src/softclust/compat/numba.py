"""Numba: compiled passes on disk, in files that no other process and no other code can mistake."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, NullCache

from softclust.errors import warn

_KERNELS = Path(__file__).resolve().parent.parent / "kernels"


@cache
def _source_digest() -> str:
    """SHA-256 of all kernels: a pass contains the functions that it calls, from any of those files."""
    whole = hashlib.sha256()
    for path in sorted(_KERNELS.glob("*.py")):
        whole.update(path.read_bytes())
    return whole.hexdigest()


class _KeyedFiles:
    """Compiled code in one file a key, in the place of Numba's index and numbered files.

    Two processes that write an index at once may both take the same number for different code.  Here the
    name of a file contains digests of the sources and of the key (types, CPU, versions), and the file
    contains the key itself, which is compared on loading.
    """

    def __init__(self, of_numba: Any) -> None:
        self._files = of_numba
        self._stem = of_numba._index_name.removesuffix(".nbi")

    def _name_and_key(self, key: Any) -> tuple[str, str]:
        sources, whole = _source_digest(), repr((self._files._version, key))
        digest = hashlib.sha256(whole.encode()).hexdigest()
        return f"{self._stem}.{sources[:12]}.{digest[:12]}.nbc", f"{sources} {whole}"

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
            if not path.name.startswith(f"{self._stem}.{_source_digest()[:12]}."):
                path.unlink(missing_ok=True)

    def flush(self) -> None:
        """Do nothing: files of other sources have other names."""


class _PassCache(FunctionCache):
    """Numba's cache of a function, with files by key."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file: Any = _KeyedFiles(self._cache_file)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load without the target's registries, which compiled code does not need.

        Numba would first read everything that it can compile, which is a tenth of a first fit.
        """
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:  # the disk is full, or has become read-only
            _warn_once(str(error))


def cached_on_disk(dispatcher: Any, function: Any) -> Any:
    """Keep what the dispatcher compiles on disk; where no place can be written, in memory alone."""
    try:
        dispatcher._cache = _PassCache(function)
    except RuntimeError as error:  # Numba finds no folder that it may write to
        dispatcher._cache = NullCache()
        _warn_once(str(error))
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
