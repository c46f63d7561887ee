"""Values in a file without pickle: a zip of one JSON header, one npz of arrays and a checksum of both."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import zipfile
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

_MEMBERS = ("header.json", "arrays.npz", "checksum")
_MOST_ARRAY_SHARE = 2000  # declared bytes for each stored byte: more is a zip bomb, not an archive


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
        body = io.BytesIO()
        (np.savez_compressed if compressed else np.savez)(body, allow_pickle=False, **arrays)
        path = Path(path)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with open(temporary, "wb") as file:
                with zipfile.ZipFile(file, "w") as archive:
                    archive.writestr("header.json", text)
                    archive.writestr("arrays.npz", body.getvalue())
                    archive.writestr("checksum", _checksum(text, body.getvalue()))
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)

    def read(self, path: str | os.PathLike[str], newest: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the header and the values by name; `newest` is the last format that this version reads."""
        with open(path, "rb") as file:  # a missing or forbidden file raises its own error
            try:
                header, arrays = self._read(file, path, newest)
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
            if archive.getinfo("header.json").file_size > self.most_header:
                raise self.error(f"{path} is damaged: its header is too large.")
            if archive.getinfo("arrays.npz").file_size > os.fstat(file.fileno()).st_size:
                raise self.error(f"{path} is damaged: its arrays are larger than the file.")
            text, body = archive.read("header.json"), archive.read("arrays.npz")
            if archive.read("checksum") != _checksum(text, body):
                raise self.error(f"{path} is damaged: its checksum differs.")
        header = json.loads(text)
        if header["format"] > newest:
            raise self.error(
                f"{path} was written by softclust {header['version']} in format {header['format']}; "
                f"this version reads up to format {newest}."
            )
        return header, self._read_arrays(body, path)

    def _read_arrays(self, body: bytes, path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
        """Return the arrays by name; raise an error if they would unpack to too many bytes."""
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            declared = sum(info.file_size for info in archive.infolist())
        if declared > _MOST_ARRAY_SHARE * len(body):
            raise self.error(f"{path} is damaged: its arrays would unpack to {declared} bytes.")
        with np.load(io.BytesIO(body), allow_pickle=False) as stored:
            return {key: stored[key] for key in stored.files}

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
        return cls(**{key: self.decode(v, arrays) for key, v in value["fields"].items()})


def _checksum(text: bytes, body: bytes) -> bytes:
    return hashlib.sha256(len(text).to_bytes(8, "little") + text + body).hexdigest().encode()
