"""Pictures of rows: files below one directory, named by a column of the data and never by the browser."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

MOST_BYTES = 32 * 2**20
_SIGNATURES = (  # no SVG: it may hold scripts
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@dataclass(frozen=True)
class Pictures:
    """A directory, and the name of each row's file in it."""

    directory: Path  # resolved
    names: tuple[str | None, ...] = ()

    @classmethod
    def below(cls, directory: Path) -> Pictures:
        """Check the directory."""
        if not Path(directory).is_dir():
            raise ValueError(f"{directory} is no directory of pictures.")
        return cls(Path(directory).resolve())

    def with_names(self, names: Sequence[Any]) -> Pictures:
        """Return the directory with the names of the rows' files."""
        return replace(self, names=tuple(str(name) if name else None for name in names))

    def holds(self, names: Iterable[str]) -> bool:
        """Whether all of these names are files of the directory."""
        return all(self._path(name) is not None for name in names)

    def has(self, row: int) -> bool:
        """Whether the row has a file."""
        name = self.names[row]
        return name is not None and self._path(name) is not None

    def read(self, row: int) -> tuple[bytes, str] | None:
        """Return the bytes and the type of a row's picture; None if there is none that may be shown."""
        name = self.names[row]
        path = None if name is None else self._path(name)
        if path is None:
            return None
        # The path is resolved: should it be a link by now, someone changed it, and it is not followed.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
                facts = os.fstat(file.fileno())
                if not stat.S_ISREG(facts.st_mode) or facts.st_size > MOST_BYTES:
                    return None
                content = file.read(MOST_BYTES)
        except OSError:
            return None
        kind = kind_of(content)
        return None if kind is None else (content, kind)

    def _path(self, name: str) -> Path | None:
        """Return the file that a name means, if it lies below the directory; links are followed first."""
        if "\0" in name or Path(name).is_absolute():
            return None
        try:
            path = (self.directory / name).resolve(strict=True)
            return path if path.is_relative_to(self.directory) and path.is_file() else None
        except (OSError, RuntimeError, ValueError):  # no such file, or a circle of links
            return None


def kind_of(content: bytes) -> str | None:
    """Return the type of a picture by its first bytes: PNG, JPEG, GIF or WebP; None for other files."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for mark, kind in _SIGNATURES if content.startswith(mark)), None)
