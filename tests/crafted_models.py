"""The models and checkpoints that tests of crafted files start from."""

from functools import partial

import softclust as sc

MODELS = {
    "fuzzy": partial(sc.FuzzyCMeans, 3, random_state=0),
    "noise": partial(sc.FuzzyCMeans, 3, noise_distance=2.0, random_state=0),
    "polynomial": partial(sc.FuzzyCMeans, 3, fuzzifier="polynomial", random_state=0),
    "ellipsoids": partial(sc.FuzzyCMeans, 3, geometry="ellipsoids", random_state=0),
    "gath-geva": partial(sc.FuzzyCMeans, 3, geometry="gath-geva", random_state=0),
    "mahalanobis": partial(sc.FuzzyCMeans, 3, geometry="mahalanobis", random_state=0),
    "lines": partial(sc.FuzzyCMeans, 3, geometry="lines", random_state=0),
    "directions": partial(sc.FuzzyCMeans, 3, geometry="directions", random_state=0),
    "shells": partial(sc.HardCMeans, 3, geometry="shells", random_state=0),
    "hard": partial(sc.HardCMeans, 3, random_state=0),
    "repulsion": partial(sc.PossibilisticCMeans, 3, separation=sc.Repulsion(), random_state=0),
    "possibilistic-fuzzy": partial(sc.PossibilisticFuzzyCMeans, 3, random_state=0),
    "improved": partial(sc.ImprovedPossibilisticCMeans, 3, random_state=0),
    "evidential": partial(sc.EvidentialCMeans, 3, random_state=0),
    "evidential-ellipsoids": partial(sc.EvidentialCMeans, 3, geometry="ellipsoids", random_state=0),
    "mixture": partial(sc.GaussianMixture, 3, random_state=0),
    "mixture-noise": partial(sc.GaussianMixture, 3, noise=True, random_state=0),
    "mixture-diag": partial(sc.GaussianMixture, 3, covariance_type="diag", random_state=0),
    "spreading": partial(sc.FuzzyLabelSpreading, random_state=0),
    "medoids": partial(sc.KMedoids, 3, random_state=0),
    "medoids-mahalanobis": partial(sc.KMedoids, 3, metric="mahalanobis", random_state=0),
    "medoids-precomputed": partial(sc.KMedoids, 3, metric="precomputed", random_state=0),
}
RESUMED = {
    "lbfgs": partial(sc.FuzzyCMeans, 3, random_state=0, acceleration="lbfgs"),
    "anderson": partial(sc.FuzzyCMeans, 3, random_state=0, acceleration="anderson"),
    "squarem": partial(sc.FuzzyCMeans, 3, geometry="ellipsoids", random_state=0, acceleration="squarem"),
    "evidential": partial(sc.EvidentialCMeans, 3, random_state=0),
    "mixture": partial(sc.GaussianMixture, 3, random_state=0, n_init=2),
    "possibilistic": partial(sc.PossibilisticCMeans, 3, random_state=0),
    "shells": partial(sc.HardCMeans, 3, geometry="shells", random_state=0),
}
