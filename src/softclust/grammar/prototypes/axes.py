"""The axes of symmetric matrices."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh


def axes(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues and eigenvectors of one symmetric matrix (p, p) or of several (k, p, p).

    The eigenvalues (k, p) rise; the eigenvectors are (k, p, p).  For one matrix the first axis is absent.

    NumPy's divide and conquer fails to converge for one matrix in very many; plain QR steps, the fallback,
    do converge.
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
