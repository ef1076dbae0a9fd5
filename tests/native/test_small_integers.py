"""Products of bytes and of 16 bits, summed in 32: packed in words, of which one instruction sums several products."""

from __future__ import annotations

import numpy as np
import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.base.target import target_for
from raising.native.compile import build
from tests.native.running import called

KINDS = {"u8": (np.uint8, "i8", "extui"), "s8": (np.int8, "i8", "extsi"), "s16": (np.int16, "i16", "extsi"),
         "u16": (np.uint16, "i16", "extui")}  # fmt: skip
ORDERS = {"nn": ("i, p", "p, j"), "tn": ("p, i", "p, j"), "nt": ("i, p", "j, p"), "tt": ("p, i", "j, p")}
X86 = "x86_64-linux-gnu"


def _text(kinds: tuple[str, str], order: str, shape: tuple[int, int, int], opened: bool = False) -> str:
    """C += A B, where C has its values from before."""
    sizes = dict(zip("ijp", ("?",) * 3 if opened else map(str, shape), strict=True))
    maps = [*ORDERS[order], "i, j"]
    elements = [*(KINDS[each][1] for each in kinds), "i32"]
    types = [f"memref<{'x'.join(sizes[d] for d in m.split(', '))}x{e}>" for m, e in zip(maps, elements, strict=True)]
    one, other = (KINDS[each][2] for each in kinds)
    affine = ", ".join(f"affine_map<(i, j, p) -> ({each})>" for each in maps)
    return f"""func.func @f(%a: {types[0]}, %b: {types[1]}, %c: {types[2]}) {{
  linalg.generic {{indexing_maps = [{affine}], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : {types[0]}, {types[1]}) outs(%c : {types[2]}) {{
  ^bb0(%x: {elements[0]}, %y: {elements[1]}, %z: i32):
    %v = arith.{one} %x : {elements[0]} to i32
    %w = arith.{other} %y : {elements[1]} to i32
    %q = arith.muli %v, %w : i32
    %s = arith.addi %z, %q : i32
    linalg.yield %s : i32
  }}
  return
}}"""


def _right(kinds: tuple[str, str], order: str, shape: tuple[int, int, int], opened: bool = False, **settings) -> bool:
    random = np.random.default_rng(sum(shape))
    sizes = dict(zip("ijp", shape, strict=True))
    operands = []
    for kind, at in zip(kinds, ORDERS[order], strict=True):
        limits = np.iinfo(KINDS[kind][0])
        extents = [sizes[d] for d in at.split(", ")]
        values = random.integers(limits.min, limits.max + 1, extents)
        values.flat[::3] = limits.min if sizes["p"] % 2 else limits.max
        operands.append(values.astype(KINDS[kind][0]))
    c = random.integers(-(2**31), 2**31, shape[:2]).astype(np.int32)
    bits = [each.view(f"i{each.itemsize}") for each in operands]  # elements of MLIR have no sign
    *_, got = called(_text(kinds, order, shape, opened), [*bits, c], **settings)
    a, b = operands
    left, right = (a.T if order[0] == "t" else a), (b.T if order[1] == "t" else b)
    return np.array_equal(got, (c + left.astype(np.int64) @ right.astype(np.int64)).astype(np.int32))


@pytest.mark.parametrize("kinds", [(a, b) for a in KINDS for b in KINDS])
def test_every_pair_of_types_modulo_two_to_the_32(kinds: tuple[str, str]) -> None:
    """At the ends of their ranges, sums of two products of 16 bits and sums over k wrap around."""
    assert _right(kinds, "nn", (19, 37, 13))


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 67, 1030])
@pytest.mark.parametrize("order", ORDERS)
def test_lengths_that_fill_no_word_and_no_vector(order: str, steps: int) -> None:
    """Arrays end where memory ends: nothing is read behind the last step."""
    assert _right(("s8", "s8"), order, (9 + steps % 7, 49, steps))


@pytest.mark.parametrize("cpu", ["x86-64-v2", "x86-64-v3", "x86-64-v4", "native"])
@pytest.mark.parametrize("order", ["nn", "nt"])
def test_every_width_of_vectors_and_threads(cpu: str, order: str) -> None:
    if cpu == "x86-64-v4" and target_for().vector_bits < 512:
        pytest.skip("this processor has no AVX-512")
    assert _right(("u8", "s8"), order, (70, 100, 530), cpu=cpu, threads=2)


@pytest.mark.parametrize("shape", [(5, 40, 70), (33, 65, 3), (1, 1, 1), (0, 9, 9), (9, 9, 0)])
def test_open_sizes(shape: tuple[int, int, int]) -> None:
    assert _right(("u8", "u8"), "nn", shape, opened=True) and _right(("s8", "s8"), "nt", shape, opened=True)


def _assembly(kinds: tuple[str, str], cpu: str, triple: str = X86) -> str:
    text = _text(kinds, "nn", (64, 64, 64))
    return build(text.encode(), "f", CompileOptions(cpu=cpu, triple=triple)).code.assembly


def test_the_instructions_of_the_target() -> None:
    assert "vpdpbusd" in _assembly(("u8", "s8"), "znver4") and "vpdpbusd" in _assembly(("s8", "s8"), "alderlake")
    for cpu in ("x86-64-v2", "x86-64-v3", "x86-64-v4"):
        code = _assembly(("u8", "s8"), cpu)
        assert "pmaddwd" in code and "vpdpbusd" not in code
    assert "vpdpwssd" in _assembly(("s16", "s16"), "znver4")  # as LLVM joins the product with the sum
    assert "pmaddwd" not in _assembly(("u16", "s16"), "x86-64-v3")
    assert "mla\tv" in _assembly(("s8", "s8"), "generic", "aarch64-linux-gnu")
