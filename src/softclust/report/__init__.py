"""A page about a fit: `report` makes it, `findings` has its tables."""

from softclust.report.page import report

__all__ = ["report"]
