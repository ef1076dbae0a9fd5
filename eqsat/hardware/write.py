"""A circuit as operations of CIRCT's `comb`, in place of those that a module had."""

from __future__ import annotations

from collections import Counter
from typing import Any

from raising.eqsat.hardware.circuit import PREDICATES, SHIFTS, Circuit
from raising.eqsat.hardware.read import PREDICATE, Design, readable
from raising.support.graphs import postorder

_FLAT = ("add", "and", "or", "xor")


def write(design: Design, circuit: Circuit, ir: Any) -> None:
    """Compute the roots of a design by another circuit, whose roots are in the same order, and drop what is unused."""
    block = design.op.regions[0].blocks[0]
    writer = _Writer(circuit, design, ir, ir.InsertionPoint.at_block_terminator(block))
    for use, root in zip(design.uses, circuit.roots, strict=True):
        use.op.operands[use.position] = writer.value(root)
    _drop_unused(block, ir)


def _drop_unused(block: Any, ir: Any) -> None:
    left = [child.operation for child in block.operations if readable(child.operation, ir)]
    while True:
        dead = [op for op in left if not any(True for result in op.results for _ in result.uses)]
        if not dead:
            return
        left = [op for op in left if op not in dead]
        for op in dead:
            op.erase()


class _Writer:
    def __init__(self, circuit: Circuit, design: Design, ir: Any, place: Any) -> None:
        self.circuit, self.inputs, self.ir, self.place = circuit, design.inputs, ir, place
        self.values: dict[int, Any] = {}
        self.uses = Counter(a for n in circuit.used() for a in circuit.nets[n].args) + Counter(circuit.roots)

    def value(self, root: int) -> Any:
        """The value of a net, made with all that it needs."""
        for number in postorder([root], lambda n: () if n in self.values else self._args(n)[::-1]):
            if number not in self.values:
                self.values[number] = self._made(number)
        return self.values[root]

    def _args(self, number: int) -> tuple[int, ...]:
        """The operands of a net; sums of sums that nobody else uses are one."""
        net = self.circuit.nets[number]
        if net.op not in _FLAT:
            return net.args
        found: list[int] = []
        stack = list(reversed(net.args))
        while stack:
            arg = stack.pop()
            inner = self.circuit.nets[arg]
            if inner.op == net.op and self.uses[arg] == 1:
                stack += reversed(inner.args)
            else:
                found.append(arg)
        return tuple(found)

    def _made(self, number: int) -> Any:
        net = self.circuit.nets[number]
        args = [self.values[a] for a in self._args(number)]
        w = net.width
        if net.op == "in":
            return self.inputs[net.value]
        if net.op == "const":
            return self.constant(net.value, w)
        if net.op in PREDICATES:
            return self.op("comb.icmp", 1, args, predicate=f"{PREDICATE[net.op]} : i64")
        if net.op == "ext":
            return self.bits(args[0], net.value, w)
        if net.op == "lsl" and net.value:
            return self.op("comb.concat", w, [self.bits(args[0], 0, w - net.value), self.constant(0, net.value)])
        if net.op in ("zext", "sext", "lsl"):
            return self.widened(net.op, args[0], w)
        if net.op in SHIFTS:
            return self.shifted(net.op, args[0], args[1], w)
        return self.op(f"comb.{'concat' if net.op == 'cat' else net.op}", w, args)

    def op(self, name: str, width: int, args: list[Any], **attributes: str) -> Any:
        """The result of a new operation."""
        ir = self.ir
        given = {n: ir.Attribute.parse(a) for n, a in attributes.items()}
        kind = ir.IntegerType.get_signless(width)
        return ir.Operation.create(name, results=[kind], operands=args, attributes=given, ip=self.place).result

    def constant(self, value: int, width: int) -> Any:
        """A constant; as MLIR reads numbers, those of the upper half are negative."""
        signed = value - (1 << width) if value >> (width - 1) else value
        return self.op("hw.constant", width, [], value=f"{signed} : i{width}")

    def bits(self, value: Any, low: int, width: int) -> Any:
        """Some bits of a value."""
        whole = value.type.width == width
        return value if whole else self.op("comb.extract", width, [value], lowBit=f"{low} : i32")

    def widened(self, how: str, value: Any, width: int) -> Any:
        """A value with zeros or signs above."""
        has = value.type.width
        if width == has:
            return value
        if how == "zext":
            return self.op("comb.concat", width, [self.constant(0, width - has), value])
        if has == 1:
            return self.op("comb.replicate", width, [value])
        sign = self.op("comb.replicate", width - has, [self.bits(value, has - 1, 1)])
        return self.op("comb.concat", width, [sign, value])

    def shifted(self, how: str, value: Any, amount: Any, width: int) -> Any:
        """A shift at the larger width of value and amount, as `comb` has both alike."""
        wide = max(width, amount.type.width)
        grown = self.widened("sext" if how == "shrs" else "zext", value, wide)
        moved = self.op(f"comb.{how}", wide, [grown, self.widened("zext", amount, wide)])
        return self.bits(moved, 0, width)
