"""Rows in files that may be larger than memory.

A .npy file is mapped as it is; rows of Parquet files and iterators are first written to a .npy file.
A pass over a memory-mapped file takes about as long as one over memory; reading Parquet takes more than
twice as long, so its row groups are written once to a file in the folder for temporary files.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from softclust.compat.numpy import read_ahead, write_header

_BATCH = 65_536


def is_file(X: Any) -> bool:
    """Tell whether X is the path of a file, or a function without arguments that makes blocks of rows."""
    return isinstance(X, str | os.PathLike) or (callable(X) and not hasattr(X, "__array__"))


def are_files(X: Any) -> bool:
    """Tell whether X is a list or tuple of paths."""
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(x, str | os.PathLike) for x in X)


def opened(X: Any) -> tuple[np.memmap, Any]:
    """Return the rows as a read-only memory map, and an empty table that names the columns, or None."""
    rows, like = _opened(X)
    read_ahead(rows)
    return rows, like


def _opened(X: Any) -> tuple[np.memmap, Any]:
    """Map the rows of a function, a .npy file or a Parquet file."""
    if not isinstance(X, str | os.PathLike):
        return _spooled(X, None), None
    path = Path(X)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    kind = path.suffix.lower()
    if kind == ".npy":
        return np.load(path, mmap_mode="r", allow_pickle=False), None
    if kind in (".parquet", ".pq"):
        return _of_parquet(path)
    raise ValueError(f"{path} ends in {kind or 'nothing'}; .npy and .parquet can be read.")


def _of_parquet(path: Path) -> tuple[np.memmap, Any]:
    """Write the numbers of a Parquet file to a .npy file, unless that is there already, and map it."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise ImportError("Parquet needs pyarrow: pip install 'softclust[cli]'.") from None
    file = parquet.ParquetFile(path)
    wrong = [f.name for f in file.schema_arrow if not _is_number(f.type)]
    if wrong:
        raise ValueError(
            f"{path}: column {wrong[0]!r} holds {file.schema_arrow.field(wrong[0]).type}, not numbers; "
            "a file of features alone would fit."
        )
    narrow = all(str(f.type) == "float" for f in file.schema_arrow)

    def blocks() -> Iterator[np.ndarray]:
        for batch in parquet.ParquetFile(path).iter_batches(_BATCH):
            columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
            yield np.column_stack(columns).astype(np.float32 if narrow else np.float64, copy=False)

    about = os.stat(path)
    state = f"{path.resolve()}{about.st_size}{about.st_mtime_ns}"
    return _spooled(
        blocks, hashlib.sha256(state.encode()).hexdigest()[:20]
    ), file.schema_arrow.empty_table()


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind)


def folder() -> Path:
    """Return the folder that keeps rows between fits: SOFTCLUST_SPOOL, or one in the temporary folder."""
    chosen = os.environ.get("SOFTCLUST_SPOOL")
    if chosen:
        Path(chosen).mkdir(mode=0o700, parents=True, exist_ok=True)
        return Path(chosen)
    where = Path(tempfile.gettempdir()) / f"softclust-{getattr(os, 'getuid', int)()}"
    where.mkdir(mode=0o700, exist_ok=True)
    _check_private(where)
    return where


def _check_private(where: Path) -> None:
    """Refuse a folder that another user made, or may write to: everybody may write beside it."""
    found = where.lstat()
    is_ours = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
    if not stat.S_ISDIR(found.st_mode) or not is_ours:
        raise PermissionError(
            f"{where} is not a folder of yours alone, with mode 700; remove it, or set SOFTCLUST_SPOOL to "
            "a folder for rows."
        )


def _spooled(blocks: Callable[[], Iterable[Any]], name: str | None) -> np.memmap:
    """Write the blocks to one .npy file and map it; an existing file of this name is taken as it is.

    Without a name, the file is gone as soon as nobody maps it.
    """
    kept = None if name is None else folder() / f"{name}.npy"
    if kept is not None and kept.exists():
        return np.load(kept, mmap_mode="r", allow_pickle=False)
    handle, half = tempfile.mkstemp(suffix=".half", dir=folder())
    try:
        with os.fdopen(handle, "wb") as file:
            _write(file, blocks())
        rows = np.load(half, mmap_mode="r", allow_pickle=False)
        if kept is not None:
            os.replace(half, kept)
        return rows
    finally:
        Path(half).unlink(missing_ok=True)


def _write(file: BinaryIO, blocks: Iterable[Any]) -> None:
    """Write a .npy file of blocks, however many there are: at the end its header is written again."""
    first, n = None, 0
    for block in blocks:
        array = np.ascontiguousarray(block)
        if array.ndim != 2:
            raise ValueError(f"Block {n} of rows has {array.ndim} dimensions; rows and features are two.")
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(np.float64)
        if first is None:
            first = array[:0]
            write_header(file, (0, array.shape[1]), array.dtype)
        if array.shape[1] != first.shape[1]:
            raise ValueError(
                f"Row {n} begins a block of {array.shape[1]} features; those before have {first.shape[1]}."
            )
        file.write(array.astype(first.dtype, copy=False).data)
        n += len(array)
    if first is None:
        raise ValueError("Found array with 0 sample(s): there is no block of rows.")
    file.seek(0)
    write_header(file, (n, first.shape[1]), first.dtype)
    file.flush()
    os.fsync(file.fileno())
