"""The public estimators: each one a sentence of the grammar with defaults that work."""

import softclust
from softclust._lazy import loaded_when_asked

_HOMES = {
    name: home.removeprefix("estimators.")
    for name, home in sorted(softclust._HOMES.items())
    if home.startswith("estimators.")
}

__all__ = [*_HOMES]
__getattr__, __dir__ = loaded_when_asked(__name__, _HOMES)
