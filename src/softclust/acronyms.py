"""Every named algorithm: acronym -> estimator, parameters and citation.

An entry keeps the settings of its paper if the paper states them; the estimators' own defaults are the
settings that work best.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from softclust import estimators
from softclust.grammar.separation import CentralDistance, Repulsion

_MACQUEEN = "MacQueen (1967); k-means++: Arthur & Vassilvitskii (2007)"
_KELLER = "Krishnapuram & Keller (1993), A possibilistic approach to clustering"
_ANTOINE = "Antoine, Guerrero, Boone & Romero (2018), Possibilistic clustering with seeds"
_ZHANG = "Zhang & Leung (2004), Improved possibilistic c-means clustering algorithms"


@dataclass(frozen=True)
class Entry:
    """A named algorithm: its acronym, estimator, paper and parameters, and when to use it."""

    acronym: str
    name: str
    estimator: str
    paper: str
    parameters: dict[str, Any] = field(default_factory=dict)
    when: str = ""
    family: str = ""


# When to use each algorithm, by what the data or the question are like.
_WHEN = {
    "Clusters overlap": {
        "fcm": "Round clusters that overlap: a good first try.",
        "mfcm": "As fcm, for columns in different units, or correlated.",
        "hcm": "Each row in one cluster; fast, for round clusters.",
        "kmeans": "Another name of hcm.",
    },
    "Noise and outliers": {
        "swfcm": "As fcm, with noise: rows in sparse places count less.",
        "pcm": "How typical is each row? Outliers are typical of no cluster.",
        "pcm-entropy": "As pcm, with typicality that falls off faster.",
        "rpcm": "As pcm, if clusters coincide: centres push each other away.",
        "pfcm": "Shares between clusters and typicality, both at once.",
        "ipcm": "As pcm, with shares that keep clusters from coinciding.",
        "ipcm2": "As ipcm, with typicality that falls off faster.",
    },
    "Some rows have labels": {
        "sfcm": "A few labels guide clusters that overlap.",
        "skmeans": "Labels that must hold; each row in one cluster.",
        "spfcm": "A few labels, shares and typicality, with outliers.",
        "srpcm": "A few labels and outliers; centres push each other away.",
        "spcm": "A few labels and outliers; centres are kept far apart.",
        "secm": "A few labels, with doubt between clusters kept as doubt.",
    },
    "Some pairs belong together or apart": {
        "cecm": "Pairs of rows, with doubt between clusters kept as doubt.",
        "lpecm": "Labels and pairs of rows at once, doubt kept as doubt.",
    },
    "Doubt is worth knowing": {
        "ecm": "Says 'this cluster or that one', and 'none of them'.",
        "ecm-mahalanobis": "As ecm, for stretched clusters.",
    },
    "Clusters have shapes": {
        "gk": "Stretched clusters of similar volume, leaning any way.",
        "gg": "Stretched clusters of different sizes and densities.",
        "pgk": "As gk, with outliers.",
        "afcs": "Rows on rings or ellipses, not inside them.",
        "fces": "As afcs, by distances in the units of the data.",
        "apcs": "As afcs, with outliers.",
        "pces": "As fces, with outliers.",
    },
    "Mixtures": {
        "gmm": "A probability model: densities, BIC, drawing new rows.",
    },
    "Only distances": {
        "pam": "Any distance, or a matrix of them; centres are rows.",
        "clarans": "As pam, for some ten thousand rows: random swaps.",
        "clara": "As pam, for more rows still: it searches samples.",
    },
}

_GUSTAFSON = "Gustafson & Kessel (1979), Fuzzy clustering with a fuzzy covariance matrix"
_DAVE = "Dave & Bhaswan (1992), Adaptive fuzzy c-shells clustering and detection of ellipses"
_SHELLS = "Krishnapuram, Frigui & Nasraoui (1995), Fuzzy and possibilistic shell clustering algorithms"
_MASSON = "Masson & Denoeux (2008), ECM: an evidential version of the fuzzy c-means algorithm"
_CECM = "Antoine, Quost, Masson & Denoeux (2012), CECM: constrained evidential c-means algorithm"
# Xie & Antoine, section 4.1: alpha = 1, beta = 2, rho^2 = 100.
_ECM = {"cardinality_power": 1.0, "beta": 2.0, "noise_distance": 10.0}

_ENTRIES = [
    Entry("hcm", "Hard c-means", "HardCMeans", _MACQUEEN),
    Entry("kmeans", "k-means", "HardCMeans", _MACQUEEN),
    Entry(
        "skmeans",
        "Constrained k-means",
        "HardCMeans",
        "Basu, Banerjee & Mooney (2002), Semi-supervised clustering by seeding",
        {"label_strength": float("inf")},
    ),
    Entry("fcm", "Fuzzy c-means", "FuzzyCMeans", "Bezdek (1981)", {"m": 2.0}),
    Entry(
        "sfcm",
        "Semi-supervised fuzzy c-means",
        "FuzzyCMeans",
        "Pedrycz & Waletzky (1997), Fuzzy clustering with partial supervision",
        {"m": 2.0, "label_strength": 1.0},
    ),
    Entry(
        "swfcm",
        "Sample-weighted robust fuzzy c-means",
        "FuzzyCMeans",
        "Xia, Han, Liu & Zhou (2011), A sample-weighted robust fuzzy c-means clustering algorithm",
        {"m": 2.0, "density_rate": 2.5},
    ),
    Entry(
        "mfcm",
        "Fuzzy c-means with one Mahalanobis distance",
        "FuzzyCMeans",
        "Ortiz, fuzzy c-means with a given matrix; here the inverse covariance of the data",
        {"m": 2.0, "geometry": "mahalanobis"},
    ),
    Entry(
        "gk",
        "Gustafson-Kessel",
        "FuzzyCMeans",
        _GUSTAFSON,
        {"m": 2.0, "geometry": "ellipsoids", "metric_reg": 0.0},
    ),
    Entry(
        "gg",
        "Gath-Geva",
        "FuzzyCMeans",
        "Gath & Geva (1989), Unsupervised optimal fuzzy clustering",
        {"m": 2.0, "geometry": "gath-geva", "metric_reg": 0.0},
    ),
    Entry("afcs", "Adaptive fuzzy c-shells", "FuzzyCMeans", _DAVE, {"m": 2.0, "geometry": "shells"}),
    Entry(
        "fces",
        "Fuzzy c-ellipsoidal shells",
        "FuzzyCMeans",
        _SHELLS,
        {"m": 2.0, "geometry": "radial-shells"},
    ),
    Entry(
        "pcm",
        "Possibilistic c-means",
        "PossibilisticCMeans",
        _KELLER,
        {"m": 2.0, "scale_factor": 1.0},
    ),
    Entry(
        "pcm-entropy",
        "Possibilistic c-means with an entropy penalty",
        "PossibilisticCMeans",
        "Krishnapuram & Keller (1996), The possibilistic c-means algorithm: insights and recommendations",
        {"m": 2.0, "penalty": "entropy", "scale_factor": 1.0},
    ),
    Entry(
        "pgk",
        "Possibilistic Gustafson-Kessel",
        "PossibilisticCMeans",
        _KELLER,
        {"m": 2.0, "scale_factor": 1.0, "geometry": "ellipsoids", "metric_reg": 0.0},
    ),
    Entry(
        "apcs",
        "Adaptive possibilistic c-shells",
        "PossibilisticCMeans",
        _SHELLS,
        {"m": 2.0, "scale_factor": 1.0, "geometry": "shells"},
    ),
    Entry(
        "pces",
        "Possibilistic c-ellipsoidal shells",
        "PossibilisticCMeans",
        _SHELLS,
        {"m": 2.0, "scale_factor": 1.0, "geometry": "radial-shells"},
    ),
    Entry(
        "rpcm",
        "Repulsive possibilistic c-means",
        "PossibilisticCMeans",
        "Timm, Borgelt, Doring & Kruse (2004), An extension to possibilistic fuzzy cluster analysis",
        {"m": 2.0, "scale_factor": 1.0, "separation": Repulsion()},
    ),
    Entry(
        "srpcm",
        "Semi-supervised repulsive possibilistic c-means",
        "PossibilisticCMeans",
        _ANTOINE,
        {"m": 2.0, "scale_factor": 1.0, "separation": Repulsion(), "label_strength": 1.0},
    ),
    Entry(
        "spcm",
        "Semi-supervised possibilistic c-means with maximised central distance",
        "PossibilisticCMeans",
        "Liu & Wu, Semi-supervised possibilistic c-means on maximized central distance",
        {
            "m": 2.0,
            "scale_factor": 1
            / 3,  # the paper is silent; its Table 4-1 comes out with 2.75, a third of eq. (2)
            "separation": CentralDistance(0.01),
            "label_strength": 1.0,
            "unlabelled": "zero",
        },
    ),
    Entry(
        "pfcm",
        "Possibilistic fuzzy c-means",
        "PossibilisticFuzzyCMeans",
        "Pal, Pal, Keller & Bezdek (2005)",
        {"a": 1.0, "b": 1.0, "m": 2.0, "eta": 2.0, "scale_factor": 1.0},
    ),
    Entry(
        "spfcm",
        "Semi-supervised possibilistic fuzzy c-means",
        "PossibilisticFuzzyCMeans",
        _ANTOINE,
        {"a": 1.0, "b": "auto", "m": 2.0, "eta": 2.0, "scale_factor": 1.0, "label_strength": 1.0},
    ),
    Entry(
        "ipcm",
        "Improved possibilistic c-means, variant 1",
        "ImprovedPossibilisticCMeans",
        _ZHANG,
        {"variant": 1, "m": 2.0, "eta": 2.0, "scale_factor": 1.0},
    ),
    Entry(
        "ipcm2",
        "Improved possibilistic c-means, variant 2",
        "ImprovedPossibilisticCMeans",
        _ZHANG,
        {"variant": 2, "m": 2.0, "eta": 2.0, "scale_factor": 1.0},
    ),
    Entry("ecm", "Evidential c-means", "EvidentialCMeans", _MASSON, _ECM),
    Entry(
        "ecm-mahalanobis",
        "Evidential c-means with adaptive metrics",
        "EvidentialCMeans",
        _CECM,
        {**_ECM, "geometry": "ellipsoids", "metric_reg": 0.0},
    ),
    Entry(
        "secm",
        "Semi-supervised evidential c-means",
        "EvidentialCMeans",
        "Antoine, Labroche & Vu (2014), Evidential seed-based semi-supervised clustering",
        {**_ECM, "data_weight": "paper"},
    ),
    Entry(
        "cecm",
        "Constrained evidential c-means",
        "EvidentialCMeans",
        _CECM,
        {**_ECM, "data_weight": "paper"},
    ),
    Entry(
        "lpecm",
        "Evidential c-means with labelled data and pairwise constraints",
        "EvidentialCMeans",
        "Xie & Antoine, On a new evidential c-means algorithm with instance-level constraints",
        {**_ECM, "data_weight": "paper"},
    ),
    Entry(
        "gmm",
        "Gaussian mixture by EM",
        "GaussianMixture",
        "Dempster, Laird & Rubin (1977), Maximum likelihood from incomplete data via the EM algorithm",
        {"covariance_type": "full", "covariance_prior": 0.0, "reg_covar": 0.0},
    ),
    Entry(
        "pam",
        "Partitioning around medoids",
        "KMedoids",
        "Kaufman & Rousseeuw (1990), Finding groups in data; "
        "Schubert & Rousseeuw (2021), Fast and eager k-medoids clustering",
        {"method": "pam"},
    ),
    Entry(
        "clara",
        "Clustering large applications",
        "KMedoids",
        "Kaufman & Rousseeuw (1990), Finding groups in data",
        {"method": "clara"},
    ),
    Entry(
        "clarans",
        "Clustering large applications based on randomized search",
        "KMedoids",
        "Ng & Han (2002), CLARANS: a method for clustering objects for spatial data mining",
        {"method": "clarans"},
    ),
]


def catalogue() -> dict[str, Entry]:
    """List all named algorithms.

    Returns
    -------
    entries : dict of str to Entry
        The entry of each acronym, with its name, estimator, parameters and paper, a sentence that says when
        to use it, and the family that this sentence belongs to.

    Examples
    --------
    >>> from softclust import catalogue
    >>> print(catalogue()["gk"].when)
    Stretched clusters of similar volume, leaning any way.
    """
    words = {key: (family, when) for family, told in _WHEN.items() for key, when in told.items()}
    return {
        entry.acronym: replace(entry, family=words[entry.acronym][0], when=words[entry.acronym][1])
        for entry in _ENTRIES
    }


def families() -> dict[str, list[Entry]]:
    """List the named algorithms by what the data or the question are like.

    Returns
    -------
    entries : dict of str to list of Entry
        The entries of each family, the first ones first to try.
    """
    entries = catalogue()
    return {family: [entries[key] for key in told] for family, told in _WHEN.items()}


def make(acronym: str, n_clusters: int = 3, **parameters: Any) -> Any:
    """Make an unfitted estimator by its acronym.

    Parameters
    ----------
    acronym : str
        The name of an algorithm in `catalogue`, in upper or lower case.
    n_clusters : int, default=3
        Number of clusters.
    **parameters
        Parameters of the estimator, which replace those of the entry.

    Returns
    -------
    estimator : softclust estimator
        The unfitted estimator.

    Examples
    --------
    >>> from softclust import make
    >>> make("pfcm", n_clusters=2, b=3.0).b
    3.0
    """
    entries = catalogue()
    key = str(acronym).lower()
    if key not in entries:
        near = get_close_matches(key, entries, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"There is no method {acronym!r}.{hint} Known: {', '.join(entries)}.")
    entry = entries[key]
    estimator = getattr(estimators, entry.estimator)
    return estimator(n_clusters=n_clusters, **{**entry.parameters, **parameters})
