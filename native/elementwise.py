"""Chains of elementwise tensor operations become one operation each, so that what is between them needs no memory.

Contractions keep their names meanwhile: an operand that is computed element by element
would otherwise be computed again for each use of its elements.
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects.transform import interpreter

from affine.accumulating import read_apart
from native.front import run

_UNARY = "exp log abs ceil floor negf reciprocal round sqrt rsqrt square tanh erf copy broadcast transpose map fill"
_BINARY = "elementwise add sub mul div div_unsigned max min powf select"
ELEMENTWISE = tuple(f"linalg.{name}" for name in f"{_UNARY} {_BINARY}".split())
"""Named operations of linalg that compute each element of the result from one of each operand."""

_SEQUENCE = """
module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{
    %found = transform.structured.match ops{{[{names}]}} in %root : (!transform.any_op) -> !transform.any_op
    %generic = transform.structured.generalize %found : (!transform.any_op) -> !transform.any_op
    transform.yield
  }}
}}"""


def fuse_elementwise(module: Any) -> None:
    """Rewrite a module of tensor operations in place."""
    with module.context, ir.Location.unknown():
        sequence = ir.Module.parse(_SEQUENCE.format(names=", ".join(f'"{name}"' for name in ELEMENTWISE)))
        main = sequence.body.operations[0]
        interpreter.apply_named_sequence(module.operation, main.operation, sequence.operation)
        read_apart(module)
    run(module, "linalg-fuse-elementwise-ops,canonicalize,cse", "elementwise operations cannot be fused")
