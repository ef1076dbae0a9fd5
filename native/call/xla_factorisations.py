"""Factorisations as JAX lowers them for its device: calls of LAPACK or cuSOLVER.

XLA's own expansion of `stablehlo.cholesky` is a loop over blocks, three times as slow on the CPU.
"""

from __future__ import annotations

from typing import Any

from raising.support.element_types import NUMPY
from raising.support.mlir.walk import named


def call_libraries(module: Any, jax: Any, hlo: Any) -> None:
    """Replace each Cholesky factorisation of a lower triangle by a call of the function that JAX makes of it."""
    for count, op in enumerate(named(module, "stablehlo.cholesky")):
        lower = "lower" in op.attributes and hlo.BoolAttr(op.attributes["lower"]).value
        if lower and str(op.operands[0].type.element_type) in ("f32", "f64"):
            _replace(op, f"cholesky.{count}", module, jax, hlo)


def _replace(op: Any, name: str, module: Any, jax: Any, hlo: Any) -> None:
    kind = op.operands[0].type
    lowered = hlo.Module.parse(_lowered(tuple(kind.shape), str(kind.element_type), jax))
    function = lowered.body.operations[0].operation.clone(hlo.InsertionPoint(module.body))
    function.attributes["sym_name"] = hlo.StringAttr.get(name)
    function.attributes["sym_visibility"] = hlo.StringAttr.get("private")
    called = {"callee": hlo.FlatSymbolRefAttr.get(name)}
    with hlo.Location.unknown(), hlo.InsertionPoint(op):
        call = hlo.Operation.create(
            "func.call", results=[op.results[0].type], operands=[op.operands[0]], attributes=called
        )
    op.results[0].replace_all_uses_with(call.results[0])
    op.erase()


def _lowered(shape: tuple[int, ...], element: str, jax: Any) -> str:
    """A module whose function factors an array of that shape."""
    with jax.enable_x64(True):
        array = jax.ShapeDtypeStruct(shape, NUMPY[element])
        factor = jax.jit(lambda a: jax.lax.linalg.cholesky(a, symmetrize_input=False))
        return str(factor.lower(array).as_text())
