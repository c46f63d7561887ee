"""A fit kept in a file while it runs: the same call goes on from there, to the same bits.

All that a fit does between its loops follows from its arguments and one number that seeds chance, so the
file holds that number, the result of each loop that is over, and the memory of the one that is not.
"""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import numpy as np

import softclust
from softclust.errors import CheckpointError
from softclust.grammar.state import Fit, State, Stats
from softclust.loop.acceleration import SCHEMES
from softclust.loop.engine import LoopState
from softclust.storage.archive import Archive

FORMAT = 1
_SHARE = 0.05  # of the time that writing may take
_SPAN = 2**64
_STEP = 0x9E3779B97F4A7C15  # odd: no power of it loses a bit
_CLASSES: dict[str, type] = {cls.__name__: cls for cls in (Fit, LoopState, State, Stats, *SCHEMES.values())}
_CLASSES["Memory"] = LoopState  # its name in older files
_ARCHIVE = Archive("softclust checkpoint", CheckpointError, _CLASSES, most_header=2**28)


class Journal:
    """Keeps the loops of a fit in a file, and gives back what a fit with the same arguments has kept.

    Parameters
    ----------
    path : path-like
        The file.
    identity : dict of str to str
        Digests of the arguments of the fit by name, those of data as "X", "y", ...
    seed : int
        What chance starts from, unless the file knows better.
    """

    def __init__(self, path, identity, seed):
        self.path, self.identity, self.seed = path, identity, seed
        self.loops: list[Fit | None] = []  # None: one that ended in an error
        self.place, self.memory, self.kept = 0, None, None
        self.written, self.cost = -np.inf, 0.0
        if os.path.exists(path):
            self._read()

    def _read(self):
        header, values = _ARCHIVE.read(self.path, FORMAT)
        mine, theirs = self.identity, header["identity"]
        names = [name for name in {**mine, **theirs} if theirs.get(name) != mine.get(name)]
        if names:
            of_data = [name for name in names if name in DATA]
            kind = "data" if of_data else "parameters"
            raise CheckpointError(
                f"{self.path} belongs to a fit with other {kind} ({', '.join(of_data or names)}); "
                "remove it, or give another path."
            )
        self.seed, self.loops = header["seed"], values["loops"]
        self.kept = values["memory"]

    # ------------------------------------------------------------------ an observer of the fit
    def begin(self, model, source, options):
        """What was kept of this loop: its result, its memory, or None."""
        if self.place < len(self.loops):
            self.place += 1
            return self.loops[self.place - 1]
        kept, self.kept = self.kept, None
        return kept

    def on_iteration(self, memory):
        self.memory = memory
        if time.monotonic() - self.written > self.cost / _SHARE:
            self.write()
        return False

    def end(self, fit):
        """The loop is over; None where it ended in an error, as it will again."""
        if self.place == len(self.loops):
            self.loops.append(fit)
            self.place += 1
        self.memory = None
        self.write()

    def write(self):
        """The file as it should be now, whole or as it was."""
        began = time.monotonic()
        header = {
            "format": FORMAT,
            "version": softclust.__version__,
            "identity": self.identity,
            "seed": self.seed,
        }
        values = {"loops": self.loops, "memory": self.memory}
        _ARCHIVE.write(self.path, header, values, compressed=False)
        self.written = time.monotonic()
        self.cost = self.written - began


# ---------------------------------------------------------------------- whose checkpoint it is
DATA = ("X", "y", "sample_weight", "must_link", "cannot_link")
_ANY = ("n_jobs", "verbose", "checkpoint", "random_state")  # the seed is in the file


def identity(estimator, source, knowledge):
    """Digests of what a fit depends on, by name; those of the rows take a pass over them."""
    X = source.rows.X
    parameters = {
        name: value for name, value in estimator.get_params(deep=False).items() if name not in _ANY
    }
    if isinstance(estimator.random_state, int | np.integer):
        parameters["random_state"] = int(estimator.random_state)
    named = {"softclust": softclust.__version__, "estimator": type(estimator).__name__, **parameters}
    known = {name: value for name, value in knowledge.items() if value is not None}
    digests = {name: _digest(value) for name, value in (named | known).items()}
    found = source.reduce(_fingerprint)
    return digests | {"X": _digest([list(X.shape), str(X.dtype), found.value])}


@dataclass(frozen=True)
class _Fingerprint:
    """A hash of rows in their order, the same however they are cut into blocks; `+` joins neighbours."""

    value: int
    rows: int

    def __add__(self, other):
        ahead = self.value * pow(_STEP, other.rows, _SPAN)
        return _Fingerprint((ahead + other.value) % _SPAN, self.rows + other.rows)


def _fingerprint(rows):
    """sum_i h_i step^(n - 1 - i) modulo 2^64, with h_i a hash of row i: one other bit is always seen."""
    words = rows.X.view(np.dtype(f"u{rows.X.itemsize}")).astype(np.uint64)
    words ^= words >> np.uint64(32)
    odd = np.random.default_rng(0).integers(2**63, size=words.shape[1], dtype=np.uint64) * np.uint64(2)
    hashes = words @ (odd + np.uint64(1))
    hashes ^= hashes >> np.uint64(29)
    hashes *= np.uint64(0xBF58476D1CE4E5B9)
    hashes ^= hashes >> np.uint64(32)
    steps = np.full(len(hashes), _STEP, dtype=np.uint64)
    steps[:1] = 1
    return _Fingerprint(int((hashes * np.multiply.accumulate(steps)[::-1]).sum()), len(hashes))


def _digest(value: Any) -> str:
    """The same for equal values, in any process."""
    if value is None or isinstance(value, bool | int | float | str | bytes | np.generic):
        text = repr(value)
    elif isinstance(value, np.ndarray) and value.dtype.kind != "O":
        entries = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        text = f"{value.dtype}{value.shape}{entries}"
    elif isinstance(value, list | tuple):
        text = "".join(map(_digest, value))
    elif isinstance(value, dict):
        text = "".join(f"{key}{_digest(item)}" for key, item in sorted(value.items()))
    elif isinstance(value, CodeType):
        text = _digest([value.co_code, value.co_names, value.co_consts])
    elif isinstance(value, FunctionType):  # what it does: all lambdas have one name
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        text = _digest([value.__code__, value.__defaults__, value.__kwdefaults__, cells])
    elif hasattr(value, "__qualname__"):
        text = f"{value.__module__}.{value.__qualname__}"
    elif hasattr(value, "__array__"):
        array = np.asarray(value)
        text = _digest(array.tolist() if array.dtype.kind == "O" else array)
    else:
        text = f"{type(value).__qualname__}{_digest(getattr(value, '__dict__', {}))}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
