"""Stored results of experiments: one JSON file each, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from importlib import resources
from pathlib import Path

import softclust
from softclust.experiments.frame import Line


def default_folder():
    """Return the folder of stored results, in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "softclust" / "experiments"


def place(folder, experiment, quick):
    """Return the file of an experiment; its name changes with the version and the experiments' code."""
    code = hashlib.sha256(softclust.__version__.encode())
    for source in sorted(_sources(), key=lambda file: file.name):
        code.update(source.read_bytes())
    effort = "quick" if quick else "full"
    return Path(folder) / f"{experiment.paper}-{experiment.name}-{effort}-{code.hexdigest()[:12]}.json"


def _sources():
    return [
        file for file in resources.files("softclust.experiments").iterdir() if file.name.endswith(".py")
    ]


def load(path):
    """Return the lines stored in a file, or None if the file is missing or cannot be read."""
    try:
        return [Line(**line) for line in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return None


def keep(path, lines):
    """Store the lines in a file; do nothing if the folder cannot be written."""
    half = path.with_suffix(f".{os.getpid()}.half")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(json.dumps([asdict(line) for line in lines], indent=1), encoding="utf-8")
        os.replace(half, path)
    except OSError:
        half.unlink(missing_ok=True)
