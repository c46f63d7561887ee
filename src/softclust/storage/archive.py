"""Values in a file without pickle: a zip of one JSON header, one npz of arrays and a checksum of both."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import zipfile
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, BinaryIO

import numpy as np

from softclust.storage.annotations import check_fields
from softclust.storage.replacement import replacement

_MEMBERS = ("header.json", "arrays.npz", "checksum")
_CHECKSUM_SIZE = 64
# Bytes to which arrays may unpack: any file this many, a larger one so many for each stored byte.  More is
# a zip bomb; an honest file that would compress better is written without compression.
_FREE_BYTES, _MOST_SHARE = 2**26, 100
_HEADERS: dict[tuple[int, int], Any] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


@dataclass(frozen=True)
class Archive:
    """A kind of file, and the records that it may hold."""

    what: str  # its name in messages, such as "softclust model"
    error: type[ValueError]
    classes: dict[str, type]
    most_header: int = 2**20

    def write(
        self,
        path: str | os.PathLike[str],
        header: dict[str, Any],
        values: dict[str, Any],
        compressed: bool = True,
    ) -> None:
        """Write a header and values by name; an existing file is replaced only by a complete new one."""
        arrays: dict[str, np.ndarray] = {}
        text = json.dumps(
            header | {"state": {key: self.encode(value, arrays, key) for key, value in values.items()}}
        ).encode()
        if len(text) > self.most_header:
            raise ValueError(
                f"A {self.what} holds {self.most_header} bytes beside arrays; these are {len(text)}."
            )
        body = _packed(arrays, compressed)
        with replacement(path) as new, zipfile.ZipFile(new, "w") as archive:
            archive.writestr("header.json", text)
            archive.writestr("arrays.npz", body)
            archive.writestr("checksum", _checksum(text, body))

    def read(self, path: str | os.PathLike[str], newest: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the header and the values by name; `newest` is the last format that this version reads."""
        with open(path, "rb") as file:  # a missing or forbidden file raises its own error
            try:
                header, arrays = self._read(file, path, newest)
                if not isinstance(header["state"], dict):
                    raise TypeError("it has no values by name")
                return header, {key: self.decode(value, arrays) for key, value in header["state"].items()}
            except self.error:
                raise
            except Exception as error:  # a damaged file can fail in any part of the reading
                raise self.error(f"{path} is damaged or is not a {self.what} ({error}).") from error

    def _read(
        self, file: BinaryIO, path: str | os.PathLike[str], newest: int
    ) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the header and the arrays; raise an error if the file is damaged, foreign or too new."""
        if not zipfile.is_zipfile(file):
            raise self.error(f"{path} is not a {self.what}: it is not a zip file.")
        with zipfile.ZipFile(file) as archive:
            if sorted(archive.namelist()) != sorted(_MEMBERS):
                raise self.error(f"{path} is not a {self.what}: it holds {archive.namelist()}.")
            self._check_sizes(archive, path, os.fstat(file.fileno()).st_size)
            text, body = archive.read("header.json"), archive.read("arrays.npz")
            if archive.read("checksum") != _checksum(text, body):
                raise self.error(f"{path} is damaged: its checksum differs.")
        header = json.loads(text)
        if not isinstance(header, dict) or not isinstance(header.get("format"), int):
            raise self.error(f"{path} is damaged: its header does not tell its format.")
        if header["format"] > newest:
            raise self.error(
                f"{path} was written by softclust {header.get('version')} in format {header['format']}; "
                f"this version reads up to format {newest}."
            )
        return header, self._read_arrays(body, path)

    def _check_sizes(self, archive: zipfile.ZipFile, path: str | os.PathLike[str], size: int) -> None:
        """Refuse a file whose members would unpack to more bytes than it has, before any is read."""
        members = {info.filename: info for info in archive.infolist()}
        if any(info.compress_type != zipfile.ZIP_STORED for info in members.values()):
            raise self.error(f"{path} is damaged: it holds compressed members; only arrays are compressed.")
        if members["header.json"].file_size > self.most_header:
            raise self.error(f"{path} is damaged: its header is too large.")
        if members["checksum"].file_size != _CHECKSUM_SIZE:
            raise self.error(f"{path} is damaged: its checksum does not have {_CHECKSUM_SIZE} bytes.")
        if sum(info.file_size for info in members.values()) > size:
            raise self.error(f"{path} is damaged: its members are larger than the file.")

    def _read_arrays(self, body: bytes, path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
        """Return the arrays by name; raise an error if they would unpack to too many bytes."""
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            declared = sum(info.file_size for info in archive.infolist())
            if declared > max(_FREE_BYTES, _MOST_SHARE * len(body)):
                raise self.error(f"{path} is damaged: its arrays would unpack to {declared} bytes.")
            return {
                info.filename.removesuffix(".npy"): _array(archive, info) for info in archive.infolist()
            }

    def encode(self, value: Any, arrays: dict[str, np.ndarray], where: str) -> Any:
        """Return a value as JSON; its arrays go into `arrays` by number, and messages call it `where`."""
        if value is None or isinstance(value, bool | str | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.ndarray) and value.dtype.kind == "O":
            return {
                "objects": [self.encode(v, arrays, where) for v in value.tolist()],
                "shape": value.shape,
            }
        if isinstance(value, np.ndarray | np.generic):
            key = f"a{len(arrays)}"
            arrays[key] = np.asarray(value)
            return {"array": key} if isinstance(value, np.ndarray) else {"scalar": key}
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.encode(v, arrays, where) for key, v in value.items()}}
        if isinstance(value, tuple | list):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [self.encode(v, arrays, where) for v in value]}
        if is_dataclass(value) and self.classes.get(type(value).__name__) is type(value):
            parts = {f.name: self.encode(getattr(value, f.name), arrays, where) for f in fields(value)}
            return {"part": type(value).__name__, "fields": parts}
        raise TypeError(
            f"The file format has no place for {where} = {value!r}; it takes numbers, strings, arrays and "
            "the parts of softclust. Set it to one of those (random_state to a number) or use pickle."
        )

    def decode(self, value: Any, arrays: dict[str, np.ndarray]) -> Any:
        """Return the value that `encode` turned into JSON."""
        if not isinstance(value, dict):
            return value
        if "array" in value:
            return arrays[value["array"]]
        if "scalar" in value:
            return arrays[value["scalar"]][()]
        if "float" in value:
            return float(value["float"])
        if "objects" in value:
            flat = np.empty(len(value["objects"]), dtype=object)
            flat[:] = [self.decode(v, arrays) for v in value["objects"]]
            return flat.reshape(value["shape"])
        if "dict" in value:
            return {key: self.decode(v, arrays) for key, v in value["dict"].items()}
        if "tuple" in value:
            return tuple(self.decode(v, arrays) for v in value["tuple"])
        if "list" in value:
            return [self.decode(v, arrays) for v in value["list"]]
        cls = self.classes[value["part"]]
        record = cls(**{key: self.decode(v, arrays) for key, v in value["fields"].items()})
        check_fields(record)
        return record


def _packed(arrays: dict[str, np.ndarray], compressed: bool) -> bytes:
    """Return the arrays as the bytes of an npz; compressed only if a reader will not take it for a bomb."""
    body = io.BytesIO()
    if compressed:
        np.savez_compressed(body, allow_pickle=False, **arrays)
        size = sum(array.nbytes for array in arrays.values())
        if size <= max(_FREE_BYTES, _MOST_SHARE * body.tell()) // 2:
            return body.getvalue()
        body = io.BytesIO()
    np.savez(body, allow_pickle=False, **arrays)
    return body.getvalue()


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> np.ndarray:
    """Read one array, in the byte order of this machine; its own header must tell its size."""
    with archive.open(info) as file:
        version = np.lib.format.read_magic(file)
        shape, _, dtype = _HEADERS[version](file)
        size = math.prod(shape) * dtype.itemsize
        if dtype.hasobject or dtype.itemsize == 0 or file.tell() + size != info.file_size:
            raise ValueError(f"{info.filename} does not hold {shape} numbers of the type {dtype}")
    with archive.open(info) as file:
        array = np.lib.format.read_array(file, allow_pickle=False)
    return array if dtype.isnative else array.astype(dtype.newbyteorder("="))


def _checksum(text: bytes, body: bytes) -> bytes:
    return hashlib.sha256(len(text).to_bytes(8, "little") + text + body).hexdigest().encode()
