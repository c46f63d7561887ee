"""What a report of a problem should say: versions, the machine, and the tier of compiled passes."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "llvmlite", "threadpoolctl", "joblib")
_OPTIONAL = ("matplotlib", "pyarrow", "cyclopts", "dask", "distributed", "pandas", "polars")


def version_line() -> str:
    """Return the version of softclust and the tier of its compiled passes, in one line."""
    import softclust
    from softclust.kernels.tiers import tier

    return f"{softclust.__version__} (passes: {tier()})"


def show_versions() -> None:
    """Print the versions of softclust, Python and all packages that it uses, and how passes are compiled.

    Examples
    --------
    >>> import softclust
    >>> softclust.show_versions()  # doctest: +ELLIPSIS
    softclust ...
    """
    lines = {"softclust": version_line(), "python": sys.version.split()[0], "machine": platform.platform()}
    for package in (*_PACKAGES, *_OPTIONAL):
        try:
            lines[package] = version(package)
        except PackageNotFoundError:
            lines[package] = "not installed"
    width = max(map(len, lines))
    for name, value in lines.items():
        print(f"{name:{width}}  {value}")  # noqa: T201 (to print is what it is for)
