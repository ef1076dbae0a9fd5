"""Integer types without sign, in place of unsigned ones.

MLIR's arithmetic has the sign in its operations. StableHLO has it in its types: its lowering turns operations into
arithmetic between casts to the types that arguments, results and whatever carries tensors keep.
"""

from __future__ import annotations

import re
from typing import Any

from mlir import ir

from native.front import run

_UNSIGNED = re.compile(r"(?:(?<=x)|(?<![\w.]))ui(?=\d+\b)")


def drop_signs(module: Any) -> None:
    """Give every value a type without unsigned integers; casts between types that are the same then are gone."""
    if not _UNSIGNED.search(str(module)):
        return
    with module.context:
        module.operation.walk(_retype)
    run(module, "reconcile-unrealized-casts,canonicalize", "types cannot be simplified")


def _retype(op: Any) -> Any:
    for value in (*op.results, *(a for region in op.regions for block in region.blocks for a in block.arguments)):
        value.set_type(_plain(value.type))
    if op.name == "func.func":
        kind = ir.TypeAttr(op.attributes["function_type"]).value
        op.attributes["function_type"] = ir.TypeAttr.get(_plain(kind))
    return ir.WalkResult.ADVANCE


def _plain(kind: Any) -> Any:
    """A type without unsigned integers; most have none."""
    text = str(kind)
    plain = _UNSIGNED.sub("i", text)
    return kind if plain == text else ir.Type.parse(plain)
