"""What raise-compile and raise-opt make of exported programs, beside StableHLO's own interpreter."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

import raising
from raising.eqsat.egraph.purity import walk
from raising.grammar.dialects.host import Host, imported
from raising.grammar.dialects.target_dialect import read_target
from raising.support.isolate import Failed, run_isolated
from tests.hunt import ways
from tests.hunt.exported.draw import Exported, exported
from tests.hunt.tally import Row

GENERATOR = "exported"
EACH = 60.0  # seconds that one program may take
MEMORY = 24 << 30
_TOLERANCE = {np.dtype(np.float32): 1e-3, np.dtype(np.float64): 1e-9}
_OPTIMISED = {"optimised": "", "reassociated": "reassoc"}

Told = tuple[str, str, str, int]  # kind, way, detail, runs


def available() -> bool:
    """Whether there is an interpreter of StableHLO."""
    return find_spec("jaxlib") is not None


def batch(seeds: range) -> list[Row]:
    """The programs with these numbers; none where there is no interpreter."""
    return [row(seed) for seed in seeds] if available() else []


def row(seed: int) -> Row:
    """What the program of one number shows."""
    program = exported(seed)
    with tempfile.TemporaryDirectory():
        found = run_isolated(lambda: judged(program), timeout=EACH, extra_bytes=MEMORY)
    if isinstance(found, Failed):
        kind = "hang" if found.timed_out else "crash"
        return Row(GENERATOR, seed, "unknown", kind, "", found.reason, source=program.text, language="mlir")
    kind, way, detail, runs = found.value
    state = "changed" if runs > 1 else "kept"
    source = program.text if kind else ""
    return Row(GENERATOR, seed, state, kind, way, detail, runs=runs, source=source, language="mlir")


def judged(program: Exported) -> Told:
    """A program compiled as it is and as raise-opt makes it, on its arguments."""
    wanted = interpreted(program)
    runs = 0
    for way, text in _ways(program.text):
        if isinstance(text, ways.Broken):
            return "error", way, text.why, runs
        try:
            given = raising.compile(text, cache=False)["main"](*program.arguments)
        except Exception as error:
            return "error", f"compile {way}", f"{type(error).__name__}: {error}", runs
        runs += 1
        got = given if isinstance(given, tuple) else (given,)
        for k, (a, b) in enumerate(zip(got, wanted, strict=True)):
            wrong = different(np.asarray(a), b, program.exact[k])
            if wrong:
                return "wrong", way, f"result {k}: {wrong}", runs
    return "", "", "", runs


def _ways(text: str) -> Iterator[tuple[str, str | ways.Broken]]:
    """The texts to compile, each once; or why there is none."""
    seen = {text}
    yield "compiled", text
    for way, fp in _OPTIMISED.items():
        try:
            made = ways.optimised(text, fp)
        except ways.Broken as error:
            yield way, error
            return
        if made not in seen:
            seen.add(made)
            yield way, made


def different(got: np.ndarray, wanted: np.ndarray, exact: bool) -> str:
    """How a result differs from what is wanted; empty if it does not."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"{got.dtype}{list(got.shape)}, not {wanted.dtype}{list(wanted.shape)}"
    equal = (got == wanted) | ((got != got) & (wanted != wanted))
    if not exact and got.dtype in _TOLERANCE:
        size = np.abs(wanted[np.isfinite(wanted)]).max(initial=1.0)
        with np.errstate(invalid="ignore"):
            equal |= np.abs(got - wanted) <= _TOLERANCE[got.dtype] * size
    return "" if equal.all() else f"{got[~equal][:4]}, not {wanted[~equal][:4]}"


@cache
def _interpreter() -> tuple[Host, Callable[..., Any]]:
    host = Host(read_target("stablehlo"))
    return host, imported("jaxlib.mlir.dialects.stablehlo:eval_module")


def interpreted(program: Exported) -> list[np.ndarray]:
    """What StableHLO's interpreter makes of a program."""
    host, evaluate = _interpreter()
    ir = host.ir
    with host.context, ir.Location.unknown():
        module = ir.Module.parse(program.text)
        _copied(module, ir)
        given = [ir.DenseElementsAttr.get(np.array(v, order="C")) for v in program.arguments]
        return [_array(result, ir) for result in evaluate(module, given)]


def _copied(module: Any, ir: Any) -> None:
    """The interpreter's scatter writes into its operand, which others read after it: it gets one of its own."""
    for op in [op for op, _ in walk(module.operation) if op.name == "stablehlo.scatter"]:
        for n in range((len(op.operands) - 1) // 2):
            copy = ir.Operation.create("stablehlo.reshape", [op.operands[n].type], [op.operands[n]])
            ir.InsertionPoint(op).insert(copy)
            op.operands[n] = copy.results[0]


def _array(result: Any, ir: Any) -> np.ndarray:
    """The elements of an attribute; NumPy sees no truths in it."""
    shape = tuple(result.type.shape)
    if str(result.type.element_type) == "i1":
        return np.array([bool(v) for v in ir.DenseIntElementsAttr(result)]).reshape(shape)
    read = ir.DenseFPElementsAttr if str(result.type.element_type)[0] == "f" else ir.DenseIntElementsAttr
    return np.array(read(result)).reshape(shape)
