"""Tables made of rows in Python."""

from docutils import nodes


def table(head, rows):
    """A table; a cell is a text, a node or a list of nodes."""
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    group += nodes.thead("", _row(head))
    group += nodes.tbody("", *[_row(cells) for cells in rows])
    return nodes.table("", group, classes=["table", "wide"])


def _row(cells):
    return nodes.row("", *[nodes.entry("", _paragraph(cell)) for cell in cells])


def _paragraph(cell):
    inside = [nodes.Text(cell)] if isinstance(cell, str) else cell if isinstance(cell, list) else [cell]
    return nodes.paragraph("", "", *inside)
