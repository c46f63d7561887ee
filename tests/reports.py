"""Reports of several models."""

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine

from softclust import (
    EvidentialCMeans,
    FuzzyCMeans,
    FuzzyLabelSpreading,
    GaussianMixture,
    KMedoids,
    PossibilisticCMeans,
)
from softclust.report import report

EVIL = "<script>alert(1)</script>"
IRIS, WINE = load_iris(), load_wine()
NAMES = [name[:-5] for name in IRIS.feature_names]
CULTIVARS = np.array(["Barolo", "Grignolino", "Barbera"])[WINE.target]
SCALING = np.vstack([WINE.data.mean(axis=0), WINE.data.std(axis=0)])
SCALED = (WINE.data - SCALING[0]) / SCALING[1]
LABELS = [name if i % 10 == 0 else None for i, name in enumerate(CULTIVARS)]
LABELS[30] = "Barbera"  # a Barolo


def wine(**more):
    """Fuzzy c-means of standardised Wine with labels, one of them wrong, judged by all classes."""
    model = FuzzyCMeans(3, label_strength=0.5, random_state=0).fit(SCALED, LABELS)
    known = {"scaling": SCALING, "labels": LABELS, "classes": CULTIVARS, **more}
    return report(model, SCALED, feature_names=WINE.feature_names, title="Wine", notes=["A note."], **known)


def evil():
    """Names that a careless page would run."""
    names = [EVIL, "<img src=x onerror=alert(2)>", "a" * 90, "</style></script>'\""]
    y = [[EVIL, '"b" & co'][k] if k < 2 else None for k in IRIS.target]
    model = FuzzyCMeans(3, random_state=0).fit(IRIS.data, y)
    return report(model, IRIS.data, feature_names=names, title=EVIL, notes=[EVIL], labels=y, classes=y)


def iris_with_noise():
    """Iris with a few rows far from all."""
    rng = np.random.default_rng(0)
    rows = np.vstack([IRIS.data, rng.uniform(15, 30, (6, 4))])
    return report(FuzzyCMeans(3, noise_distance=2.0, random_state=0).fit(rows), rows, feature_names=NAMES)


def one_feature():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(0, 1, 100), rng.normal(5, 1, 60)])[:, None]
    return report(FuzzyCMeans(2, random_state=0).fit(rows), rows)


def digits():
    digits, few = load_digits(), slice(500)
    model = FuzzyCMeans(10, random_state=0).fit(digits.data[few])
    return report(model, digits.data[few], feature_names=digits.feature_names, classes=digits.target[few])


def of(model, X=IRIS.data, y=None, **more):
    return report(model.fit(X, y), X, feature_names=NAMES, **more)


PAGES = {
    "wine": wine,
    "evil": evil,
    "outliers": iris_with_noise,
    "one feature": one_feature,
    "64 features": digits,
    "evidential": lambda: of(EvidentialCMeans(3, random_state=0)),
    "mixture": lambda: of(GaussianMixture(3, random_state=0), classes=IRIS.target),
    "possibilistic": lambda: of(PossibilisticCMeans(3, random_state=0)),
    "medoids": lambda: of(KMedoids(3)),
    "spreading": lambda: of(FuzzyLabelSpreading(random_state=0), y=IRIS.target, labels=IRIS.target),
    "one cluster": lambda: of(FuzzyCMeans(1)),
}
