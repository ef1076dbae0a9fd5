"""Circuits of `hw.module`s: operations of CIRCT's `comb` as nets, everything else where it is.

An operation that is not known here keeps its place: its results are inputs of the circuit, what it uses are roots. So
are registers and instances, whose cycles are none of the circuit's. Values have two states: no X, no Z.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from raising.eqsat.hardware.circuit import Circuit
from raising.support.mlir.walk import blocks_of
from raising.support.record import dataclass

MODULE = "hw.module"
_FOLDED = {"comb.add": "add", "comb.mul": "mul", "comb.and": "and", "comb.or": "or", "comb.xor": "xor"}
_PLAIN = {"comb.sub": "sub", "comb.mux": "mux", "comb.shl": "shl", "comb.shru": "shru", "comb.shrs": "shrs"}
PREDICATE = {"eq": 0, "slt": 2, "sle": 3, "ult": 6, "ule": 7}
_NAMES = {n: name for name, n in PREDICATE.items()}
_SWAPPED = {4: "slt", 5: "sle", 8: "ult", 9: "ule"}
_NOT_EQUAL = 1


class CombinationalCycle(Exception):
    """A value needs itself, and no register is between."""


@dataclass(frozen=True)
class Use:
    """The operand of an operation that stays, and the net that it is."""

    op: Any
    position: int
    net: int


@dataclass(frozen=True)
class Design:
    """The circuit of one module; `inputs` are the values that its inputs stand for."""

    name: str
    op: Any
    circuit: Circuit
    inputs: tuple[Any, ...]
    uses: tuple[Use, ...]


def modules(op: Any) -> Iterator[Any]:
    """The `hw.module`s in an operation."""
    for block in blocks_of(op):
        for child in block.operations:
            if child.operation.name == MODULE:
                yield child.operation
            else:
                yield from modules(child.operation)


def design_of(op: Any, ir: Any) -> Design:
    """Read a module; `CombinationalCycle` if one value needs itself.

    Inputs are numbered and uses ordered by the operations that stay, so that a module that was written again compares
    with what it was.
    """
    block = op.regions[0].blocks[0]
    staying = [c.operation for c in block.operations if not readable(c.operation, ir)]
    inputs = [*block.arguments, *(v for stays in staying for v in stays.results)]
    own = {*inputs, *(v for child in block.operations for v in child.operation.results)}
    reader = _Reader(ir, inputs)
    uses = []
    for user in (o for stays in staying for o in (stays, *_inside(stays))):
        for position, value in enumerate(user.operands):
            if width_of(value.type, ir) and value in own:
                uses.append(Use(user, position, reader.net(value)))
    reader.circuit.roots = [use.net for use in uses]
    return Design(ir.StringAttr(op.attributes["sym_name"]).value, op, reader.circuit, tuple(inputs), tuple(uses))


def _inside(op: Any) -> Iterator[Any]:
    """The operations in the regions of an operation; CIRCT's have no `walk`."""
    for block in blocks_of(op):
        for child in block.operations:
            yield child.operation
            yield from _inside(child.operation)


def width_of(kind: Any, ir: Any) -> int:
    """The bits of a value, 0 if it is none of bits."""
    return int(kind.width) if isinstance(kind, ir.IntegerType) and kind.is_signless else 0


def readable(op: Any, ir: Any) -> bool:
    """Whether an operation is a net: one that is known, on bits, and of two states."""
    if op.name not in READERS or not all(width_of(v.type, ir) for v in (*op.operands, *op.results)):
        return False
    return op.name != "comb.icmp" or int(ir.IntegerAttr(op.attributes["predicate"]).value) <= max(_SWAPPED)


class _Reader:
    def __init__(self, ir: Any, inputs: Sequence[Any]) -> None:
        self.ir, self.circuit = ir, Circuit()
        self.inputs = {value: n for n, value in enumerate(inputs)}
        self.known: dict[Any, int] = {}
        self.open: set[Any] = set()

    def net(self, value: Any) -> int:
        """The net of a value, those it needs first; without recursion, as circuits are deep."""
        stack = [value]
        while stack:
            top = stack[-1]
            if top in self.known:
                stack.pop()
                continue
            op = None if top in self.inputs else top.owner.operation
            missing = [o for o in op.operands if o not in self.known] if op is not None else []
            if missing:
                if top in self.open:
                    raise CombinationalCycle
                self.open.add(top)
                stack += missing
                continue
            self.known[top] = self._made(top, op)
            stack.pop()
        return self.known[value]

    def _made(self, value: Any, op: Any) -> int:
        width = width_of(value.type, self.ir)
        if op is None:
            return self.circuit.add("in", width, value=self.inputs[value])
        return READERS[op.name](self, op, width, [self.known[o] for o in op.operands])

    def number(self, op: Any, name: str) -> int:
        return int(self.ir.IntegerAttr(op.attributes[name]).value)

    def constant(self, op: Any, width: int, _: list[int]) -> int:
        return self.circuit.const(self.number(op, "value"), width)

    def folded(self, op: Any, width: int, args: list[int]) -> int:
        found = args[0]
        for other in args[1:]:
            found = self.circuit.add(_FOLDED[op.name], width, found, other)
        return found

    def plain(self, op: Any, width: int, args: list[int]) -> int:
        name = _PLAIN[op.name]
        amount = self.circuit.nets[args[1]]
        if name.startswith("sh") and amount.op == "const":
            return shifted(self.circuit, name, width, args[0], amount.value)
        if name.startswith("sh") and amount.op == "zext":
            args = [args[0], *amount.args]
        return self.circuit.add(name, width, *args)

    def compared(self, op: Any, _: int, args: list[int]) -> int:
        which = self.number(op, "predicate")
        if which == _NOT_EQUAL:
            equal = self.circuit.add("eq", 1, *args)
            return self.circuit.add("xor", 1, equal, self.circuit.const(1, 1))
        if which in _SWAPPED:
            return self.circuit.add(_SWAPPED[which], 1, *reversed(args))
        return self.circuit.add(_NAMES[which], 1, *args)

    def extracted(self, op: Any, width: int, args: list[int]) -> int:
        return bits(self.circuit, args[0], self.number(op, "lowBit"), width)

    def joined(self, _: Any, __: int, args: list[int]) -> int:
        found = args[-1]
        for high in reversed(args[:-1]):
            found = joined(self.circuit, high, found)
        return found

    def repeated(self, op: Any, width: int, args: list[int]) -> int:
        if self.circuit.width(args[0]) == 1:
            return widened(self.circuit, "sext", args[0], width)
        return self.joined(op, width, args * (width // self.circuit.width(args[0])))


READERS: dict[str, Callable[[_Reader, Any, int, list[int]], int]] = {
    "hw.constant": _Reader.constant,
    **dict.fromkeys(_FOLDED, _Reader.folded),
    **dict.fromkeys(_PLAIN, _Reader.plain),
    "comb.icmp": _Reader.compared,
    "comb.extract": _Reader.extracted,
    "comb.concat": _Reader.joined,
    "comb.replicate": _Reader.repeated,
}


def bits(circuit: Circuit, net: int, low: int, width: int) -> int:
    """Some bits of a net."""
    return net if width == circuit.width(net) else circuit.add("ext", width, net, value=low)


def widened(circuit: Circuit, how: str, net: int, width: int) -> int:
    """A net with zeros or signs above."""
    return net if width == circuit.width(net) else circuit.add(how, width, net)


def shifted(circuit: Circuit, how: str, width: int, net: int, amount: int) -> int:
    """A net shifted by a constant."""
    if how == "shl":
        return circuit.add("lsl", width, net, value=amount) if amount < width else circuit.const(0, width)
    if amount >= width and how == "shru":
        return circuit.const(0, width)
    left = max(width - amount, 1)
    return widened(circuit, "zext" if how == "shru" else "sext", bits(circuit, net, width - left, left), width)


def joined(circuit: Circuit, high: int, low: int) -> int:
    """Two nets side by side: zeros or signs above, zeros below, or both as they are."""
    one, other = circuit.nets[high], circuit.nets[low]
    width = one.width + other.width
    if one.op == "const" and one.value == 0:
        return circuit.add("zext", width, low)
    sign = circuit.nets[one.args[0]] if one.op == "sext" else one
    if sign.op == "ext" and sign.args == (low,) and sign.width == 1 and sign.value == other.width - 1:
        return circuit.add("sext", width, low)
    if other.op == "const" and other.value == 0:
        if one.op == "ext" and one.value == 0 and circuit.width(one.args[0]) == width:
            return circuit.add("lsl", width, one.args[0], value=other.width)
        return circuit.add("lsl", width, circuit.add("zext", width, high), value=other.width)
    return circuit.add("cat", width, high, low)
