"""Fitted estimators in a file without pickle: a zip of one JSON header and one npz of arrays."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import zipfile
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np

import softclust
from softclust import estimators, partitions, prototypes, records, separation
from softclust.errors import ModelFileError
from softclust.model import Model
from softclust.terms import LabelLikelihood, LabelPenalty, LinkPenalty, SubsetPenalty

FORMAT = 1
_MEMBERS = ("header.json", "arrays.npz", "checksum")
_MOST_HEADER = 2**20
_MOST_ARRAY_SHARE = 2000  # declared bytes for each stored one: more is a bomb, not a model

_CLASSES = {
    cls.__name__: cls
    for cls in (
        *(getattr(estimators, name) for name in estimators.__all__),
        *(
            getattr(partitions, name)
            for name in partitions.__all__
            if hasattr(getattr(partitions, name), "rule")
        ),
        *(getattr(prototypes, name) for name in prototypes.__all__ if name[0].isupper()),
        *(separation.Repulsion, separation.CentralDistance),
        *(records.Frame, records.State, records.Units, Model),
        *(LabelLikelihood, LabelPenalty, LinkPenalty, SubsetPenalty),
    )
}


def save(estimator, path):
    """Write an estimator to `path`; an existing file is replaced only by a complete new one."""
    name = type(estimator).__name__
    if _CLASSES.get(name) is not type(estimator):
        raise TypeError(f"save writes softclust estimators; got {name}.")
    arrays: dict[str, np.ndarray] = {}
    header = {
        "format": FORMAT,
        "version": softclust.__version__,
        "estimator": name,
        "state": {key: _encode(value, arrays, key) for key, value in vars(estimator).items()},
    }
    body = io.BytesIO()
    np.savez_compressed(body, allow_pickle=False, **arrays)
    text = json.dumps(header).encode()
    if len(text) > _MOST_HEADER:
        raise ValueError(f"{name} has {len(text)} bytes of parameters; a model file holds {_MOST_HEADER}.")
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


def load(path):
    """Read an estimator that `save` wrote; anything else is a `ModelFileError`."""
    try:
        header, arrays = _read(path)
        cls = _CLASSES[header["estimator"]]
        if header["estimator"] not in estimators.__all__:
            raise ModelFileError(f"{path} does not hold an estimator.")
        estimator = cls.__new__(cls)
        estimator.__dict__.update({key: _decode(value, arrays) for key, value in header["state"].items()})
        return estimator
    except (OSError, ModelFileError):
        raise
    except Exception as error:  # a damaged file can fail in any part of the reading
        raise ModelFileError(f"{path} is damaged or is not a softclust model ({error}).") from error


def _read(path):
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise ModelFileError(f"{path} is not a softclust model: it is not a zip file.")
        with zipfile.ZipFile(file) as archive:
            if sorted(archive.namelist()) != sorted(_MEMBERS):
                raise ModelFileError(f"{path} is not a softclust model: it holds {archive.namelist()}.")
            if archive.getinfo("header.json").file_size > _MOST_HEADER:
                raise ModelFileError(f"{path} is damaged: its header is too large.")
            if archive.getinfo("arrays.npz").file_size > os.fstat(file.fileno()).st_size:
                raise ModelFileError(f"{path} is damaged: its arrays are larger than the file.")
            text, body = archive.read("header.json"), archive.read("arrays.npz")
            if archive.read("checksum") != _checksum(text, body):
                raise ModelFileError(f"{path} is damaged: its checksum differs.")
    header = json.loads(text)
    if header["format"] > FORMAT:
        raise ModelFileError(
            f"{path} was written by softclust {header['version']} in format {header['format']}; "
            f"this version reads up to format {FORMAT}."
        )
    return header, _read_arrays(body, path)


def _read_arrays(body, path):
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        declared = sum(info.file_size for info in archive.infolist())
    if declared > _MOST_ARRAY_SHARE * len(body):
        raise ModelFileError(f"{path} is damaged: its arrays would unpack to {declared} bytes.")
    with np.load(io.BytesIO(body), allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


def _checksum(text, body):
    return hashlib.sha256(len(text).to_bytes(8, "little") + text + body).hexdigest().encode()


def _encode(value, arrays, where):
    """A value as JSON; arrays go aside under a number."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return {"objects": [_encode(v, arrays, where) for v in value.tolist()], "shape": value.shape}
    if isinstance(value, np.ndarray | np.generic):
        key = f"a{len(arrays)}"
        arrays[key] = np.asarray(value)
        return {"array": key} if isinstance(value, np.ndarray) else {"scalar": key}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _encode(v, arrays, where) for key, v in value.items()}}
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_encode(v, arrays, where) for v in value]}
    if is_dataclass(value) and _CLASSES.get(type(value).__name__) is type(value):
        parts = {f.name: _encode(getattr(value, f.name), arrays, where) for f in fields(value)}
        return {"part": type(value).__name__, "fields": parts}
    raise TypeError(
        f"The file format has no place for {where} = {value!r}; it takes numbers, strings, arrays and "
        "the parts of softclust. Set it to one of those (random_state to a number) or use pickle."
    )


def _decode(value, arrays):
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
        flat[:] = [_decode(v, arrays) for v in value["objects"]]
        return flat.reshape(value["shape"])
    if "dict" in value:
        return {key: _decode(v, arrays) for key, v in value["dict"].items()}
    if "tuple" in value:
        return tuple(_decode(v, arrays) for v in value["tuple"])
    if "list" in value:
        return [_decode(v, arrays) for v in value["list"]]
    cls = _CLASSES[value["part"]]
    return cls(**{key: _decode(v, arrays) for key, v in value["fields"].items()})
