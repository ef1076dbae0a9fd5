"""Sums in which an instruction joins neighbouring lanes: what is added, and the lines that add it.

before  %p = arith.muli %x, %y : vector<16xi32>                        # of 16-bit numbers, widened
        %s = arith.addi %old, %p : vector<16xi32>
after   %p = llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"(%x, %y) : vector<16xi32>    # of 32 of each
        %s = arith.addi %old, %p : vector<16xi32>
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from raising.native.loops.vector_ops import Lane, element_bits, vector_type, widened
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Nest, Scalar
from raising.support.record import dataclass


@dataclass(frozen=True)
class Instruction:
    """Lanes of so many `bits` become sums of `into` bits; `names` by the bits of a vector.

    It has two operands; `other` is every element of the second where a sum has one.
    """

    bits: int
    into: int
    names: tuple[tuple[int, str], ...]
    other: int


DIFFERENCES = Instruction(
    8, 64, ((128, "llvm.x86.sse2.psad.bw"), (256, "llvm.x86.avx2.psad.bw"), (512, "llvm.x86.avx512.psad.bw.512")), 0
)
"""Eight absolute differences of bytes without a sign."""
PRODUCTS = Instruction(
    16, 32, ((128, "llvm.x86.sse2.pmadd.wd"), (256, "llvm.x86.avx2.pmadd.wd"), (512, "llvm.x86.avx512.pmaddw.d.512")), 1
)
"""Two products of numbers with a sign, modulo 2^32."""


@dataclass(frozen=True)
class Grouped:
    """A sum of a nest: what an instruction makes of each of its `terms`, which have one operand or two.

    The operands are values of a `body` in place of the nest's, on the bits of the instruction's lanes.
    """

    instruction: Instruction
    body: tuple[Scalar, ...]
    terms: tuple[tuple[str, ...], ...]

    def kind(self, lanes: int) -> str:
        """The type of the sums of so many lanes."""
        return f"vector<{lanes * self.instruction.bits // self.instruction.into}xi{self.instruction.into}>"

    def add(self, code: Lines, old: str, values: Callable[[str], Lane], point: tuple[int, str | None]) -> str:
        """`old` and the sums of a vector of points: of so many lanes, those of the mask."""
        lanes, mask = point
        instruction = self.instruction
        kind, sums = vector_type(f"i{instruction.bits}", lanes), self.kind(lanes)
        for term in self.terms:
            operands = [widened(code, values(name), lanes) for name in term]
            if mask is not None:
                zero = code.op(f"arith.constant dense<0> : {kind}")
                types = f"vector<{lanes}xi1>, {kind}"
                operands = [code.op(f"arith.select {mask}, {each}, {zero} : {types}") for each in operands]
            if len(operands) == 1:
                operands.append(code.op(f"arith.constant dense<{instruction.other}> : {kind}"))
            name = dict(instruction.names)[lanes * instruction.bits]
            found = code.op(f'llvm.call_intrinsic "{name}"({", ".join(operands)}) : ({kind}, {kind}) -> {sums}')
            old = code.op(f"arith.addi {old}, {found} : {sums}")
        return old

    def total(self, code: Lines, sums: str, lanes: int, element: str) -> str:
        """All sums in one number, modulo what its type holds."""
        into = self.instruction.into
        total = code.op(f"vector.reduction <add>, {sums} : {self.kind(lanes)} into i{into}")
        return total if element_bits(element) == into else code.op(f"arith.trunci {total} : i{into} to {element}")


def added(nest: Nest, elements: tuple[str, ...]) -> str | None:
    """What a nest adds to its only result, which has one of these types; None if it does another thing."""
    write, result = nest.writes[0], nest.yields[0]
    if len(nest.writes) != 1 or write.array.element not in elements or write not in nest.reads:
        return None
    own, last = f"in{nest.reads.index(write)}", nest.body[int(result[1:])] if result[0] == "v" else None
    if last is None or last.name != "arith.addi" or last.args.count(own) != 1:
        return None
    (term,) = (arg for arg in last.args if arg != own)
    return None if own in leaves(nest.body, [term]) else term


def leaves(body: Sequence[Scalar], names: Iterable[str]) -> list[str]:
    """What values of a body are made of: reads, and scalars from around the nest."""
    found, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += body[int(name[1:])].args if name[0] == "v" else ()
    return sorted(each for each in found if each[0] != "v")
