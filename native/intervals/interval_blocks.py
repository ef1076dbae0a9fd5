"""Loops over the ends of intervals in blocks of both: the terms far from both ends of an interval are a product.

before  for a in 0 .. n: for b in a .. n: t[u, v] = f(t[u, v], sum of g(t[u, x], t[x + 1, v]) over u <= x < v)
after   for blocks of u and v: s[u, v] = sum over x of g(t[u, x], t[x + 1, v]), x beyond the block's u, below its v
          for each u: s[u, v] += the sum over x of the block's u, for all v at once
            for each v: t[u, v] = f(t[u, v], s[u, v]); s[u, w] += g(t[u, v], t[v + 1, w]) for all w > v

Only what the loops compute is computed, once, and a sum's terms in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from raising.native.intervals.interval_order import condition_of, in_order, touched
from raising.native.intervals.interval_sums import Loops, Sum, U, V, X, loops_of, sums_of
from raising.native.intervals.interval_terms import BLOCK, Partial, Range, TermWriter
from raising.native.nest.nest import Nest
from raising.native.nest.read_nests import Item, read_block
from raising.native.nest.read_views import Reader
from raising.native.transforms.copy_elimination import local_buffers
from raising.native.transforms.memory_writer import long_loops


def block_intervals(module: Any, fp: str) -> None:
    """Rewrite the functions of a module of memory in place. With `fp` strict, only sums whose order does not count."""
    with module.context, ir.Location.unknown():
        for loop, reader, _ in long_loops(module, 2 * BLOCK):
            loops = loops_of(loop, reader)
            if loops is not None:
                _block(loops, reader, strict=fp == "strict")


def _block(loops: Loops, reader: Reader, *, strict: bool) -> None:
    block = loops.inner.regions[0].blocks[0]
    items, local = read_block(block, reader), local_buffers(block, reader)
    sums = sums_of(loops, items, local, strict)
    found = touched(items, local, reader) if sums and _stored_last(items, sums, local) else None
    if found is not None and in_order(loops, sums, found):
        _Blocked(loops, items).write(sums)


def _stored_last(items: Sequence[Item], sums: Sequence[Sum], local: frozenset[str]) -> bool:
    """Whether an iteration stores nothing but its own values before its sums."""
    last = max(number for number, item in enumerate(items) if item.operation in [each.operation for each in sums])
    for item in items[:last]:
        roots = {w.array.root for w in item.what.writes} if isinstance(item.what, Nest) else item.what.writes
        if roots is None or not roots <= local:
            return False
    return True


class _Blocked(TermWriter):
    """Two loops on their way to be in two others over blocks of their iterations."""

    def __init__(self, loops: Loops, items: Sequence[Item]) -> None:
        super().__init__(ir.InsertionPoint(loops.outer), loops.reader)
        self.loops, self.items = loops, items
        self.names: dict[str, Any] = {}

    def write(self, sums: Sequence[Sum]) -> None:
        """Blocks, rows, and single iterations, from the outside to the inside."""
        for item in self.items:
            if item.operation.name == "memref.store":
                self._guard(item.operation)
        found = [self.partial(each) for each in sums]
        self._blocks()
        for each in found:
            self.place = ir.InsertionPoint(self.loops.outer)
            near = self._far(each)
            self.place = ir.InsertionPoint(self.loops.inner)
            self._row(each, near)
            self.place = ir.InsertionPoint(each.sum.operation)
            self._add(each)
            self.place = ir.InsertionPoint(self._end(self.loops.inner))
            self._behind(each)
            each.sum.operation.erase()

    def _end(self, loop: Any) -> Any:
        block = loop.regions[0].blocks[0]
        return block.operations[len(block.operations) - 1]

    # ---- loops --------------------------------------------------------------------------------------

    def _blocks(self) -> None:
        """Put loops over blocks around; `self.names` has what they are called: A to M, and B to N."""
        outer, inner = self.loops.outer, self.loops.inner
        low, high, _ = outer.operands
        self.names["A"], self.names["M"] = self.blocks(outer, low, high, BLOCK)
        first, last = self.names["A"], self.same("arith.subi", self.names["M"], self.index(1))
        ends = [
            [self.value(bound, {self.loops.names[0]: at}) for at in (first, last)]
            for bound in (self.loops.lows[1], self.loops.highs[1])
        ]
        least, most = (
            (self.same("arith.minsi", *each) for each in ends),
            (self.same("arith.maxsi", *each) for each in ends),
        )
        (low, self.names["least end"]), (self.names["last low"], high) = least, most
        self.names["B"], self.names["N"] = self.blocks(outer, low, high, BLOCK)
        outer.operands[0], outer.operands[1] = self.names["A"], self.names["M"]
        self.place = ir.InsertionPoint(inner)
        inner.operands[0] = self.names["b"] = self.same("arith.maxsi", inner.operands[0], self.names["B"])
        inner.operands[1] = self.names["e"] = self.same("arith.minsi", inner.operands[1], self.names["N"])

    # ---- sums ---------------------------------------------------------------------------------------

    def _far(self, part: Partial) -> tuple[Any, Any]:
        """The terms that are far from both ends, for the whole block: whether there are any, and where they begin."""
        each, names, one = part.sum, self.names, self.index(1)
        inside = self.same(
            "arith.andi",
            self.compare("sle", names["last low"], names["B"]),
            self.compare("sle", names["N"], names["least end"]),
        )
        ends = {U: self._ends(each, U, "A", "M"), V: self._ends(each, V, "B", "N")}
        part.begins[:] = [ends[U][0], ends[V][0]]
        near, (high, _) = (ends[U], ends[V])[:: each.turn]
        start = self.same("arith.subi", self.same("arith.addi", *near), one)
        some = self.same("arith.maxsi", self.same("arith.subi", high, start), self.index(0))
        count = self.one("arith.select", some.type, inside, some, self.index(0))
        self.reset(part)
        self.product(part, {**ends, X: (start, count)})
        return self.compare("sle", one, count), start if each.turn == 1 else high

    def _row(self, part: Partial, near: tuple[Any, Any]) -> None:
        """The terms that are known before the inner loop begins, for all of its iterations at once."""
        each, (far, limit) = part.sum, near
        u, first = self._now(each), self._end_at(each, V, self.names["b"])
        met = self.one("arith.select", u.type, far, limit, first)
        start, end = (u, met)[:: each.turn]
        count = self.same("arith.maxsi", self.same("arith.subi", end, start), self.index(0))
        self.terms(part, {U: (u, None), V: self._ends(each, V, "b", "e"), X: (start, count)})

    def _add(self, part: Partial) -> None:
        """The sum of an iteration, in place of the loop over it."""
        each, result = part.sum, list(part.sum.operation.operands)[-1]
        now = self.loops.inner.regions[0].blocks[0].arguments[0]
        place = self.within(part, {U: (self._now(each), None), V: (self._end_at(each, V, now), None)})
        old = self.op("memref.load", [part.element], [result])[0]
        new = self.op("memref.load", [part.element], [part.memory, *place])[0]
        self.op("memref.store", [], [self.op(each.combine.name, [part.element], [old, new])[0], result])

    def _behind(self, part: Partial) -> None:
        """What an iteration's own element is in the sums of the inner loop's later ones."""
        each, one = part.sum, self.index(1)
        now = self.loops.inner.regions[0].blocks[0].arguments[0]
        u, v = self._now(each), self._end_at(each, V, now)
        x = v if each.turn == 1 else self.same("arith.subi", v, one)
        later = self.same("arith.addi", now, one)
        left = self.same("arith.subi", self.names["e"], later)
        inside = self.compare("sle", *(u, v)[:: each.turn])
        count = self.one("arith.select", left.type, inside, left, self.index(0))
        first = later if each.turn == 1 else self.same("arith.subi", self.names["e"], one)
        self.terms(part, {U: (u, None), V: (self._end_at(each, V, first), count), X: (x, None)})

    def _now(self, each: Sum) -> Any:
        """The end that the outer loop moves, in its iteration."""
        return self._end_at(each, U, self.loops.outer.regions[0].blocks[0].arguments[0])

    def _end_at(self, each: Sum, end: int, iteration: Any) -> Any:
        """An end of the interval in an iteration of its loop."""
        return self.same("arith.subi" if _falls(each, end) else "arith.addi", self.value(each.at[end], {}), iteration)

    def _ends(self, each: Sum, end: int, low: str, high: str) -> Range:
        """The least end in iterations from one name to another, and how many there are."""
        count = self.same("arith.maxsi", self.same("arith.subi", self.names[high], self.names[low]), self.index(0))
        last = self.same("arith.subi", self.names[high], self.index(1))
        return self._end_at(each, end, last if _falls(each, end) else self.names[low]), count

    # ---- stores -------------------------------------------------------------------------------------

    def _guard(self, store: Any) -> None:
        """Let a store be where it changes anything, as blocks were allowed for."""
        if not condition_of(store, self.items, self.reader):
            return
        chosen = store.operands[0].owner.operation
        branch = ir.Operation.create("scf.if", [], [chosen.operands[0]], regions=2, ip=ir.InsertionPoint(store))
        block = branch.regions[0].blocks.append()
        done = ir.Operation.create("scf.yield", ip=ir.InsertionPoint(block))
        store.move_before(done)
        store.operands[0] = chosen.operands[1]


def _falls(each: Sum, end: int) -> bool:
    """Whether an end of the interval is less in later iterations."""
    return (end == U) == (each.turn == 1)
