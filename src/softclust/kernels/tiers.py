"""Two tiers of compiled passes: the native library, or Numba just in time.

`native/build.py` compiles the folder `compiled` ahead of time into the library `_native`, for one or more
levels of processors.  A process uses that library if it was built from the present sources and the
processor has one of its levels, the best of them.  Otherwise Numba compiles the same sources at the first
call.  Both tiers, and all levels, give the same bits on one machine.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent


@cache
def source_digest() -> str:
    """SHA-256 of all sources of compiled code: a pass contains functions of any of these files."""
    whole = hashlib.sha256()
    for path in (*sorted((_FOLDER / "compiled").glob("*.py")), _FOLDER / "codes.py"):
        whole.update(path.read_bytes())
    return whole.hexdigest()


@cache
def _native() -> tuple[dict[str, Callable[..., Any]], str]:
    """Return the native passes by name, and in words which tier runs; no passes mean the JIT."""
    if os.environ.get("SOFTCLUST_NATIVE") == "0":
        return {}, "just in time by Numba: SOFTCLUST_NATIVE=0"
    try:
        library = import_module("softclust.kernels._native")
    except ImportError:
        return {}, "just in time by Numba: this installation has no native library"
    if library.digest != source_digest():
        return {}, "just in time by Numba: the native library was built from other sources"
    asked, levels = os.environ.get("SOFTCLUST_NATIVE"), library.levels()
    # The name of a level takes that one; "old-cpu" lets tests see what a processor without any would get.
    found = [name for name, runs in levels if runs and asked != "old-cpu"]
    if not found:
        return {}, f"just in time by Numba: the native library needs a processor of {levels[-1][0]}"
    level = asked if asked in found else found[0]
    return library.passes(level), f"native, for {level}"


def load_pass(name: str) -> Callable[..., Any]:
    """Return a compiled pass, such as "passes.sweep": native code, or a function that Numba compiles."""
    native = _native()[0].get(name)
    if native is not None:
        return native
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise RuntimeError(
            f"NUMBA_DISABLE_JIT is set, and compiled passes run {tier()}; unset it, or install a wheel "
            "with the native library."
        )
    module, _, function = name.partition(".")
    return getattr(import_module(f"softclust.kernels.compiled.{module}"), function)


def tier() -> str:
    """Tell in words which tier runs in this process, and why."""
    return _native()[1]
