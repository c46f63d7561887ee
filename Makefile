# Every target works on a fresh machine with only Python (>= 3.11) and make.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-all lint bench clean
.DELETE_ON_ERROR:

.venv/bin/python:
	$(PYTHON) -m venv .venv

# One stamp for each set of extras: installed once, and again when pyproject.toml changes.
.venv/%.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	$(BIN)/python -m compileall -q src
	touch $@

demo: .venv/cli,plot.stamp
	$(BIN)/softclust demo --force

test: .venv/test.stamp
	$(BIN)/python -m pytest -n auto -q

test-all: .venv/test.stamp
	$(BIN)/python -m pytest -n auto -q -m ""

lint: .venv/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: .venv/test.stamp
	$(BIN)/python benchmarks/results.py

clean:
	rm -rf .venv .venv-peers .venv-evclust .venv-kmedoids build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
