"""`better_circuits`: the combinational logic of `hw.module`s with fewer gates or fewer levels, proved equal."""

from __future__ import annotations

import io
from functools import partial
from importlib.util import find_spec
from typing import Any

from raising.api.result import Remark, remark_in_file
from raising.eqsat.egraph.engine import EngineError, Limits
from raising.eqsat.hardware.better_circuit import Improved, improve
from raising.eqsat.hardware.choose import Chosen
from raising.eqsat.hardware.prove import equal
from raising.eqsat.hardware.read import CombinationalCycle, Design, design_of, modules
from raising.eqsat.hardware.write import write
from raising.frontend.mlir.attributes import location
from raising.frontend.mlir.parse_module import parse_module
from raising.optimise.optimise_module import OptimiseResult
from raising.support.errors import InputError
from raising.support.isolate import Failed, run_fresh
from raising.support.source import Loc

EXTRA = "costs of circuits need CIRCT; install the extra 'hardware'"
_GAIN = 1e-3  # of what is to be small: less is the weight of wires


def better_circuits(
    text: str | bytes, *, file: str = "-", goal: str = "area", verilog: bool = False, limits: Limits | None = None
) -> OptimiseResult:
    """Each `hw.module` by the best circuit that is found for `goal` (`area`, `delay` or `area-delay`).

    A circuit that could not be proved equal is not used. The text is MLIR, or SystemVerilog as CIRCT exports it.
    CIRCT works in a process of its own: its MLIR and another one crash where both have a context.
    Raises `InputError` if the text is not valid MLIR, or CIRCT is not installed or crashes; `EngineError` if the rules
    cannot be run.
    """
    if find_spec("circt") is None:
        raise InputError(Loc(file), EXTRA)
    work = partial(better_circuits_here, text, file, goal, verilog, limits or Limits())
    found = run_fresh(work, expected=(InputError, EngineError))
    if isinstance(found, Failed):
        raise InputError(Loc(file), f"the process that runs CIRCT {found.reason}")
    return found.value


def better_circuits_here(text: str | bytes, file: str, goal: str, verilog: bool, limits: Limits) -> OptimiseResult:
    """The same in this process, in which there must be no context of another MLIR."""
    import circt
    from circt import ir

    with ir.Context() as context, ir.Location.unknown():
        circt.register_dialects(context)
        module = parse_module(text, file, ir)
        remarks: list[Remark] = []
        changed = False
        for op in list(modules(module.operation)):
            better, said = _improved(op, ir, goal, limits)
            changed |= better
            remarks += [remark_in_file(r, file) for r in said]
        module.operation.verify()
        given = text if isinstance(text, str) else text.decode(errors="replace")
        result = _verilog(module, circt, file) if verilog else str(module) if changed else given
        return OptimiseResult(result, tuple(remarks), ())


def _improved(op: Any, ir: Any, goal: str, limits: Limits) -> tuple[bool, list[Remark]]:
    """Whether a module became better, and what there is to say."""
    where, name = location(op), ir.StringAttr(op.attributes["sym_name"]).value
    try:
        design = design_of(op, ir)
    except CombinationalCycle:
        return False, [Remark("kept", where, f"module '{name}': a value needs itself, and no register is between")]
    if not design.circuit.roots:
        return False, [Remark("note", where, f"module '{name}': nothing is computed")]
    found = improve(design.circuit, goal, limits)
    before, after = (c.better_by(goal)[0] for c in (found.before, found.after))
    if after >= before * (1 - _GAIN):
        return False, [Remark("note", where, f"module '{name}': nothing is better than {_size(found.before)}")]
    return _taken(design, found, ir, where)


def _taken(design: Design, found: Improved, ir: Any, where: Loc) -> tuple[bool, list[Remark]]:
    """Write the circuit that was found, read it again and prove it equal."""
    gain = f"{_size(found.before)} -> {_size(found.after)} by the model"
    how = "; ".join(f"{r.iterations} iterations, {len(r.rows)} rows, {r.stopped}" for r in found.runs)
    said = f"module '{design.name}': {gain} [{how}]"
    other = design_of(design.op.clone(ir.InsertionPoint(design.op)), ir)
    write(other, found.circuit, ir)
    verdict = equal(design.circuit, design_of(other.op, ir).circuit)
    (design.op if verdict.proved else other.op).erase()
    if not verdict.proved:
        return False, [Remark("kept", where, f"{said}, but not used: outputs {verdict}")]
    return True, [
        Remark("note", where, said),
        Remark("note", where, f"module '{design.name}': proved equal: {verdict}"),
    ]


def _size(chosen: Chosen) -> str:
    return f"{chosen.area:.0f} gates, {chosen.delay:.0f} levels"


def _verilog(module: Any, circt: Any, file: str) -> str:
    """The module as CIRCT exports it."""
    text = io.StringIO()
    try:
        circt.export_verilog(module, text)
    except (RuntimeError, ValueError) as error:
        raise InputError(Loc(file), f"CIRCT exports no Verilog of this: {error}") from None
    return text.getvalue()
