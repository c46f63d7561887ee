"""The parameters and attributes that all estimators share, described once."""

from __future__ import annotations

import textwrap

TEXTS = {
    "n_clusters": """
        n_clusters : int, default=3
            Number of clusters, c.  More classes than that in `y` raise it, with a warning.
    """,
    "m": """
        m : float, default=2.0
            Exponent of the fuzzy memberships, any number above 1: near 1 they are almost hard, large
            values share every row equally.
    """,
    "scale": """
        scale : float, "auto" or array-like of shape (n_clusters,), default=None
            gamma_k, the squared distance at which a row is half typical of cluster k; kept fixed.
            None: from an FCM run, gamma_k = K sum u^m d / sum u^m (Antoine 2018 eq. (2)).  "auto": the
            widest that keep the clusters apart: K = 1, 1/2, 1/4, ... 1/64, the first with which every two
            centres end at least half as far apart as they start.
        scale_factor : float, default={factor}
            K, which multiplies the scales that come from the FCM run: smaller means tighter clusters.
        scale_cut : float in (0, 1), default=None
            tau of Ortiz: take gamma_k as the mean squared distance of the rows with u > tau in the
            FCM run instead.
        merge_coincident : bool, default=False
            Melt centres that end in the same place.  PCM, which seeks modes, then tells in `n_clusters_`
            how many there are; models with memberships keep their centres apart.
    """,
    "density": """
        density_rate : float or "auto", default=None
            alpha of Xia 2011: rows weigh sum_k exp(-alpha |x_j - x_k|^2), so that rows in empty regions
            count for little.  "auto" is 10 / trace(covariance), the same for data in any unit.
        density_from : {"rows", "centers"}, default="rows"
            "rows": eq. (4) of Xia 2011, the density of rows, fixed before the fit.  "centers": its
            eq. (5) (Schneider 2000), sum_k exp(-alpha |x_j - v_k|^2), which follows the centres; J is
            then no longer one fixed function, and may rise.
    """,
    "loop": """
        init : {"k-means++", "k-means||", "random"}, array-like or callable, default="k-means++"
            Where the centres start.  An array of shape (n_clusters, n_features) is used as it is:
            cluster k starts at row k.  A callable gets (X, n_clusters, random_state=...).  Labels in `y`
            come first: their clusters start at the labelled means.  Where scales come from an FCM run,
            that run starts here, and the model goes on from its end.
        n_init : int, default={n_init}
            Number of starts that compete, on a sample where there are many rows; the best goes on.
        max_iter : int, default=300
            Most iterations of the loop.
        tol : float, default=1e-6
            Stop when no coordinate of a centre would move by more than this, in units of the data's
            spread (float32 data: at least 1e-6).
        acceleration : {"lbfgs", "anderson", "squarem"} or None, default={acceleration}
            Extrapolate the iteration; a step is only taken if it lowers the objective.  Over 35 pairs of
            data and method, "lbfgs" took 0.25 of the plain passes, "anderson" 0.31 and "squarem" 0.35, and
            "lbfgs" never ended higher than the plain loop.  None is the loop as the papers print it.
        growing_samples : bool, default=True
            Whether starts that are drawn compete on a sample of 20,000 rows, which then grows fivefold
            until it is all of them: few passes see all rows.  False: all rows from the first pass.
        random_state : int, RandomState instance or None, default=None
            Determines the starts.
        n_jobs : int, default=None
            Threads.  None is all cores (or OMP_NUM_THREADS); the result has the same bits for any.
        verbose : int, default=0
            Above 0, a line is printed for each iteration.
        checkpoint : path-like, default=None
            A file that keeps the fit while it runs: the same call, made again after a crash, goes on from
            there and ends in the same bits.  A file of other parameters or data is refused.
    """,
    "common": """
        geometry : str or an object of your own, default="points"
            Shape of the prototypes.  "points"; "ellipsoids": each cluster has a metric of its own, of one
            volume (Gustafson & Kessel 1979); "mahalanobis": one metric for all, from the covariance of X or
            the matrix of init=(centres, covariance); "mahalanobis-refit": a covariance for each cluster
            with its volume, as Ortiz prints, with which J is constant and clusters turn singular;
            "shells": ellipses or circles on whose line the rows lie (AFCS, distances without a unit);
            "radial-shells": the same with distances along rays, in units of X (FCES); "directions":
            1 - cosine.  An object has `distances(X, theta)`, `moments(X, W, theta)` and
            `solve(weight, moments, theta)`: see `softclust.prototypes.Custom`.
        metric_reg : float, default=0.01
            What holds the metrics of ellipsoids: this share of each feature's variance is added to the
            covariances, so that flat clusters have a metric too.  0: nothing.
        separation : Repulsion or CentralDistance, default=None
            A term that keeps the centres apart.
        noise_distance : float, default=None
            delta of Dave (1991): rows much farther than this from every centre belong to noise.
            `memberships_` are shares among the clusters; `outlier_scores_` is the noise membership.
        {density}
        label_strength : float, "auto" or array-like of shape (n_samples,), default="auto"
            alpha, what it costs a row to differ from its label in `y`, also one for each row: 0 ignores
            the label (but for the start), inf obeys it.  A labelled row's membership is near
            (u + alpha f)/(1 + alpha), with u what the data and f what the label says.  "auto": alpha =
            (A - D + 1)/(D + 1), from 0 to 20, with A and D the numbers of labelled rows whose nearest
            labelled row has the same class and another one.
        unlabelled : {"free", "zero"}, default="free"
            "zero": rows without a label are drawn to degree 0 in every cluster, as Liu & Wu print; slower.
        printed_centers : bool, default=False
            Leave the penalty out of the centres, as Pedrycz & Waletzky print; J may then rise.
        outlier_threshold : float in [0, 1], default=None
            Rows with no typicality above this are outliers.  None: the 0.1 of Antoine 2018, carried over
            from its K = 1 and exponent 2 to other scales: a squared distance of 9 natural scales.
        {loop}
    """,
    "attributes": """
        cluster_centers_ : ndarray of shape (n_clusters_, n_features)
            The centres.
        labels_ : ndarray of shape (n_samples,)
            Likeliest cluster of each row, 0..c-1, also for outliers.  Equal to `predict(X)`, except in
            rows of which something was known.
        memberships_ : ndarray of shape (n_samples, n_clusters_)
            Memberships; rows sum to 1 (of a credal partition the pignistic ones).  What was known of a
            row is in them.
        outlier_scores_ : ndarray of shape (n_samples,)
            0 for a row at a centre, towards 1 far from all.
        outlier_mask_ : ndarray of shape (n_samples,)
            Rows that belong to no cluster.
        scale_ : ndarray of shape (n_clusters_,)
            gamma_k: squared radius of each cluster.
        objective_ : float
            J at the centres.
        objective_history_ : ndarray
            J after each iteration, never rising.
        n_iter_ : int
            Iterations.
        converged_ : bool
            Whether the centres came to rest within `max_iter`.
        n_clusters_ : int
            Number of clusters found.
        n_samples_seen_ : int
            Rows that `fit`, and `partial_fit` since then, have seen.
        label_strength_ : float or None
            alpha, where labels were given.
        unsatisfied_ : structured ndarray
            What the fit did not honour, worst first.  `kind` "label": `row`, the cluster `wanted` and the
            one `found`, and the `shortfall` of the wanted one's membership (or typicality).  "must-link"
            and "cannot-link": `row` and `other`, and as shortfall the chance that the pair is not as told.
        classes_ : ndarray of shape (n_clusters_,)
            The class of each cluster, None for clusters beyond the classes in `y`; without `y` 0..c-1.
    """,
    "typicalities": """
        typicalities_ : ndarray of shape (n_samples, n_clusters_)
            How typical each row is of each cluster, in [0, 1], whatever the other clusters say.
    """,
}


def document(n_init=5, acceleration='"lbfgs"', factor=1.0):
    """Class decorator that puts the shared texts where the docstring names them in braces."""

    values = {"n_init": n_init, "acceleration": acceleration, "factor": factor}

    def fill(cls):
        cls.__doc__ = "\n".join(_filled((cls.__doc__ or "").splitlines(), values))
        return cls

    return fill


def _filled(lines, values):
    """The lines, each that only names a text in braces replaced by it."""
    for line in lines:
        name = line.strip().strip("{}")
        if line.strip() != "{" + name + "}" or name not in TEXTS:
            yield line
            continue
        indent = line[: len(line) - len(line.lstrip())]
        for inner in _filled(textwrap.dedent(TEXTS[name]).strip("\n").rstrip().splitlines(), values):
            yield indent + _formatted(inner, values) if inner.strip() else inner


def _formatted(line, values):
    for name, value in values.items():
        line = line.replace("{" + name + "}", str(value))
    return line
