"""Docstrings write formulas and names plainly: |x|^2 is no substitution, and n_clusters_ no link.

The marks that reStructuredText would read are escaped in docstrings of softclust, outside of `code` and
examples.
"""

import re

CODE = re.compile(r"(``.*?``|`[^`]*`_?)")
PARAMETER = re.compile(r"^(\s*[*\w]+(?:, [*\w]+)* : )(.*)$")


def setup(app):
    app.connect("autodoc-process-docstring", _escaped, priority=100)  # before numpydoc reads it
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _escaped(app, what, name, obj, options, lines):
    if not (getattr(obj, "__module__", None) or "softclust").startswith("softclust"):
        return
    in_example = False
    for k, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        head, rest = (m[1], m[2]) if (m := PARAMETER.match(line)) else ("", line)
        if not in_example and not line.rstrip().endswith("::"):
            lines[k] = head + "".join(p if p.startswith("`") else _plain(p) for p in CODE.split(rest))


def _plain(text):
    return re.sub(r"(?<=\w)_(?!\w)", r"\\_", text.replace("|", r"\|"))
