"""Blocks of neighbouring iterations of a loop: one thread does a block, and sums have a part for each.

How a loop is cut follows from its iterations alone, and parts are joined in the order of the blocks, so that sums have
the same bits for any number of threads, one included.

    before  for i in 0 .. n: s += a[i]
    after   if one block is enough: for i in 0 .. n: s += a[i]
            else: scf.parallel over blocks: for i in the block: part[block] += a[i]
                  for each block: s += part[block]
            on one thread: for each block: part = 0; for i in the block: part += a[i]; s += part
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from raising.native.nest.mlir_builder import Carried, Lines
from raising.support.record import dataclass


@dataclass(frozen=True)
class Blocks:
    """Blocks of at least so many iterations, and at most so many of them; `parallel` if threads share them."""

    least: int
    most: int
    parallel: bool


@dataclass(frozen=True)
class Block:
    """One of them: its number, its first iteration, where it ends, and how many there are."""

    number: str
    first: str
    end: str
    count: str


@contextmanager
def _in_blocks(
    code: Lines, bounds: tuple[str, str, int], blocks: Blocks, carried: Sequence[tuple[str, str]] = ()
) -> Iterator[tuple[Block, Carried]]:
    """What is written for a block is done for each; `bounds`: from, to, and a step that divides the length.

    One thread may carry values from block to block.
    """
    low, high, step = bounds
    length = code.formula(f"{high} - {low}")
    units = f"ceildivsi({length}, {blocks.most * step})"
    size = code.formula(f"max({units} * {step}, {-(-blocks.least // step) * step})")
    count = code.formula(f"ceildivsi({length}, {size})")
    with code.loop((code.index(0), count, code.index(1)), carried, parallel=blocks.parallel, whole=True) as state:
        first = code.formula(f"{low} + {state.induction} * {size}")
        yield Block(state.induction, first, code.formula(f"min({first} + {size}, {high})"), count), state


@dataclass(frozen=True)
class _Parts:
    """Memory for one accumulator of each block, a vector or an element; the type of the memory, and of a vector."""

    name: str
    memory: str
    lanes: int
    vector: str

    @classmethod
    def allocated(cls, code: Lines, kind: str, most: int) -> _Parts:
        """New memory for accumulators of a type."""
        lanes, _, element = kind.removeprefix("vector<").removesuffix(">").rpartition("x")
        memory = f"memref<{most * int(lanes or 1)}x{element}>"
        name = code.op(f"memref.alloc() {{alignment = 64 : i64}} : {memory}")
        return cls(name, memory, int(lanes or 1), kind)

    def _access(self, code: Lines, number: str) -> tuple[str, str, str]:
        """How loads and stores say where the part of a block is: their dialect, the place, the types."""
        place = code.formula(f"{number} * {self.lanes}")
        wide = self.vector.startswith("vector")
        types = f"{self.memory}, {self.vector}" if wide else self.memory
        return "vector" if wide else "memref", f"{self.name}[{place}]", types

    def store(self, code: Lines, number: str, value: str) -> None:
        """Keep the part of a block."""
        dialect, place, types = self._access(code, number)
        code.line(f"{dialect}.store {value}, {place} : {types}")

    def load(self, code: Lines, number: str) -> str:
        """The part of a block."""
        dialect, place, types = self._access(code, number)
        return code.op(f"{dialect}.load {place} : {types}", "l")

    def free(self, code: Lines) -> None:
        """Nobody needs the memory any more."""
        code.line(f"memref.dealloc {self.name} : {self.memory}")


Steps = Callable[[str, str], list[str]]
"""Writes the iterations from and to: the accumulators after them, which began empty."""
Join = Callable[[list[str], list[str]], list[str]]
"""Writes the sums of accumulators and others."""


def done_in_blocks(
    code: Lines, bounds: tuple[str, str, int], blocks: Blocks, kinds: list[tuple[str, str]], how: tuple[Steps, Join]
) -> list[str]:
    """A loop from, to, by in blocks: its accumulators, of which `kinds` has the empty ones and their types.

    One block alone needs no division, which costs as much as 256 additions, and one thread no memory for the parts: a
    call that only might need some has a frame to set up first, as long as 50 additions take.
    """
    steps, join = how
    if not kinds:
        with _in_blocks(code, bounds, blocks) as (block, _):
            steps(block.first, block.end)
        return []
    parts = [_Parts.allocated(code, kind, blocks.most) for _, kind in kinds] if blocks.parallel else []
    types = ", ".join(kind for _, kind in kinds)
    found = code.fresh("r")
    short = code.formula(f"{bounds[1]} - {bounds[0]} <= {blocks.least}")
    code.line(f"{found}:{len(kinds)} = scf.if {short} -> ({types}) {{")
    code.line(f"scf.yield {', '.join(steps(*bounds[:2]))} : {types}")
    code.line("} else {")
    if blocks.parallel:
        results = _shared(code, bounds, blocks, kinds, parts, how)
    else:
        with _in_blocks(code, bounds, blocks, kinds) as (block, state):
            state.values[:] = join(state.start, steps(block.first, block.end))
        results = state.results
    code.line(f"scf.yield {', '.join(results)} : {types}")
    code.line("}")
    for part in parts:
        part.free(code)
    return [f"{found}#{number}" for number in range(len(kinds))]


def _shared(
    code: Lines,
    bounds: tuple[str, str, int],
    blocks: Blocks,
    kinds: list[tuple[str, str]],
    parts: list[_Parts],
    how: tuple[Steps, Join],
) -> list[str]:
    """The accumulators of blocks that threads do, each in its part of memory, joined in the order of the blocks."""
    steps, join = how
    with _in_blocks(code, bounds, blocks) as (block, _):
        for name, part in zip(steps(block.first, block.end), parts, strict=True):
            part.store(code, block.number, name)
    with code.loop((code.index(0), block.count, code.index(1)), kinds) as state:
        state.values[:] = join(state.start, [part.load(code, state.induction) for part in parts])
    return state.results
