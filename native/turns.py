"""Blocks of steps that follow one another on different threads: each waits for steps of the block before it.

Blocks are begun in their order (`native.parallel.IN_ORDER`), so the one that is waited for is done or under way.
Each thread has a number in a cache line of its own that only grows: block * steps + steps done. With as many lines as
threads, what stands in the line of a block belongs to it or, once it is done, to a later one.
"""

from __future__ import annotations

from affine.record import dataclass
from native.lines import Lines
from native.runtime import TELL, WAIT

_LINE = 8
"""Numbers in a cache line."""


@dataclass(frozen=True)
class Turns:
    """What blocks of so many steps know of each other: the name of the memory and its type."""

    code: Lines
    threads: int
    steps: int
    memory: str
    kind: str

    def wait(self, block: str, step: str) -> None:
        """Go on when the block before this one, if there is one, has done a step, or all of its steps."""
        code, one = self.code, self.code.index(1)
        done = code.op(f"arith.minsi {code.op(f'arith.addi {step}, {one} : index')}, {code.index(self.steps)} : index")
        before = code.op(f"arith.subi {block}, {one} : index")
        some = code.op(f"arith.cmpi sge, {before}, {code.index(0)} : index")
        code.do(f"scf.if {some} {{")
        self._call(WAIT, before, done)
        code.do("}")

    def tell(self, block: str, step: str) -> None:
        """A block has done a step."""
        self._call(TELL, block, self.code.op(f"arith.addi {step}, {self.code.index(1)} : index"))

    def _call(self, function: str, block: str, done: str) -> None:
        code = self.code
        line = code.op(f"arith.remui {block}, {code.index(self.threads)} : index")
        place = code.op(f"arith.muli {line}, {code.index(_LINE)} : index")
        before = code.op(f"arith.muli {block}, {code.index(self.steps)} : index")
        number = code.op(f"arith.addi {before}, {done} : index")
        code.do(f"func.call @{function}({self.memory}, {place}, {number}) : ({self.kind}, index, index) -> ()")


def turns(code: Lines, threads: int, steps: int) -> Turns:
    """Memory in which no block has done anything."""
    kind = f"memref<{threads * _LINE}xi64>"
    memory = code.op(f"memref.alloc() {{alignment = 64 : i64}} : {kind}")
    nothing = code.op("arith.constant 0 : i64")
    for thread in range(threads):
        code.do(f"memref.store {nothing}, {memory}[{code.index(thread * _LINE)}] : {kind}")
    for function in (WAIT, TELL):
        code.declare(f"func.func private @{function}({kind}, index, index)")
    return Turns(code, threads, steps, memory, kind)
