# Every target works on a fresh machine with only Python (>= 3.11) and make.
PYTHON ?= python3
BIN := .venv/bin

# Compiled once, kept until a source changes; without a C compiler it only says so.
NATIVE := $(BIN)/python native/build.py --if-possible

.PHONY: demo docs test test-all test-jit test-oldest soak mutants coverage lint bench wheel sdist try-wheel clean
.DELETE_ON_ERROR:

.venv/bin/python:
	$(PYTHON) -m venv .venv

# One stamp for each set of extras: installed once, and again when pyproject.toml changes.
.venv/%.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	$(BIN)/python -m compileall -q src
	touch $@

demo: .venv/cli,plot.stamp
	$(NATIVE)
	$(BIN)/softclust demo --force

test: .venv/test.stamp
	$(NATIVE)
	$(BIN)/python -m pytest -n auto --dist worksteal -q

test-all: .venv/test.stamp
	$(NATIVE)
	$(BIN)/python -m pytest -n auto --dist worksteal -q -m ""

# The tier that compiles at the first fit, on a processor without vectors of its own; all levels of the other.
test-jit: .venv/test.stamp
	$(NATIVE) --all-levels
	SOFTCLUST_NATIVE=0 NUMBA_CPU_NAME=generic $(BIN)/python -m pytest -n auto --dist worksteal -q \
		tests/parts tests/oracles tests/laws/test_descent.py tests/run tests/test_compat.py
	$(BIN)/python -m pytest -q -m "" tests/test_native.py

# An hour of random fits, saves, loads, kills and resumes: nothing may grow, fail or differ.
soak: .venv/test.stamp
	$(NATIVE)
	$(BIN)/python tools/soak.py

# Wrong arithmetic, one operator at a time, in a few hundred places: the tests must notice.
mutants: .venv/test.stamp
	$(NATIVE)
	$(BIN)/python tools/mutants.py --sample 300

# The fast suite, and the lines and branches that it leaves out.
coverage: .venv/test.stamp
	$(NATIVE)
	$(BIN)/python -m pytest -n auto --dist worksteal -q --cov

# The estimators with the oldest versions that are promised.
test-oldest: .venv/test.stamp
	$(NATIVE)
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]' -c constraints/oldest.txt
	.venv-oldest/bin/python -m pytest -n auto --dist worksteal -q tests/estimators tests/laws tests/run tests/test_compat.py

lint: .venv/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: .venv/test.stamp
	$(NATIVE)
	$(BIN)/python benchmarks/results.py

# Into docs/_build/html: runs the gallery and every code block of the pages, then looks at what was built.
docs: .venv/docs.stamp
	$(NATIVE)
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --nitpicky --builder html docs docs/_build/html
	$(BIN)/python docs/check_html.py docs/_build/html

# Into dist/: with the native library for each level of processors, or without it for SOFTCLUST_NATIVE=0.
wheel: .venv/build.stamp
	test "$(SOFTCLUST_NATIVE)" = 0 || $(BIN)/python native/build.py --all-levels
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .

sdist: .venv/build.stamp
	$(BIN)/python -m hatchling build -t sdist

# The newest wheel in dist/, in an environment of its own: all estimators, the command line, plots.
try-wheel: wheel
	$(PYTHON) tools/try_wheel.py
	$(PYTHON) tools/try_wheel.py --constraints constraints/oldest.txt

clean:
	rm -rf docs/_build docs/api/generated docs/figures docs/gallery
	rm -rf .venv .venv-oldest .venv-peers .venv-evclust .venv-kmedoids build dist src/softclust/kernels/_native.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
