"""Products of small integers that lie packed in words of 32 bits, several to a word: one instruction sums them.

before  %p = arith.muli %x, %y : i32                # of bytes, widened
        %s = arith.addi %old, %p : i32
after   %s = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%old, %x, %y)
"""

from __future__ import annotations

from raising.native.contraction.blocking import Word
from raising.native.contraction.packing import HIGHEST, WORD
from raising.native.nest.folded_lines import FoldedLines

_BYTES = "llvm.x86.avx512.vpdpbusd.{}"
_PAIRS = {128: "llvm.x86.sse2.pmadd.wd", 256: "llvm.x86.avx2.pmadd.wd", 512: "llvm.x86.avx512.pmaddw.d.512"}


def dots(code: FoldedLines, word: Word, operands: tuple[str, str], old: str, lanes: int) -> str:
    """`old` and the sums of the products of each pair of words, modulo 2^32."""
    bits, kind = lanes * WORD, f"vector<{lanes}xi{WORD}>"
    small = f"vector<{lanes * word.steps}xi{WORD // word.steps}>"
    one, other = (code.op(f"vector.bitcast {each} : {kind} to {small}") for each in operands)
    if word.steps == 4:
        without, signed = (other, one) if word.turned else (one, other)
        types = f"({kind}, {small}, {small}) -> {kind}"
        return code.op(f'llvm.call_intrinsic "{_BYTES.format(bits)}"({old}, {without}, {signed}) : {types}')
    types = f"({small}, {small}) -> {kind}"
    found = code.op(f'llvm.call_intrinsic "{_PAIRS[bits]}"({one}, {other}) : {types}')
    return code.op(f"arith.addi {old}, {found} : {kind}")


def flips(code: FoldedLines, kind: str) -> str:
    """What flipping the highest bit of each byte of A adds to it or subtracts from it, as words."""
    return code.constant(f"dense<{HIGHEST}> : {kind}")
