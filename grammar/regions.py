"""Regions made of the target's own operations, for operations that take one."""

from __future__ import annotations

from collections.abc import Sequence

from affine.record import dataclass
from grammar.meaning import Production


@dataclass(frozen=True)
class Region:
    """A region made of one of the target's own operations on tensors of rank zero."""

    elements: tuple[str, ...]
    text: str


def regions(productions: Sequence[Production], terminator: str) -> tuple[Region, ...]:
    """A region per production that computes on tensors of rank zero."""
    found = []
    for p in productions:
        if p.family or p.region or any(p.meaning.maps) or not p.meaning.body.instrs:
            continue
        args = [f"%b{k}" for k in range(len(p.elements) - 1)]
        kinds = [f"tensor<{e}>" for e in p.elements]
        given = ", ".join(f"{a}: {t}" for a, t in zip(args, kinds, strict=False))
        attrs = "{" + ", ".join(f"{n} = {t}" for n, t in p.attrs) + "}"
        if not all(o.isdecimal() for o in p.operands):
            continue
        order = ", ".join(args[int(o)] for o in p.operands)
        text = (
            f"^bb0({given}):\n"
            f'%c = "{p.op}"({order}) {attrs} : ({", ".join(kinds[int(o)] for o in p.operands)}) -> {kinds[-1]}\n'
            f'"{terminator}"(%c) : ({kinds[-1]}) -> ()'
        )
        found.append(Region(p.elements, text))
    return tuple(dict.fromkeys(found))
