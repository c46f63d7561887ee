"""What the README shows is what happens."""

import re
from pathlib import Path

import softclust

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_python_examples_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, {})
    assert capsys.readouterr().out.startswith("0.97")


def test_files_that_it_names_exist():
    root = Path(__file__).parents[1]
    for name in re.findall(r"`((?:tests|benchmarks)/[\w/.]*)`", README):
        assert (root / name).exists(), name


def test_every_estimator_is_listed():
    from softclust import estimators

    for name in estimators.__all__:
        assert f"`{name}`" in README
    assert softclust.__version__ in (Path(__file__).parents[1] / "CHANGELOG.md").read_text()
