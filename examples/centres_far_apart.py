"""A repulsion term keeps centres apart that would otherwise coincide (RPCM, Antoine 2018)."""

import warnings

import numpy as np
from sklearn.datasets import load_iris

from softclust import DegenerateClusterWarning, PossibilisticCMeans, Repulsion


def main():
    X, _ = load_iris(return_X_y=True)
    for separation in (None, Repulsion()):
        model = PossibilisticCMeans(3, m=2.0, scale_factor=1.0, separation=separation, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateClusterWarning)  # warns of the pair that coincides
            V = model.fit(X).cluster_centers_
        gap = min(np.linalg.norm(V[i] - V[j]) for i in range(3) for j in range(i))
        print(f"separation={separation}: the nearest two centres are {gap:.2f} apart")


if __name__ == "__main__":
    main()
