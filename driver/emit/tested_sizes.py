"""The sizes at which loops stay inside of their arrays, as conditions that can be tested (`raise --guard`).

before  func.func @f(%a: memref<?xf64>, %n: index) { a loop that stores %a[0 .. %n] }
after   the condition n <= the extent of a
"""

from __future__ import annotations

from typing import Any

from raising.affine.ir.affine_expr import Cond
from raising.affine.ir.program import Program
from raising.affine.polyhedral.chambers import outside
from raising.affine.polyhedral.scop import accesses, conjunctions, context_set

_MOST = 24  # comparisons


def inside(program: Program) -> tuple[Cond, ...] | None:
    """One conjunction of conditions on sizes under which every access stays inside of its array; None if none is known.

    Where that has several alternatives, those sizes are left out at which some loop does not run.
    """
    context, found = context_set(program), accesses(program)
    stays = busy = context
    for access in found:
        stays = stays.subtract(outside(program, access))
        busy = busy.intersect(access.domain.params())
    return _one(stays, context) or _one(stays.intersect(busy), context)


def _one(sizes: Any, context: Any) -> tuple[Cond, ...] | None:
    conds = conjunctions(sizes.coalesce().gist(context).coalesce(), ())
    return conds[0] if len(conds) == 1 and len(conds[0]) <= _MOST else None
