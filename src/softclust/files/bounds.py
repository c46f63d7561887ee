"""Bounds on what a compressed file may hold: some small files unpack to more than any memory."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

MOST_BYTES = 2**32  # of an unpacked file
_ALWAYS_FITS = 2**26  # bytes that need no good reason
_USUAL_RATIO = 200  # of unpacked to packed; tables of text come to 20 or less
_BLOCK = 2**20


def check_size(path: Path, unpacked: int, packed: int) -> None:
    """Raise an error if a file unpacks to more than fits, or to far more than its size lets expect."""
    if unpacked > MOST_BYTES or (unpacked > _ALWAYS_FITS and unpacked > _USUAL_RATIO * packed):
        size, times = unpacked / 2**20, unpacked // max(packed, 1)
        raise ValueError(
            f"{path} unpacks to {size:,.0f} MB or more, {times:,} times its size; unpack it yourself if "
            "you trust it."
        )


def unpacked(path: Path) -> bytes:
    """Return the bytes in a gzip file."""
    packed, blocks, size = path.stat().st_size, [], 0
    try:
        with gzip.open(path, "rb") as file:
            while block := file.read(_BLOCK):
                size += len(block)
                check_size(path, size, packed)
                blocks.append(block)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} cannot be unpacked: {str(error).rstrip('.')}.") from None
    return b"".join(blocks)
