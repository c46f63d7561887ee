"""The grammar of models.

A model combines prototypes, a partition, a frame, terms for labels and pairs, and a separation.
`sweep.py` reads blocks of rows through such a model.
"""
