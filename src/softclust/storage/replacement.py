"""Write a file whole or not at all: under a name of its own first, which then replaces the old file."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_HEAD, _TAIL = ".softclust-", ".part"
_OLD = 3600.0  # seconds without a change: the process that wrote such a file was killed
_CLEANED: set[Path] = set()  # folders that this process has cleaned already


@contextmanager
def replacement(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield an empty new file beside `path`; when the block ends, the new file takes the name `path`.

    Nobody else can have the name of the new file: the name is random, and the file is created only if
    there is none.  If the block raises an error, the new file is removed and the old one stays.
    """
    path = Path(path)
    _remove_old(path.parent.absolute())
    new = path.with_name(f"{_HEAD}{secrets.token_hex(12)}{_TAIL}")
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield new
        with open(new, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _remove_old(folder: Path) -> None:
    """Remove files that killed processes left in the folder; look once in the life of this process."""
    if folder in _CLEANED:
        return
    _CLEANED.add(folder)
    with suppress(OSError):  # a folder that cannot be listed may still take a file
        for path in folder.glob(f"{_HEAD}{'[0-9a-f]' * 24}{_TAIL}"):
            with suppress(OSError):
                if time.time() - path.lstat().st_mtime > _OLD:
                    path.unlink()
