"""Ask of the tests whether they notice wrong arithmetic: change one operator at a time, and run them.

    python tools/mutants.py --sample 300               # 300 of all changes, drawn by --seed
    python tools/mutants.py grammar/frame.py           # every change of one module
    python tools/mutants.py metrics --tests tests/parts/test_metrics.py

A change that a test notices is killed; the others survive and are printed.  Each of them either changes
nothing that anyone could see, or shows a hole in the tests.  The tree stays as it is: a process loads the
heavy packages once and forks for each change, and the child compiles the changed module in memory.  Which
tests pass through which line is measured once by coverage, and kept in build/mutants.json.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.machinery
import importlib.util
import json
import os
import random
import signal
import sys
import time
from collections import Counter, defaultdict
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))  # no threads: it forks
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import pytest

from mutations import Mutation, mutated, mutations

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "softclust"
TESTS = ROOT / "tests"
KEPT = ROOT / "build" / "mutants.json"
MUTATED = ["grammar", "knowledge", "metrics"]
POOL = ["tests/parts", "tests/oracles", "tests/laws", "tests/explanation/test_explanation_parts.py"]
POOL += [f"tests/estimators/test_{name}.py" for name in ("mixture", "mixture_prior", "knowledge", "pairs")]
POOL += [f"tests/estimators/test_{name}.py" for name in ("own_geometry", "label_score", "edges")]
POOL += ["tests/estimators/test_feature_scales.py"]
HEAVY = ["numpy", "scipy.stats", "scipy.optimize", "scipy.sparse.csgraph", "sklearn.utils.estimator_checks"]
HEAVY += ["sklearn.datasets", "sklearn.cluster", "sklearn.mixture", "pandas"]  # no plugin of pytest
PLAIN = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
MEASURED = [*PLAIN, "--cov", "--cov-context=test", "--cov-report="]
MOST_TESTS = 60  # for one change
MOST_CASES = 5  # of one function of tests, spread evenly over all of them


class Times:
    """A plugin of pytest that runs few cases of each function, and keeps how long each took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        functions = defaultdict(list)
        for item in items:
            functions[item.nodeid.partition("[")[0]].append(item)
        items[:] = chain.from_iterable(
            cases[:: -(-len(cases) // MOST_CASES)] for cases in functions.values()
        )

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            self.seconds[report.nodeid] = report.duration


def measure() -> None:
    """Run the pool of tests once and keep, for each line, the tests that pass through it."""
    import coverage

    KEPT.parent.mkdir(exist_ok=True)
    data_file = KEPT.with_suffix(".coverage")
    os.environ["COVERAGE_FILE"] = str(data_file)
    times = Times()
    pytest.main([*POOL, *MEASURED], plugins=[times])
    data = coverage.CoverageData(str(data_file))
    data.read()
    lines = {}
    for path in modules(MUTATED):
        data_lines = data.contexts_by_lineno(str(path)).items()
        lines[name_of(path)] = {line: _tests(contexts, times.seconds) for line, contexts in data_lines}
    KEPT.write_text(json.dumps({"seconds": times.seconds, "lines": lines}))


def _tests(contexts: list[str], seconds: dict[str, float]) -> list[str]:
    return sorted({test for context in contexts if (test := context.rpartition("|")[0]) in seconds})


def modules(chosen: list[str]) -> list[Path]:
    """The files of the named modules and folders of the package."""
    found = [PACKAGE / name for name in chosen]
    return sorted(chain.from_iterable(p.rglob("*.py") if p.is_dir() else [p] for p in found))


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


class Passing:
    """Which tests pass through which line, and how long they take."""

    def __init__(self, kept: dict[str, Any]) -> None:
        self.seconds = kept["seconds"]
        self.lines = kept["lines"]

    def tests(self, mutation: Mutation, budget: float) -> list[str]:
        """Tests for one change: of each function of tests its fastest cases, until the budget is spent."""
        lines = self.lines.get(mutation.path, {})
        through = lines.get(str(mutation.line)) or sorted(set(chain.from_iterable(lines.values())))
        functions = defaultdict(list)
        for test in sorted(through, key=self.seconds.__getitem__):
            functions[test.partition("[")[0]].append(test)
        chosen: list[str] = []
        for test in filter(None, chain.from_iterable(zip_longest(*functions.values()))):
            if len(chosen) < MOST_TESTS and (not chosen or self.seconds[test] <= budget):
                budget -= self.seconds[test]
                chosen.append(test)
        return chosen


class Changed(importlib.machinery.SourceFileLoader):
    """A loader and finder of one module whose code is another than its file's."""

    def __init__(self, mutation: Mutation) -> None:
        path = PACKAGE / mutation.path
        parts = path.relative_to(ROOT / "src").with_suffix("").parts
        super().__init__(".".join(parts[:-1] if parts[-1] == "__init__" else parts), str(path))
        self.mutation = mutation

    def find_spec(self, name: str, *_: Any) -> Any:
        if name == self.name:
            return importlib.util.spec_from_file_location(name, self.path, loader=self)
        return None

    def get_code(self, fullname: str) -> Any:
        tree: ast.Module = mutated(Path(self.path).read_text(), self.mutation)
        return compile(tree, self.path, "exec")


def outcome(mutation: Mutation | None, tests: list[str], limit: float) -> str:
    """Fork, run the tests on one change (or on none): "killed", "endless" or "survived"."""
    child = os.fork()
    if not child:
        _run(mutation, tests)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "survived" if status == 0 else "killed"
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "endless"


def in_stages(mutation: Mutation, tests: list[str], limit: float) -> str:
    """Run first the tests of the file that has most of them: one file is collected quickly."""
    if not tests:
        return "unreached"
    files = Counter(test.partition("::")[0] for test in tests)
    first = [test for test in tests if test.partition("::")[0] == files.most_common(1)[0][0]]
    others = [test for test in tests if test not in first]
    word = outcome(mutation, first, limit)
    return outcome(mutation, others, limit) if word == "survived" and others else word


def _run(mutation: Mutation | None, tests: list[str]) -> None:
    """The child: never returns."""
    status = 1
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        if mutation:
            sys.meta_path.insert(0, Changed(mutation))  # type: ignore[arg-type]
        status = int(pytest.main([*PLAIN, "-x", *tests]))
    finally:
        os._exit(status)


def report(told: dict[Mutation, str]) -> None:
    """Print the score of each module, and the survivors."""
    for path in sorted({m.path for m in told}):
        words = [word for m, word in told.items() if m.path == path]
        alive = sum(word in ("survived", "unreached") for word in words)
        print(f"{path:40} {len(words) - alive:4} of {len(words):4} killed")
    alive = [(m, word) for m, word in told.items() if word in ("survived", "unreached")]
    print(f"{'all':40} {len(told) - len(alive):4} of {len(told):4} killed\n")
    for m, word in alive:
        print(f"{word}: {m}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", default=MUTATED, help="files or folders below src/softclust")
    parser.add_argument("--sample", type=int, help="how many changes to draw; all without it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--line", type=int, help="only changes of this line")
    parser.add_argument("--tests", nargs="+", help="these tests, whatever passes through a line")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of tests for one change")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no change after so long")
    parser.add_argument("--measure", action="store_true", help="measure again which tests pass where")
    return parser.parse_args()


def asked_for(asked: argparse.Namespace) -> list[Mutation]:
    """The changes of the modules that are asked for, or a sample of them."""
    found = [m for path in modules(asked.modules) for m in mutations(name_of(path), path.read_text())]
    found = [m for m in found if asked.line in (None, m.line)]
    if asked.sample is None or asked.sample >= len(found):
        return found
    return random.Random(asked.seed).sample(found, asked.sample)


def planned(asked: argparse.Namespace) -> dict[Mutation, list[str]]:
    """The tests of each change; they pass, or at least exist, without any."""
    found = asked_for(asked)
    if asked.tests:
        if outcome(None, asked.tests, 3600) != "survived":
            sys.exit("The tests fail without any change.")
        return dict.fromkeys(found, asked.tests)
    if any(
        p.stat().st_mtime > KEPT.stat().st_mtime for p in (*PACKAGE.rglob("*.py"), *TESTS.rglob("*.py"))
    ):
        print("Files are newer than what was measured: a --measure may be due.", file=sys.stderr)
    passing = Passing(json.loads(KEPT.read_text()))
    plan = {m: passing.tests(m, asked.budget) for m in found}
    union = sorted(set(chain.from_iterable(plan.values())))
    if union and outcome(None, [*union, "--collect-only"], 600) != "survived":
        sys.exit("Tests that were measured are not there any more: --measure finds those that are.")
    return plan


def main() -> None:
    asked = arguments()
    os.chdir(ROOT)
    if not asked.tests and (asked.measure or not KEPT.exists()):
        measure_apart()
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    for name in HEAVY:
        importlib.import_module(name)
    plan = planned(asked)
    told: dict[Mutation, str] = {}
    end = time.monotonic() + 60 * asked.minutes
    for i, (m, tests) in enumerate(plan.items(), 1):
        if time.monotonic() > end:
            break
        told[m] = in_stages(m, tests, 20 + 6 * asked.budget)
        print(f"{i}/{len(plan)} {told[m]}: {m}", file=sys.stderr, flush=True)
    report(told)


def measure_apart() -> None:
    """Measure in a child, so that this process stays without softclust."""
    child = os.fork()
    if not child:
        measure()
        os._exit(0)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
