"""Preconditions of operations that are not defined on all numbers: division, shifts, conversions of floats.

A division of floats by an integer, as of a sum by how much was added, is no real number where that is 0; where its
result is only chosen from, nobody asks.

Where an operation of the source is not defined, the target may do anything. An operation of the target has to be
defined wherever the source is (`raising.validate.proof.definedness`).
"""

from __future__ import annotations

from collections.abc import Iterator

from raising.affine.ir.integer_functions import DIVISIONS, SHIFTS, SPANS
from raising.affine.ir.integer_types import is_integer, limits, width
from raising.affine.ir.program import Compute, Guard, Loop, Node, Program, Store, walk
from raising.affine.ir.spans import Span
from raising.affine.ir.value_names import computes_of
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.base.assumption import Assumption
from raising.validate.run.run import elements_of

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

    def assumption(self, side: str, where: Loc) -> Assumption:
        """The assumption that the operation is defined."""
        return Assumption("defined", self.text, where, side)


def preconditions(program: Program) -> list[Precondition]:
    """The operations that may not be defined, as far as ranges of types and constants do not say so."""
    spans = _Spans(program)
    computed = [n for n in walk(program.body) if isinstance(n, Compute)]
    return [Precondition(n, values, text, n) for n in computed for values, text in _of(n, spans)] + [
        Precondition(n, (number,), "the divisor of arith.divf is not zero", asked)
        for n in computed
        if n.op == "arith.divf" and (number := spans.counted(n.args[1]))
        for asked in _asked(n, program)
    ]


def _of(node: Compute, spans: _Spans) -> Iterator[tuple[tuple[str, ...], str]]:
    if node.op in DIVISIONS:
        zero, too_large = spans.may_be(node.args[1], 0), DIVISIONS[node.op] and spans.overflows(node)
        if too_large:
            yield node.args, f"the divisor of {node.op} is not zero and its quotient is in {node.element}"
        elif zero:
            yield node.args[1:], f"the divisor of {node.op} is not zero"
    elif node.op in SHIFTS:
        bits = width(node.element)
        low, high = spans.of(node.args[1])
        if not 0 <= low <= high < bits:
            yield node.args[1:], f"{node.op} is by less than {bits}"
    elif node.op == "math.ipowi" and spans.of(node.args[1])[0] < 0 and spans.may_be(node.args[0], 0):
        yield node.args, "math.ipowi takes no negative power of zero"
    elif node.op in CONVERSIONS and not spans.converts(node):
        yield node.args, f"{node.op} gives a number in the range of {node.element}"


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
    return (node.value,) if isinstance(node, Store) else node.args[: 1 if node.op == "arith.select" else None]


# ---- ranges --------------------------------------------------------------------------------------


class _Spans:
    """Between which numbers integers stay, by their types and by the operations that they come from."""

    def __init__(self, program: Program) -> None:
        self.program, self.elements = program, elements_of(program)
        self.nodes = computes_of(program)
        self.known: dict[str, Span] = {}

    def of(self, name: str) -> Span:
        """The least and the largest number that a value may be."""
        if name not in self.known:
            whole = _whole(self.elements[name])
            low, high = self._made(name) or whole
            self.known[name] = (low, high) if whole[0] <= low and high <= whole[1] else whole
        return self.known[name]

    def _made(self, name: str) -> Span | None:
        scalar, node = self.program.scalars.get(name), self.nodes.get(name)
        if scalar is not None and scalar.literal is not None:
            number = int(scalar.literal)
            return (abs(number), abs(number)) if scalar.element == "i1" else (number, number)
        if node is None or not all(is_integer(self.elements[a]) for a in node.args):
            return None
        spans = [self.of(a) for a in node.args]
        if node.op == "arith.extui":
            return spans[0] if spans[0][0] >= 0 else limits(self.elements[node.args[0]], False)
        return SPANS[node.op](*spans) if node.op in SPANS else None

    def may_be(self, name: str, number: int) -> bool:
        """True if a value may be that number."""
        low, high = self.of(name)
        return low <= number <= high

    def overflows(self, node: Compute) -> bool:
        """True if the least number of the type may be divided by -1."""
        return self.may_be(node.args[1], -1) and self.may_be(node.args[0], _whole(node.element)[0])

    def counted(self, name: str) -> str:
        """The integer that a float was, if it may be 0; empty for any other."""
        made = self.nodes.get(name)
        counts = made is not None and made.op in ("arith.sitofp", "arith.uitofp") and self.may_be(made.args[0], 0)
        return made.args[0] if made is not None and counts else ""

    def converts(self, node: Compute) -> bool:
        """True if a float was an integer of a type that fits."""
        made = self.nodes.get(node.args[0])
        if made is None or made.op not in ("arith.sitofp", "arith.uitofp"):
            return False
        low, high = self.of(made.args[0])
        least, most = limits(node.element, node.op == "arith.fptosi")
        return (made.op == "arith.sitofp" or low >= 0) and least <= low and high <= most and high < 1 << 24


def _whole(element: str) -> Span:
    """All numbers of a type."""
    return limits(element) if is_integer(element) and element != "i1" else (0, 1)
