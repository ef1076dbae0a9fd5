"""`stablehlo.sort` as a stable merge sort from the bottom up (Knuth, The Art of Computer Programming 3, 5.2.4).

Runs of w elements are merged into runs of 2w, in memory for one line, and copied back. A comparison decides which of
two elements comes next without a branch: both are always read, from clamped positions.

    before  %r = "stablehlo.sort"(%a) ({ stablehlo.compare LT, %x, %y })
    after   scf.for %width: scf.for %start by 2 * %width: scf.for %k: the lesser of the heads of two runs
"""

from __future__ import annotations

from typing import Any

from raising.native.input.stablehlo.op_builder import Build


def sort(at: Build, op: Any) -> list[Any]:
    """The sorted tensors; every line along the dimension on its own."""
    tensors = list(op.operands)
    axis = int(at.ir.IntegerAttr(op.attributes["dimension"]).value) % max(1, tensors[0].type.rank)
    block = op.regions[0].blocks[0]
    extent = at.extent(tensors[0], axis)
    others = [at.extent(tensors[0], d) for d in range(tensors[0].type.rank) if d != axis]
    spare = [_line(at, tensor, axis, extent) for tensor in tensors]

    def lines(inside: Build, where: list[Any], given: list[Any]) -> list[Any]:
        return _Line(axis, where, extent, block).sorted(inside, given)

    return at.nest(others, [*tensors, *spare], lines)[: len(tensors)]


def _line(at: Build, tensor: Any, axis: int, extent: Any) -> Any:
    """Room for one line of a tensor.

    Its elements are defined: bufferization gives loops that carry one `tensor.empty` twice the same memory twice.
    """
    kind = at.ir.RankedTensorType(tensor.type)
    line = at.ir.RankedTensorType.get([kind.shape[axis]], kind.element_type)
    cell = at.ir.RankedTensorType.get([], kind.element_type)
    zero = at.op("stablehlo.constant", [cell], [], value=at.zero(kind.element_type))[0]
    return at.op("tensor.splat", [line], [at.read(zero), *([extent] if kind.is_dynamic_dim(axis) else [])])[0]


class _Line:
    """One line of several tensors: where it is, and how elements are compared."""

    def __init__(self, axis: int, where: list[Any], extent: Any, block: Any) -> None:
        self.axis, self.where, self.extent, self.block = axis, where, extent, block

    def sorted(self, at: Build, given: list[Any]) -> list[Any]:
        """The tensors with this line sorted, and the spare lines."""
        zero, one = at.index(0), at.index(1)
        most = at.same("arith.maxsi", at.same("arith.subi", self.extent, one), zero)
        return at.loop(zero, _bits(at, most), one, given, lambda b, p, c: self._merged(b, p, most, c))

    def _merged(self, at: Build, number: Any, most: Any, given: list[Any]) -> list[Any]:
        """All pairs of runs merged, and copied back."""
        count = len(given) // 2
        tensors, spare = given[:count], given[count:]
        width = at.same("arith.shli", at.index(1), number)
        double = at.same("arith.addi", width, width)
        spare = at.loop(
            at.index(0), self.extent, double, spare, lambda b, start, c: self._pair(b, tensors, start, width, most, c)
        )

        def back(b: Build, k: Any, c: list[Any]) -> list[Any]:
            return [b.written(b.read(s, k), t, *self._at(k)) for s, t in zip(spare, c, strict=True)]

        return [*at.loop(at.index(0), self.extent, at.index(1), tensors, back), *spare]

    def _pair(self, at: Build, tensors: list[Any], start: Any, width: Any, most: Any, spare: list[Any]) -> list[Any]:
        """Two runs merged into the spare lines."""
        middle = at.same("arith.minsi", at.same("arith.addi", start, width), self.extent)
        end = at.same("arith.minsi", at.same("arith.addi", middle, width), self.extent)

        def step(b: Build, k: Any, c: list[Any]) -> list[Any]:
            left, right, *lines = c
            one, other = (
                [b.read(t, *self._at(b.same("arith.minsi", p, most))) for t in tensors] for p in (left, right)
            )
            (less,) = b.combined(self.block, [v for pair in zip(other, one, strict=True) for v in pair])
            inside, empty = b.compare("slt", right, end), b.compare("sge", left, middle)
            take = b.same("arith.ori", empty, b.same("arith.andi", inside, less))
            lines = [b.written(b.choose(take, o, v), t, k) for o, v, t in zip(other, one, lines, strict=True)]
            taken = b.op("arith.index_castui", [b.ir.IndexType.get()], [take])[0]
            advanced = b.same("arith.addi", left, b.same("arith.subi", b.index(1), taken))
            return [advanced, b.same("arith.addi", right, taken), *lines]

        return at.loop(start, end, at.index(1), [start, middle, *spare], step)[2:]

    def _at(self, position: Any) -> list[Any]:
        return [*self.where[: self.axis], position, *self.where[self.axis :]]


def _i64(at: Build) -> Any:
    return at.ir.IntegerType.get_signless(64)


def _bits(at: Build, value: Any) -> Any:
    """How many bits a position takes."""
    number = at.op("arith.index_cast", [_i64(at)], [value])[0]
    zeros = at.op("math.ctlz", [number.type], [number])[0]
    return at.same("arith.subi", at.index(64), at.op("arith.index_cast", [value.type], [zeros])[0])
