"""Formulas as MathML, which browsers draw themselves: no script, no font and nothing from a network."""

import re
from html import escape

from docutils.nodes import SkipNode
from latex2mathml.converter import convert

# A norm with an exponent is one base; the converter would raise its closing bar alone.
NORM = re.compile(r"(\\lvert(?:(?!\\lvert).)*?\\rvert|\\lVert(?:(?!\\lVert).)*?\\rVert)(?=\^)")


def setup(app):
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(translator, node):
    translator.body.append(_drawn(node.astext(), "inline"))
    raise SkipNode


def _block(translator, node):
    anchor = "".join(f' id="{name}"' for name in node.get("ids", [])[:1])
    translator.body.append(f'<div class="math-block"{anchor}>{_drawn(node.astext(), "block")}</div>\n')
    raise SkipNode


def _drawn(latex, display):
    """The MathML of a formula; what was typed stays as a title for copying and for screen readers."""
    text = " ".join(latex.split())
    drawn = convert(NORM.sub(r"{\1}", text), display=display)
    return drawn.replace("<math ", f'<math alttext="{escape(text, quote=True)}" ', 1)
