"""Products of bytes and of 16 bits, summed in 32: one instruction sums several; and sums of bytes."""

from __future__ import annotations

from typing import Any

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


ABSOLUTE = {
    "negated": """
    %x = arith.extui %a : i8 to i32
    %y = arith.extui %b : i8 to i32
    %d = arith.subi %x, %y : i32
    %c = arith.constant 0 : i32
    %less = arith.cmpi slt, %d, %c : i32
    %n = arith.subi %c, %d : i32
    %v = arith.select %less, %n, %d : i32""",
    "chosen": """
    %x = arith.extui %a : i8 to i32
    %y = arith.extui %b : i8 to i32
    %over = arith.cmpi ugt, %a, %b : i8
    %d = arith.subi %x, %y : i32
    %e = arith.subi %y, %x : i32
    %v = arith.select %over, %d, %e : i32""",
    "narrow": """
    %h = arith.maxui %a, %b : i8
    %l = arith.minui %a, %b : i8
    %d = arith.subi %h, %l : i8
    %v = arith.extui %d : i8 to i32""",
    "plain": "%v = arith.extui %a : i8 to i32",
    "signed": """
    %x = arith.extsi %a : i8 to i32
    %y = arith.extsi %b : i8 to i32
    %d = arith.subi %x, %y : i32
    %v = math.absi %d : i32""",
    "squared": """
    %x = arith.extui %a : i8 to i32
    %y = arith.extui %b : i8 to i32
    %d = arith.subi %x, %y : i32
    %v = arith.muli %d, %d : i32""",
}


def _bytes_text(form: str, element: str, rows: bool, sizes: tuple[int, int] | None = None) -> str:
    """Sums of bytes into what the result holds: of an array, or of each of its rows."""
    widths = "?x?" if sizes is None else f"{sizes[0]}x{sizes[1]}"
    shape, result = f"memref<{widths}xi8>", f"memref<{widths.split('x')[0] + 'x' if rows else ''}{element}>"
    outer = "parallel" if rows else "reduction"
    wide = "" if element == "i32" else f"%u = arith.extsi %v : i32 to {element}"
    return f"""func.func @f(%p: {shape}, %q: {shape}, %r: {result}) {{
  linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> ({"i" if rows else ""})>], iterator_types = ["{outer}", "reduction"]}}
      ins(%p, %q : {shape}, {shape}) outs(%r : {result}) {{
  ^bb0(%a: i8, %b: i8, %s: {element}):
    {ABSOLUTE[form]}
    {wide}
    %t = arith.addi %s, {"%u" if wide else "%v"} : {element}
    linalg.yield %t : {element}
  }}
  return
}}"""


def _bytes_wanted(form: str, one: Any, other: Any) -> Any:
    signed = form == "signed"
    a, b = (each.view(np.int8 if signed else np.uint8).astype(np.int64) for each in (one, other))
    return a if form == "plain" else (a - b) ** 2 if form == "squared" else np.abs(a - b)


def _bytes_right(form: str, element: str, rows: bool, shape: tuple[int, int], start: int, **settings: Any) -> bool:
    """Whether sums of all kinds of bytes, added to `start`, are those of NumPy with the width's wrap-around."""
    kind = np.dtype(f"int{element[1:]}")
    rng = np.random.default_rng(shape[1])
    one, other = (rng.integers(0, 256, shape).astype(np.uint8).view(np.int8) for _ in range(2))
    result = np.full(shape[:1] if rows else (), start, kind)
    wanted = np.int64(start) + _bytes_wanted(form, one, other).sum(axis=1 if rows else None)
    fixed = shape if settings.pop("fixed", False) else None
    found = called(_bytes_text(form, element, rows, fixed), [one, other, result], **settings)[2]
    return bool(np.array_equal(found, wanted.astype(kind)))


@pytest.mark.parametrize("form", ABSOLUTE)
def test_sums_of_bytes_for_every_pair(form: str) -> None:
    one, other = (np.ascontiguousarray(each).astype(np.uint8).view(np.int8) for each in np.indices((256, 256)))
    found = called(_bytes_text(form, "i32", False), [one, other, np.zeros((), np.int32)])[2]
    assert found == _bytes_wanted(form, one, other).sum()


@pytest.mark.parametrize("shape", [(1, 0), (0, 1), (1, 1), (3, 63), (9, 65), (5, 1000), (1, 70001)])
def test_sums_of_bytes_of_every_length(shape: tuple[int, int]) -> None:
    assert _bytes_right("negated", "i32", False, shape, 2**31 - 5) and _bytes_right("plain", "i64", True, shape, -7)
    assert _bytes_right("chosen", "i32", True, shape, -3) and _bytes_right("narrow", "i64", False, shape, 2**62)


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("rows", [False, True])
def test_sums_of_bytes_by_every_width_of_vectors(cpu: str, rows: bool) -> None:
    if cpu == "x86-64-v4" and target_for().vector_bits < 512:
        pytest.skip("this processor has no AVX-512")
    assert all(_bytes_right("negated", "i32", rows, (8, n), 5, cpu=cpu, fixed=True) for n in (15, 16, 33, 130))
    assert _bytes_right("plain", "i32", rows, (8, 1003), -1, cpu=cpu, threads=2)


def test_one_instruction_sums_differences_of_bytes() -> None:
    def code(form: str, cpu: str, triple: str = X86) -> str:
        text = _bytes_text(form, "i32", False).encode()
        return build(text, "f", CompileOptions(cpu=cpu, triple=triple, fp="strict")).code.assembly

    for form in ("negated", "chosen", "narrow", "plain"):
        assert "psadbw" in code(form, "x86-64") and "psadbw" in code(form, "x86-64-v4")
    assert "psadbw" not in code("squared", "x86-64-v4") + code("signed", "x86-64-v4")
    assert "psadbw" not in code("negated", "generic", "aarch64-linux-gnu")


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("element", ["i8", "i64"])
@pytest.mark.parametrize("count", [0, 1, 203])
def test_a_choice_by_a_comparison_reduces_as_it_is_written(count: int, element: str, turned: bool) -> None:
    tests = {"sgt": 1, "sge": 1, "slt": -1, "sle": -1, "ugt": 1, "uge": 1, "ult": -1, "ule": -1}
    kind = np.dtype(f"i{int(element[1:]) // 8}")
    x = np.random.default_rng(count).integers(np.iinfo(kind).min, np.iinfo(kind).max, count, kind, endpoint=True)
    for test, sign in tests.items():
        sides = "%o, %a" if turned else "%a, %o"
        text = f"""func.func @f(%x: memref<?x{element}>, %m: memref<{element}>) {{
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}}
    ins(%x : memref<?x{element}>) outs(%m : memref<{element}>) {{
  ^bb0(%a: {element}, %o: {element}):
    %c = arith.cmpi {test}, %a, %o : {element}
    %r = arith.select %c, {sides} : {element}
    linalg.yield %r : {element}
  }}
  return
}}"""
        *_, got = called(text, [x, np.array(7, kind)])
        all_bits = np.append(x, kind.type(7)).view(f"u{kind.itemsize}" if test[0] == "u" else kind)
        want = (all_bits.max() if (sign > 0) != turned else all_bits.min()).astype(kind)
        assert got == want, test
