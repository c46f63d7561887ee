"""Compile the passes ahead of time into src/softclust/kernels/_native.abi3.so.

    python native/build.py [--if-possible]

Numba compiles every form of every `compiled_pass` for a common processor.  Each form gets a C entry,
`int32_t pass(int64_t *cells)`; `call.c` makes Python functions of them.  The library is kept until a source
changes.  It needs a C compiler and Python's headers; with --if-possible, a build without them only says so.

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
from concurrent.futures import ProcessPoolExecutor
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
# A processor that nearly all machines equal: name, features, and a test in C.
_V3 = (
    "avx avx2 bmi bmi2 cmov crc32 cx16 cx8 f16c fma fxsr lzcnt mmx movbe popcnt sahf sse sse2 sse3 sse4.1 "
    "sse4.2 ssse3 xsave"
)
_NEEDS = ("avx2", "fma", "bmi", "bmi2", "popcnt")
TARGETS = {
    "x86_64": (
        "x86-64-v3",
        ",".join(f"+{feature}" for feature in _V3.split()),
        " && ".join(f'__builtin_cpu_supports("{need}")' for need in _NEEDS),
    ),
    "aarch64": ("generic", "+neon", "1"),
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


def compile_form(name: str, words: list[str], folder: str) -> tuple[str, str]:
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

    cpu, features, _ = TARGETS[platform.machine()]
    gives = compiled.signature.return_type
    results = [] if gives == types.none else list(gives) if isinstance(gives, types.BaseTuple) else [gives]
    symbol = f"softclust_{module}_{function}_{''.join(word[0] for word in words if word[0] in 'DS')}"
    entry = _entry(ir, cpu_target.target_context, compiled, symbol, len(results))
    code = binding.parse_bitcode(compiled.library._final_module.as_bitcode())
    code.link_in(binding.parse_assembly(entry))
    for thing in (*code.functions, *code.global_variables):
        if not thing.is_declaration and thing.name != symbol:
            thing.linkage = "internal"
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
    )
    passes = binding.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(
        code, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=0))
    )
    (Path(folder) / f"{symbol}.o").write_bytes(machine.emit_object(code))
    letter = {types.float64: "d", types.int64: "l", types.boolean: "b"}
    return symbol, "".join(letter[result] for result in results)


def compile_forms(forms: list[tuple[str, list[str]]], folder: str) -> list[tuple[str, str]]:
    """Compile several forms in this process, so that the functions they share are compiled once."""
    return [compile_form(name, words, folder) for name, words in forms]


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
    if sys.platform != "linux" or platform.machine() not in TARGETS:
        return f"{sys.platform} on {platform.machine()} has not been tried"
    if not shutil.which(compiler()):
        return f"no C compiler ({compiler()})"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "no Python.h"
    return None


def compiler() -> str:
    """The C compiler: CC, or cc."""
    return os.environ.get("CC") or "cc"


def recipe() -> str:
    """A digest of what turns the sources into a library: this folder, Numba and the target."""
    whole = hashlib.sha256(repr((version("numba"), TARGETS.get(platform.machine()))).encode())
    for path in (HERE / "build.py", HERE / "call.c"):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def is_current() -> bool:
    """Whether the library is there and was built from the present sources in the present way."""
    from softclust.kernels.tiers import source_digest

    code = LIBRARY.read_bytes() if LIBRARY.exists() else b""
    return source_digest().encode() in code and recipe().encode() in code


def build() -> None:
    """Build the library."""
    from softclust.kernels.tiers import source_digest

    cpu, features, needs = TARGETS[platform.machine()]
    os.environ |= {
        "NUMBA_CPU_NAME": cpu,
        "NUMBA_CPU_FEATURES": features,
        "NUMBA_DISABLE_INTEL_SVML": "1",
        "OMP_NUM_THREADS": "1",
    }
    with tempfile.TemporaryDirectory() as folder:
        forms = sorted(all_forms(), key=_job)
        jobs = [[(name, words) for name, _, words in job] for _, job in groupby(forms, _job)]
        with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
            done = [*chain(*pool.map(compile_forms, jobs, [folder] * len(jobs)))]
        lines = [f'static const char digest[] = "{source_digest()}", target[] = "{cpu}";']
        lines += [f'static const char recipe[] = "{recipe()}";']
        lines += [f"static int runs_here(void) {{ return {needs}; }}"]
        lines += [f"extern int32_t {symbol}(int64_t *);" for symbol, _ in done]
        lines += ["static const form forms[] = {"]
        for (name, general, form), (symbol, gives) in zip(forms, done, strict=True):
            lines += [f'    {{"{name}", "{" ".join(general)}|{" ".join(form)}", "{gives}", {symbol}}},']
        (Path(folder) / "table.h").write_text("\n".join([*lines, "};", ""]))
        command = [compiler(), "-shared", "-fPIC", "-O2", "-s", f"-I{folder}"]
        command += [f"-I{sysconfig.get_path('include')}", str(HERE / "call.c")]
        command += [*map(str, sorted(Path(folder).glob("*.o"))), "-lm", "-o", f"{LIBRARY}.new"]
        subprocess.run(command, check=True)
    os.replace(f"{LIBRARY}.new", LIBRARY)  # processes that run keep the old one


def main() -> None:
    """Run as a command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--if-possible", action="store_true", help="say why there is no build, and succeed")
    options = parser.parse_args()
    if is_current():
        return
    try:
        problem = missing()
        if not problem:
            print("Compiling the native library, once, for about a minute ...", flush=True)
            build()
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
