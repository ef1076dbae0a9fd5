"""Sequential loops: a part of which each iteration needs the one before it becomes a loop over tensors.

Which loop that is follows from the dependences (`raising.affine.polyhedral.sequential_loops`). Its body is a program
again, with the loop's variable as a size, and is solved as any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import Lin, between, var
from raising.affine.ir.program import Loop, Node, Program
from raising.affine.polyhedral.distribution import Distribution, Part
from raising.affine.polyhedral.sequential_loops import Carrier, carrier, private, sequential_loops
from raising.grammar.terms.term import Input, Recur, Step, Term, nodes
from raising.segment.compose_parts import Solved
from raising.support.record import dataclass
from raising.synth.spec.spec import type_of

MAX_KEPT = 4  # loops that stay, one inside of the other


@dataclass(frozen=True)
class Body:
    """A program to be solved, over the contents before it; those of arrays in `undefined` are nobody's."""

    program: Program
    values: Mapping[str, Lin]
    undefined: frozenset[str]


@dataclass(frozen=True)
class Recurrence:
    """A part as a loop that stays, and what one iteration of it does to the arrays it carries."""

    part: Part
    loop: Loop
    program: Program
    carried: tuple[str, ...]
    undefined: frozenset[str]
    in_place: bool
    carrier: Carrier | None

    def body(self, values: Mapping[str, Lin]) -> Body:
        """The terms of one iteration."""
        return Body(self.program, {**values, self.loop.iv: var(self.loop.iv)}, self.undefined)

    def solved(self, terms: Mapping[str, Term]) -> dict[str, Solved]:
        """The contents that the loop leaves behind, from the effect of one iteration."""
        before = tuple(Input(type_of(self.program, a), a) for a in self.carried)
        results = tuple(terms.get(a, i) for a, i in zip(self.carried, before, strict=True))
        read = {t.name: t for t in nodes(results) if isinstance(t, Input)}
        given = tuple(read[n] for n in sorted(read) if n not in self.carried)
        loop = self.loop
        step = Step(loop.iv, loop.lower, loop.upper, loop.step, before, given, results)
        return {
            array: Solved(self.part, array, Recur(before[k].type, step, before, given, k), None, whole=True)
            for k, array in enumerate(self.carried)
        }


def recurrences(part: Part, distribution: Distribution, deadline: float) -> Iterator[Recurrence]:
    """A part as a loop that stays, in the ways that are worth trying; none if there is no loop around all of it."""
    program = part.program
    if len(program.outer) >= MAX_KEPT:
        return
    for kept in sequential_loops(program, deadline):
        whole = replace(program, body=(replace(kept.loop, body=kept.body),))
        local = private(whole, kept.loop.iv)
        carried = tuple(a for a in sorted(part.outputs) if a not in local or is_needed(a, part, distribution))
        body = _inside(program, kept.loop, kept.body, frozenset(carried))
        yield Recurrence(part, kept.loop, body, carried, local - set(carried), kept.in_place, carrier(whole))


def is_needed(array: str, part: Part, distribution: Distribution) -> bool:
    """True if an array's contents after the part are read, kept or added to."""
    version = part.outputs[array]
    if array in distribution.scop.program.live_out or distribution.final[array].count > version.count:
        return True
    others = [p for p in distribution.parts if p is not part]
    return any(given.version.array == array for p in others for given in p.inputs)


def _inside(program: Program, loop: Loop, body: tuple[Node, ...], live: frozenset[str]) -> Program:
    """The body of a loop as a program: the loop's variable is a size, within its bounds."""
    return replace(
        program,
        body=body,
        live_out=live,
        sizes=(*program.sizes, loop.iv),
        context=(*program.context, *between(loop.iv, loop.lower, loop.upper)),
        outer=(*program.outer, loop),
    )
