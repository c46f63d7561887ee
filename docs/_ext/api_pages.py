"""API pages of every public name: one table a module, one page a name, and a check that none is missing.

The directive `modules` lists the public modules.
"""

import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from html_tables import table
from sphinx.addnodes import pending_xref
from sphinx.errors import ExtensionError
from sphinx.util import logging

# Each public module with the headings of its table; other names stand under the last heading.
MODULES = {
    "softclust": {
        "Estimators": [
            "FuzzyCMeans",
            "PossibilisticCMeans",
            "PossibilisticFuzzyCMeans",
            "ImprovedPossibilisticCMeans",
            "EvidentialCMeans",
            "GaussianMixture",
            "HardCMeans",
            "KMedoids",
            "FuzzyLabelSpreading",
        ],
        "What keeps centres apart": ["Repulsion", "CentralDistance"],
        "Labels and pairs": ["Pairs", "sample_supervision", "doubted_labels"],
        "Errors and warnings": [
            "CheckpointError",
            "ConstraintConflictError",
            "DataLostError",
            "DegenerateClusterWarning",
            "ModelFileError",
            "SessionFileError",
        ],
        "Functions": [],
    },
    "softclust.active": {},
    "softclust.credal": {},
    "softclust.datasets": {},
    "softclust.explanation": {},
    "softclust.files": {},
    "softclust.metrics": {},
    "softclust.plotting": {},
    "softclust.report": {},
    "softclust.selection": {},
    "softclust.studio": {},
    "softclust.experiments": {},
    "softclust.grammar.prototypes": {},
    "softclust.grammar.partitions": {},
}
# Modules with `__all__` that are no part of the public interface, each with the reason.
INTERNAL = {
    "softclust.compat": "private names of other packages",
    "softclust.compat.sklearn": "private names of scikit-learn",
    "softclust.estimators": "its names are those of softclust",
    "softclust.sources": "how rows are read; users pass X",
}
log = logging.getLogger(__name__)


def setup(app):
    app.connect("config-inited", _write)  # before Sphinx looks for pages
    app.add_directive("modules", Modules)
    app.connect("env-check-consistency", _check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def public_modules():
    """Every public module that is here, in the order of `MODULES`."""
    there = with_names()
    return [name for name in MODULES if name in there]


def with_names(package="softclust"):
    """Every package of softclust that has an `__all__`."""
    root = import_module(package)
    found = [package] if hasattr(root, "__all__") else []
    for module in pkgutil.iter_modules(root.__path__, f"{package}."):
        if module.ispkg and not module.name.endswith(("kernels.compiled", "_vendor")):
            found += with_names(module.name)
    return found


def _write(app, config):
    unknown = set(with_names()) - {*MODULES, *INTERNAL}
    if unknown:
        raise ExtensionError(
            f"modules with __all__ that docs/_ext/api_pages.py does not list: {sorted(unknown)}"
        )
    folder = Path(app.srcdir) / "api"
    for name in public_modules():
        _write_if_new(folder / f"{name}.rst", _page(name))


class Modules(Directive):
    """A table of the public modules, each with the first sentence of its docstring."""

    def run(self):
        rows = []
        for name in public_modules():
            link = pending_xref(
                "", refdomain="py", reftype="mod", reftarget=name, refexplicit=True, refwarn=True
            )
            link += nodes.literal(text=name)
            rows.append([link, import_module(name).__doc__.split("\n")[0].replace("`", "")])
        return [table(["module", "what it has"], rows)]


def _page(name):
    module = import_module(name)
    lines = [
        f"{name}",
        "=" * len(name),
        "",
        f".. automodule:: {name}",
        "   :no-members:",
        "",
        f".. currentmodule:: {name}",
        "",
    ]
    for heading, names in _sections(name, module):
        if heading:
            lines += [heading, "-" * len(heading), ""]
        lines += [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
        lines += [f"   {item}" for item in names]
        lines += [""]
    return "\n".join(lines)


def _sections(name, module):
    wanted = MODULES[name]
    if not wanted:
        return [("", sorted(module.__all__, key=str.lower))]
    listed = {item for names in wanted.values() for item in names}
    gone = listed - set(module.__all__)
    if gone:
        raise ExtensionError(
            f"docs/_ext/api_pages.py lists names that {name} does not have: {sorted(gone)}"
        )
    rest = [item for item in module.__all__ if item not in listed]
    *most, last = wanted
    return [(heading, wanted[heading]) for heading in most] + [(last, wanted[last] + rest)]


def _write_if_new(path, text):
    """Write a page only if it changed, so that Sphinx does not read it again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def _check(app, env):
    """Every name of every `__all__` has an entry, and a page of its own."""
    objects = env.get_domain("py").objects
    names = [f"{module}.{name}" for module in public_modules() for name in import_module(module).__all__]
    missing = [name for name in names if name not in objects]
    strays = [n for n in names if n in objects and objects[n].docname != f"api/generated/{n}"]
    for name in [*missing, *strays]:
        log.warning("%s is in __all__ and has no page of its own", name, type="api", subtype="missing")
    if not missing:
        log.info("API: all %d names of %d modules have a page", len(names), len(public_modules()))


def estimators():
    """The names of all estimators."""
    import softclust

    return [
        n for n in softclust.__all__ if inspect.isclass(c := getattr(softclust, n)) and hasattr(c, "fit")
    ]
