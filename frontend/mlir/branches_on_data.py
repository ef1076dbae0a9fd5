"""Branches on data whose sides may both be evaluated: what they leave is selected, as `arith.select` would have it.

before  %y = scf.if %c -> f32 { scf.yield (arith.negf %x) } else { scf.yield %x }
after   n = arith.negf(x); y = arith.select(c, n, x)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raising.affine.ir.affine_expr import Cond, Lin, const
from raising.affine.ir.constraints import possible
from raising.affine.ir.integer_functions import DIVISIONS
from raising.affine.ir.program import Compute, IndexValue, Load, Node, Store
from raising.frontend.mlir.attributes import Refusal, location
from raising.frontend.mlir.loop_nest import NestReader

_Place = tuple[str, tuple[Lin, ...]]


def selected(r: NestReader, op: Any) -> None:
    """An `scf.if` on data; `Refusal` if some side may not be evaluated where it is not chosen."""
    cells = [r.carried(str(v.type), op) for v in op.results]
    blocks = [region.blocks[0] if len(region.blocks) else None for region in op.regions]
    r.flat.uncertain += 1
    sides = [
        () if block is None else r.collected(lambda block=block: r.block(block, cells))  # type: ignore[misc]
        for block in blocks
    ]
    r.flat.uncertain -= 1
    condition = r.name_of(op.operands[0], op)
    certain = _places(r.nodes) | {(cell, ()) for cell in cells} | (_places(sides[0]) & _places(sides[1]))
    finals = [_evaluated(r, op, side, certain, (condition, k == 0)) for k, side in enumerate(sides)]
    chosen: dict[_Place, str] = {}
    for place in dict.fromkeys([*finals[0], *finals[1]]):
        values = [f[place] if place in f else r.load(*place, location(op)) for f in finals]
        chosen[place] = r.computed("arith.select", (condition, *values), r.arrays[place[0]].element, op)
    for place, name in chosen.items():
        if place[0] not in cells:
            r.store(*place, name, location(op))
    for result, cell in zip(op.results, cells, strict=True):
        r.data[result] = chosen[cell, ()]


def _refusal(op: Any) -> Refusal:
    return Refusal(location(op), "a branch depends on data; write it as arith.select")


def _places(nodes: Sequence[Node]) -> set[_Place]:
    """The memory that is accessed whenever these nodes run."""
    return {(n.array, n.subscripts) for n in nodes if isinstance(n, Load | Store)}


def _evaluated(
    r: NestReader, op: Any, side: Sequence[Node], certain: set[_Place], when: tuple[str, bool]
) -> dict[_Place, str]:
    """A side without its stores, appended; what it leaves at each place. It is taken `when` a value is that.

    An integer divisor is 1 where the side is not taken.
    """
    final: dict[_Place, str] = {}
    held: dict[str, str] = {}
    for node in side:
        match node:
            case Compute():
                args = tuple(held.get(a, a) for a in node.args)
                if node.op in DIVISIONS:
                    one = r.constant("1", node.element)
                    pair = (args[1], one) if when[1] else (one, args[1])
                    args = args[0], r.computed("arith.select", (when[0], *pair), node.element, op)
                r.nodes.append(Compute(node.dst, node.op, args, node.attrs, node.element, node.loc))
            case IndexValue():
                r.nodes.append(node)
            case Load() | Store():
                place = node.array, node.subscripts
                if not (place in certain or _inside(r, place)) or any(_unclear(place, other) for other in final):
                    raise _refusal(op)
                if isinstance(node, Store):
                    final[place] = held.get(node.value, node.value)
                elif place in final:
                    held[node.dst] = final[place]
                else:
                    r.nodes.append(node)
            case _:
                raise _refusal(op)
    return final


def _inside(r: NestReader, place: _Place) -> bool:
    """True if the loops around keep an access within the array; of what is read at positions, nobody knows."""
    array, subscripts = place
    if r.arrays[array].gathered is not None:
        return False

    def never(form: Lin) -> bool:
        return not possible([(Cond(const(-1) - form),)], r.known)

    return all(never(s) and never(e - const(1) - s) for s, e in zip(subscripts, r.arrays[array].shape, strict=True))


def _unclear(a: _Place, b: _Place) -> bool:
    """True if two places may be one or two."""
    if a[0] != b[0] or a == b:
        return False
    gaps = [x - y for x, y in zip(a[1], b[1], strict=True)]
    return not any(g.is_const and g.const != 0 for g in gaps)
