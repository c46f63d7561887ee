"""A spread of settings of every estimator, for tests that must hold whatever the settings."""

from functools import partial

import pytest

import softclust
from softclust import CentralDistance, Repulsion
from softclust.grammar.partitions import (
    Fuzzy,
    Hard,
    ImprovedPossibilistic,
    Possibilistic,
    PossibilisticEntropic,
    PossibilisticFuzzy,
)
from softclust.loop.acceleration import SCHEMES

HARD = softclust.HardCMeans
FUZZY = softclust.FuzzyCMeans
POSSIBILISTIC = softclust.PossibilisticCMeans
MIXED = softclust.PossibilisticFuzzyCMeans
IMPROVED = softclust.ImprovedPossibilisticCMeans
EVIDENTIAL = softclust.EvidentialCMeans
MIXTURE = softclust.GaussianMixture

ESTIMATORS = [HARD, FUZZY, POSSIBILISTIC, MIXED, IMPROVED, EVIDENTIAL]
WITH_DEGREES = ESTIMATORS[:-1]  # labels as degrees that rows are drawn to
WITH_LINKS = [HARD, FUZZY, EVIDENTIAL]
WITH_EXPONENT = [FUZZY, POSSIBILISTIC, MIXED, IMPROVED]
WITH_TYPICALITIES = [POSSIBILISTIC, MIXED, IMPROVED]
WITH_NOISE = [HARD, FUZZY, MIXED, IMPROVED, EVIDENTIAL]

# The parts themselves, at the usual exponents and off them.
PARTITIONS = [
    Hard(),
    Fuzzy(2.0),
    Fuzzy(1.05),
    Fuzzy(1.5),
    Fuzzy(1.7),
    Fuzzy(3.0),
    Fuzzy(5.0),
    Possibilistic(2.0),
    Possibilistic(1.3),
    Possibilistic(1.5),
    Possibilistic(3.0),
    PossibilisticEntropic(),
    PossibilisticFuzzy(1.0, 2.0, 2.0, 2.0),
    PossibilisticFuzzy(0.5, 2.0, 1.5, 3.0),
    ImprovedPossibilistic(2.0, 2.0),
    ImprovedPossibilistic(1.5, 3.0),
    ImprovedPossibilistic(2.0, 2.0, entropy=True),
    ImprovedPossibilistic(1.4, 2.0, entropy=True),
]


def _named(cls, **parameters):
    words = "-".join(f"{key}={_word(value)}" for key, value in parameters.items())
    name = f"{cls.__name__}-{words}" if words else cls.__name__
    shells = _SHELLS if "shells" in str(parameters.get("geometry")) else {}
    return name, partial(cls, random_state=0, **parameters, **shells)


def _word(value):
    return type(value).__name__ if isinstance(value, Repulsion | CentralDistance) else str(value)


# Shells find nothing in a cloud and use up all iterations there: laws that hold at each of them see enough.
_SHELLS = {"max_iter": 40}


def catalogued():
    """The named algorithms, as they come."""
    return [
        (name, partial(softclust.make, name, random_state=0, **(_SHELLS if _is_shell(entry) else {})))
        for name, entry in softclust.catalogue().items()
        if entry.estimator != "KMedoids"  # which has nothing soft: its tests are its own
    ]


def _is_shell(entry):
    return "shells" in entry.parameters.get("geometry", "")


def defaults():
    """Each estimator without any parameter."""
    return [_named(cls) for cls in [*ESTIMATORS, MIXTURE]]


def configurations():
    """(id, factory) of every setting; a factory takes further parameters by name."""
    spread = catalogued() + defaults()
    spread += [_named(cls, noise_distance=2.0) for cls in WITH_NOISE]
    for cls in ESTIMATORS:
        spread += [
            _named(cls, density_rate="auto"),
            _named(cls, density_rate=0.5, density_from="centers"),
            _named(cls, separation=Repulsion()),
            _named(cls, separation=CentralDistance()),
        ]
        spread += [_named(cls, acceleration=scheme) for scheme in (None, *SCHEMES)]
        spread += [_named(cls, init=rule) for rule in ("random", "k-means||")]
    for cls in WITH_EXPONENT:
        spread += [_named(cls, m=m) for m in (1.2, 1.7, 3.0)]
    for cls in (MIXED, IMPROVED):
        spread += [_named(cls, eta=eta, **_power(cls)) for eta in (1.3, 3.0)]
    for cls in WITH_TYPICALITIES:
        spread += [
            _named(cls, scale=1.5),
            _named(cls, scale=[0.5, 1.0, 2.0]),
            _named(cls, scale_cut=0.5),
            _named(cls, merge_coincident=True),
        ]
        spread += [_named(cls, scale="auto")]
    for cls in WITH_DEGREES:
        spread += [_named(cls, unlabelled="zero"), _named(cls, label_strength=2.0)]
    for family in ("simple", "pairs", "full", [(0, 2)]):
        spread += [_named(EVIDENTIAL, focal_sets=family)]
    for beta in (1.2, 1.7, 3.0):
        spread += [_named(EVIDENTIAL, beta=beta)]
    spread += [
        _named(EVIDENTIAL, geometry="ellipsoids"),
        # For the contract, whose 15 rows of 30 features leave metrics undetermined: acceleration makes 1e-7
        # of the rounding by which rows with weights differ from repeated ones.
        _named(EVIDENTIAL, geometry="ellipsoids", acceleration=None),
        _named(EVIDENTIAL, geometry="ellipsoids", metric_reg=0.1, acceleration=None),
        _named(EVIDENTIAL, cardinality_power=2.0),
        _named(EVIDENTIAL, data_weight="paper", label_exponent=1.0),
        _named(MIXED, b="auto"),
        _named(POSSIBILISTIC, penalty="entropy"),
        _named(MIXED, a=0.0, b=1.0),
        _named(MIXED, a=1.0, b=0.0),
        _named(IMPROVED, variant=1),
        _named(HARD, outlier_threshold=0.3),
    ]
    for cls in WITH_DEGREES:
        spread += [_named(cls, geometry=geometry) for geometry in ("ellipsoids", "mahalanobis")]
    spread += [
        _named(HARD, geometry="shells"),
        _named(FUZZY, geometry="radial-shells"),
        _named(POSSIBILISTIC, geometry="shells"),
        _named(MIXED, geometry="radial-shells"),
        _named(FUZZY, geometry="directions"),
        _named(IMPROVED, geometry="directions"),
        _named(FUZZY, geometry="gath-geva"),
        _named(FUZZY, geometry="lines"),
        _named(FUZZY, geometry="ellipsoids", noise_distance=2.0, m=1.6),
        _named(MIXTURE, noise=True),
        _named(MIXTURE, acceleration=None, reg_covar=0.0),
        _named(MIXTURE, covariance_type="auto"),
        _named(MIXTURE, covariance_prior=0.0, reg_covar=1e-6),
    ]
    spread += [
        _named(FUZZY, fuzzifier="polynomial"),
        _named(FUZZY, fuzzifier="polynomial", crisp_ratio=0.2, noise_distance=2.0),
        _named(FUZZY, fuzzifier="polynomial", geometry="ellipsoids"),
    ]
    spread += [_named(MIXTURE, covariance_type=kind) for kind in ("tied", "diag", "spherical")]
    return _each_once(spread)


def _each_once(spread):
    """The settings without those that say in other words what an earlier one says."""
    seen = {}
    for name, make in spread:
        model = make()
        said = (type(model), *(f"{key}={value}" for key, value in sorted(model.get_params().items())))
        seen.setdefault(said, (name, make))
    return [*seen.values()]


def of_round_clusters():
    """Those without shells, which have nothing to find in a cloud, and directions, which no shift or scale
    leaves as they are: `test_geometry_laws` has laws of their own.
    """
    others = ("shells", "directions")
    shells = ("afcs", "fces", "apcs", "pces")
    return [
        (n, make) for n, make in configurations() if n not in shells and not any(w in n for w in others)
    ]


def contract_configurations():
    """Fewer, for tests that cost much: each word of the grammar once, and no estimator without its own."""
    wanted = {
        "HardCMeans-noise_distance=2.0",
        "HardCMeans-separation=CentralDistance",
        "FuzzyCMeans-unlabelled=zero",
        "PossibilisticFuzzyCMeans-b=auto",
        "ImprovedPossibilisticCMeans-label_strength=2.0",
        "FuzzyCMeans-m=1.2",
        "FuzzyCMeans-density_rate=auto",
        "FuzzyCMeans-init=k-means||",
        "PossibilisticCMeans-penalty=entropy",
        "PossibilisticCMeans-separation=Repulsion",
        "PossibilisticCMeans-merge_coincident=True",
        "PossibilisticFuzzyCMeans-noise_distance=2.0",
        "PossibilisticFuzzyCMeans-acceleration=squarem",
        "ImprovedPossibilisticCMeans-variant=1",
        "ImprovedPossibilisticCMeans-scale_cut=0.5",
        "EvidentialCMeans-beta=1.7",
        "EvidentialCMeans-geometry=ellipsoids-acceleration=None",
        "EvidentialCMeans-focal_sets=simple",
        "FuzzyCMeans-geometry=ellipsoids",
        "FuzzyCMeans-geometry=directions",
        "FuzzyCMeans-geometry=gath-geva",
        "HardCMeans-geometry=mahalanobis",
        "GaussianMixture-covariance_type=diag",
        "GaussianMixture-covariance_type=auto",
        "GaussianMixture-noise=True",
    }
    chosen = [pair for pair in configurations() if pair[0] in wanted]
    if len(chosen) != len(wanted):
        raise LookupError(f"unknown: {wanted - {name for name, _ in chosen}}")
    return defaults() + chosen


def _power(cls):
    return {"variant": 1} if cls is IMPROVED else {}


def as_parameters(pairs):
    """For `pytest.mark.parametrize`: the factories, and their ids."""
    return {"argvalues": [factory for _, factory in pairs], "ids": [name for name, _ in pairs]}


def few_shells():
    """All settings, marked as slow where they are shells of which there are such already: they are dear."""
    dear = {
        name
        for name, _ in configurations()
        if ("shells" in name or name in ("fces", "apcs", "pces"))
        and name != "PossibilisticCMeans-geometry=shells"
    }
    return [(name, make, [pytest.mark.slow] if name in dear else []) for name, make in configurations()]
