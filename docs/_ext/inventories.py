"""Inventories of other projects as short text files, so that links to them need no network.

A file has a line for the address and a line for each name: `name domain:role uri`.  Sphinx reads
inventories in a compressed form, which `mapping` writes.
"""

import zlib
from pathlib import Path

HEAD = (
    "# Sphinx inventory version 2\n# Project: {name}\n# Version: \n# The remainder is compressed by zlib.\n"
)


def mapping(folder: Path, into: Path) -> dict[str, tuple[str, str]]:
    """`intersphinx_mapping` of the text files in a folder."""
    into.mkdir(parents=True, exist_ok=True)
    return {path.stem: _written(path, into) for path in sorted(folder.glob("*.txt"))}


def _written(path: Path, into: Path) -> tuple[str, str]:
    address, *lines = [line for line in path.read_text().splitlines() if line.strip()]
    entries = []
    for line in lines:
        name, role, uri = line.rsplit(maxsplit=2)
        entries.append(f"{name} {role} 1 {uri} -\n")
    target = into / f"{path.stem}.inv"
    head = HEAD.format(name=path.stem).encode()
    target.write_bytes(head + zlib.compress("".join(entries).encode()))
    return address, str(target)
