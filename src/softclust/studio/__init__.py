"""The labelling studio: a page in the browser in which an expert answers questions about rows.

`softclust studio data.csv` starts it.  The page talks to a server on this machine only; all that the expert
says is a `softclust.active.Session`, saved after every answer.
"""
