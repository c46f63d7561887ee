"""The errors and warnings that softclust adds to those of Python and scikit-learn."""


class DegenerateClusterWarning(UserWarning):
    """A cluster lost its own place: coincident centres, a singular shape, too strong a repulsion."""


class ConstraintConflictError(ValueError):
    """Pairs, or pairs and labels, that cannot all hold: the message names the chain of rows."""


class ModelFileError(ValueError):
    """A file is not a softclust model, is damaged, or was written by a newer version."""
