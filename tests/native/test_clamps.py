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
