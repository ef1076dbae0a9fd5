"""Preconditions of operations that are not defined on all numbers: division, shifts, conversions of floats.

A division of floats by an integer, as of a sum by how much was added, is no real number where that is 0; where its
result is only chosen from, nobody asks.

Where an operation of the source is not defined, the target may do anything. An operation of the target has to be
defined wherever the source is (`raising.validate.proof.definedness`).
"""

from __future__ import annotations

from collections.abc import Iterator

from raising.affine.ir.integer_functions import DIVISIONS, SHIFTS
from raising.affine.ir.integer_types import limits, width
from raising.affine.ir.program import Compute, Guard, Loop, Node, Program, Store, walk
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.base.assumption import Assumption
from raising.validate.run.integer_spans import IntegerSpans, of_type

CONVERSIONS = ("arith.fptosi", "arith.fptoui")


@dataclass(frozen=True)
class Precondition:
    """An operation that may not be defined: what it is, the values that decide it, and what has to hold, in words.

    It has to be wherever `asked` runs, which is the operation itself, or what its result is for.
    """

    node: Compute
    values: tuple[str, ...]
    text: str
    asked: Compute | Store

    def assumption(self, where: Loc) -> Assumption:
        """The assumption that the operation of the source is defined."""
        return Assumption("defined", self.text, where, "source")


def preconditions(program: Program) -> list[Precondition]:
    """The operations that may not be defined, as far as ranges of types and constants do not say so."""
    spans = IntegerSpans(program)
    computed = [n for n in walk(program.body) if isinstance(n, Compute)]
    return [Precondition(n, values, text, n) for n in computed for values, text in _of(n, spans)] + [
        Precondition(n, (number,), "the divisor of arith.divf is not zero", asked)
        for n in computed
        if n.op == "arith.divf" and (number := _integer_that_may_be_zero(n.args[1], spans))
        for asked in _asked(n, program)
    ]


def _of(node: Compute, spans: IntegerSpans) -> Iterator[tuple[tuple[str, ...], str]]:
    """The values on which it depends whether an operation is defined, and what has to hold of them."""
    if node.op in DIVISIONS:
        if DIVISIONS[node.op] and _overflows(node, spans):
            yield node.args, f"the divisor of {node.op} is not zero and its quotient is in {node.element}"
        elif spans.may_be(node.args[1], 0):
            yield node.args[1:], f"the divisor of {node.op} is not zero"
    elif node.op in SHIFTS:
        bits = width(node.element)
        low, high = spans.of(node.args[1])
        if not 0 <= low <= high < bits:
            yield node.args[1:], f"{node.op} is by less than {bits}"
    elif node.op == "math.ipowi" and spans.of(node.args[1])[0] < 0 and spans.may_be(node.args[0], 0):
        yield node.args, "math.ipowi takes no negative power of zero"
    elif node.op in CONVERSIONS and not _fits(node, spans):
        yield node.args, f"{node.op} gives a number in the range of {node.element}"


def _overflows(node: Compute, spans: IntegerSpans) -> bool:
    """True if the least number of the type may be divided by -1."""
    return spans.may_be(node.args[1], -1) and spans.may_be(node.args[0], of_type(node.element)[0])


def _integer_that_may_be_zero(name: str, spans: IntegerSpans) -> str:
    """The integer that a float was, if it may be 0; empty for any other."""
    made = spans.made_of_integer(name)
    return made.args[0] if made is not None and spans.may_be(made.args[0], 0) else ""


def _fits(node: Compute, spans: IntegerSpans) -> bool:
    """True if a float that is converted was an integer that the type holds, and that floats hold exactly."""
    made = spans.made_of_integer(node.args[0])
    if made is None:
        return False
    low, high = spans.of(made.args[0])
    least, most = limits(node.element, node.op == "arith.fptosi")
    return (made.op == "arith.sitofp" or low >= 0) and least <= low and high <= most and high < 1 << 24


def _asked(node: Compute, program: Program) -> list[Compute | Store]:
    """The operations that use the result of an operation; for a use in inner loops, the first operation there."""
    found: dict[int, Compute | Store] = {}
    names = [node.dst]
    for name in names:
        for user, together in _users(program.body, name):
            if isinstance(user, Store) and together:
                found[id(node)] = node
            elif isinstance(user, Compute) and together:
                names += [user.dst] if user.dst not in names else []
            else:
                found[id(user)] = user
    return list(found.values())


def _users(nodes: tuple[Node, ...], name: str) -> Iterator[tuple[Compute | Store, bool]]:
    """The operations and stores of a value, and whether they are in the block that it is computed in; not choices."""
    here = any(isinstance(n, Compute) and n.dst == name for n in nodes)
    for n in nodes:
        if isinstance(n, Loop | Guard):
            yield from _users(n.body, name)
        elif isinstance(n, Compute | Store) and name in _needed(n):
            yield n, here


def _needed(node: Compute | Store) -> tuple[str, ...]:
    """The values that it takes to do what it is for: a choice need not have what it chooses from."""
    return (node.value,) if isinstance(node, Store) else node.args[: 1 if node.op == "arith.select" else None]
