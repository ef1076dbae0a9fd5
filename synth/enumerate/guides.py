"""Guides: what the polyhedral view of the source says about where its program lies.

Each can be switched off by its name in `raising.synth.search_options.GUIDES`, so that its worth can be measured.
"""

from __future__ import annotations

from collections import Counter

from raising.affine.ir.affine_expr import Lin
from raising.affine.polyhedral.bounding_box import box_of
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import CONSTANT
from raising.support.record import dataclass
from raising.synth.spec.schemes import Scheme
from raising.synth.spec.spec import Spec

Room = dict[Lin, int]


@dataclass(frozen=True)
class Guided:
    """The schemes to enumerate, and the number of dimensions of each extent that they may range over (None: any).

    `left_out` counts the schemes that each guide kept away.
    """

    schemes: tuple[Scheme, ...]
    room: Room | None
    left_out: dict[str, int]


def guided(spec: Spec, every: tuple[Scheme, ...], names: frozenset[str]) -> Guided:
    """The schemes of a grammar that the guides `names` allow for a specification."""
    found, left_out = every, {}
    if "operations" in names:
        allowed = _operations(spec.operations, every, spec.reduces) | {CONSTANT}
        found = tuple(s for s in found if s.operations <= allowed)
        left_out["operations"] = len(every) - len(found)
    if "reductions" in names and not spec.reduces:
        before = len(found)
        found = tuple(s for s in found if s.combiner is None)
        left_out["reductions"] = before - len(found)
    return Guided(found, loop_room(spec) if "maps" in names else None, left_out)


_RELATIVES = {"div": ("mul",), "sub": ("add", "neg")}


def _operations(operations: frozenset[str], every: tuple[Scheme, ...], reduces: bool) -> frozenset[str]:
    """The source's operations, and for one that the target cannot say alone those that it is solved by.

    What is subtracted again and again (`reduces`) is a sum that is subtracted.
    """
    alone = {s.body.instrs[0].op for s in every if len(s.body.instrs) == 1}
    found = set(operations)
    taken_off = {op for op in operations if reduces and op in SCALARS and SCALARS[op].residue == "sub"}
    for op in (operations - alone) | taken_off:
        kinds = _RELATIVES.get(SCALARS[op].residue, ()) if op in SCALARS else ()
        found |= {name for name, s in SCALARS.items() if s.residue in kinds and name[-1] == op[-1]}
    return frozenset(found)


def loop_room(spec: Spec) -> Room | None:
    """For each extent the most loops around one statement, or dimensions of one array, that have it.

    None if a statement's iterations lie in no box.
    """
    program = spec.source.program
    counts = [Counter(t.dims) for t in (spec.type, *(t.type for t in spec.inputs))]
    for statement in spec.source.scop.statements.values():
        box = box_of(statement.write.domain, program, (1,) * len(statement.write.ivs))
        if box is None:
            return None
        counts.append(Counter(high - low + 1 for low, high in zip(box.low, box.high, strict=True)))
    room: Room = {}
    for count in counts:
        for extent, n in count.items():
            room[extent] = max(n, room.get(extent, 0))
    return room
