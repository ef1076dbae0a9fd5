"""Sums of products of 16-bit numbers: right modulo 2^32 for every type and length, and one instruction for two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.base.target import target_for
from raising.native.compile import build
from tests.native.running import called

X86 = "x86_64-linux-gnu"


def _extended(a: str, b: str, element: str, rest: str) -> str:
    return f"""
    %x = arith.{a} %a : {element} to i32
    %y = arith.{b} %b : {element} to i32
    {rest}"""


PRODUCT = "%v = arith.muli %x, %y : i32"
SQUARE = "%d = arith.subi %x, %y : i32\n    %v = arith.muli %d, %d : i32"
FORMS = {  # the elements, what is added, and whether pairs of products do it
    "s8": ("i8", _extended("extsi", "extsi", "i8", PRODUCT), lambda a, b, _: a * b, True),
    "u8": ("i8", _extended("extui", "extui", "i8", PRODUCT), lambda a, b, _: (a & 255) * (b & 255), True),
    "u8 s8": ("i8", _extended("extui", "extsi", "i8", PRODUCT), lambda a, b, _: (a & 255) * b, True),
    "s16": ("i16", _extended("extsi", "extsi", "i16", PRODUCT), lambda a, b, _: a * b, True),
    "u16": ("i16", _extended("extui", "extui", "i16", PRODUCT), lambda a, b, _: (a & 65535) * (b & 65535), False),
    "u16 s16": ("i16", _extended("extui", "extsi", "i16", PRODUCT), lambda a, b, _: (a & 65535) * b, False),
    "differences": ("i8", _extended("extui", "extui", "i8", SQUARE), lambda a, b, _: ((a & 255) - (b & 255)) ** 2,
                    True),
    "wide differences": ("i16", _extended("extsi", "extsi", "i16", SQUARE), lambda a, b, _: (a - b) ** 2, False),
    "plain": ("i16", "%v = arith.extsi %a : i16 to i32", lambda a, b, _: a, True),
    "without a sign": ("i16", "%v = arith.extui %a : i16 to i32", lambda a, b, _: a & 65535, False),
    "bytes": ("i8", "%v = arith.extsi %a : i8 to i32", lambda a, b, _: a, True),
    "wrapped": ("i16", "%m = arith.muli %a, %b : i16\n    %v = arith.extsi %m : i16 to i32",
                lambda a, b, _: (a * b).astype(np.int16), True),
    "turned": ("i8", """
    %x = arith.extui %a : i8 to i16
    %y = arith.extui %b : i8 to i16
    %m = arith.muli %x, %y : i16
    %v = arith.extsi %m : i16 to i32""", lambda a, b, _: ((a & 255) * (b & 255)).astype(np.int16), True),
    "two": ("i16", _extended("extsi", "extsi", "i16", """
    %m = arith.muli %x, %y : i32
    %n = arith.muli %y, %y : i32
    %o = arith.addi %m, %n : i32
    %v = arith.addi %o, %x : i32"""), lambda a, b, _: a * b + b * b + a, True),
    "by a number": ("i16", """
    %x = arith.extsi %a : i16 to i32
    %c = arith.constant -77 : i32
    %v = arith.muli %x, %c : i32""", lambda a, b, _: -77 * a, True),
    "by a large number": ("i16", """
    %x = arith.extsi %a : i16 to i32
    %c = arith.constant 32768 : i32
    %v = arith.muli %x, %c : i32""", lambda a, b, _: 32768 * a, False),
    "by an argument": ("i16", """
    %x = arith.extsi %a : i16 to i32
    %y = arith.extsi %k : i16 to i32
    %v = arith.muli %x, %y : i32""", lambda a, b, k: a * k, True),
    "of a wide argument": ("i16", """
    %x = arith.extsi %a : i16 to i32
    %v = arith.muli %x, %wide : i32""", lambda a, b, k: a * k, False),
}  # fmt: skip


def _text(form: str, rows: bool, sizes: tuple[int, int] | None = None) -> str:
    """Sums of all elements of two arrays, or of each row, added to what the result has."""
    element, body, *_ = FORMS[form]
    widths = "?x?" if sizes is None else f"{sizes[0]}x{sizes[1]}"
    shape, result = f"memref<{widths}x{element}>", f"memref<{widths.split('x')[0] + 'x' if rows else ''}i32>"
    return f"""func.func @f(%p: {shape}, %q: {shape}, %k: i16, %wide: i32, %r: {result}) {{
  linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> ({"i" if rows else ""})>],
      iterator_types = ["{"parallel" if rows else "reduction"}", "reduction"]}}
      ins(%p, %q : {shape}, {shape}) outs(%r : {result}) {{
  ^bb0(%a: {element}, %b: {element}, %s: i32):
    {body}
    %t = arith.addi %s, %v : i32
    linalg.yield %t : i32
  }}
  return
}}"""


def _right(form: str, rows: bool, shape: tuple[int, int], fixed: bool = False, **settings: Any) -> bool:
    kind = np.dtype(f"int{FORMS[form][0][1:]}")
    limits, random = np.iinfo(kind), np.random.default_rng(shape[1])
    one, other = (random.integers(limits.min, limits.max, shape, kind, endpoint=True) for _ in range(2))
    for each in (one, other):
        each.flat[::2], each.flat[1::4] = limits.min, limits.max  # pairs of the least numbers: 2^31 wraps around
    factor = -3
    start = random.integers(-(2**31), 2**31, shape[:1] if rows else ()).astype(np.int32)
    wanted = FORMS[form][2](one.astype(np.int64), other.astype(np.int64), factor)
    wanted = start + wanted.sum(axis=1 if rows else None, dtype=np.int64)
    text = _text(form, rows, shape if fixed else None)
    found = called(text, [one, other, factor, factor, start], **settings)[4]
    return np.array_equal(found, wanted.astype(np.int32))


@pytest.mark.parametrize("form", FORMS)
def test_sums_of_every_form_and_length(form: str) -> None:
    for shape in [(1, 0), (0, 3), (1, 1), (2, 31), (5, 32), (9, 67), (3, 1000), (1, 70001)]:
        assert _right(form, shape[0] % 2 == 0, shape) and _right(form, True, shape)


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3", "x86-64-v4", "native"])
@pytest.mark.parametrize("form", ["s8", "s16", "differences", "two", "by an argument"])
def test_every_width_of_vectors(cpu: str, form: str) -> None:
    if cpu == "x86-64-v4" and target_for().vector_bits < 512:
        pytest.skip("this processor has no AVX-512")
    assert all(_right(form, rows, (8, n), True, cpu=cpu) for n in (5, 33, 130) for rows in (False, True))
    assert _right(form, True, (8, 1003), cpu=cpu, threads=2)


@pytest.mark.parametrize("form", FORMS)
def test_one_instruction_for_two_products(form: str) -> None:
    def code(cpu: str, triple: str = X86) -> str:
        options = CompileOptions(cpu=cpu, triple=triple, fp="strict")
        return build(_text(form, False).encode(), "f", options).code.assembly

    pairs = FORMS[form][3]
    assert all(("pmaddwd" in code(cpu)) == pairs for cpu in ("x86-64", "x86-64-v3", "x86-64-v4"))
    assert ("vpdpwssd" in code("znver4")) == pairs  # as LLVM joins it with the sum
    assert "pmaddwd" not in code("generic", "aarch64-linux-gnu")
