"""Install the newest wheel of dist/ into a new environment, make that read-only, and try it without a home.

    python tools/try_wheel.py [WHEEL] [--constraints FILE]

Prints the CPU time of first fits beyond importing scikit-learn, the best of five processes, and whether
Numba was loaded; then runs tools/smoke.py.  `pip check` must find nothing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST_FIT = """
import sys, time, numpy as np, sklearn.base, sklearn.utils.validation
rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(m, 1, (100, 4)) for m in (0, 4, 8)])
y = np.full(300, -1); y[::15] = np.arange(300)[::15] // 100
began = time.process_time()
import softclust
model = getattr(softclust, sys.argv[1])(3, random_state=0)
model.fit(X, y) if sys.argv[2] == "labels" else model.fit(X)
print(time.process_time() - began, int("numba" in sys.modules))
"""
FITS = {
    "FuzzyCMeans": "",
    "EvidentialCMeans": "",
    "FuzzyCMeans with labels": "labels",
    "GaussianMixture": "",
}


def run(*command: str | Path, **options) -> str:
    """Run a command and return what it printed; end with its words if it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    if done.stderr:
        print(done.stderr.strip())
    return done.stdout


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("wheel", nargs="?", type=Path)
    options.add_argument("--constraints", type=Path)
    given = options.parse_args()
    wheel = given.wheel or max((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime)
    limits = ["-c", given.constraints] if given.constraints else []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "environment")
        venv.create(home, with_pip=True)
        python = home / "bin" / "python"
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        run(*pip, "install", "-qq", f"{wheel.resolve()}[cli,plot]", *limits)
        print(run(*pip, "check").strip())
        Path(folder).chmod(0o755)
        folders = [home, *(path for path in home.rglob("*") if path.is_dir() and not path.is_symlink())]
        try:
            for path in folders:
                path.chmod(0o555)
            try_it(python)
        finally:
            for path in folders:
                path.chmod(0o755)


def printed(text: str) -> tuple[float, bool]:
    """Return the seconds that a first fit printed, and whether it loaded Numba."""
    seconds, numba = text.split()
    return float(seconds), numba == "1"


def try_it(python: Path) -> None:
    """Time first fits and run the smoke test, as someone who can write to temporary folders alone."""
    names = ("PATH", "LANG", "SOFTCLUST_NATIVE")
    alone = {name: os.environ[name] for name in names if name in os.environ} | {"HOME": "/nowhere"}
    options = {"env": alone, "cwd": "/"}
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # nothing is read-only for root
        options |= {"user": "nobody"}
    for name, labels in FITS.items():
        command = [python, "-c", FIRST_FIT, name.split()[0], labels]
        seconds, numba = printed(run(*command, **options))
        for _ in range(0 if numba else 4):  # a compilation takes long, and is not shorter the next time
            seconds = min(seconds, printed(run(*command, **options))[0])
        print(f"first fit of {name}: {seconds:.3f} s of CPU, Numba {'loaded' if numba else 'not loaded'}")
    print(run(python, "-c", (ROOT / "tools" / "smoke.py").read_text(), **options).strip())


if __name__ == "__main__":
    main()
