"""The child process of `raise-cc`: the preprocessed text of a file becomes raised code, and what stands for what.

MLIR is started only where something is left to raise. A function is taken if it is proved to be equal for all sizes,
under nothing but what its test asks and C promises.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from raising.cc.edited_text import Replacement
from raising.support.record import dataclass

if TYPE_CHECKING:
    from raising.api.result import FunctionReport, RaiseResult
    from raising.cc.iterations import Iterations
    from raising.frontend.c import SourceFunction, SourceModule
    from raising.support.isolate import Failed, Tell
    from raising.validate.base.assumption import Assumption

_FLAGS = ("-D_Float32=float", "-D_Float64=double", "-D_Float32x=double", "-D_Float64x=long double")
_MORE = ("-D_Float128=__float128", "-undef")
"""Types of gcc's that clang has by other names; what gcc defines was replaced by gcc."""
_OF_C = frozenset(("alias", "bounds", "overflow", "defined", "promise", "numbers"))
_OF_REALS = _OF_C | {"real", "nonzero", "sign"}

_RAISING, _OVER = 0.65, 0.05
"""Of the time: what raising may take, so that machine code is made of what it found, and what it may take too long."""
_EFFORT = 1.0
"""Of a file: of the work that one function may take, what those functions may take that others do not wait for."""
_STEPS = 0.2
"""Of what reading a function may take."""
MEMORY = 8 << 30
"""Address space of a child."""
_CRASH = ("crashed with signal SIGABRT", "crashed with signal SIGSEGV")

_VARIABLE = re.compile(r'memref\.global (?:"public" )?@([\w$]+)')

Row = dict[str, Any]


@dataclass
class Chosen:
    """The module with the functions that are raised, and why the others are not.

    `signs` are the arguments that are sizes without a sign, by number, which are tested; `lengths` say how often the
    loops run. Where it is `late`, what was raised is compiled as it is.
    """

    text: str = ""
    reasons: dict[str, str] = field(default_factory=dict)
    signs: dict[str, tuple[int, ...]] = field(default_factory=dict)
    lengths: dict[str, Iterations] = field(default_factory=dict)
    late: bool = False


@dataclass(frozen=True)
class FileTask:
    """A preprocessed `text` that is called `name`; `flags` decide what it means, `fp` is that of `raise-compile`.

    `errno`: functions of mathematics have to set it. `timeout` is a guard, in seconds: work is bounded by what is
    counted. Raised code may need the symbols in `linked`.
    """

    text: str
    name: str
    flags: tuple[str, ...]
    fp: str
    cpu: str
    errno: bool
    timeout: float
    linked: frozenset[str]


@dataclass(frozen=True)
class RaisedFile:
    """An object file, what its functions replace, symbols that it needs, and a row for each function and loop.

    It is not `lasting` if more may be raised in more time.
    """

    code: bytes = b""
    replacements: tuple[Replacement, ...] = ()
    needs: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    loops: dict[str, int] = field(default_factory=dict)
    why: str = ""
    lasting: bool = True


def raise_file(task: FileTask) -> RaisedFile:
    """Raise what can be raised of a file; without code, `why` and the rows say why there is none."""
    from raising.frontend.c import COptions, convert
    from raising.support.errors import InputError

    ends = time.monotonic() + _RAISING * task.timeout
    options = COptions(guard=True, fallback=False, share=_STEPS, flags=(*task.flags, *_FLAGS, *_MORE))
    try:
        module = convert(task.text, task.name, options)
    except InputError as error:
        return RaisedFile(why=" ".join(str(error).split()))
    refused = tuple({"where": str(r.place), "done": "left", "why": r.reason} for r in module.refused)
    if "affine.for" not in module.mlir:
        return RaisedFile(rows=refused, loops=_loops(module, [], ()), why="no loops that can be raised")
    return _raised(task, module, refused, ends)


def _raised(task: FileTask, module: SourceModule, refused: tuple[Row, ...], ends: float) -> RaisedFile:
    from raising.report.report import statistics
    from raising.support.isolate import Failed

    chosen = _chosen(task, module)
    text, reasons = chosen.text, chosen.reasons
    named = {f.name: f for f in module.functions}
    if not text:
        left = (_row(named[n], "left", why) for n, why in reasons.items())
        return RaisedFile(rows=(*refused, *left), loops=_loops(module, [], ()), why="nothing is worth it")
    result = _in_time(task, text, ends)
    if isinstance(result, Failed):
        why, lasting = f"to raise it {result.reason}", comes_again(result)
        return RaisedFile(rows=refused, loops=_loops(module, [], ()), why=why, lasting=lasting)
    chosen.late = not result.in_time
    reasons |= {f.name: why for f in result.functions if (why := _against(f, task.fp, result.remarks, chosen))}
    wanted = [f.name for f in result.functions if not reasons.get(f.name)]
    taken, compiled = _compilable(task, module, result.text, wanted, chosen)
    numbers = statistics(result, task.name, "linalg", 0.0)["functions"]
    loops = _loops(module, numbers, taken)
    rows = tuple(_rows(module, reasons, taken, {f.name: f for f in result.functions}))
    why = "" if taken else "nothing was raised"
    found = RaisedFile(rows=(*refused, *rows), loops=loops, why=why, lasting=result.in_time)
    return replace(found, **compiled)


def _in_time(task: FileTask, text: str, ends: float) -> RaiseResult | Failed:
    """The module with what can be raised until a time of the monotonic clock.

    It works in a child, which tells what is done after each function: what it has to be ended in, and what comes after
    that, stays as it is.
    """
    from raising.api.options import RaiseOptions
    from raising.pipeline import raise_module
    from raising.support.isolate import Finished, run_telling

    seconds = max(ends - time.monotonic(), 0.01)
    options = RaiseOptions(check="proof", timeout=seconds, effort=_EFFORT, strict_fp=task.fp == "strict", cache=False)

    def work(tell: Tell) -> RaiseResult:
        return raise_module(text, file=task.name, options=options, so_far=lambda result: tell(result()))

    (found,) = run_telling([work], timeout=seconds + _OVER * task.timeout, extra_bytes=MEMORY)
    if isinstance(found, Finished):
        return found.value
    return replace(found.told, in_time=comes_again(found)) if found.told else found


def comes_again(end: Failed) -> bool:
    """Whether a child ends so on every machine, however busy it is."""
    return end.reason.startswith(_CRASH)


def _chosen(task: FileTask, module: SourceModule) -> Chosen:
    """Choose the functions to raise, and take the others out of the module."""
    from mlir import ir

    from raising.cc.choice import Choice, Rules
    from raising.support.mlir.walk import symbol_name
    from raising.validate.native.argument_types import quiet_context

    chosen, named = Chosen(), {f.name: f for f in module.functions}
    with quiet_context(), ir.Location.unknown():
        parsed = ir.Module.parse(module.mlir)
        choice = Choice(parsed, Rules(task.errno))
        for op in [op.operation for op in parsed.body.operations]:
            if op.name == "func.func" and op.regions[0].blocks:
                function = named[symbol_name(op)]
                chosen.reasons[function.name] = why = choice.against(op) or _noted(op, function, chosen)
                if why:
                    op.erase()
        if not all(chosen.reasons.values()):
            chosen.text = parsed.operation.get_asm(enable_debug_info=True)
    return chosen


def _noted(op: Any, function: SourceFunction, chosen: Chosen) -> str:
    """Note what is to be asked of the arguments of a function, or why it stays."""
    from raising.cc.choice import read_without_sign
    from raising.cc.iterations import Iterations, iterations

    long, unsigned = iterations(op, [p.name for p in function.parameters]), read_without_sign(op)
    if function.span is None:
        return "a macro makes an end of it"
    if long is None and function.name != function.of:
        return "how often its loop runs is computed: it may be too short for a call"
    chosen.lengths[function.name] = long or Iterations()
    if unsigned is not None:
        chosen.signs[function.name] = unsigned
    return ""


def _against(report: FunctionReport, fp: str, remarks: tuple[Any, ...], chosen: Chosen) -> str:
    """Why a function is not taken that was raised, or was to be; nothing if it is."""
    from raising.validate.base.verdict import Proved, describe

    verdict = report.verdict
    if verdict is None or not report.raised:
        kept = (r for r in remarks if r.kind == "kept" and r.where.file == report.where.file)
        near = [r for r in kept if r.where.line >= report.where.line]
        return f"nothing was raised: {near[0].why}" if near else "nothing was raised"
    if not isinstance(verdict, Proved) or verdict.sizes is not None:
        return f"it is not proved for all sizes: {describe(verdict)}"
    known = _OF_C if fp == "strict" else _OF_REALS
    tested = report.name in chosen.signs
    other = next((a for a in verdict.assumptions if a.kind not in known and not (tested and _is_of_sign(a))), None)
    return f"it would be assumed that {other}" if other is not None else ""


def _is_of_sign(assumption: Assumption) -> bool:
    """Whether it is that sizes without a sign are not negative as numbers with one."""
    from raising.validate.base.assumption import WITHOUT_SIGN

    return assumption.kind == "sign" and assumption.condition.startswith(WITHOUT_SIGN)


def _compilable(
    task: FileTask, module: SourceModule, text: str, wanted: list[str], chosen: Chosen
) -> tuple[list[str], dict[str, Any]]:
    """The functions that can be compiled, and their code; each is tried alone if they cannot be together."""
    from raising.native.base.unsupported import CompileError

    if not wanted:
        return [], {}
    try:
        return wanted, _compiled(task, module, text, wanted, chosen)
    except CompileError as error:
        if len(wanted) == 1:
            chosen.reasons[wanted[0]] = f"it cannot be compiled: {error}"
            return [], {}
    good = [name for name in wanted if _compilable(task, module, text, [name], chosen)[0]]
    return _compilable(task, module, text, good, chosen) if len(good) < len(wanted) else ([], {})


def _compiled(task: FileTask, module: SourceModule, text: str, taken: list[str], chosen: Chosen) -> dict[str, Any]:
    from raising.cc.module_for_c import for_c
    from raising.native.base.compile_options import CompileOptions
    from raising.native.base.unsupported import CompileError
    from raising.native.codegen.objects import undefined_symbols
    from raising.native.compile import build
    from raising.native.input.read_module import ALWAYS

    prepared = for_c(text, module.guards, taken, chosen.signs)
    cheaper = prepared if task.fp == "strict" or chosen.late else _optimised(prepared, task.name)
    code = build(cheaper.encode(), task.name, CompileOptions(cpu=task.cpu, fp=task.fp)).code.object
    needs = tuple(sorted(undefined_symbols(code) - ALWAYS - {*_VARIABLE.findall(prepared)}))
    if missing := [name for name in needs if name not in task.linked]:
        raise CompileError(f"it needs what the compiler's code does not: {', '.join(missing)}")
    wanted = [f for f in module.functions if f.name in taken and f.span is not None]
    replacements = tuple(_replacement(f, _tested(module, f, chosen), chosen) for f in wanted)
    return {"code": code, "replacements": replacements, "needs": needs}


def _tested(module: SourceModule, function: SourceFunction, chosen: Chosen) -> bool:
    return f"@{function.name}.holds(" in module.guards or bool(chosen.signs.get(function.name))


def _replacement(function: SourceFunction, tested: bool, chosen: Chosen) -> Replacement:
    from raising.cc.choice import LEAST
    from raising.cc.edited_text import arguments_of

    assert function.span is not None
    whole, passed = not function.call.endswith((";", "}")), arguments_of(function.call)
    runs = chosen.lengths[function.name]
    long = runs.test(LEAST) if runs.names <= {*passed} else ""
    returns = function.result is not None
    return Replacement(function.name, function.call, function.span, function.own, whole, returns, tested, long)


def _optimised(text: str, file: str) -> str:
    from raising.optimise.optimise_module import optimised_if_possible

    return optimised_if_possible(text, file=file, fp="").text


# ---- what there is to say -------------------------------------------------------------------------------


def _loops(module: SourceModule, functions: list[dict[str, Any]], taken: tuple[str, ...] | list[str]) -> dict[str, int]:
    """How many loops were seen, are static control, were raised, and are replaced."""
    from raising.report.loop_fates import ESSENTIAL, RAISED, REFUSED, fates

    found = fates(module.loops, functions)
    good = [f for f in found if f.fate in (RAISED, ESSENTIAL)]
    within = {str(loop.place): {name for name, _ in loop.within} for loop in module.loops}
    return {
        "seen": len(found),
        "static_control": sum(f.fate != REFUSED for f in found),
        "raised": len(good),
        "replaced": sum(bool(within[f.place] & set(taken)) for f in good),
    }


_HINTS = {
    "round as the loops do": "-fassociative-math, or --fp reassoc",
    "may set errno": "-fno-math-errno",
    "belongs to its function": "a variable of the file",
}
"""What one line would change, by what stands in a reason."""


def _row(function: SourceFunction, done: str, why: str) -> Row:
    part = {"part": function.name} if function.name != function.of else {}
    hint = next(({"hint": hint} for words, hint in _HINTS.items() if words in why), {})
    name = function.of or function.name
    return {"where": str(function.place), "function": name, **part, "done": done, "why": why, **hint}


def _rows(
    module: SourceModule, reasons: dict[str, str], taken: list[str], reports: dict[str, FunctionReport]
) -> Iterator[Row]:
    from raising.validate.base.verdict import describe

    for function in module.functions:
        if function.name not in taken:
            yield _row(function, "left", reasons.get(function.name, ""))
            continue
        verdict = reports[function.name].verdict
        head = f"in '{function.name}': "
        tests = [a.reason.removeprefix(head) for a in module.assumptions if a.reason.startswith(head)]
        yield _row(function, "replaced", describe(verdict) if verdict is not None else "") | {"tested": tests}
