"""Fit a Gaussian mixture with a noise component, mixing weights and a few labels."""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from softclust import GaussianMixture


def main():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    rows = np.vstack([scale(X), rng.uniform(-6, 6, (20, X.shape[1]))])
    known = np.full(len(rows), -1)
    known[[0, 10, 20, 60, 80, 100, 140, 150, 170]] = y[[0, 10, 20, 60, 80, 100, 140, 150, 170]]
    model = GaussianMixture(3, covariance_type="diag", noise=True, random_state=0).fit(rows, known)
    print(f"{(model.labels_[: len(y)] == y).mean():.0%} of the wines are right")
    found = model.outlier_mask_[len(y) :].sum()
    print(f"noise: {model.noise_weight_:.0%} of the rows; {found} of the 20 planted")


if __name__ == "__main__":
    main()
