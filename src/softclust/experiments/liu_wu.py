"""Liu & Wu: semi-supervised possibilistic fuzzy c-means on maximized central distance.

Readings under which its tables come out
----------------------------------------
Iris is Fisher's own, and its rows are scaled to unit length.  Glass has all 6 classes, and the row number
as a feature; the file is sorted by class, so that this feature tells the class.  Scores with the row number
are LABEL LEAKAGE: they are run again because the paper prints them, and are no evidence for any method.
Mutual information is divided by the square root of the entropies' product.

The paper does not state eta; here eta is a third of the mean squared distance of an FCM run, near the value
that gives Table 4-1.  The paper does not state the number of runs behind a mean; here it is ten, because an
8 : 2 mixture of two solutions gives FCM's numbers on Iris.  Labels are 10 % of the rows at random, at least
one of each class.  Labelled methods start at the labelled means, because cluster k has to be class k.  Fits
run until they converge, because the paper does not say which quantity its threshold epsilon = 0.001 is for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from softclust.acronyms import make
from softclust.datasets import load_glass, load_iris, make_x12
from softclust.experiments.frame import BRACKETED, REPRODUCED, Experiment, Line, claim, compare
from softclust.experiments.measures import agreement, coincidence_expected, hardened
from softclust.grammar.separation import CentralDistance
from softclust.knowledge.supervision import sample_supervision

_RUNS = 10  # fits behind a mean
_LABELLED = 0.1
_ALPHA = 1.0
_SCALE_FACTOR = 1 / 3
_CONVERGED = {"acceleration": None, "tol": 1e-6, "max_iter": 5000}
_LEAKAGE = "LABEL LEAKAGE: the number of the row is a feature, and rows are sorted by class."
_NO_EVIDENCE = "Under label leakage: no evidence."
_UNSTATED = "Neither eta nor the start nor the choice of the labelled rows is printed."


# ---------------------------------------------------------------------- fits
@dataclass(frozen=True)
class _Score:
    """Agreement with the classes on all rows, and on the unlabelled rows."""

    nmi: float
    rand: float
    nmi_unlabelled: float
    rand_unlabelled: float


@cache
def _rows(data):
    """Rows, classes and their number."""
    if data == "iris":
        X, y = load_iris(return_X_y=True)
        return X / np.linalg.norm(X, axis=1, keepdims=True), y, 3
    X, y = load_glass(include_id=data == "glass", return_X_y=True)
    return X, y, 6


@cache
def _score(data, method, seed, labelled=0.0, alpha=_ALPHA):
    """Score a fit with labels drawn by the seed; a fit without labels starts at random rows."""
    X, y, c = _rows(data)
    settings = {} if method in ("FCM", "sFCM") else {"scale_factor": _SCALE_FACTOR}
    if labelled:
        settings["label_strength"] = alpha
    model = make(method, c, init="random", n_init=1, random_state=seed, **_CONVERGED, **settings)
    known = sample_supervision(y, labelled, every_class=True, random_state=seed).y
    with coincidence_expected():
        model.fit(X, known if labelled else None)
    unlabelled, found = known == -1, hardened(model)
    return _Score(*agreement(y, found), *agreement(y[unlabelled], found[unlabelled]))


# ---------------------------------------------------------------------- table 4-1
_X12_PRINTED = {
    "sFCM": (
        ("0.15", "0.12", "0.10", "0.18", "0.17", "0.84", "0.97", "0.99", "0.91", "0.94", "0.50", "0.50"),
        ("0.85", "0.88", "0.90", "0.82", "0.83", "0.16", "0.03", "0.01", "0.09", "0.06", "0.50", "0.50"),
    ),
    "sPCM": (
        ("0.76", "0.30", "0.79", "0.30", "0.22", "0.04", "0.02", "0.03", "0.02", "0.01", "0.08", "0.01"),
        ("0.03", "0.05", "0.05", "0.05", "0.09", "0.99", "0.22", "0.38", "0.21", "0.12", "0.08", "0.01"),
    ),
}
_ETA = 2.75
_ETAS = (2.6, 2.65, 2.7, _ETA, 2.8, 2.85, 2.9)
_MISPRINT = (10, 1)  # x11, cluster 2
_LOW = 0.1  # the paper's "very low" memberships are at most 0.08


def _fit_x12(method, noise=2, **settings):
    """X12 with x1 and x6 labelled."""
    X, _ = make_x12(noise=noise)
    known = np.full(len(X), -1)
    known[[0, 5]] = [0, 1]
    return make(method, 2, **{**_CONVERGED, **settings}).fit(X, known)


def _as_printed_spcm(eta):
    """Typicalities under the reading that gives Table 4-1: no push, and centres weighted by t^2 alone."""
    return _fit_x12("sPCM", scale=eta, separation=None, printed_centers=True).typicalities_


def _table_4_1(effort):
    """Memberships of X12; sPCM is run for a range of eta, because the paper prints no eta."""
    fuzzy = _fit_x12("sFCM").memberships_[:, ::-1]  # the table names the clusters the other way round
    typical = np.array([_as_printed_spcm(eta) for eta in _ETAS])
    stated = _fit_x12("sPCM", scale=_ETA).typicalities_
    return [
        *_entries(
            "sFCM", fuzzy[None], "Its x11 and x12 at 0.50 imply mirrored centres; its other entries do not."
        ),
        *_entries("sPCM", typical, f"No eta from {_ETAS[0]} to {_ETAS[-1]} gives it."),
        _greatest_gap("without push and with plain centres", typical[_ETAS.index(_ETA)]),
        _greatest_gap("with beta = 0.01 and (3-3), as stated", stated),
        *_claims_of_x12(fuzzy, stated),
        _shift_of_centres(),
    ]


def _entries(method, values, gap):
    """Return a line for each entry; an entry that is not reproduced gets the remark `gap`."""
    lines = []
    for cluster, column in enumerate(_X12_PRINTED[method]):
        for point, printed in enumerate(column):
            line = compare(
                f"{method}, x{point + 1} in cluster {cluster + 1}", printed, values[:, point, cluster]
            )
            missed = line.verdict not in (REPRODUCED, BRACKETED)
            why = gap if missed else ""
            if missed and method == "sPCM" and (point, cluster) == _MISPRINT:
                why = "A misprint: the centre that gives the rest of the column gives ours."
            lines.append(replace(line, why=why))
    return lines


def _greatest_gap(reading, typicalities):
    gaps = np.abs(typicalities.T - np.array(_X12_PRINTED["sPCM"], dtype=float))
    gaps[_MISPRINT[::-1]] = 0.0
    return claim(
        f"sPCM {reading}",
        "Table 4-1, but for x11 in cluster 2",
        f"greatest gap {gaps.max():.3f}",
        gaps.max() < 0.02,
    )


def _claims_of_x12(fuzzy, typical):
    return [
        claim(
            "x11 and x12 with sFCM",
            "0.50 in both clusters",
            ", ".join(f"{value:.2f}" for value in fuzzy[10:].ravel()),
            bool(np.abs(fuzzy[10:] - 0.5).max() < 0.05),
        ),
        claim(
            "x12 with sPCM",
            "very low",
            ", ".join(f"{value:.2f}" for value in typical[11]),
            bool(typical[11].max() < _LOW),
        ),
        claim(
            "x11 with sPCM",
            "very low",
            ", ".join(f"{value:.2f}" for value in typical[10]),
            bool(typical[10].max() < _LOW),
            f"Very low is below {_LOW}, as the paper's figures are.",
        ),
    ]


def _shift_of_centres():
    """Check how far x11 and x12 move the centres of each method."""
    shifts = {}
    for method, settings in (("sFCM", {}), ("sPCM", {"scale": _ETA})):
        without, with_noise = (_fit_x12(method, noise, **settings).cluster_centers_ for noise in (0, 2))
        shifts[method] = float(np.linalg.norm(with_noise - without, axis=1).max())
    return claim(
        "centres of sPCM without and with x11, x12",
        "virtually unchanged, less than sFCM's",
        ", ".join(f"{method} moves {shift:.2f}" for method, shift in shifts.items()),
        shifts["sPCM"] < shifts["sFCM"] / 2,
    )


# ---------------------------------------------------------------------- figure 4-1
def _figure_4_1(effort):
    """Check the statements of the text about the coordinates of X12."""
    X, y = make_x12()
    mirrored = X[[9, 6, 7, 8, 5]]
    gaps = [
        abs(np.linalg.norm(X[:5] - point, axis=1) - np.linalg.norm(mirrored - point, axis=1)).max()
        for point in X[10:]
    ]
    sizes = [int((y == k).sum()) for k in range(2)]
    return [
        claim("points in each diamond", "5 and 5", f"{sizes[0]} and {sizes[1]}", sizes == [5, 5]),
        claim(
            "x11 and x12 to corresponding points",
            "equidistant",
            f"greatest difference {max(gaps):.3g}",
            max(gaps) < 1e-12,
        ),
    ]


def _draw_4_1(effort):
    """X12 with the names of its points."""
    from softclust.plotting.canvas import frame_off, handle, pyplot
    from softclust.plotting.palette import INK, MARKERS, cluster_colours

    X, y = make_x12()
    figure, ax = pyplot().subplots(figsize=(6.4, 5.4), layout="constrained")
    handles = []
    looks = [*zip(("left diamond", "right diamond"), cluster_colours(2), MARKERS, strict=False)]
    for k, (name, colour, marker) in zip(
        (0, 1, -1), [*looks, ("outlier and noise", INK, "X")], strict=True
    ):
        ax.scatter(*X[y == k].T, s=60, color=colour, marker=marker)
        handles.append(handle(name, color=colour, marker=marker))
    ax.scatter(*X[[0, 5]].T, s=190, facecolors="none", edgecolors=INK, linewidths=1.2)
    handles.append(handle("labelled", color=INK, fill=False, size=11))
    for number, point in enumerate(X, start=1):
        ax.annotate(f"$x_{{{number}}}$", point, xytext=(8, 8), textcoords="offset points")
    ax.set(xlabel="x", ylabel="y", xlim=(-6.2, 6.2), ylim=(-3.2, 11.4), title="$X_{12}$")
    ax.set_aspect("equal")
    frame_off(ax)
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=9, frameon=False)
    return figure


# ---------------------------------------------------------------------- table 4-3
# mean and standard deviation of NMI, then of the Rand index
_TABLE_4_3 = {
    "iris": {
        "FCM": ("0.8502", "0.0990", "0.9101", "0.0948"),
        "sFCM": ("0.8994", "0.0322", "0.9586", "0.0140"),
        "PCM": ("0.8404", "0.0672", "0.9226", "0.0682"),
        "sPCM": ("0.9076", "0.0187", "0.9633", "0.0109"),
    },
    "glass": {
        "FCM": ("0.7621", "0", "0.8545", "0.1110"),
        "sFCM": ("0.8080", "0.0241", "0.8613", "0.0122"),
        "PCM": ("0.7216", "0.1478", "0.8369", "0.2282"),
        "sPCM": ("0.8131", "0.0417", "0.8991", "0.0284"),
    },
}
_COLUMNS = (("NMI", "nmi"), ("RI", "rand"))
_METHODS = ("FCM", "sFCM", "PCM", "sPCM")


def _batches(data, effort):
    """Return the scores of each method, (batches, runs); the paper prints the mean of one batch."""
    scores: dict[str, list] = {method: [] for method in _METHODS}
    for batch in effort.draws(full=20, quick=5):
        for method in _METHODS:
            labelled = _LABELLED if method.startswith("s") else 0.0
            seeds = range(batch * _RUNS, (batch + 1) * _RUNS)
            scores[method].append([_score(data, method, seed, labelled) for seed in seeds])
    return scores


def _values(batches, field):
    return np.array([[getattr(score, field) for score in batch] for batch in batches])


def _table_4_3(data, gap, effort):
    """Compare means and standard deviations of ten runs, over many batches of ten."""
    scores = _batches(data, effort)
    lines = []
    for method in _METHODS:
        for j, (name, field) in enumerate(_COLUMNS):
            values = _values(scores[method], field)
            mean, std = _TABLE_4_3[data][method][2 * j : 2 * j + 2]
            lines.append(_explained(f"{method}, {name} mean", mean, values.mean(axis=1), gap))
            lines.append(_explained(f"{method}, {name} std", std, values.std(axis=1), gap))
    return lines, scores


def _explained(what, printed, measured, gap):
    line = compare(what, printed, measured, digits=4)
    return line if line.verdict in (REPRODUCED, BRACKETED) else replace(line, why=gap)


def _iris_4_3(effort):
    """Table 4-3 on Iris, rows of unit length."""
    lines, scores = _table_4_3("iris", _UNSTATED, effort)
    return [*lines, *_mixture(scores["FCM"]), *_unlabelled(scores), *_claims_of_4_3(scores)]


def _mixture(batches):
    """FCM's mean and deviation if eight of ten runs end in its commonest solution and two in the next."""
    ends = Counter((score.nmi, score.rand) for batch in batches for score in batch)
    (first, _), (second, _) = ends.most_common(2)
    runs = np.array([first] * 8 + [second] * 2)
    printed = _TABLE_4_3["iris"]["FCM"]
    share = f"{ends[first]} of {ends.total()} random starts end in the first."
    lines = []
    for j, (name, _) in enumerate(_COLUMNS):
        what = f"FCM, {name} {{}} of 8 runs in one solution, 2 in another"
        lines.append(compare(what.format("mean"), printed[2 * j], runs[:, j].mean(), why=share))
        lines.append(compare(what.format("std"), printed[2 * j + 1], runs[:, j].std(), why=share))
    return lines


def _unlabelled(scores):
    """Show the scores of the labelled methods on unlabelled rows."""
    return [
        Line(
            f"{method}, NMI mean on the unlabelled rows",
            "",
            f"{_values(scores[method], 'nmi_unlabelled').mean():.4f}",
            why="The paper scores labelled rows too, which need no clustering.",
        )
        for method in ("sFCM", "sPCM")
    ]


def _claims_of_4_3(scores, why=""):
    means = {method: _values(scores[method], "nmi").mean() for method in _METHODS}
    return [
        *(
            claim(
                f"{labelled} against {plain}, NMI mean",
                "much higher with labels",
                f"{means[labelled]:.4f} against {means[plain]:.4f}",
                bool(means[labelled] > means[plain] + 0.01),
                why,
            )
            for labelled, plain in (("sFCM", "FCM"), ("sPCM", "PCM"))
        ),
        claim(
            "sPCM against sFCM, NMI mean",
            "superior",
            f"{means['sPCM']:.4f} against {means['sFCM']:.4f}",
            bool(means["sPCM"] > means["sFCM"]),
            why,
        ),
    ]


def _glass_4_3(effort):
    """Table 4-3 on Glass with the leaking row number, and without it for comparison."""
    lines, scores = _table_4_3("glass", _UNSTATED, effort)
    for place, line in enumerate(lines):
        if line.what == "FCM, RI std":
            why = "Runs of equal NMI have equal RI; perhaps MATLAB's 1.0e-15 * 0.1110, a rounding error."
            lines[place] = replace(line, why=why)
        elif line.what == "FCM, NMI mean":
            lines[place] = replace(line, why=_LEAKAGE)
    honest = [_score("glass without id", "FCM", seed) for seed in range(_RUNS)]
    return [
        *lines,
        Line(
            "FCM without the row number, NMI and RI mean",
            "",
            f"{np.mean([s.nmi for s in honest]):.4f}, {np.mean([s.rand for s in honest]):.4f}",
            why="What FCM finds in the glass itself.",
        ),
        *_unlabelled(scores),
        *_claims_of_4_3(scores, _NO_EVIDENCE),
        *_shape_of_glass(),
    ]


def _shape_of_glass():
    X, y, _ = _rows("glass without id")
    classes = len(np.unique(y))
    return [
        claim("Glass, classes", "3", f"{classes}", classes == 3, "The table needs all that the file has."),
        claim(
            "Glass, features",
            "10",
            f"{X.shape[1]}",
            X.shape[1] == 10,
            "The tenth is the number of the row.",
        ),
    ]


# ---------------------------------------------------------------------- figures 4-5 and 4-6
_ALPHAS = (0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0, 2.0, 5.0, 10.0)
_SHARES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
_LABELLED_METHODS = ("sFCM", "sPCM")
_DATA = {"iris": "Iris", "glass": "Glass"}
_STABLE = 0.02  # of NMI


def _curves(settings, effort):
    """NMI of shape (settings, draws) by data and method; a setting is a share of labels and an alpha."""
    draws: dict[str, dict[str, list]] = {
        data: {method: [] for method in _LABELLED_METHODS} for data in _DATA
    }
    for seed in effort.draws(full=20, quick=5):
        for data, by_method in draws.items():
            for method, curves in by_method.items():
                curves.append([_score(data, method, seed, *setting).nmi for setting in settings])
    return {
        data: {method: np.transpose(curves) for method, curves in by_method.items()}
        for data, by_method in draws.items()
    }


def _means(curves, data):
    return (curves[data][method].mean(axis=1) for method in _LABELLED_METHODS)


def _over_alpha(effort):
    return _curves([(_LABELLED, alpha) for alpha in _ALPHAS], effort)


def _over_labels(effort):
    return _curves([(share, _ALPHA) for share in _SHARES], effort)


def _figure_4_5(effort):
    """Check the statements of the text about NMI against alpha, with 10 % of the rows labelled."""
    curves = _over_alpha(effort)
    fuzzy, typical = _means(curves, "iris")
    lines = [
        _best_alpha("Iris, sFCM", "0.9", fuzzy),
        _best_alpha("Iris, sPCM", "0.9", typical),
        _mostly_lower("Iris, alphas", fuzzy, typical),
        *(
            claim(
                f"Iris, {method} from alpha = 0.9 to 10",
                "declines",
                f"{curve[_ALPHAS.index(0.9)]:.4f} to {curve[-1]:.4f}",
                bool(curve[-1] < curve[_ALPHAS.index(0.9)]),
            )
            for method, curve in zip(_LABELLED_METHODS, (fuzzy, typical), strict=True)
        ),
    ]
    fuzzy, typical = _means(curves, "glass")
    return [
        *lines,
        _best_alpha("Glass, sPCM", "0.8", typical, _NO_EVIDENCE),
        _best_alpha("Glass, sFCM", "10", fuzzy, _NO_EVIDENCE),
        claim(
            "Glass, sPCM from alpha = 0.8 on",
            "stabilises",
            _range(typical[_ALPHAS.index(0.8) :]),
            bool(np.ptp(typical[_ALPHAS.index(0.8) :]) < _STABLE),
            f"Stable: within {_STABLE}.",
        ),
        claim(
            "Glass, sFCM against sPCM",
            "never higher",
            f"higher for {int((fuzzy > typical).sum())} of {len(_ALPHAS)} alphas",
            bool((fuzzy <= typical).all()),
            _NO_EVIDENCE,
        ),
    ]


def _best_alpha(what, said, curve, why=""):
    best = _ALPHAS[int(curve.argmax())]
    shown = f"{best:g} ({curve.max():.4f}; {curve[_ALPHAS.index(float(said))]:.4f} at {said})"
    return claim(f"{what}, best alpha", said, shown, best == float(said), why)


def _mostly_lower(what, fuzzy, typical):
    lower = int((fuzzy < typical).sum())
    return claim(
        f"{what} at which sFCM is lower than sPCM",
        "most",
        f"{lower} of {len(fuzzy)}",
        lower > len(fuzzy) / 2,
    )


def _range(values):
    return f"from {values.min():.4f} to {values.max():.4f}"


def _figure_4_6(effort):
    """Check the statements of the text about NMI against the share of labelled rows, with alpha = 1."""
    curves = _over_labels(effort)
    fuzzy, typical = _means(curves, "iris")
    late = _SHARES.index(0.2)
    lines = [
        _mostly_lower("Iris, shares of labels", fuzzy, typical),
        *(
            _settles(f"Iris, {method}", curve[late:])
            for method, curve in zip(_LABELLED_METHODS, (fuzzy, typical), strict=True)
        ),
    ]
    fuzzy, typical = _means(curves, "glass")
    return [
        *lines,
        claim(
            "Glass without labels",
            "sFCM higher than sPCM",
            f"{fuzzy[0]:.4f} against {typical[0]:.4f}",
            bool(fuzzy[0] > typical[0]),
            _NO_EVIDENCE,
        ),
        claim(
            "Glass with more labels",
            "sPCM exceeds sFCM",
            f"at {int((typical[1:] > fuzzy[1:]).sum())} of {len(_SHARES) - 1} shares",
            bool(typical[-1] > fuzzy[-1]),
            _NO_EVIDENCE,
        ),
        *(
            _settles(f"Glass, {method}", curve[late:])
            for method, curve in zip(_LABELLED_METHODS, (fuzzy, typical), strict=True)
        ),
    ]


def _settles(what, values):
    return claim(
        f"{what} from 20 % to 50 % labels",
        "stabilises",
        _range(values),
        bool(np.ptp(values) < _STABLE),
        f"Stable: within {_STABLE}; labelled rows count, which makes curves rise.",
    )


def _draw_4_5(effort):
    """NMI against alpha, a panel for each data set."""
    figure, axes = _panels(_ALPHAS, _over_alpha(effort), "alpha")
    for ax in axes:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda alpha, _: f"{alpha:g}")
    return figure


def _draw_4_6(effort):
    """NMI against the share of labels, a panel for each data set."""
    figure, axes = _panels(_SHARES, _over_labels(effort), "rows with a label")
    for ax in axes:
        ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    return figure


def _panels(settings, curves, name):
    """Means over the draws with a band of one standard deviation."""
    from softclust.plotting.canvas import frame_off, pyplot
    from softclust.plotting.palette import DASHES, MARKERS, cluster_colours

    figure, axes = pyplot().subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    titles = ("Iris, rows of unit length", "Glass with the row number: label leakage")
    for ax, data, title in zip(axes, _DATA, titles, strict=True):
        for j, (method, values) in enumerate(curves[data].items()):
            colour, mean, spread = cluster_colours(j + 1)[-1], values.mean(axis=1), values.std(axis=1)
            ax.fill_between(settings, mean - spread, mean + spread, color=colour, alpha=0.16, lw=0)
            ax.plot(
                settings, mean, color=colour, marker=MARKERS[j], ls=DASHES[j], ms=5, lw=1.7, label=method
            )
        ax.set(xlabel=name, ylabel="NMI, mean and standard deviation", title=title)
        ax.grid(axis="y", color="#E4E4E4", lw=0.7)
        ax.set_axisbelow(True)
        frame_off(ax)
        ax.legend(frameon=False)
    return figure, axes


# ---------------------------------------------------------------------- properties
def _properties(effort):
    """The two properties of section III, on Iris."""
    threshold = _LABELLED / (1 - _LABELLED)
    curve = _over_alpha(effort)["iris"]["sPCM"].mean(axis=1)
    above = np.array(_ALPHAS) >= threshold
    few, many = (_gap_to_pcm(share) for share in (0.02, 0.5))
    return [
        claim(
            f"sPCM, NMI for alpha >= |labelled|/|unlabelled| = {threshold:.3f}",
            "optimal",
            f"best {curve[above].max():.4f} above, {curve[~above].max():.4f} below",
            bool(curve[above].max() >= curve[~above].max()),
        ),
        claim(
            "sPCM with few labels, typicalities",
            "those of PCM",
            f"mean gap {few:.4f} with 2 % labels, {many:.4f} with 50 %",
            few < 0.01 < many,
            "PCM of scale eta/(1 + alpha), with the push: unlabelled rows pay as well.",
        ),
    ]


def _gap_to_pcm(labelled):
    """Mean difference of the unlabelled rows' typicalities between sPCM and its PCM without labels.

    Unlabelled rows pay alpha t^2 d as well, so that the equivalent PCM divides eta and beta by 1 + alpha.
    """
    X, y, c = _rows("iris")
    known = sample_supervision(y, labelled, every_class=True, random_state=0).y
    with coincidence_expected():
        told = make("sPCM", c, scale_factor=_SCALE_FACTOR, random_state=0, **_CONVERGED).fit(X, known)
        plain = make(
            "PCM",
            c,
            scale=told.scale_ / (1 + _ALPHA),
            separation=CentralDistance(told.separation.strength / (1 + _ALPHA)),
            init=told.cluster_centers_,
            **_CONVERGED,
        ).fit(X)
    return float(np.abs(told.typicalities_ - plain.typicalities_)[known == -1].mean())


EXPERIMENTS = (
    Experiment("001", "figure4-1", "The points of X12", run=_figure_4_1, draw=_draw_4_1),
    Experiment("001", "table4-1", "Memberships of sFCM and sPCM in X12", run=_table_4_1),
    Experiment("001", "table4-3-iris", "Four methods on Iris", run=_iris_4_3),
    Experiment("001", "table4-3-glass", "Four methods on Glass, under label leakage", run=_glass_4_3),
    Experiment("001", "figure4-5", "NMI as a function of alpha", run=_figure_4_5, draw=_draw_4_5),
    Experiment("001", "figure4-6", "NMI as a function of the labels", run=_figure_4_6, draw=_draw_4_6),
    Experiment("001", "properties", "The two properties of sPCM", run=_properties),
)
