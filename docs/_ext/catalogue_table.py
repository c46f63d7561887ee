"""The directive `catalogue`: the table of `softclust.catalogue()`, or of one estimator's entries."""

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from html_tables import table


def setup(app):
    app.add_directive("catalogue", Catalogue)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Catalogue(Directive):
    """A table of named algorithms; `:estimator:` keeps those of one."""

    option_spec = {"estimator": directives.unchanged}

    def run(self):
        from softclust import catalogue

        wanted = self.options.get("estimator")
        entries = [e for e in catalogue().values() if wanted in (None, e.estimator)]
        if not entries:
            raise self.error(f"no entry of the catalogue has the estimator {wanted!r}")
        head = ["make(...)", "algorithm", "settings", "paper"]
        rows = []
        for entry in entries:
            settings = ", ".join(f"{name}={_shown(value)}" for name, value in entry.parameters.items())
            name = (
                entry.name if wanted else [nodes.Text(entry.name), nodes.Text(", "), _link(entry.estimator)]
            )
            code = nodes.literal(text=settings) if settings else nodes.Text("")
            rows.append([nodes.literal(text=entry.acronym), name, code, entry.paper])
        return [table(head, rows)]


def _shown(value):
    return f"{value:.3g}" if isinstance(value, float) else repr(value)


def _link(name):
    from sphinx.addnodes import pending_xref

    target = f"softclust.{name}"
    link = pending_xref(
        "", refdomain="py", reftype="class", reftarget=target, refexplicit=True, refwarn=True
    )
    link += nodes.literal(text=name)
    return link
