"""A checkpoint: a fit kept in a file while it runs, from which the same call goes on, to the same bits.

All that a fit does between its loops follows from its arguments and one random seed.  So the file holds the
seed, the result of each finished loop, and the memory of the running loop.
"""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

import softclust
from softclust.errors import CheckpointError
from softclust.grammar.state import Fit, State, Stats
from softclust.loop.acceleration import SCHEMES
from softclust.loop.engine import LoopState
from softclust.loop.kept import check_kept
from softclust.storage.annotations import fits
from softclust.storage.archive import Archive

if TYPE_CHECKING:
    from softclust.grammar.model import Model
    from softclust.loop.engine import Options
    from softclust.sources.rows import Rows

FORMAT = 1
_SHARE = 0.05  # share of the time that writing may take
_SPAN = 2**64
_STEP = 0x9E3779B97F4A7C15  # odd: a product with its powers modulo 2^64 loses no bit
_CLASSES: dict[str, type] = {cls.__name__: cls for cls in (Fit, LoopState, State, Stats, *SCHEMES.values())}
_CLASSES["Memory"] = LoopState  # the name of LoopState in older files
_LOOPS = "list[Fit | None]"
_ARCHIVE = Archive("softclust checkpoint", CheckpointError, _CLASSES, most_header=2**28)


class Journal:
    """Keep the loops of a fit in a file, and give them back to a later fit with the same arguments.

    Parameters
    ----------
    path : path-like
        The checkpoint file.
    identity : dict of str to str
        Digests of the arguments of the fit by name; data have the names "X", "y", ...
    seed : int
        Seed of the random numbers, unless the file holds another one.
    defaults : dict of str to str, default=None
        Digests of the default of each parameter.  A file that does not name a parameter has its default.
    """

    memory: LoopState | None  # of the running loop
    kept: LoopState | None  # memory of the interrupted loop in the file, until that loop begins

    def __init__(
        self,
        path: str | os.PathLike[str],
        identity: dict[str, str],
        seed: int,
        defaults: dict[str, str] | None = None,
    ) -> None:
        self.path, self.identity, self.seed, self.defaults = path, identity, seed, defaults or {}
        self.loops: list[Fit | None] = []  # None for a loop that ended in an error
        self.place, self.memory, self.kept = 0, None, None
        self.is_recorded = False  # whether the file knows the end of the running loop
        self.written, self.cost = -np.inf, 0.0
        if os.path.exists(path):
            self._read()

    def _read(self) -> None:
        """Read the file, and refuse one that belongs to a fit with other arguments."""
        header, values = _ARCHIVE.read(self.path, FORMAT)
        theirs: Any = header.get("identity")
        seed: Any = header.get("seed")
        loops: Any = values.get("loops")
        has_parts = isinstance(theirs, dict) and fits(seed, "int") and 0 <= seed < 2**32
        if not has_parts or not fits(loops, _LOOPS) or not fits(values.get("memory"), "LoopState | None"):
            raise CheckpointError(f"{self.path} is damaged: it does not hold the loops of a fit.")
        mine, theirs = self.identity, {**self.defaults, **theirs}
        names = [name for name in {**mine, **theirs} if theirs.get(name) != mine.get(name)]
        if names:
            of_data = [name for name in names if name in DATA]
            kind = "data" if of_data else "parameters"
            raise CheckpointError(
                f"{self.path} belongs to a fit with other {kind} ({', '.join(of_data or names)}); "
                "remove it, or give another path."
            )
        self.seed, self.loops, self.kept = seed, loops, values.get("memory")

    # ------------------------------------------------------------------ an observer of the fit
    def begin(self, model: Model, source: Any, options: Options) -> Fit | LoopState | None:
        """Return what the file holds of this loop: its result, its memory, or None."""
        self.is_recorded = self.place < len(self.loops)
        if self.is_recorded:
            self.place += 1
            return self._checked(self.loops[self.place - 1], model, source, options)
        kept, self.kept = self.kept, None
        return self._checked(kept, model, source, options)

    def _checked(self, kept: Any, model: Model, source: Any, options: Options) -> Any:
        """Return what the file holds of a loop, if that fits this loop; otherwise raise an error."""
        if kept is not None:
            try:
                check_kept(kept, model, source, options)
            except Exception as error:  # a user's geometry may raise any error for arrays of other shapes
                raise CheckpointError(f"{self.path} is damaged: {str(error).removesuffix('.')}.") from error
        return kept

    def on_iteration(self, memory: LoopState) -> bool:
        """Note the memory of the loop, and write the file unless that would take too much time."""
        self.memory = memory
        if time.monotonic() - self.written > self.cost / _SHARE:
            self.write()
        return False

    def end(self, fit: Fit | None) -> None:
        """Add the result of a finished loop; None for a loop that ended in an error, as it will again."""
        if not self.is_recorded:  # else a loop that failed has failed again
            self.loops.append(fit)
            self.place += 1
        self.memory = None
        self.write()

    def write(self) -> None:
        """Write the file as a whole; if that fails, the old file stays."""
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


# ---------------------------------------------------------------------- which fit a checkpoint belongs to
DATA = ("X", "y", "sample_weight", "must_link", "cannot_link")
_ANY = ("n_jobs", "verbose", "checkpoint", "random_state")  # may differ; the seed is in the file


def identity(estimator: Any, source: Any, knowledge: dict[str, Any]) -> dict[str, str]:
    """Digest by name all that a fit depends on; the digest of the rows takes a pass over them."""
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


def default_digests(cls: Any) -> dict[str, str]:
    """Digests of the defaults of an estimator's parameters by name."""
    found = cls().get_params(deep=False)
    return {name: _digest(value) for name, value in found.items() if name not in _ANY}


@dataclass(frozen=True)
class _Fingerprint:
    """Hash of rows in their order, which does not depend on how the rows are cut into blocks.

    `+` joins the hashes of neighbouring blocks.
    """

    value: int
    rows: int

    def __add__(self, other: _Fingerprint) -> _Fingerprint:
        """Join the hash of these rows with that of the rows after them."""
        ahead = self.value * pow(_STEP, other.rows, _SPAN)
        return _Fingerprint((ahead + other.value) % _SPAN, self.rows + other.rows)


def _fingerprint(rows: Rows) -> _Fingerprint:
    """Hash a block of rows: sum_i h_i step^(n - 1 - i) modulo 2^64, with h_i a hash of row i.

    A change of one bit always changes the hash.
    """
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
    """Digest a value; equal values have the same digest in any process."""
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
    elif isinstance(value, FunctionType):  # by its code, because all lambdas have one name
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
