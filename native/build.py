"""Compile the passes ahead of time into src/softclust/kernels/_native.abi3.so.

    python native/build.py [--if-possible] [--all-levels]

Numba compiles every form of every `compiled_pass` for a common kind of processor, a level: the best that
this machine has, or with --all-levels, for a wheel, each of them.  Each form gets a C entry,
`int32_t pass(int64_t *cells)`; `call.c` makes Python functions of them, and a process takes the best level
that its processor has.  The library is kept until a source changes.  It needs a C compiler and Python's
headers; with --if-possible, a build without them only says so.

This is the only place that uses Numba's internals, and only while building.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain, groupby
from multiprocessing import get_context
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = HERE.parent / "src" / "softclust" / "kernels" / "_native.abi3.so"
sys.path.insert(0, str(HERE.parent / "src"))

GROUPS = (  # modules that share functions are compiled in one process; the slowest group comes first
    ("passes",),
    ("labels", "links", "typicalities"),
    ("medoids", "density", "ellipsoids", "quasi_newton", "plus_plus", "colouring", "entropic", "centers"),
)


@dataclass(frozen=True)
class Level:
    """A kind of processor: LLVM's names of it and of its features, and what a processor must have."""

    cpu: str
    features: str
    needs: tuple[str, ...] = ()

    @property
    def symbol(self) -> str:
        """The name as a part of names in C."""
        return self.cpu.replace("-", "_")

    @property
    def test(self) -> str:
        """An expression in C: whether this processor has what the level needs."""
        return " && ".join(f'__builtin_cpu_supports("{need}")' for need in self.needs) or "1"


_V3 = (
    "avx avx2 bmi bmi2 cmov crc32 cx16 cx8 f16c fma fxsr lzcnt mmx movbe popcnt sahf sse sse2 sse3 sse4.1 "
    "sse4.2 ssse3 xsave"
)
_V3_NEEDS = ("avx2", "fma", "bmi", "bmi2", "popcnt")
_V4_NEEDS = ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")


def _on(names: Iterable[str]) -> str:
    return ",".join(f"+{name}" for name in names)


LEVELS = {  # the best first
    "x86_64": (
        # General powers are up to 1.5 times faster by AVX-512; LLVM would use half of its width.
        Level("x86-64-v4", f"{_on([*_V3.split(), *_V4_NEEDS])},-prefer-256-bit", (*_V3_NEEDS, *_V4_NEEDS)),
        Level("x86-64-v3", _on(_V3.split()), _V3_NEEDS),
    ),
    "aarch64": (Level("generic", "+neon"),),
}


def forms_of(takes: list[str]) -> list[list[str]]:
    """The words of each form: D or S in the place of F and of G."""
    forms = [takes]
    for variable in "FG":
        if any(word[0] == variable for word in takes):
            forms = [
                [letter + word[1:] if word[0] == variable else word for word in form]
                for form in forms
                for letter in "DS"
            ]
    return forms


def type_of(word: str):
    """Numba's type of an argument."""
    from numba import typeof, types

    from softclust.kernels.codes import Parameters

    numbers = {
        "D": types.float64, "S": types.float32, "L": types.int64, "I": types.int32,
        "H": types.uint16, "B": types.boolean, "U": types.uint64,
    }  # fmt: skip
    if word == "P":
        return typeof(Parameters(*[0.0] * len(Parameters._fields)))
    if word in ("d", "l", "b"):
        return {"d": types.float64, "l": types.int64, "b": types.boolean}[word]
    if word[0].isdigit():
        return types.UniTuple(type_of(word[1:]), int(word[0]))
    return types.Array(numbers[word[0]], int(word[1]), "C")


def compile_form(name: str, words: list[str], level: Level, folder: str) -> tuple[str, str]:
    """Compile one form of a pass into an object file; return its symbol and the words of its results."""
    from importlib import import_module

    from llvmlite import binding, ir
    from numba.core import types
    from numba.core.caching import NullCache
    from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
    from numba.core.registry import cpu_target

    # No function runs here, so none needs machine code or an environment of its own.
    JITCodeLibrary._finalize_final_module = lambda self: setattr(self, "_finalized", True)
    JITCPUCodegen.set_env = lambda self, name, env: None

    module, _, function = name.partition(".")
    dispatcher = getattr(import_module(f"softclust.kernels.compiled.{module}"), function)
    dispatcher._cache = NullCache()
    dispatcher.targetoptions.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    arguments = tuple(map(type_of, words))
    dispatcher.compile(arguments)
    compiled = dispatcher.overloads[arguments]

    gives = compiled.signature.return_type
    results = [] if gives == types.none else list(gives) if isinstance(gives, types.BaseTuple) else [gives]
    letters = "".join(word[0] for word in words if word[0] in "DS")
    symbol = f"softclust_{level.symbol}_{module}_{function}_{letters}"
    entry = _entry(ir, cpu_target.target_context, compiled, symbol, len(results))
    code = binding.parse_bitcode(compiled.library._final_module.as_bitcode())
    code.link_in(binding.parse_assembly(entry))
    for thing in (*code.functions, *code.global_variables):
        if not thing.is_declaration and thing.name != symbol:
            thing.linkage = "internal"
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(
        cpu=level.cpu, features=level.features, opt=3, reloc="pic", codemodel="default"
    )
    passes = binding.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(
        code, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=0))
    )
    (Path(folder) / f"{symbol}.o").write_bytes(machine.emit_object(code))
    letter = {types.float64: "d", types.int64: "l", types.boolean: "b"}
    return symbol, "".join(letter[result] for result in results)


def compile_forms(level: Level, forms: list[tuple[str, list[str]]], folder: str) -> list[tuple[str, str]]:
    """Compile several forms in this process, so that the functions they share are compiled once."""
    os.environ |= {  # read when Numba is loaded, which this process has not done yet
        "NUMBA_CPU_NAME": level.cpu,
        "NUMBA_CPU_FEATURES": level.features,
        "NUMBA_DISABLE_INTEL_SVML": "1",
        "OMP_NUM_THREADS": "1",
    }
    return [compile_form(name, words, level, folder) for name, words in forms]


def _job(form: tuple[str, list[str], list[str]]) -> tuple[int, bool]:
    """The group of a form's module, and whether its rows are float32."""
    name, takes, words = form
    single = any(before[0] == "F" and after[0] == "S" for before, after in zip(takes, words, strict=True))
    return next(place for place, group in enumerate(GROUPS) if name.partition(".")[0] in group), single


def _entry(ir, context, compiled, symbol: str, results: int) -> str:
    """LLVM's text of a function that takes cells, calls the pass, and puts results behind its arguments."""
    word = ir.IntType(64)
    kind = context.call_conv.get_function_type(compiled.fndesc.restype, compiled.fndesc.argtypes)
    module = ir.Module("entry")
    function = ir.Function(module, kind, compiled.fndesc.llvm_func_name)
    entry = ir.Function(module, ir.FunctionType(ir.IntType(32), [word.as_pointer()]), symbol)
    code = ir.IRBuilder(entry.append_basic_block())
    result, problem = (code.alloca(argument.pointee) for argument in kind.args[:2])
    arguments = []
    for place, wanted in enumerate(kind.args[2:]):
        x = code.load(code.gep(entry.args[0], [word(place)]))
        if isinstance(wanted, ir.PointerType):
            x = code.inttoptr(x, wanted)
        elif isinstance(wanted, ir.DoubleType):
            x = code.bitcast(x, wanted)
        elif wanted != word:
            x = code.trunc(x, wanted)
        arguments.append(x)
    status = code.call(function, [result, problem, *arguments])
    for place in range(results):
        x = code.load(result)
        x = code.extract_value(x, place) if results > 1 else x
        x = code.bitcast(x, word) if isinstance(x.type, ir.DoubleType) else x
        x = code.zext(x, word) if x.type != word else x
        code.store(x, code.gep(entry.args[0], [word(len(arguments) + place)]))
    code.ret(status)
    return str(module)


def all_forms() -> list[tuple[str, list[str], list[str]]]:
    """(name, words, words of the form) of every form of every pass."""
    from importlib import import_module

    found = []
    for name in chain(*GROUPS):
        module = import_module(f"softclust.kernels.compiled.{name}")
        for function, thing in vars(module).items():
            if hasattr(thing, "takes") and thing.py_func.__module__ == module.__name__:
                found += [(f"{name}.{function}", thing.takes, form) for form in forms_of(thing.takes)]
    return found


def missing() -> str | None:
    """What this machine lacks for a build, in words, or None."""
    if sys.platform != "linux" or platform.machine() not in LEVELS:
        return f"{sys.platform} on {platform.machine()} has not been tried"
    if not shutil.which(compiler()):
        return f"no C compiler ({compiler()})"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "no Python.h"
    return None


def compiler() -> str:
    """The C compiler: CC, or cc."""
    return os.environ.get("CC") or "cc"


def wanted_levels(every: bool = False) -> tuple[Level, ...]:
    """The best level that this machine has, or the least if it has none; or each of them."""
    from llvmlite import binding

    levels = LEVELS[platform.machine()]
    if every:
        return levels
    mine = binding.get_host_cpu_features()
    return next(((one,) for one in levels if all(mine.get(need) for need in one.needs)), levels[-1:])


def recipe(level: Level) -> str:
    """A digest of what turns the sources into the passes of a level: this folder, Numba and the level."""
    whole = hashlib.sha256(repr((version("numba"), level)).encode())
    for path in (HERE / "build.py", HERE / "call.c"):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def is_current(levels: Iterable[Level]) -> bool:
    """Whether the library is there and was built from the present sources in the present way."""
    from softclust.kernels.tiers import source_digest

    code = LIBRARY.read_bytes() if LIBRARY.exists() else b""
    return all(text.encode() in code for text in (source_digest(), *map(recipe, levels)))


def build(levels: tuple[Level, ...]) -> None:
    """Build the library."""
    forms = sorted(all_forms(), key=_job)
    jobs = [[(name, words) for name, _, words in job] for _, job in groupby(forms, _job)]
    with tempfile.TemporaryDirectory() as folder:
        # A process has the level of its first job for good.
        with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), max_tasks_per_child=1) as pool:
            orders = [(level, job, folder) for level in levels for job in jobs]
            done = [*chain(*pool.map(compile_forms, *zip(*orders, strict=True)))]
        (Path(folder) / "table.h").write_text(_table(levels, forms, done))
        command = [compiler(), "-shared", "-fPIC", "-O2", "-s", f"-I{folder}"]
        command += [f"-I{sysconfig.get_path('include')}", str(HERE / "call.c")]
        command += [*map(str, sorted(Path(folder).glob("*.o"))), "-lm", "-o", f"{LIBRARY}.new"]
        subprocess.run(command, check=True)
    os.replace(f"{LIBRARY}.new", LIBRARY)  # processes that run keep the old one


def _table(
    levels: tuple[Level, ...],
    forms: list[tuple[str, list[str], list[str]]],
    done: list[tuple[str, str]],
) -> str:
    """The C of table.h; `done` has the symbol and the results of each form of each level."""
    from softclust.kernels.tiers import source_digest

    lines = [f'static const char digest[] = "{source_digest()}";']
    lines += [f"#define LEVELS {len(levels)}", f"#define FORMS {len(forms)}"]
    lines += [f"extern int32_t {symbol}(int64_t *);" for symbol, _ in done]
    lines += [f"static int runs_{one.symbol}(void) {{ return {one.test}; }}" for one in levels]
    lines += ["static const level levels[LEVELS] = {"]
    for place, one in enumerate(levels):
        lines += [f'    {{"{one.cpu}", "{recipe(one)}", runs_{one.symbol}, {{']
        mine = done[place * len(forms) : (place + 1) * len(forms)]
        for (name, general, form), (symbol, gives) in zip(forms, mine, strict=True):
            lines += [f'        {{"{name}", "{" ".join(general)}|{" ".join(form)}", "{gives}", {symbol}}},']
        lines += ["    }},"]
    return "\n".join([*lines, "};", ""])


def main() -> None:
    """Run as a command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--if-possible", action="store_true", help="say why there is no build, and succeed")
    parser.add_argument("--all-levels", action="store_true", help="also for other processors, for a wheel")
    options = parser.parse_args()
    try:
        problem = missing()
        if not problem:
            levels = wanted_levels(options.all_levels)
            if is_current(levels):
                return
            print("Compiling the native library, once, for about a minute ...", flush=True)
            build(levels)
    except Exception as error:  # of Numba, LLVM or the C compiler
        if not options.if_possible:
            raise
        problem = f"the build failed ({error})"
    if problem and not options.if_possible:
        raise SystemExit(f"The native library cannot be built here: {problem}.")
    if problem:
        print(f"No native library: {problem}. Numba will compile at the first fit.")


if __name__ == "__main__":
    main()
