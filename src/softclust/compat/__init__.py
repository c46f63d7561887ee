"""Private names of other packages that softclust uses, each in the one module named after its package.

A new release may change such a name.  `tests/test_compat.py` uses each of them and says which version
was the first without it.
"""
