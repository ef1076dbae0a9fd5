"""Blocks of neighbouring iterations of a loop: one thread does a block, and sums have a part for each.

How a loop is cut follows from its iterations alone, and parts are joined in the order of the blocks, so that sums have
the same bits for any number of threads, one included.

    before  for i in 0 .. n: s += a[i]
    after   scf.parallel over blocks: for i in the block: part[block] += a[i]
            for each block: s += part[block]
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from raising.native.nest.mlir_builder import Lines
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
def in_blocks(code: Lines, bounds: tuple[str, str, int], blocks: Blocks) -> Iterator[Block]:
    """What is written for a block is done for each; `bounds`: from, to, and a step that divides the length."""
    low, high, step = bounds
    length = code.op(f"arith.subi {high}, {low} : index")
    units = code.op(f"arith.ceildivsi {length}, {code.index(blocks.most * step)} : index")
    wanted = code.op(f"arith.muli {units}, {code.index(step)} : index")
    size = code.op(f"arith.maxsi {wanted}, {code.index(-(-blocks.least // step) * step)} : index")
    count = code.op(f"arith.ceildivsi {length}, {size} : index")
    with code.loop((code.index(0), count, code.index(1)), parallel=blocks.parallel) as state:
        before = code.op(f"arith.muli {state.induction}, {size} : index")
        first = code.op(f"arith.addi {low}, {before} : index")
        end = code.op(f"arith.addi {first}, {size} : index")
        yield Block(state.induction, first, code.op(f"arith.minsi {end}, {high} : index"), count)


@dataclass(frozen=True)
class Parts:
    """Memory for one accumulator of each block, a vector or an element; the type of the memory, and of a vector."""

    name: str
    memory: str
    lanes: int
    vector: str

    @classmethod
    def allocated(cls, code: Lines, kind: str, most: int) -> Parts:
        """New memory for accumulators of a type."""
        lanes, _, element = kind.removeprefix("vector<").removesuffix(">").rpartition("x")
        memory = f"memref<{most * int(lanes or 1)}x{element}>"
        name = code.op(f"memref.alloc() {{alignment = 64 : i64}} : {memory}")
        return cls(name, memory, int(lanes or 1), kind)

    def _access(self, code: Lines, number: str) -> tuple[str, str, str]:
        """How loads and stores say where the part of a block is: their dialect, the place, the types."""
        place = code.op(f"arith.muli {number}, {code.index(self.lanes)} : index")
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
