"""Combinational circuits as values: operations on bit-vectors, each distinct one once, in an order of computation."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from raising.support.graphs import reachable
from raising.support.record import dataclass

PREDICATES = ("eq", "slt", "sle", "ult", "ule")
SHIFTS = ("shl", "shru", "shrs")


@dataclass(frozen=True)
class Net:
    """A value of `width` bits: an operation with its numbers (`value`) on other nets.

    `in` is a port or the result of an operation that is not read (`value` says which); `zext`, `sext` widen, `ext`
    takes bits from `value` on, `lsl` shifts left by it, `cat` joins with the high part first. Comparisons have one
    bit. An amount of a shift has any width, and shifts by the width or more leave nothing (or signs), as in `comb`.
    """

    op: str
    width: int
    value: int
    args: tuple[int, ...]


class Circuit:
    """Nets by number, operands before users; `roots` are those that something outside needs."""

    def __init__(self) -> None:
        self.nets: list[Net] = []
        self.roots: list[int] = []
        self._known: dict[Net, int] = {}

    def add(self, op: str, width: int, *args: int, value: int = 0) -> int:
        """The number of a net, made if there is none like it."""
        net = Net(op, width, value, args)
        if net not in self._known:
            self._known[net] = len(self.nets)
            self.nets.append(net)
        return self._known[net]

    def const(self, value: int, width: int) -> int:
        """A constant, modulo 2 to the width."""
        return self.add("const", width, value=value % (1 << width))

    def width(self, number: int) -> int:
        """How many bits a net has."""
        return self.nets[number].width

    def used(self) -> list[int]:
        """The nets that the roots need, in order."""
        return sorted(reachable(self.roots, lambda number: self.nets[number].args))


_ALIKE: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
"""What is written alike for bit-vectors of z3 and for numbers, which are cut afterwards."""


def z3_value(net: Net, args: Sequence[Any], widths: Sequence[int], z3: Any) -> Any:
    """A net as a bit-vector of z3; `args` are its operands."""
    op, w = net.op, net.width
    if op == "const":
        return z3.BitVecVal(net.value, w)
    if op in PREDICATES:
        one, zero = z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)
        return z3.If(_compared(op, args[0], args[1], z3), one, zero)
    if op in SHIFTS:
        return _shifted(op, w, args[0], args[1], widths[1], z3)
    if op in _ALIKE:
        return _ALIKE[op](*args)
    found: dict[str, Any] = {
        "mux": lambda: z3.If(args[0] == 1, args[1], args[2]),
        "ext": lambda: z3.Extract(net.value + w - 1, net.value, args[0]),
        "cat": lambda: z3.Concat(args[0], args[1]),
        "zext": lambda: z3.ZeroExt(w - widths[0], args[0]),
        "sext": lambda: z3.SignExt(w - widths[0], args[0]),
        "lsl": lambda: args[0] << net.value,
    }
    return found[op]()


def _compared(op: str, a: Any, b: Any, z3: Any) -> Any:
    return {"eq": lambda: a == b, "slt": lambda: a < b, "sle": lambda: a <= b}.get(
        op, {"ult": lambda: z3.ULT(a, b), "ule": lambda: z3.ULE(a, b)}.get(op)
    )()  # type: ignore[misc]


def _shifted(op: str, w: int, a: Any, amount: Any, width: int, z3: Any) -> Any:
    """At the larger of both widths, so that no amount is cut."""
    wide = max(w, width)
    amount = z3.ZeroExt(wide - width, amount) if wide > width else amount
    grown = (z3.SignExt if op == "shrs" else z3.ZeroExt)(wide - w, a) if wide > w else a
    moved = {"shl": lambda: grown << amount, "shru": lambda: z3.LShR(grown, amount), "shrs": lambda: grown >> amount}
    return z3.Extract(w - 1, 0, moved[op]()) if wide > w else moved[op]()


def number_value(net: Net, args: Sequence[int], widths: Sequence[int]) -> int:
    """A net computed on numbers, each an operand's bits without a sign."""
    op, w = net.op, net.width
    if op == "const":
        return net.value
    if op in PREDICATES:
        return _holds(op, args, widths)
    if op in _ALIKE:
        return int(_ALIKE[op](*args)) % (1 << w)
    signed = [_signed(a, n) for a, n in zip(args, widths, strict=True)]
    found: Mapping[str, Any] = {
        "shl": lambda: 0 if args[1] >= w else args[0] << args[1],
        "shru": lambda: args[0] >> min(args[1], w),
        "shrs": lambda: signed[0] >> min(args[1], w),
        "mux": lambda: args[1] if args[0] else args[2],
        "ext": lambda: args[0] >> net.value,
        "cat": lambda: args[0] << widths[1] | args[1],
        "zext": lambda: args[0],
        "sext": lambda: signed[0],
        "lsl": lambda: args[0] << net.value,
    }
    return int(found[op]()) % (1 << w)


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _holds(op: str, args: Sequence[int], widths: Sequence[int]) -> int:
    one, other = (_signed(a, w) if op.startswith("s") else a for a, w in zip(args, widths, strict=True))
    return int(one == other if op == "eq" else one < other if op.endswith("lt") else one <= other)


def computed(circuit: Circuit, inputs: Mapping[int, int], wanted: Iterable[int] | None = None) -> dict[int, int]:
    """The values of nets from those of the inputs, by the number that `value` of an input says."""
    found: dict[int, int] = {}
    for number in circuit.used() if wanted is None else wanted:
        net = circuit.nets[number]
        if net.op == "in":
            found[number] = inputs[net.value] % (1 << net.width)
        else:
            found[number] = number_value(net, [found[a] for a in net.args], [circuit.width(a) for a in net.args])
    return found
