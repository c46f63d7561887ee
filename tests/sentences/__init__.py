"""Random sentences of the grammar, and an objective J written literally beside the library's.

`drawing` draws a sentence: an estimator, its parameters, rows, and what is known of them.  `distances`,
`rowwise` and `objective` say what J is, from the papers and the docstrings, without a line of the library.
`laws` holds what must be true of every fitted sentence.
"""
