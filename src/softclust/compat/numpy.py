"""NumPy: floating-point errors, the map behind a mapped array, the header of a .npy file that grows."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from functools import wraps
from typing import Any, BinaryIO, TypeVar

import numpy as np

T = TypeVar("T")


def usual_arithmetic(function: Callable[..., T]) -> Callable[..., T]:
    """Let floating-point errors in a function warn as by default, and underflows pass.

    Some packages set all errors to raise, but an underflow in a fit is right: the answer is 0.  NumPy's own
    decorator would be one more place between a warning and the line of the user.
    """

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> T:
        with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
            return function(*arguments, **named)

    return call


def read_ahead(rows: np.memmap) -> None:
    """Ask the system to fetch pages of a mapped array before a pass comes to them."""
    if hasattr(mmap, "MADV_SEQUENTIAL"):
        rows._mmap.madvise(mmap.MADV_SEQUENTIAL)  # type: ignore[attr-defined]


def write_header(file: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Write the header of a .npy file; it has room for the first dimension to grow to any length."""
    about = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_2_0(file, about)
