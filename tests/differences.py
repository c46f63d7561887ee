"""Derivatives by finite differences."""

import numpy as np


def differences(function, v, step=1e-6):
    """Central differences of a function of a vector, one column for each entry."""
    columns = []
    for j in range(len(v)):
        e = np.zeros(len(v))
        e[j] = step
        columns.append((function(v + e) - function(v - e)) / (2 * step))
    return np.array(columns).T
