"""The axes of symmetric matrices."""

import numpy as np
from scipy.linalg import eigh


def axes(matrices):
    """Eigenvalues (k, p), rising, and eigenvectors (k, p, p) of symmetric matrices; of one alike.

    NumPy divides and conquers, which for one matrix in very many does not converge; plain QR steps do.
    """
    try:
        return np.linalg.eigh(matrices)
    except np.linalg.LinAlgError:
        if not np.isfinite(matrices).all():
            raise
    if matrices.ndim == 2:
        return eigh(matrices, driver="ev")
    values, vectors = zip(*(eigh(one, driver="ev") for one in matrices), strict=True)
    return np.array(values), np.array(vectors)
