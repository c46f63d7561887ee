"""The commands and their options; the work is done in a module for each, loaded when called."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

import softclust

app = App(
    name="softclust",
    version=softclust.__version__,
    help="Soft clustering for data whose classes overlap, with noise and a little knowledge.",
)


@app.command
def demo(*, out: Path = Path("memberships.csv"), seed: int = 0, force: bool = False):
    """Cluster a noisy Iris with a few labels: clusters, doubtful rows, outliers, memberships as CSV.

    Parameters
    ----------
    out
        Where the memberships are written.
    seed
        Draws the noise, the labels and the start.
    force
        Replace the file if it exists.
    """
    from softclust.cli.demo import run

    run(out, seed, force)
