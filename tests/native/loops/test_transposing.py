"""Nests that read along one loop and write along another: whole tiles, ragged ends, and what may not be done so."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from raising import compile
from tests.native.contraction.contractions import Case, function, memref

MAPS = {
    "plain": ("ij->ji", "f32"),
    "both": ("ij,ji->ji", "f64"),
    "bytes": ("ij->ji", "i8"),
    "three": ("ij,jk,ki->ijk", "f32"),
    "turned": ("ijk->kji", "f64"),
    "channels": ("ijkl->iklj", "f32"),
    "scaled": ("ij,ji,j,i->ij", "i32"),
}
SIZES = ((33, 47, 19, 21), (16, 32, 48, 16), (1, 131, 17, 2), (129, 3, 0, 5))


def _case(name: str, sizes: tuple[int, ...], open_sizes: bool) -> Case:
    maps, element = MAPS[name]
    inputs, out = maps.split("->")[0].split(","), maps.split("->")[1]
    extents = dict(zip(sorted(set(out)), sizes, strict=False))
    dims = {letter: f"d{k}" for k, letter in enumerate(out)}
    shapes = tuple(tuple(extents[c] for c in one) for one in (*inputs, out))
    types = [memref(shape, element, open_sizes) for shape in shapes]
    every, iterators = ", ".join(dims.values()), ", ".join(['"parallel"'] * len(out))
    spelled = [f"affine_map<({every}) -> ({', '.join(dims[c] for c in one)})>" for one in (*inputs, out)]
    add, names = ("arith.addf" if element.startswith("f") else "arith.addi"), "xyzuv"
    sums = [f"%s{k} = {add} {f'%s{k - 1}' if k > 1 else '%e0'}, %e{k} : {element}" for k in range(1, len(inputs))]
    body = f"""  linalg.generic {{indexing_maps = [{", ".join(spelled)}], iterator_types = [{iterators}]}}
    ins({", ".join(f"%{names[k]}" for k in range(len(inputs)))} : {", ".join(types[:-1])})
    outs(%{names[len(inputs)]} : {types[-1]}) {{
  ^bb0({", ".join(f"%e{k}: {element}" for k in range(len(inputs)))}, %old: {element}):
    {chr(10).join(sums)}
    linalg.yield {f"%s{len(sums)}" if sums else "%e0"} : {element}
  }}
"""
    label = f"{name}_{'open' if open_sizes else 'fixed'}"
    return Case(label, function(label, types, body), shapes, partial(_expected, inputs, out), element)


def _expected(inputs: list[str], out: str, *arrays: Any) -> list[Any]:
    aligned = []
    for one, array in zip(inputs, arrays, strict=False):
        order = [one.index(c) for c in out if c in one]
        shape = [array.shape[one.index(c)] if c in one else 1 for c in out]
        aligned.append(array.transpose(order).reshape(shape))
    return [*arrays[:-1], sum(aligned) + np.zeros_like(arrays[-1])]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_it_computes_what_numpy_does(sizes: tuple[int, ...]) -> None:
    cases = [_case(name, sizes, open_sizes) for name in MAPS for open_sizes in (False, True)]
    compiled = compile("".join(case.text for case in cases), threads=2, cache=False)
    assert {case.name: case.error(compiled) for case in cases if not case.error(compiled) < 1e-6} == {}


def test_elements_that_other_iterations_write_are_not_read_in_tiles() -> None:
    kind = memref((40, 40), "f32")
    nest = """  affine.for %i = 0 to 40 {
    affine.for %j = 0 to 40 {
      %a = affine.load %x[%j, %i] : memref<40x40xf32>
      %b = affine.load %y[%i, %j] : memref<40x40xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %x[%i, %j] : memref<40x40xf32>
    }
  }
"""
    compiled = compile(function("f", [kind, kind], nest), cache=False)
    x, y = np.random.default_rng(0).random((2, 40, 40)).astype(np.float32)
    wanted = x.copy()
    for i in range(40):
        for j in range(40):
            wanted[i, j] = wanted[j, i] + y[i, j]
    compiled["f"](x, y)
    np.testing.assert_array_equal(x, wanted)
