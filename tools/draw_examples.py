"""Draw the figures of the gallery into PNG files.

    python tools/draw_examples.py FOLDER [NAME ...] [--dpi 100]

NAME is the name of a script without `plot_` and `.py`; without a name all scripts run.  The figures of
examples/plot_comparison.py become FOLDER/comparison.png, FOLDER/comparison-2.png and so on.  The picture
in the README is made by

    python tools/draw_examples.py docs/images comparison
"""

from __future__ import annotations

import argparse
import io
import runpy
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from PIL import Image

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def draw(script: Path, folder: Path, dpi: float) -> list[Path]:
    """Run a script and return the files of its figures."""
    runpy.run_path(str(script), run_name="__main__")
    name, files = script.stem.removeprefix("plot_"), []
    for place, number in enumerate(plt.get_fignums(), start=1):
        files.append(folder / (f"{name}.png" if place == 1 else f"{name}-{place}.png"))
        _save(plt.figure(number), files[-1], dpi)
    plt.close("all")
    return files


def _save(figure: plt.Figure, file: Path, dpi: float) -> None:
    """Save the figure with 256 colours: nobody sees a difference, and the file is a third as large."""
    picture = io.BytesIO()
    figure.savefig(picture, dpi=dpi)
    Image.open(picture).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("folder", type=Path)
    options.add_argument("names", nargs="*")
    options.add_argument("--dpi", type=float, default=100)
    arguments = options.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    plt.show = lambda *_, **__: None  # the figures go into files
    known = {script.stem.removeprefix("plot_"): script for script in sorted(EXAMPLES.glob("plot_*.py"))}
    for name in arguments.names or known:
        if name not in known:
            options.error(f"{name!r} is no example; {', '.join(known)} are.")
        begin = time.perf_counter()
        for file in draw(known[name], arguments.folder, arguments.dpi):
            print(f"{file}: {file.stat().st_size // 1000} kB, {time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main()
