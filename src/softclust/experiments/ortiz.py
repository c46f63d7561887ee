"""Ortiz: optimization-based clustering, a lecture; its figures and claims.

The rows behind the pictures are unpublished.  Those of the first example follow from the printed distances.
The others are drawn from the distributions that the lecture names, or from ours if it names none.  Claims
are checked over repeated draws: a claim about a tendency holds if it holds in most draws.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from softclust.acronyms import make
from softclust.datasets import make_ellipses
from softclust.experiments.curves import ari, expected_trouble, in_words, random_starts
from softclust.experiments.frame import NOT_REPRODUCIBLE, Experiment, Line, claim, compare

# The means (1.5, 1) and (5.83, 5) and the five distances determine these rows, up to reflections.
FIVE = np.array([(1.0, 1.0), (2.0, 1.0), (5.0, 6.0), (6.0, 5.0), (6.5, 4.0)])
FIVE_DISTANCES = ("0.5", "0.5", "1.3017", "0.1667", "1.2019")
FIVE_COST = "3.6702"
GAUSSIANS = (((10.0, 10.0), 2.0), ((5.0, 5.0), 1.0))  # mean and deviation, 50 rows each
GAUSSIAN_CENTRES = (("10.24", "9.89"), ("5.02", "4.90"))
GAUSSIAN_ITERATIONS = "6"
ELLIPSE = np.array([[1.0, 1.2], [1.2, 2.0]])  # covariance of the second mixture
SHAPES = (((-2.0, 0.0), (3.0, 1.5), 0.0), ((3.0, 1.0), (2.5, 1.2), 75.0))
NEAR = 0.05  # greatest error of an axis that counts as found, as a share of its length
NOISE = 0.2  # outliers, as a share of the rows


def in_most_draws(what, said, holds, why=""):
    """Return a claim that is confirmed if it holds in more than half of the draws."""
    count = int(np.sum(holds))
    return claim(what, said, f"in {count} of {len(holds)} draws", count > len(holds) / 2, why)


def clouds(rng, each, *clouds):
    """Draw `each` Gaussian rows for every (mean, deviation); return the rows and their cloud numbers."""
    X = np.vstack([rng.normal(mean, deviation, (each, 2)) for mean, deviation in clouds])
    return X, np.repeat(np.arange(len(clouds)), each)


def gap(found, true):
    """Return the greatest distance of a true centre from the nearest centre found."""
    return float(np.linalg.norm(np.asarray(true)[:, None] - found, axis=2).min(axis=1).max())


# ---------------------------------------------------------------------- five rows
def cost(X, labels):
    """The lecture's J: distances, not squared ones, of rows from the mean of their cluster."""
    return sum(distances(X, labels))


def distances(X, labels):
    labels = np.asarray(labels)
    means = {k: X[labels == k].mean(axis=0) for k in np.unique(labels)}
    return [float(np.linalg.norm(x - means[k])) for x, k in zip(X, labels, strict=True)]


def run_five(effort):
    """Check k-means on five rows: centres, distances, J, and that no partition has a lower J."""
    model = make("kmeans", 2, init=FIVE[[0, 4]]).fit(FIVE)
    centres = (("1.5", "1.0"), ("5.83", "5.0"))
    lines = [
        compare(f"centre {k + 1}, {axis}", printed, model.cluster_centers_[k, j])
        for k, pair in enumerate(centres)
        for j, (axis, printed) in enumerate(zip("xy", pair, strict=True))
    ]
    found = zip(FIVE_DISTANCES, distances(FIVE, model.labels_), strict=True)
    lines += [compare(f"distance of row {i + 1}", said, value) for i, (said, value) in enumerate(found)]
    lines.append(compare("J", FIVE_COST, cost(FIVE, model.labels_)))
    least = min(cost(FIVE, labels) for labels in product([0, 1], repeat=5) if len(set(labels)) == 2)
    best = cost(FIVE, model.labels_) <= least + 1e-12
    return [*lines, claim("no partition of the five rows has a lower J", "optimum", f"{least:.4f}", best)]


# ---------------------------------------------------------------------- k-means
def gaussian_rows(seed):
    return clouds(np.random.default_rng(seed), 50, *GAUSSIANS)


def fit_k_means(X, c, start):
    return make("kmeans", c, init=start).fit(X)


def run_k_means(effort):
    """Run k-means on two Gaussians of 50 rows, from two random places in the range of the rows."""
    centres, steps = [], []
    for seed in effort.draws(full=100, quick=30):
        X, _ = gaussian_rows(seed)
        start = np.random.default_rng(seed).uniform(X.min(axis=0), X.max(axis=0), (2, 2))
        model = fit_k_means(X, 2, start)
        centres.append(model.cluster_centers_[np.argsort(-model.cluster_centers_[:, 0])])
        steps.append(model.n_iter_)
    unpublished = "the lecture has one draw, unpublished"
    lines = [
        compare(f"centre {k + 1}, {axis}", printed, np.array(centres)[:, k, j], why=unpublished)
        for k, pair in enumerate(GAUSSIAN_CENTRES)
        for j, (axis, printed) in enumerate(zip("xy", pair, strict=True))
    ]
    why = "the lecture's start is in a picture alone"
    return [*lines, compare("iterations", GAUSSIAN_ITERATIONS, steps, why=why)]


def draw_k_means(effort):
    """Rows, clusters and centres."""
    from softclust.plotting import MembershipMapDisplay

    X, _ = gaussian_rows(0)
    model = fit_k_means(X, 2, X[[0, 1]])
    display = MembershipMapDisplay.from_estimator(model, X, feature_names=["x", "y"])
    display.ax_.set_title("k-means on two Gaussians")
    return display.figure_


def four_clouds(seed):
    """Four Gaussian classes of 25 rows."""
    corners = [(0, 0), (8, 0), (0, 8), (8, 8)]
    return clouds(np.random.default_rng(seed), 25, *((corner, 1.0) for corner in corners))


def run_starts(effort):
    """Four Gaussian classes of 25 rows: starts at random and by k-means++, an outlier, a far start."""
    kinds, falls, several, moves, empty, left_empty = [], [], [], [], [], []
    for seed in effort.draws(full=100, quick=30):
        X, _ = four_clouds(seed)
        drawn = [fit_k_means(X, 4, start) for start in random_starts(X, 4, 10, seed)]
        spread = [make("kmeans", 4, n_init=1, random_state=10 * seed + i).fit(X) for i in range(10)]
        kinds.append(
            [mean_of(models, name) for name in ("n_iter_", "objective_") for models in (drawn, spread)]
        )
        falls.append(all((np.diff(model.objective_history_) <= 0).all() for model in drawn))
        several.append(np.ptp([model.objective_ for model in drawn]) > 1.0)
        moves.append(moves_of_centres(X, seed))
        starts = np.vstack([X[[0, 30, 60]], [(500.0, 500.0)]])
        empty.append(len(np.unique(nearest(X, starts))) < 4)
        left_empty.append(len(np.unique(fit_k_means(X, 4, starts).labels_)) < 4)
    steps, plus_steps, cost, plus_cost = np.mean(kinds, axis=0)
    shown = "random {:.1f}, k-means++ {:.1f}".format
    of_means, of_medoids = np.array(moves).T
    relocated = f"the library moves it to a row: {sum(left_empty)} fits end with an empty cluster"
    return [
        claim("k-means++ needs fewer iterations", "fewer", shown(steps, plus_steps), plus_steps < steps),
        claim("k-means++ ends with a lower J", "beneficial", shown(cost, plus_cost), plus_cost < cost),
        in_most_draws("J never rises", "proved", falls),
        in_most_draws("the outcome depends on the start", "depends", several, "ten random starts a draw"),
        in_most_draws("an outlier moves means more than medoids", "less sensitive", of_means > of_medoids),
        in_most_draws(
            "a start far from all rows gets none of them", "clusters can be empty", empty, relocated
        ),
    ]


def mean_of(models, name):
    return float(np.mean([getattr(model, name) for model in models]))


def nearest(X, centres):
    return np.linalg.norm(X[:, None] - centres, axis=2).argmin(axis=1)


def moves_of_centres(X, seed):
    """How far an outlier moves the centres of k-means and k-medoids, restarted from their solutions."""
    with_one = np.vstack([X, [(40.0, 40.0)]])
    means = make("kmeans", 4, random_state=seed).fit(X).cluster_centers_
    medoids = make("pam", 4, random_state=seed).fit(X)
    after = fit_k_means(with_one, 4, means).cluster_centers_
    other = make("pam", 4, init=medoids.medoid_indices_, random_state=seed).fit(with_one)
    return gap(after, means), gap(other.cluster_centers_, medoids.cluster_centers_)


# ---------------------------------------------------------------------- fuzzy and possibilistic
# The lecture has two formulas for eta_j from an FCM run: over all rows, or over rows with u > tau.
VARIANTS: dict[str, tuple[str, dict]] = {
    "FCM": ("fcm", {}),
    "PCM": ("pcm", {}),
    "PCM with tau": ("pcm", {"scale_cut": 0.9}),
}
TWO_MEANS = ((0.0, 0.0), (8.0, 0.0))


def two_clouds(seed, noise=0.0):
    """Draw 140 rows in two clouds, and noise on a rectangle that extends farther up than down."""
    rng = np.random.default_rng(seed)
    X, _ = clouds(rng, 70, *((mean, 1.0) for mean in TWO_MEANS))
    return np.vstack([X, rng.uniform((-6, -12), (14, 24), (round(noise * len(X)), 2))])


def fit_variant(variant, X, seed):
    name, settings = VARIANTS[variant]
    with expected_trouble():
        return make(name, 2, random_state=seed, **settings).fit(X)


def run_noise(effort):
    """Check 140 rows with 20 % noise (M = 2, q = 2), without noise (M = 4), and moved a little."""
    errors: dict[str, list[float]] = {variant: [] for variant in VARIANTS}
    places, soft, hard = [], [], []
    for seed in effort.draws(full=100, quick=20):
        X, clean = two_clouds(seed, NOISE), two_clouds(seed)
        for variant, of in errors.items():
            of.append(gap(fit_variant(variant, X, seed).cluster_centers_, TWO_MEANS))
        with expected_trouble():
            many = make("pcm", 4, merge_coincident=True, random_state=seed).fit(clean)
        places.append(many.n_clusters_)
        near, _ = clouds(np.random.default_rng(seed), 70, ((0.0, 0.0), 1.0), ((3.0, 0.0), 1.0))
        soft.append(greatest_change("fcm", near, seed))
        hard.append(greatest_change("kmeans", near, seed))
    means = {variant: float(np.mean(of)) for variant, of in errors.items()}
    return [
        *(noise_claim(variant, means) for variant in VARIANTS if variant != "FCM"),
        in_most_draws(
            "of four centres on two clouds PCM's coincide in two places",
            "some will coincide",
            np.array(places) == 2,
        ),
        claim(
            "rows that move a little change FCM less than k-means: greatest change of a membership",
            "drastic changes will be more difficult",
            f"FCM {np.mean(soft):.2f}, k-means {np.mean(hard):.2f}",
            np.mean(soft) < np.mean(hard),
        ),
    ]


def noise_claim(variant, means):
    """Claim that a possibilistic method has centres nearer to the true ones than FCM."""
    all_rows, cut = "eta over all rows of the FCM run: noise widens it", "eta over rows with u > 0.9"
    return claim(
        f"{variant} stands {NOISE:.0%} noise better than FCM: mean error of the worse centre",
        "behaves better for noisy datasets",
        f"FCM {means['FCM']:.2f}, {variant} {means[variant]:.2f}",
        means[variant] < means["FCM"],
        all_rows if variant == "PCM" else cut,
    )


def greatest_change(name, X, seed):
    """Greatest change of a membership if rows move by about 0.05 and the fit goes on from its centres."""
    before = make(name, 2, random_state=seed).fit(X)
    moved = X + 0.05 * np.random.default_rng(seed).standard_normal(X.shape)
    after = make(name, 2, init=before.cluster_centers_).fit(moved)
    return float(np.abs(after.memberships_ - before.memberships_).max())


def draw_noise(effort):
    """FCM and PCM on 140 rows with noise."""
    from softclust.plotting import MembershipMapDisplay
    from softclust.plotting.canvas import pyplot

    X = two_clouds(0, NOISE)
    figure, axes = pyplot().subplots(1, 2, figsize=(11.5, 6.4), layout="constrained")
    for ax, variant in zip(axes, ("FCM", "PCM with tau"), strict=True):
        model = fit_variant(variant, X, 0)
        MembershipMapDisplay.from_estimator(model, X, feature_names=["x", "y"], ax=ax)
        ax.set_title(f"{variant}, {NOISE:.0%} noise")
    axes[0].get_legend().remove()
    return figure


# ---------------------------------------------------------------------- the roles of q and eta
def typicalities(q, squares, **settings):
    """Typicalities at these squared distances from a centre, in units of eta."""
    X = two_clouds(0)
    with expected_trouble():
        model = make("pcm", 2, m=q, scale=4.0, random_state=0, **settings).fit(X)
    at = model.cluster_centers_[0] + np.sqrt(4.0 * np.asarray(squares))[:, None] * [0.0, 1.0]
    return model.predict_typicality(at)[:, 0]


def run_roles(effort):
    """Check the compatibility against distance for several q, and in the entropy form."""
    halves = [float(typicalities(q, [1.0])[0]) for q in (1.5, 2.0, 3.0)]
    sharp, flat = typicalities(1.01, [1.2, 2.0, 4.0]), typicalities(200.0, [0.1, 1.0, 10.0])
    far = np.array([2.0, 4.0, 8.0])
    slow, fast = typicalities(2.0, far), typicalities(2.0, far, penalty="entropy")
    return [
        claim(
            "u = 0.5 at distance eta, q = 1.5, 2, 3", "0.5", in_words(halves, 4), np.allclose(halves, 0.5)
        ),
        claim("q to 1: u = 0 beyond eta", "0", in_words(sharp, 4), sharp.max() < 1e-4),
        claim(
            "q to infinity: u = 0.5 everywhere",
            "0.5",
            in_words(flat),
            np.abs(flat - 0.5).max() < 0.01,
        ),
        claim(
            "the entropy form falls off faster: at 2, 4, 8 eta",
            "more rapidly",
            f"{in_words(fast, 3)} against {in_words(slow, 3)}",
            bool((fast < slow).all()),
        ),
    ]


# ---------------------------------------------------------------------- Gustafson-Kessel
def lines_of_rows(seed):
    """Two crossing lines of 100 rows each with a deviation of 0.1."""
    rng = np.random.default_rng(seed)
    along, across = rng.uniform(-5, 5, (2, 100)), 0.1 * rng.standard_normal((2, 100))
    flat = np.column_stack([along[0], across[0]])
    steep = np.column_stack([across[1], 1.0 + along[1]])
    return np.vstack([flat, steep]), np.repeat([0, 1], 100)


def run_lines(effort):
    """Planar clusters: Gustafson-Kessel against FCM by ARI."""
    scores = []
    for seed in effort.draws(full=50, quick=10):
        X, y = lines_of_rows(seed)
        with expected_trouble():
            models = [make(name, 2, random_state=seed).fit(X) for name in ("fcm", "gk")]
        scores.append([ari(y, model.labels_) for model in models])
    means = np.mean(scores, axis=0)
    shown = "FCM {:.2f}, GK {:.2f}".format(*means)
    return [claim("GK finds planar clusters, ARI", "for hyperplanes", shown, means[1] > max(0.8, means[0]))]


def draw_lines(effort):
    """The ellipses that GK finds."""
    from softclust.plotting import MembershipMapDisplay

    X, _ = lines_of_rows(0)
    model = make("gk", 2, random_state=0).fit(X)
    display = MembershipMapDisplay.from_estimator(model, X, feature_names=["x", "y"])
    display.ax_.set_title("Gustafson-Kessel on two crossing lines")
    return display.figure_


# ---------------------------------------------------------------------- shells
def fit_shells(name, outliers, seed):
    X, _ = make_ellipses(300, shapes=list(SHAPES), outliers=outliers, random_state=seed)
    with expected_trouble():
        return X, make(name, len(SHAPES), random_state=seed).fit(X)


def worst_axis(model):
    """Greatest relative error of a semi-axis; each true ellipse is matched to the nearest shell."""
    errors = []
    for centre, axes, _ in SHAPES:
        k = np.linalg.norm(model.cluster_centers_ - centre, axis=1).argmin()
        errors.append(np.abs(np.sort(model.semi_axes_[k]) / np.sort(axes) - 1).max())
    return float(max(errors))


def run_shells(effort):
    """Two ellipses: fuzzy and possibilistic shells, without noise and with 20 % of it."""
    cases = [(name, noise) for noise in (0.0, NOISE) for name in ("afcs", "fces", "apcs", "pces")]
    errors: dict[tuple[str, float], list[float]] = {case: [] for case in cases}
    for seed in effort.draws(full=20, quick=5):
        for (name, noise), of in errors.items():
            of.append(worst_axis(fit_shells(name, noise, seed)[1]))
    lines = [
        in_most_draws(
            f"{name.upper()} finds the ellipses, {noise:.0%} noise",
            "hyperellipsoids",
            np.array(of) < NEAR,
            f"median error of the worst axis {np.median(of):.1%}",
        )
        for (name, noise), of in errors.items()
        if noise == 0 or name in ("apcs", "pces")
    ]
    for fuzzy, possible in (("afcs", "apcs"), ("fces", "pces")):
        worst = [float(np.median(errors[name, NOISE])) for name in (fuzzy, possible)]
        lines.append(
            claim(
                f"with noise {possible.upper()} is nearer than {fuzzy.upper()}: median error of an axis",
                "behaves better for noisy datasets",
                "{:.1%} against {:.1%}".format(*worst[::-1]),
                worst[1] < worst[0],
            )
        )
    return lines


def draw_shells(effort):
    """Fuzzy and possibilistic shells with noise."""
    from softclust.plotting import MembershipMapDisplay
    from softclust.plotting.canvas import pyplot

    figure, axes = pyplot().subplots(1, 2, figsize=(11.5, 4.6), layout="constrained")
    for ax, name in zip(axes, ("afcs", "apcs"), strict=True):
        X, model = fit_shells(name, NOISE, 0)
        MembershipMapDisplay.from_estimator(model, X, feature_names=["x", "y"], ax=ax)
        ax.set_title(f"{name.upper()}, {NOISE:.0%} noise")
    axes[0].get_legend().remove()
    return figure


# ---------------------------------------------------------------------- mixtures
def three_gaussians(seed):
    """Three Gaussians of different shapes, 150 rows each."""
    rng = np.random.default_rng(seed)
    means = np.array([(0.0, 0.0), (6.0, 0.0), (2.0, 7.0)])
    shapes = np.array([ELLIPSE, [[2.0, -1.0], [-1.0, 1.0]], [[3.0, 0.0], [0.0, 0.5]]])
    drawn = [rng.multivariate_normal(*one, 150) for one in zip(means, shapes, strict=True)]
    return np.vstack(drawn), np.repeat([0, 1, 2], 150), means


def run_mixtures(effort):
    """Check EM on three Gaussians, on one with the printed covariance, and on round clouds (as k-means)."""
    found, falls, shapes, same = [], [], [], []
    for seed in effort.draws(full=50, quick=10):
        X, y, means = three_gaussians(seed)
        model = make("gmm", 3, random_state=seed).fit(X)
        found.append(gap(model.means_, means) < 0.5 and ari(y, model.labels_) > 0.9)
        falls.append((np.diff(model.objective_history_) <= 1e-9 * abs(model.objective_)).all())
        one = np.random.default_rng(seed).multivariate_normal([0, 0], ELLIPSE, 500)
        shapes.append(make("gmm", 1, random_state=seed).fit(one).covariances_[0])
        round_rows, _ = four_clouds(seed)
        centres = make("kmeans", 4, random_state=seed).fit(round_rows)
        mixture = make("gmm", 4, covariance_type="spherical", init=centres.cluster_centers_).fit(round_rows)
        same.append(ari(centres.labels_, mixture.labels_) > 0.98)
    entries = np.array(shapes)
    return [
        in_most_draws("EM finds three Gaussians and their rows", "discover the parameters", found),
        in_most_draws("the log-likelihood never falls", "maximised", falls),
        compare("covariance, first variance", "1", entries[:, 0, 0], digits=1),
        compare("covariance, second variance", "2", entries[:, 1, 1], digits=1),
        compare("covariance, between them", "1.2", entries[:, 0, 1]),
        in_most_draws("with spheres of one size EM is k-means: ARI above .98", "reduces to k-means", same),
        Line("Old Faithful, M = 2", "figure", "", NOT_REPRODUCIBLE, "a picture, and no such data here"),
    ]


def draw_mixtures(effort):
    """Rows in the colours of their responsibilities."""
    from softclust.plotting import MembershipMapDisplay

    X, _, _ = three_gaussians(0)
    model = make("gmm", 3, random_state=0).fit(X)
    display = MembershipMapDisplay.from_estimator(model, X, feature_names=["x", "y"])
    display.ax_.set_title("Mixture of three Gaussians")
    return display.figure_


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment("004", "five", "Five rows in two clusters", run_five),
    Experiment("004", "kmeans", "k-means on two Gaussians", run_k_means, draw_k_means),
    Experiment("004", "starts", "What is said of k-means, k-means++ and k-medoids", run_starts),
    Experiment("004", "noise", "FCM and PCM on 140 rows", run_noise, draw_noise),
    Experiment("004", "roles", "The roles of q and eta", run_roles),
    Experiment("004", "lines", "Gustafson-Kessel for planar clusters", run_lines, draw_lines),
    Experiment("004", "shells", "Ellipses by shells", run_shells, draw_shells),
    Experiment("004", "mixtures", "Mixtures of Gaussians by EM", run_mixtures, draw_mixtures),
)
