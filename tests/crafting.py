"""Files whose checksum is right and whose structure is not: any array and any field may be changed."""

import copy
import io
import json
import random
import warnings
import zipfile
from contextlib import suppress

import numpy as np

from softclust.storage import archive


def opened(raw):
    """Return the header and the arrays of a model file or a checkpoint."""
    with zipfile.ZipFile(io.BytesIO(raw)) as members:
        header, body = json.loads(members.read("header.json")), members.read("arrays.npz")
    with np.load(io.BytesIO(body)) as stored:
        return header, dict(stored)


def closed(header, arrays):
    """Return the bytes of a file with this header and these arrays, and the right checksum."""
    text, body, out = json.dumps(header).encode(), io.BytesIO(), io.BytesIO()
    np.savez(body, **arrays)
    with zipfile.ZipFile(out, "w") as members:
        members.writestr("header.json", text)
        members.writestr("arrays.npz", body.getvalue())
        members.writestr("checksum", archive._checksum(text, body.getvalue()))
    return out.getvalue()


def places(value, path=()):
    """Return the paths of all fields inside a JSON value."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value[:40])  # a history is long
        found = [place for key, one in pairs for place in places(one, (*path, key))]
        return [path, *found] if path else found
    return [path]


def inside(value, path):
    for key in path:
        value = value[key]
    return value


SHAPES = {
    "first entry": lambda a: a.ravel()[:1],
    "one row": lambda a: a[:1],
    "one column": lambda a: a[..., :1],
    "no rows": lambda a: a[:0],
    "less": lambda a: a[:-1],
    "twice": lambda a: np.concatenate([a, a]),
    "wider": lambda a: np.concatenate([a, a], axis=-1),
    "flat": lambda a: a.ravel(),
    "an axis more": lambda a: a[None],
    "turned": lambda a: a.T,
    "one": lambda a: a.ravel()[0],
    "long": lambda a: np.resize(a, 20_000),
}
TYPES = "f4", "f2", "i8", "u1", "?", "c16", ">f8", "U3", "S2", "m8[s]"
NUMBERS = np.nan, np.inf, -np.inf, -1.0, 0.0, 1.0, 7.0, 1e-320, 1e300, -1e300, 2.0**62
FIELDS = (
    None, True, False, -1, 0, 1, 7, 10**6, 10**18, 10**30, 1.5, -1.0, 1e308, 1e-320, "x", "", [], {},
    {"array": "a0"}, {"array": "a1"}, {"array": "nothing"}, {"scalar": "a0"}, {"float": "nan"},
    {"float": "inf"}, {"float": "x"}, {"tuple": []}, {"list": [1]}, {"dict": {}},
    {"part": "Points", "fields": {}}, {"part": "Hard", "fields": {}}, {"objects": [1], "shape": [1]},
    {"objects": [], "shape": [10**9]}, "Points", "Gaussians", "Hard", "Fitted", "FittedMixture", "Shells",
    "KMedoids", "HardCMeans", "full", "diag", "predict", "_fitted",
)  # fmt: skip


def mutated(header, arrays, seed):
    """Return the bytes of a file with one to three changes, and words for the changes."""
    chance, header, arrays, words = random.Random(seed), copy.deepcopy(header), dict(arrays), []
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        if arrays and chance.random() < 0.5:
            key = chance.choice(sorted(arrays))
            arrays[key] = _changed_array(chance, arrays, key, words)
        else:
            _change_field(chance, header, words)
    return closed(header, arrays), "; ".join(words)


def _changed_array(chance, arrays, key, words):
    array, how = arrays[key], chance.choice(["shape", "type", "entry", "all", "swap"])
    choices = {"shape": sorted(SHAPES), "type": TYPES, "swap": sorted(arrays)}
    name, place = chance.choice(choices.get(how, NUMBERS)), chance.randrange(1000)
    words.append(f"{key} {array.shape}: {how} {name}")
    with (
        suppress(ValueError, IndexError, TypeError, ArithmeticError),
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # a second change may cast complex numbers to real ones
        if how == "shape":
            return np.array(SHAPES[name](array))
        if how == "type":
            return array.astype(name)
        if how == "swap":
            return arrays[name]
        array = array.copy()
        array.reshape(-1)[slice(None) if how == "all" else place % array.size] = name
    return array


def _change_field(chance, header, words):
    path = chance.choice(places(header))
    parent, key = inside(header, path[:-1]), path[-1]
    how, value = chance.choice(["set", "set", "set", "remove", "rename"]), chance.choice(FIELDS)
    if how == "set":
        parent[key] = copy.deepcopy(value)
    elif how == "remove":
        del parent[key]
    elif isinstance(parent, dict):
        parent[str(value)] = parent.pop(key)
    words.append(f"{'.'.join(map(str, path))}: {how} {value!r}")
