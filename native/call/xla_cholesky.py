"""Factorisations by the library that jax calls for them.

XLA expands `stablehlo.cholesky` into loops of its own, which take 2.7 times as long as LAPACK on a CPU at 2000 x 2000.
jax calls LAPACK or cuSOLVER, and what it calls takes the operation's place. The library reads the lower triangle alone,
so that what makes a matrix symmetric is left out: XLA compiles a selection of a transposed matrix for minutes.

    before  %s = stablehlo.select %lower, %a, %transposed
            %l = stablehlo.cholesky %s, lower = true
    after   %r:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a)     # then NaN where it is not positive definite
"""

from __future__ import annotations

from functools import partial
from typing import Any

from raising.support.mlir.branches import move_body, replace_op
from raising.support.mlir.inline import inline_calls
from raising.support.mlir.walk import maker, named


def factor_by_library(function: Any, jax: Any, hlo: Any) -> None:
    """Replace the factorisations of a function into lower triangles; upper ones, which jax does not have, stay."""
    for op in named(function, "stablehlo.cholesky"):
        if "lower" in op.attributes and hlo.BoolAttr(op.attributes["lower"]).value:
            kind = op.operands[0].type
            taken = jax.ShapeDtypeStruct(kind.shape, str(kind.element_type).replace("f", "float"))
            factor = jax.jit(partial(jax.lax.linalg.cholesky, symmetrize_input=False))
            module = hlo.Module.parse(str(factor.lower(taken).compiler_ir("stablehlo")))
            inline_calls(module, hlo)
            main = next(f for f in module.body.operations if f.attributes["sym_name"] == hlo.StringAttr.get("main"))
            replace_op(op, move_body(main.regions[0].blocks[0], op, [_same_below(op.operands[0], hlo)]))


def _same_below(matrix: Any, hlo: Any) -> Any:
    """An array with the same lower triangle and diagonal: what they are selected from, if the matrix is a selection."""
    select = maker(matrix, "stablehlo.select")
    compare = select and maker(select.operands[0], "stablehlo.compare")
    if compare is None or "GE" not in str(compare.attributes["comparison_direction"]):
        return matrix
    last = len(matrix.type.shape) - 1
    counted = [maker(value, "stablehlo.iota") for value in compare.operands]
    along = [op and hlo.IntegerAttr(op.attributes["iota_dimension"]).value for op in counted]
    return select.operands[1] if along == [last - 1, last] else matrix
