"""Embedded data of `softclust studio --demo`: hand-written digits, of which everyone is an expert."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa

from softclust.studio import maps
from softclust.studio.data import Column, StudioData
from softclust.studio.pictures import Pictures

_DIGITS = (1, 2, 3, 4)  # the keys that name them
_SHAPES = 8  # principal components of the 64 pixels
_ZOOM = 20  # pixels of the picture for one of the scan

STORY = (
    "You see {n} hand-written digits, each a 1, 2, 3 or 4. Eight numbers describe the shape of each digit, "
    "and the computer has sorted the digits into four clusters. It does not know what they are called.\n\n"
    "Press A: the computer asks about the digits whose answers teach it most. Press 1, 2, 3 or 4 to name "
    "the digit, 0 if it is none of them, space if you cannot say. Colours are clusters, and pale points "
    "are doubtful.\n\n"
    "The clusters move with every answer. After about twenty answers, look at the disagreements, and take "
    "the labels home as a file. Press ? for all keys."
)
DEMO_CLASSES = tuple(map(str, _DIGITS))


def demo_data(directory: Path) -> StudioData:
    """Return the digits; their pictures are written below the directory."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    rows = np.isin(digits.target, _DIGITS)
    scans, pixels = digits.images[rows], digits.data[rows]
    X = (pixels @ maps.principal_axes(pixels, _SHAPES)).round(3)
    names = [f"scan-{i}.png" for i in range(len(X))]
    for name, scan in zip(names, scans, strict=True):
        (directory / name).write_bytes(png(255 - np.round(scan * (255 / 16))))
    shapes = [f"shape {j + 1}" for j in range(_SHAPES)]
    table = pa.table({**{shape: X[:, j] for j, shape in enumerate(shapes)}, "scan": names})
    columns = (*(Column(shape, "feature") for shape in shapes), Column("scan", "picture", "The scan."))
    pictures = Pictures.below(directory).with_names(names)
    return StudioData(
        "digits", table, X, np.arange(len(X)), columns, pictures=pictures, story=STORY.format(n=len(X))
    )


def png(grey: np.ndarray) -> bytes:
    """Return a grey picture as PNG, enlarged and smoothed."""
    places = [np.linspace(0, side - 1, side * _ZOOM) for side in grey.shape]
    down, across = (
        np.maximum(0, 1 - np.abs(place[:, None] - np.arange(side)))
        for place, side in zip(places, grey.shape, strict=True)
    )
    large = np.round(down @ grey @ across.T).astype(np.uint8)
    height, width = large.shape
    lines = np.column_stack([np.zeros(height, np.uint8), large]).tobytes()
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
