"""Possibilistic shells find the semi-axes of two ellipses among outliers (Ortiz)."""

from softclust import PossibilisticCMeans
from softclust.datasets import make_ellipses


def main():
    X, truth = make_ellipses(300, outliers=0.2, random_state=0)
    model = PossibilisticCMeans(2, geometry="radial-shells", random_state=0).fit(X)
    for centre, axes in zip(model.cluster_centers_, model.semi_axes_, strict=True):
        at, size = (f"{v[0]:.1f} and {v[1]:.1f}" for v in (centre, axes))
        print(f"an ellipse about {at} with semi-axes {size}")
    print(f"{model.outlier_mask_[truth == -1].mean():.0%} of the outliers are called so")


if __name__ == "__main__":
    main()
