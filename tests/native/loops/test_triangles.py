"""A loop goes only where a condition over its counters lets it do something."""

import itertools
from functools import partial

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.guarded import guarded
from tests.native.running import isolated

SIZES = ((0, 5), (5, 0), (1, 1), (3, 9), (8, 8), (17, 40), (40, 17), (33, 33))
PREDICATES = {"sge": np.greater_equal, "slt": np.less, "eq": np.equal}


def _text(predicate: str, offset: int, element: str, loops: str) -> str:
    add, mul = ("addf", "mulf") if element.startswith("f") else ("addi", "muli")
    zero = "0.0" if element.startswith("f") else "0"
    read = "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>"
    written = "affine_map<(i, j) -> (i)>" if "reduction" in loops else "affine_map<(i, j) -> (i, j)>"
    value = f"%k = arith.select %c, %x, %zero : {element} %t = arith.{mul} %k, %y : {element}"
    result = f"%r = arith.{add} %o, %t : {element}"
    if "reduction" not in loops:
        value, result = (
            f"%t = arith.{mul} %x, %y : {element} %s = arith.{add} %o, %t : {element}",
            (f"%r = arith.select %c, %s, %o : {element}"),
        )
    out = f"memref<?x{element}>" if "reduction" in loops else f"memref<?x?x{element}>"
    return f"""func.func @f(%a: memref<?x?x{element}>, %x: memref<?x{element}>, %out: {out}) {{
  %zero = arith.constant {zero} : {element}
  linalg.generic {{indexing_maps = [{read}, {written}], iterator_types = ["parallel", "{loops}"]}}
    ins(%a, %x : memref<?x?x{element}>, memref<?x{element}>) outs(%out : {out}) {{
  ^bb0(%x_: {element}, %y: {element}, %o: {element}):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %b = arith.constant {offset} : index
    %c = arith.cmpi {predicate}, %d, %b : index
    {value.replace("%x,", "%x_,")}
    {result}
    linalg.yield %r : {element} }}
  return
}}"""


@pytest.mark.parametrize("fp", ["strict", "reassoc", "fast"])
@pytest.mark.parametrize("loops", ["parallel", "reduction"])
@pytest.mark.parametrize("element", ["f64", "i16"])
def test_triangles_and_bands_of_any_size(element: str, loops: str, fp: str) -> None:
    isolated(partial(_triangles, element, loops, fp))


def _triangles(element: str, loops: str, fp: str) -> None:
    for threads, cpu in ((1, "native"), (2, "x86-64-v3")):
        for predicate, offset in (("sge", 0), ("slt", -3), ("eq", 1)):
            text = _text(predicate, offset, element, loops)
            compiled = compile_module(text, threads=threads, fp=fp, cpu=cpu)
            for n, m in SIZES:
                _check(compiled, (n, m), PREDICATES[predicate], offset, (element, loops))


@pytest.mark.parametrize("loops", ["parallel", "reduction"])
@pytest.mark.parametrize("size", [7, 64])
def test_triangles_and_bands_of_sizes_that_are_numbers(size: int, loops: str) -> None:
    """A loop that ends with its condition had all iterations of its extent if that was a number: whole rows changed."""
    isolated(partial(_of_numbers, size, loops))


def _of_numbers(size: int, loops: str) -> None:
    for cpu, row in itertools.product(("native", "x86-64-v3"), ("%i", "%e")):
        for predicate, offset in (("sge", 0), ("slt", -3), ("eq", 1)):
            text = _text(predicate, offset, "i16", loops).replace("?", str(size))
            text = text.replace("%d = arith.subi %i,", f"%e = arith.constant 4 : index %d = arith.subi {row},")
            holds = PREDICATES[predicate] if row == "%i" else partial(_of_last, PREDICATES[predicate])
            _check(compile_module(text, cpu=cpu), (size, size), holds, offset, ("i16", loops))


@pytest.mark.parametrize("loops", ["parallel", "reduction"])
@pytest.mark.parametrize("sign", ["add", "sub"])
def test_an_argument_bounds_the_loop(sign: str, loops: str) -> None:
    """Antidiagonals, which end where an argument says: they took the work of the whole matrix."""
    isolated(partial(_of_arguments, sign, loops))


def _of_arguments(sign: str, loops: str) -> None:
    for cpu, predicate in itertools.product(("native", "x86-64-v3"), PREDICATES):
        text = _text(predicate, 0, "i16", loops).replace("%b = arith.constant 0 : index", "")
        text = text.replace(") {\n  %zero", ", %b: index) {\n  %zero", 1).replace("subi %i, %j", f"{sign}i %i, %j")
        compiled = compile_module(text, cpu=cpu)
        for (n, m), k in itertools.product(SIZES, (-50, -9, -1, 0, 1, 7, 16, 45, 90)):
            places = {"add": np.add, "sub": np.subtract}[sign].outer(np.arange(n), np.arange(m))
            holds = partial(_of_places, PREDICATES[predicate], places)
            _check(lambda *arrays, k=k, f=compiled: f(*arrays, k), (n, m), holds, k, ("i16", loops))


def _of_places(predicate, places, distance, offset):  # type: ignore[no-untyped-def]
    return predicate(places, offset)


def _of_last(predicate, distance, offset):  # type: ignore[no-untyped-def]
    """The same of the row at 4 in place of each."""
    return predicate(distance[4:5] + 0 * distance, offset)


def _check(compiled, sizes, predicate, offset, form) -> None:  # type: ignore[no-untyped-def]
    (n, m), (element, loops) = sizes, form
    kind = {"f64": np.float64, "i16": np.int16}[element]
    rng = np.random.default_rng(n * 100 + m)
    a, x = rng.integers(-99, 99, (n, m)).astype(kind), rng.integers(-99, 99, m).astype(kind)
    o = rng.integers(-99, 99, n if loops == "reduction" else (n, m)).astype(kind)
    holds = predicate(np.arange(n)[:, None] - np.arange(m), offset)
    terms = np.where(holds, a * x, 0).astype(kind)
    expected = (o + (terms.sum(axis=1) if loops == "reduction" else terms)).astype(kind)
    found = guarded(o.copy())
    compiled(guarded(a), guarded(x), found)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("loops", ["parallel", "reduction"])
def test_a_loop_ends_where_its_triangle_does(loops: str) -> None:
    """Without the bound the inner loop has the whole row's extent, and no minimum of it and the row's number."""
    text = _text("sge", 0, "f64", loops)
    options = CompileOptions(fp="fast")
    assert "arith.minsi" in build(text.encode(), "f.mlir", options).mlir
    assert "arith.minsi" not in build(text.replace("sge, %d", "sge, %b").encode(), "f.mlir", options).mlir


_PAIRS = """func.func @f(%x: memref<?x{t}>, %out: memref<?x{t}>) {{
  %zero = arith.constant {zero} : {t}
  linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}}
    ins(%x, %x : memref<?x{t}>, memref<?x{t}>) outs(%out : memref<?x{t}>) {{
  ^bb0(%far: {t}, %near: {t}, %o: {t}):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi {predicate}, %i, %j : index
    %d = arith.sub{k} %far, %near : {t}
    %s = arith.select %c, %d, %zero : {t}
    %r = arith.add{k} %o, %s : {t}
    linalg.yield %r : {t} }}
  return
}}"""


@pytest.mark.parametrize("element", ["f64", "f32", "i16"])
def test_pairs_of_one_array_at_all_sizes(element: str) -> None:
    """Partial sums lie in rows whose last vector is stored whole: behind the end of a triangle there are elements."""
    isolated(partial(_pairs, element))


def _pairs(element: str) -> None:
    kind = {"f64": np.float64, "f32": np.float32, "i16": np.int16}[element]
    zero, k = ("0.0", "f") if element.startswith("f") else ("0", "i")
    for predicate, holds in {"sle": np.less_equal, "sge": np.greater_equal, "ne": np.not_equal}.items():
        text = _PAIRS.format(t=element, zero=zero, k=k, predicate=predicate)
        for threads, cpu in ((1, "native"), (2, "x86-64-v3")):
            compiled = compile_module(text, threads=threads, fp="reassoc", cpu=cpu)
            for n in (*range(35), 150):
                x = np.random.default_rng(n).integers(-99, 99, n).astype(kind)
                i, j = np.arange(n)[:, None], np.arange(n)
                found, start = guarded(np.ones(n, kind)), np.ones(n, kind)
                compiled(guarded(x), found)
                expected = start + np.where(holds(i, j), x - x[:, None], 0).sum(axis=1)
                np.testing.assert_array_equal(found, expected.astype(kind), f"{predicate} {n}")


def test_rows_of_a_triangle_and_of_its_transpose_at_all_sizes() -> None:
    """Several rows at once, element by element: what only some of them do is done, too."""
    isolated(_mirrored)


def _mirrored() -> None:
    text = _PAIRS.replace("(j)>, affine_map<(i, j) -> (i)>, ", "(j, i)>, affine_map<(i, j) -> (i, j)>, ")
    text = text.replace("%x: memref<?x{t}>", "%x: memref<?x?x{t}>").replace(
        "%x, %x : memref<?x{t}>, memref<?x{t}>", "%x, %x : memref<?x?x{t}>, memref<?x?x{t}>"
    )
    for predicate, holds in {"slt": np.less, "sgt": np.greater}.items():
        for fp in ("strict", "reassoc"):
            compiled = compile_module(text.format(t="f64", zero="0.0", k="f", predicate=predicate), fp=fp)
            for n in range(35):
                x = np.random.default_rng(n).integers(-99, 99, (n, n)).astype(np.float64)
                found = guarded(np.zeros(n))
                compiled(guarded(x), found)
                where = holds(np.arange(n)[:, None], np.arange(n))
                np.testing.assert_array_equal(found, np.where(where, x.T - x, 0).sum(axis=1), f"{predicate} {n}")
