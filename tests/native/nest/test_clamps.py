"""Clamps of floats: two bounds of a value become a minimum and a maximum, the same to the bit for every value."""

from functools import partial

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.running import isolated

VALUES = np.array(
    [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 1, -1, 2, 5.9999995, 6, 6.0000005, 7, -7]
)
BOUNDS = [(0.0, 6.0), (-0.0, 0.0), (6.0, 0.0), (2.0, 2.0)]
PREDICATES = ["ogt", "ole", "ult"]


Form = tuple[tuple[str, str], tuple[float, float], int]
"""Predicates, bounds, and whether the comparisons have the bound first (1), and selections have it last (2, 4)."""


def clamp(form: Form, name: str) -> str:
    """The operations of a form on `%x`; the last result is `%<name>1`."""
    lines = []
    for number, (predicate, bound, rest) in enumerate(zip(*form[:2], ("%x", f"%{name}0"), strict=True)):
        compared = f"%k{name}{number}, %x" if form[2] & 1 else f"%x, %k{name}{number}"
        chosen = f"{rest}, %k{name}{number}" if form[2] & (2 << number) else f"%k{name}{number}, {rest}"
        lines += [f"%k{name}{number} = arith.constant {bound} : f32",
                  f"%c{name}{number} = arith.cmpf {predicate}, {compared} : f32",
                  f"%{name}{number} = arith.select %c{name}{number}, {chosen} : f32"]  # fmt: skip
    return "\n".join(lines)


def clamps(forms: list[Form]) -> str:
    """A loop with an array for the results of each form."""
    names = [f"s{number}n" for number in range(len(forms))]
    kinds, arrays = ", ".join(["memref<?xf32>"] * len(forms)), ", ".join(f"%o{name}" for name in names)
    body = "\n".join(map(clamp, forms, names))
    return f"""
func.func @f(%a: memref<?xf32>, {", ".join(f"%o{name}: memref<?xf32>" for name in names)}) {{
  linalg.generic {{indexing_maps = [{", ".join(["affine_map<(i) -> (i)>"] * (len(forms) + 1))}],
      iterator_types = ["parallel"]}} ins(%a : memref<?xf32>) outs({arrays} : {kinds}) {{
    ^bb0(%x: f32, {", ".join(f"%old{name}: f32" for name in names)}):
      {body}
      linalg.yield {", ".join(f"%{name}1" for name in names)} : {", ".join(["f32"] * len(forms))}
  }}
  return
}}"""


def expected(form: Form) -> np.ndarray:
    """What two selections after each other give, where both compare the value itself."""
    predicates, bounds, swapped = form
    x = rest = VALUES.astype(np.float32)
    for number, (predicate, bound) in enumerate(zip(predicates, np.array(bounds, np.float32), strict=True)):
        compare = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}[predicate[1:]]
        chosen = compare(bound, x) if swapped & 1 else compare(x, bound)
        chosen |= np.isnan(x) & (predicate[0] == "u")
        rest = np.where(chosen, rest, bound) if swapped & (2 << number) else np.where(chosen, bound, rest)
    return rest


def _same_bits(predicate: str) -> None:
    for other in PREDICATES:
        forms: list[Form] = [((predicate, other), bounds, swapped) for bounds in BOUNDS for swapped in (0, 1, 2, 4, 7)]
        found = np.zeros((len(forms), len(VALUES)), np.float32)
        compile_module(clamps(forms), fp="strict")(VALUES.astype(np.float32), *found)
        for form, each in zip(forms, found, strict=True):
            assert np.array_equal(each.view(np.int32), expected(form).view(np.int32)), form


@pytest.mark.parametrize("predicate", ["olt", "ugt"])
def test_clamps_have_the_same_bits(predicate: str) -> None:
    isolated(partial(_same_bits, predicate))


@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4"])
def test_a_clamp_is_a_minimum_and_a_maximum(cpu: str) -> None:
    """Also for NaN: no lane is chosen by a comparison."""
    text = clamps([(("ogt", "olt"), (6.0, -1.0), 0)])
    found = build(text.encode(), "-", CompileOptions(cpu=cpu)).code.assembly
    assert "vmaxps" in found and "vminps" in found and "vcmp" not in found and "blendv" not in found


def _converted(target: str, bounds: tuple[int, int], places: int) -> str:
    """`%x` as an integer where it lies between bounds, in C's way: converted, widened, bounded, and narrowed."""
    extend, lines = "extui" if bounds[0] >= 0 else "extsi", [f"%w = arith.fptosi %x : f32 to i{32}"]
    lines += [f"%t = arith.trunci %w : i32 to {target}", f"%s0 = arith.{extend} %t : {target} to i32"]
    for number, (bound, predicate) in enumerate(zip(bounds, ("olt", "ogt"), strict=True), start=1):
        sides = f"%s{number - 1}, %k{number}" if places & number else f"%k{number}, %s{number - 1}"
        negated = {"olt": "uge", "ogt": "ule"}[predicate] if places & number else predicate
        lines += [f"%b{number} = arith.constant {bound}.0 : f32", f"%k{number} = arith.constant {bound} : i32",
                  f"%c{number} = arith.cmpf {negated}, %x, %b{number} : f32",
                  f"%s{number} = arith.select %c{number}, {sides} : i32"]  # fmt: skip
    lines.append(f"%r = arith.trunci %s2 : i32 to {target}")
    body = "\n".join(lines)
    return f"""func.func @f(%a: memref<?xf32>, %o: memref<?x{target}>) {{
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%a : memref<?xf32>) outs(%o : memref<?x{target}>) {{
    ^bb0(%x: f32, %old: {target}):
      {body}
      linalg.yield %r : {target} }}
  return
}}"""


@pytest.mark.parametrize("fp", ["strict", "fast"])
@pytest.mark.parametrize("places", range(4))
@pytest.mark.parametrize(
    ("target", "bounds"),
    [("i8", (0, 255)), ("i8", (-128, 127)), ("i16", (-32768, 32767)), ("i16", (0, 65535)), ("i8", (-3, 100)),
     ("i8", (-128, 255)), ("i8", (0, 256))],
)  # fmt: skip
def test_floats_are_bounded_before_they_are_converted(
    target: str, bounds: tuple[int, int], places: int, fp: str
) -> None:
    isolated(partial(_bounded, target, bounds, places, fp))


def _bounded(target: str, bounds: tuple[int, int], places: int, fp: str) -> None:
    compiled = compile_module(_converted(target, bounds, places), fp=fp)
    ends = [bound + step for bound in (*bounds, 0) for step in (-1.5, -1, -0.5, -0.0, 0.25, 1, 2.75)]
    x = np.array([*ends, 2147483000.0, -2147483000.0, 1e9, -1e9, 12.5, -12.5, *range(-300, 300, 7)], np.float32)
    kind = np.dtype(f"{'u' if bounds[0] >= 0 else ''}int{target[1:]}")
    inside = x.astype(np.int32).astype(kind).astype(np.int32)
    wanted = np.where(x > bounds[1], bounds[1], np.where(x < bounds[0], bounds[0], inside)).astype(kind)
    for n in (0, 1, 2, 3, 15, 33, len(x)):
        found = np.zeros(n, f"i{int(target[1:]) // 8}")
        compiled(x[:n].copy(), found)
        assert np.array_equal(found.view(kind), wanted[:n]), n


@pytest.mark.parametrize(("target", "bounds"), [("i8", (0, 255)), ("i16", (-32768, 32767))])
def test_such_bounds_are_a_minimum_and_a_maximum(target: str, bounds: tuple[int, int]) -> None:
    text = build(_converted(target, bounds, 0).encode(), "f", CompileOptions(cpu="x86-64-v3")).code.assembly
    assert "vminps" in text and "vmaxps" in text
    assert "vblendv" not in text
