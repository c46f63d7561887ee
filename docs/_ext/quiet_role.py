"""The default role of docstrings: a link where the name has a page, and plain code where it has none."""

from sphinx.roles import XRefRole


class Quiet(XRefRole):
    """A link to a Python object of this site, if there is one."""

    def process_link(self, env, refnode, has_explicit_title, title, target):
        refnode["refdomain"], refnode["reftype"], refnode["quiet"] = "py", "obj", True
        for name in ("py:module", "py:class"):
            refnode[name] = env.ref_context.get(name)
        return title, target


def setup(app):
    app.add_role("quiet", Quiet())
    app.connect("missing-reference", _plain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _plain(app, env, node, contnode):
    return contnode if node.get("quiet") else None
