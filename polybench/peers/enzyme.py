"""Enzyme-JAX's raising of affine loops to StableHLO, compiled by XLA.

Its pass takes loops over memory only, so scalar arguments become memory of rank 0 first; nothing else of
the function is changed. The pass runs in a process of its own, with its own copy of MLIR.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from raising.grammar.dialects.host import Host
from raising.grammar.dialects.target_dialect import read_target
from raising.native.base.unsupported import CompileError
from raising.native.call.xla import compile_for_xla
from raising.polybench.peers.peer import Peer, Skipped, Subject, version_of
from raising.polybench.peers.timing import OnXla, Program, functional
from raising.polybench.suite.values import Array
from raising.support.mlir.walk import operations

PACKAGE = "enzyme-ad"
PASSES = (
    "func.func(affine-cfg),canonicalize,func.func(canonicalize-loops),canonicalize-scf-for,canonicalize,affine-cfg,"
    "canonicalize,func.func(canonicalize-loops),canonicalize,func.func(affine-loop-invariant-code-motion),canonicalize,"
    "raise-affine-to-stablehlo,canonicalize,arith-raise,enzyme-hlo-opt"
)
SECONDS = 120.0

# What the other process runs: text on standard input, seconds and text as JSON on standard output.
_WORKER = """
import json, sys, time
from enzyme_ad.jax import enzyme_call
text, started = sys.stdin.read(), time.perf_counter()
_, found = enzyme_call.run_pass_pipeline([], text, sys.argv[1])
json.dump([time.perf_counter() - started, found], sys.stdout)
"""


def enzyme() -> Peer:
    """Raised by Enzyme-JAX; `notes` are its seconds, and the loops and matrix products in the result."""

    def told() -> str:
        return f"Enzyme-JAX {version_of(PACKAGE)}, raise-affine-to-stablehlo, on XLA"

    return Peer("enzyme", told, _prepare)


def _prepare(subject: Subject) -> Program:
    adapted = with_memory_for_scalars(subject.mlir, subject.function)
    seconds, text = _raised(adapted)
    found = _function(text, subject.function)
    notes = {
        "raise_seconds": round(seconds, 4),
        "while_left": found.count("stablehlo.while"),
        "dot_found": found.count("stablehlo.dot"),
    }
    try:
        run = compile_for_xla(found.encode(), subject.name)
    except CompileError as error:
        raise Skipped(f"XLA refuses what was raised: {error}") from None
    given = [np.asarray(value) for value in subject.values.values()]
    form = OnXla(found, lambda results: dict(zip(subject.values, results, strict=True)))

    def call() -> Mapping[str, Array]:
        results = run(*given)
        return form.named(results if isinstance(results, tuple) else (results,))

    return replace(functional(call, subject.outputs), notes=notes, on_xla=form)


def _raised(text: str) -> tuple[float, str]:
    command = [sys.executable, "-c", _WORKER, PASSES]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Skipped(f"raising takes more than {SECONDS:g} s") from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["nothing was said"]
        raise Skipped(f"raising ended with status {done.returncode}: {last[0][:200]}")
    seconds, found = json.loads(done.stdout)
    return float(seconds), str(found)


def _function(text: str, name: str) -> str:
    """The module with nothing but the raised function, as one that can be called, without Enzyme's own attributes."""
    host = Host(read_target("stablehlo"))
    ir, raised = host.ir, f"{name}_raised"
    with host.context, ir.Location.unknown():
        host.context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        found = {ir.StringAttr(op.attributes["sym_name"]).value: op for op in module.body.operations}
        if raised not in found:
            raise Skipped("the loops were not raised")
        for other, op in found.items():
            if other != raised:
                op.erase()
        function = found[raised].operation
        function.attributes["sym_name"] = ir.StringAttr.get(name)
        for attribute in ("sym_visibility", "arg_attrs", "res_attrs"):
            if attribute in function.attributes:
                del function.attributes[attribute]

        for op in operations(function):
            names = [op.attributes[k].name for k in range(len(op.attributes))]
            for own in (n for n in names if n.startswith(("enzyme", "mhlo"))):
                del op.attributes[own]
        return str(module)


def with_memory_for_scalars(text: str, function: str) -> str:
    """The module with every scalar argument of a function as memory of rank 0, read where the function begins."""
    from mlir import ir
    from mlir.dialects import affine

    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        (op,) = (o for o in module.body.operations if ir.StringAttr(o.attributes["sym_name"]).value == function)
        block = op.regions[0].blocks[0]
        nothing = ir.AffineMap.get(0, 0, [])
        for argument in block.arguments:
            if not isinstance(argument.type, ir.MemRefType):
                scalar = argument.type
                argument.set_type(ir.MemRefType.get([], scalar))
                with ir.InsertionPoint.at_block_begin(block):
                    read: Any = affine.AffineLoadOp(scalar, argument, [], ir.AffineMapAttr.get(nothing))
                argument.replace_all_uses_except(read.result, read.operation)
        kinds = [argument.type for argument in block.arguments]
        op.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(kinds, []))
        module.operation.verify()
        return str(module)
