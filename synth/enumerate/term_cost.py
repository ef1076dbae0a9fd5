"""What a term costs: fewest operations, then fewest scalar steps, then named before generic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Compute, Program, walk
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import Instr, is_projection
from raising.grammar.terms.term import Apply, Input, Literal, Term, nodes

UNKNOWN_SIZE = 1000


@dataclass(frozen=True, order=True)
class Cost:
    """Compared in this order; `text` makes the order total, so that no tie is left to chance."""

    operations: int
    steps: int
    generic: int
    text: str


def source_sizes(values: Mapping[str, Lin]) -> dict[str, int]:
    """The sizes of the source, a typical one where they are not constant."""
    return {n: f.const if f.is_const else UNKNOWN_SIZE for n, f in values.items()}


def _is_read(node: Term) -> bool:
    """True for a copy by a map that is no projection: its users read by that map instead
    (`raising.grammar.terms.simplify`).
    """
    return isinstance(node, Apply) and not node.body.instrs and not is_projection(node.maps[0])


def quotients(term: Term) -> int:
    """How many operations of a term divide by what is no constant."""
    return sum(
        isinstance(node, Apply) and any(_is_quotient(node, i) for i in node.body.instrs) for node in nodes((term,))
    )


def _is_quotient(node: Apply, instr: Instr) -> bool:
    if instr.op not in SCALARS or SCALARS[instr.op].residue != "div":
        return False
    divisor = instr.args[1]
    return divisor >= len(node.inputs) or any(isinstance(n, Input) for n in nodes((node.inputs[divisor],)))


def quotients_of(program: Program) -> int:
    """How many operations of a program divide by what is no constant."""
    found = (n for n in walk(program.body) if isinstance(n, Compute) and n.op in SCALARS)
    divisors = [n.args[1] for n in found if SCALARS[n.op].residue == "div"]
    scalars = program.scalars
    return sum(name not in scalars or scalars[name].literal is None for name in divisors)


def measure(term: Term, values: Mapping[str, Lin], generality: Callable[[Apply], int]) -> Cost:
    """The cost of a term at the source's sizes; `generality` ranks how an application is spelled."""
    sizes = source_sizes(values)
    operations = steps = generic = 0
    for node in nodes((term,)):
        if isinstance(node, Input | Literal) or (node is not term and _is_read(node)):
            continue
        operations += 1
        if isinstance(node, Apply):
            extents = [max(1, e.evaluate(sizes)) for e in node.extents()]
            steps += prod(extents) * max(1, len(node.body.instrs))
            generic += generality(node)
    return Cost(operations, steps, generic, term.digest.hex())
