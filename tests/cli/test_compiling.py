"""A first fit that has to compile says so."""

import os
import subprocess
import sys

import pytest
from sklearn.datasets import load_iris


@pytest.mark.slow
def test_one_line_says_that_passes_are_compiled(tmp_path):
    load_iris(as_frame=True).data.to_csv(tmp_path / "iris.csv", index=False)
    command = [sys.executable, "-m", "softclust", "fit", "iris.csv", "--clusters", "2", "--json"]
    cache = tmp_path / "cache"
    cache.mkdir()
    settings = {**os.environ, "SOFTCLUST_NATIVE": "0", "NUMBA_CACHE_DIR": str(cache)}
    first, second = (
        subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=600)
        for _ in range(2)
    )
    assert first.returncode == second.returncode == 0
    assert sum("compil" in line.lower() for line in first.stderr.splitlines()) == 1
    assert "compil" not in second.stderr.lower()
    assert first.stdout == second.stdout
