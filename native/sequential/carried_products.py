"""Products on the way from one iteration to the next: each is one operation with the sum behind it.

Of a sum of two products, one can be fused with the sum. LLVM does not ask which: where it fuses the one that does not
depend on the iteration before, the next iteration waits for a product and then for a multiply-add. Both ways round one
product less than the source does.

    before  for ... iter_args(%e): %p = mulf %e, %w; %t = mulf %a, %v; %s = addf %p, %t; yield %s
    after   for ... iter_args(%e): %t = mulf %a, %v; %s = math.fma %e, %w, %t; yield %s
"""

from __future__ import annotations

import re
from typing import Any

from mlir import ir

from raising.native.base.target import Target
from raising.support.mlir.walk import operations

_CONTRACTS = re.compile(r"\bfast>|\bcontract\b")
_SUMS = ("arith.addf", "arith.subf")


def fuse_carried_products(module: Any, target: Target) -> None:
    """Rewrite the loops of a module in place, if the processor multiplies and adds in one operation."""
    if target.fuses:
        for loop in operations(module, lambda op: op.name == "scf.for" and len(op.results) > 0):
            _fuse(loop)


def _fuse(loop: Any) -> None:
    block = loop.regions[0].blocks[0]
    inside = [view.operation for view in block.operations]
    needs = _needs(list(block.arguments)[1:], inside)
    again = _in_circles([needs.get(value, frozenset()) for value in inside[-1].operands])
    for op in inside:
        if op.name in _SUMS and _may_fuse(op):
            ways = [needs.get(value, frozenset()) & again for value in op.operands]
            place = next((k for k in (0, 1) if ways[k] and not ways[1 - k]), None)
            product = None if place is None else _product(op.operands[place], block)
            if place is not None and product is not None:
                _write(op, product, place)


def _needs(carried: list[Any], inside: list[Any]) -> dict[Any, frozenset[int]]:
    """The carried values, by number, that each value of a loop's body depends on."""
    needs = {value: frozenset({number}) for number, value in enumerate(carried)}
    for op in inside:
        used = {value for each in operations(op, lambda _: True) for value in each.operands}
        found = frozenset[int]().union(*(needs.get(value, frozenset()) for value in (*used, *op.operands)))
        needs |= dict.fromkeys(op.results, found)
    return needs


def _in_circles(needs: list[frozenset[int]]) -> frozenset[int]:
    """The carried values that depend on themselves, some iterations later: the others are what came before."""
    reach = list(needs)
    for _ in needs:
        reach = [own.union(*(reach[each] for each in own)) for own in reach]
    return frozenset(number for number, own in enumerate(reach) if number in own)


def _may_fuse(op: Any) -> bool:
    flags = str(op.attributes["fastmath"]) if "fastmath" in op.attributes else ""
    return str(op.results[0].type) in ("f32", "f64") and bool(_CONTRACTS.search(flags))


def _product(value: Any, block: Any) -> Any | None:
    """The product that a value is, if nothing else needs it."""
    owner = None if isinstance(value.owner, ir.Block) else value.owner.operation
    found = owner is not None and owner.name == "arith.mulf" and owner.block == block and _may_fuse(owner)
    return owner if found and len(list(value.uses)) == 1 else None


def _write(op: Any, product: Any, place: int) -> None:
    """A multiply-add in place of a sum, or of a difference, of which one side is a product."""
    factors, other = list(product.operands), op.operands[1 - place]
    with op.location:
        point = ir.InsertionPoint(op)

        def negative(value: Any) -> Any:
            return ir.Operation.create("arith.negf", [value.type], [value], ip=point).results[0]

        if op.name == "arith.subf":
            factors[0], other = (factors[0], negative(other)) if place == 0 else (negative(factors[0]), other)
        flags = {"fastmath": op.attributes["fastmath"]}
        made = ir.Operation.create("math.fma", [op.results[0].type], [*factors, other], flags, ip=point)
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()
    product.erase()
