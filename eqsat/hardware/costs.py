"""What operations on bit-vectors cost: gates (`area`) and levels of gates on the longest way (`delay`).

Formulas by width, fitted to what Yosys makes of one operation at 4 to 64 bits (AND, XOR, MUX and inverters): prefix
adders, products as sums of rows of ANDs, comparisons and shifters as trees. Only bits that can be set count, and a
constant operand costs nothing. Sums that stay open cost a row of full adders for each operand; `sum` adds their carries
up once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from raising.eqsat.egraph.engine import Ref, Row
from raising.support.record import dataclass

LEAST = 1e-3
"""Of what is a wire: among equals the shorter term, and no cycle is free."""

_FULL, _ADDER, _LESS, _EQUAL, _PRODUCT, _NEGATED = 7.3, 8.5, 8.3, 3.5, 8.0, 1.4  # gates for a bit, or for two


@dataclass(frozen=True)
class Cost:
    """Gates, and levels from the last operand to the result."""

    area: float
    delay: float


_WIRE = Cost(LEAST, LEAST)


@dataclass(frozen=True)
class Operand:
    """The bits of an operand that can be set, and how many ones it has if it is a constant."""

    bits: int
    ones: int | None = None


def adder(bits: int) -> Cost:
    """What a prefix adder of so many bits costs."""
    return Cost(max(_ADDER * bits - 10, 3.0 * bits), max(2.0, 8 * math.log2(max(bits, 1)) - 7))


def _less(args: Sequence[Operand], _: int) -> Cost:
    bits = max(a.bits for a in args)
    share = 0.5 if _constants(args) else 1.0
    return Cost(share * _LESS * max(bits, 1), 4 * math.log2(max(bits, 1)) + 2)


def _equal(args: Sequence[Operand], _: int) -> Cost:
    bits = max(a.bits for a in args)
    return Cost((0.3 if _constants(args) else 1.0) * _EQUAL * max(bits, 1), math.log2(max(bits, 1)) + 2)


def _constants(args: Sequence[Operand]) -> int:
    return sum(a.ones is not None for a in args)


def _gate(args: Sequence[Operand], width: int) -> Cost:
    if _constants(args):
        return Cost(0.5 * min(a.bits for a in args if a.ones is None), 1.0) if _constants(args) == 1 else _WIRE
    return Cost(float(max(1, min(width, *(a.bits for a in args)))), 1.0)


def _xor(args: Sequence[Operand], width: int) -> Cost:
    ones = [a.ones for a in args if a.ones is not None]
    return Cost(float(sum(ones)) if ones else float(max(1, min(a.bits for a in args))), 1.0)


def _mux(args: Sequence[Operand], width: int) -> Cost:
    share = {0: 1.0, 1: 0.8, 2: 0.2}[_constants(args[1:])]
    return Cost(share * max(1, *(a.bits for a in args[1:])), 1.0)


def _shift(args: Sequence[Operand], width: int) -> Cost:
    levels = min(args[1].bits, max(1, math.ceil(math.log2(width + 1))))
    return Cost(float(width * levels), levels + 1.0)


def _row(args: Sequence[Operand], width: int) -> Cost:
    """One more operand for an open sum."""
    last = args[-1]
    bits = last.bits if last.ones is None else 0.5 * last.ones
    return Cost(max(1.0, _FULL * min(bits, width)), 2.0)


def _product(args: Sequence[Operand], width: int) -> Cost:
    """Rows of ANDs, those beyond the width left out, as an open sum; only rows where a constant has ones."""
    one, other = sorted(args, key=lambda a: (a.ones is None, a.bits))
    if one.ones is not None:
        rows = max(0, one.ones - 2)
        return Cost(max(LEAST, _FULL * rows * other.bits), max(LEAST, 2.0 * rows))
    ands = sum(min(other.bits, max(0, width - n)) for n in range(one.bits))
    levels = 8.3 * math.log2(max(one.bits, 1)) - 18.5
    return Cost(max(1.0, _PRODUCT * ands - _ADDER * min(width, one.bits + other.bits)), max(1.0, levels))


_COSTS: dict[str, Callable[[Sequence[Operand], int], Cost]] = {
    "and": _gate,
    "or": _gate,
    "xor": _xor,
    "mux": _mux,
    **dict.fromkeys(("shl", "shru", "shrs"), _shift),
    **dict.fromkeys(("ult", "ule", "slt", "sle"), _less),
    "eq": _equal,
    "pair": lambda _, __: _WIRE,
    "apart": lambda args, _: Cost(1.0 * args[-1].bits, 1.0),
    "prod": _product,
    "more": _row,
    "less": lambda _, width: Cost(_FULL * width, 2.5),
    "join": lambda _, width: Cost(2 * _FULL * width, 4.0),
    "sum": lambda _, width: adder(width),
}
CLOSED = ("add", "sub", "mul")
"""Operations that cost what their open form does, and are written from that."""


class Costs:
    """The costs of the rows of a saturated e-graph."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.most = {r.inputs[0]: int(r.output) for r in rows if r.name == "h.max"}
        self.products = {r.output: r for r in rows if r.name == "h.prod"}
        self.constants = {r.output: int(r.inputs[1]) for r in rows if r.name == "h.const"}

    def of(self, row: Row) -> Cost:
        """The cost of one row; `inf` for what is written in its open form only."""
        op = row.name[2:]
        if op in CLOSED:
            return Cost(math.inf, math.inf)
        if op == "minus":
            return self._minus(int(row.inputs[0]), row.inputs[1])
        cost = _COSTS.get(op)
        if cost is None:
            return _WIRE
        args = [self._operand(i) for i in row.inputs if isinstance(i, Ref)]
        width = int(row.inputs[0])
        if isinstance(row.output, Ref) and row.output in self.most:
            width = min(width, max(1, self.most[row.output].bit_length()))
        return cost(args, width)

    def _minus(self, width: int, opened: Any) -> Cost:
        """An open sum negated: its rows are inverted, and those of a product have no zeros above any more."""
        product = self.products.get(opened)
        pairs = 1
        if product is not None:
            pairs = math.prod(self._operand(i).bits for i in product.inputs[1:])
        return Cost(max(2.0 * width, _NEGATED * pairs), 1.0)

    def _operand(self, ref: Ref) -> Operand:
        value = self.constants.get(ref)
        bits = self.most.get(ref, 0).bit_length()
        return Operand(bits, None if value is None else value.bit_count())
