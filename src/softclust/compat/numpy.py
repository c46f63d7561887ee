"""NumPy: floating-point errors, the map behind a mapped array, the header of a .npy file that grows."""

from __future__ import annotations

import mmap
from typing import Any, BinaryIO

import numpy as np

# Some packages set all floating-point errors to raise, but underflows in a fit are right: the answer is 0.
usual_arithmetic = np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")


def read_ahead(rows: np.memmap) -> None:
    """Ask the system to fetch pages of a mapped array before a pass comes to them."""
    if hasattr(mmap, "MADV_SEQUENTIAL"):
        rows._mmap.madvise(mmap.MADV_SEQUENTIAL)  # type: ignore[attr-defined]


def write_header(file: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Write the header of a .npy file; it has room for the first dimension to grow to any length."""
    about = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_2_0(file, about)
