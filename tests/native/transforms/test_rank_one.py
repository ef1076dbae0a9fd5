"""Loops that update a matrix from a row and a column are blocked, and each element stays the same, to the bit."""

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlir import ir

from raising.native.base.compile_options import CompileOptions
from raising.native.base.unsupported import CompileError
from raising.native.bufferize.bufferize import bufferize
from raising.native.bufferize.destination_passing import to_destinations
from raising.native.codegen.objects import shared_library
from raising.native.compile import build
from raising.native.input.read_module import new_context, read
from raising.native.transforms.rank_one_blocks import BLOCK, _Blocked, block_updates
from tests.native.running import called, called_with

SIZES = (0, 1, 2, 3, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 7)
Array = np.ndarray[Any, np.dtype[Any]]
Part = tuple[str, str]
Rule = Callable[[Array, Array, Array], Array]
PLACES: dict[str, Callable[[int, int], int]] = {
    "zero": lambda t, n: 0,
    "t": lambda t, n: t,
    "next": lambda t, n: t + 1,
    "after": lambda t, n: t + 2,
    "n": lambda t, n: n,
}
BEGIN, END, ALL, REST = ("zero", "next"), ("next", "n"), ("zero", "n"), ("after", "n")

SHORTER = """%s = arith.add{f} %x, %y : T
%c = arith.cmp{f} {lt}, %old, %s : T
%r = arith.select %c, %old, %s : T"""
WIDER = """%s = arith.{min} %x, %y : T
%r = arith.{max} %old, %s : T"""
LESS = """%s = arith.mul{f} %x, %y : T
%r = arith.sub{f} %old, %s : T"""
RULES: dict[str, Rule] = {
    SHORTER: lambda old, x, y: np.where(old < x + y, old, x + y),
    WIDER: lambda old, x, y: np.maximum(old, np.minimum(x, y)),
    LESS: lambda old, x, y: old - x * y,
}
FLOAT = {"f": "f", "lt": "olt", "min": "minimumf", "max": "maximumf"}
WHOLE = {"f": "i", "lt": "slt", "min": "minsi", "max": "maxsi"}
TYPES: dict[str, type[np.generic]] = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8}
QUARTERS = ((BEGIN, BEGIN), (BEGIN, END), (END, BEGIN), (END, END))
UPDATE = """
%h# = arith.subi %{rows[1]}, %{rows[0]} : index
%w# = arith.subi %{columns[1]}, %{columns[0]} : index
%p# = memref.subview %d[%{rows[0]}, %{columns[0]}] [%h#, %w#] [1, 1] : memref<?x?xT> to PART
%k# = memref.subview %d[%{rows[0]}, %t] [%h#, 1] [1, 1] : memref<?x?xT> to memref<?xT, strided<[?], offset: ?>>
%l# = memref.subview %d[%{row}, %{columns[0]}] [1, %w#] [1, 1] : memref<?x?xT> to memref<?xT, strided<[1], offset: ?>>
%u# = memref.alloc(%h#) : memref<?xT>
%v# = memref.alloc(%w#) : memref<?xT>
memref.copy %k#, %u# : memref<?xT, strided<[?], offset: ?>> to memref<?xT>
memref.copy %l#, %v# : memref<?xT, strided<[1], offset: ?>> to memref<?xT>
linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}} ins(%u#, %v# : memref<?xT>, memref<?xT>) outs(%p# : PART) {{
^bb0(%x: T, %y: T, %old: T):
  {body}
  linalg.yield %r : T
}}"""


def module(parts: tuple[tuple[Part, Part], ...], rule: str, kind: str, more: str = "", row: str = "t") -> str:
    """Updates of parts of d for t up to n - 1, each of d[i, j] by d[i, t] and d[row, j]."""
    body = rule.format(**(FLOAT if kind[0] == "f" else WHOLE))
    updates = [UPDATE.format(rows=rows, columns=columns, body=body, row=row).replace("#", str(number))
               for number, (rows, columns) in enumerate(parts)]  # fmt: skip
    text = f"""func.func @f(%d: memref<?x?xT>) {{
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %n = memref.dim %d, %zero : memref<?x?xT>
    %last = arith.subi %n, %one : index
    scf.for %t = %zero to %last step %one {{
      %next = arith.addi %t, %one : index
      %after = arith.addi %t, %two : index
      {"".join(updates)}
      {more}
    }}
    return
    }}"""
    return text.replace("PART", "memref<?x?xT, strided<[?, 1], offset: ?>>").replace("T", kind)


def expected(d: Array, parts: tuple[tuple[Part, Part], ...], rule: str, row: str = "t") -> Array:
    """The same, by NumPy."""
    d, n = d.copy(), len(d)
    for t in range(n - 1):
        for rows, columns in parts:
            i, j = (slice(*(PLACES[name](t, n) for name in part)) for part in (rows, columns))
            d[i, j] = RULES[rule](d[i, j], d[i, t][:, None].copy(), d[PLACES[row](t, n), j][None].copy())
    return d


def values(n: int, kind: str) -> Array:
    """Any integers, so that sums wrap around; of floats also negative ones, infinities, NaN and zeros with a sign."""
    random = np.random.default_rng(n)
    element = TYPES[kind]
    if kind[0] == "i":
        return random.integers(np.iinfo(element).min, np.iinfo(element).max, (n, n), endpoint=True).astype(element)  # type: ignore[type-var]
    special = random.choice([np.nan, np.inf, -np.inf, -0.0, 0.0], (n, n))
    return np.where(random.random((n, n)) < 0.02, special, random.standard_normal((n, n))).astype(element)


def blocked(text: str) -> bool:
    with new_context() as context, ir.Location.unknown():
        found = read(text.encode(), "-", context)
        to_destinations(found)
        found = bufferize(found)
        before = str(found).count("scf.for")
        block_updates(found)
        assert found.operation.verify()
        return str(found).count("scf.for") > before


def same(one: Array, other: Array) -> bool:
    equal = (one == other) & (np.signbit(one) == np.signbit(other)) if one.dtype.kind == "f" else one == other
    return bool((equal | ((one != one) & (other != other))).all())


CASES = [(SHORTER, "f32", QUARTERS), (SHORTER, "i8", QUARTERS), (SHORTER, "i32", QUARTERS[::-1]),
         (WIDER, "f64", ((ALL, ALL),)), (WIDER, "i32", ((ALL, BEGIN), (ALL, END))),
         (LESS, "i32", ((END, END),)), (LESS, "f64", ((("t", "n"), END),))]  # fmt: skip


@pytest.mark.parametrize(("rule", "kind", "parts"), CASES)
def test_every_element_keeps_its_bits(rule: str, kind: str, parts: tuple[tuple[Part, Part], ...]) -> None:
    text = module(parts, rule, kind)
    assert blocked(text)
    given = [values(n, kind) for n in SIZES]
    with np.errstate(all="ignore"):
        wanted = [expected(each, parts, rule) for each in given]
    for threads in (1, 2):
        found = called_with(text, [[each] for each in given], fp="strict", threads=threads)
        assert [len(one) for (own,), one in zip(found, wanted, strict=True) if not same(own, one)] == []


LOAD = """%x = memref.load %d[%last, %zero] : memref<?x?xT>
memref.store %x, %d[%t, %zero] : memref<?x?xT>"""
REFUSED: dict[str, tuple[tuple[tuple[Part, Part], ...], str, str]] = {
    "another row": (((ALL, ALL),), "next", ""),
    "the first row": (((ALL, ALL),), "zero", ""),
    "rows from the next but one": (((REST, END),), "t", ""),
    "columns from the next but one": (((END, REST),), "t", ""),
    "an element twice": (((ALL, ALL), (END, END)), "t", ""),
    "an element of a row to come": (((END, END),), "t", LOAD),
    "an element of a column to come": (((END, END),), "t", LOAD.replace("%last, %zero", "%zero, %last")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_iterations_that_need_other_elements_stay(name: str) -> None:
    parts, row, more = REFUSED[name]
    text = module(parts, SHORTER, "i32", more, row)
    assert not blocked(text)
    if not more:
        given = values(2 * BLOCK + 3, "i32")
        assert same(called(text, [given])[0], expected(given, parts, SHORTER, row))


@pytest.mark.parametrize("parts", [((ALL, ALL),), ((END, END),), QUARTERS])
def test_the_number_of_an_iteration_is_no_value_of_a_block(parts: tuple[tuple[Part, Part], ...]) -> None:
    """What is computed with it differs in each iteration."""
    more = "%number = arith.index_cast %t : index to T\n%far = arith.addi %x, %number : T\n"
    text = module(parts, more + SHORTER.replace("%x", "%far"), "i32")
    assert not blocked(text)
    given = values(2 * BLOCK + 3, "i32")
    assert same(called(text, [given])[0], called(text, [given], plain=True)[0])


def test_an_element_of_the_row_may_be_loaded() -> None:
    """What the iteration's own row or column holds is there when it is asked for."""
    more = LOAD.replace("%last, %zero", "%t, %last")
    text = module(((END, END),), SHORTER, "f32", more)
    assert blocked(text)
    given = np.abs(values(2 * BLOCK + 3, "i32")).astype(np.float32)
    assert same(called(text, [given])[0], called(text, [given], plain=True)[0])


PRODUCT = """func.func @f(%a: memref<?x?xT>, %b: memref<?x?xT>, %d: memref<?x?xT>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
    affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<?x?xT>, memref<?x?xT>) outs(%d : memref<?x?xT>) {
  ^bb0(%x: T, %y: T, %old: T):
    BODY
    linalg.yield %r : T
  }
  return
}"""
SHAPES = ((0, 3, 4), (3, 0, 4), (3, 4, 0), (1, 1, 1), (5, 47, 3), (6, 48, 16), (7, 49, 17), (13, 97, 5), (50, 70, 20))


@pytest.mark.parametrize(("rule", "kind"), [(SHORTER, "f32"), (SHORTER, "i8"), (WIDER, "f64"), (LESS, "f32")])
@pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])
def test_products_keep_the_order_of_each_element(rule: str, kind: str, cpu: str) -> None:
    body = rule.format(**(FLOAT if kind[0] == "f" else WHOLE))
    text = PRODUCT.replace("BODY", body).replace("T", kind)
    calls = [[values(100, kind)[:m, :n].copy() for m, n in ((i, k), (k, j), (i, j))] for i, j, k in SHAPES]
    for shape, (a, b, wanted), found in zip(SHAPES, calls, called_with(text, calls, fp="strict", cpu=cpu), strict=True):
        with np.errstate(all="ignore"):
            for k in range(shape[2]):
                wanted = RULES[rule](wanted, a[:, k : k + 1], b[k : k + 1])
        assert same(found[2], wanted), shape


FROM_C = """func.func @f(%d: memref<?x?xi32>, %m: i64)
    attributes {c_parameters = [["int", "d", "?", "m"], ["long", "m"]]} {"""

SIZE = "%whole = arith.index_cast %m : i64 to index\n%n = arith.maxsi %whole, %zero : index"


def from_c(text: str, size: str) -> bytes:
    """The function as C declares it: nobody knows how many rows there are."""
    changed = text.replace("func.func @f(%d: memref<?x?xi32>) {", FROM_C)
    return changed.replace("%n = memref.dim %d, %zero : memref<?x?xi32>", size).encode()


def test_c_does_not_say_how_many_rows_there_are(tmp_path: Path) -> None:
    code = build(from_c(module(QUARTERS, SHORTER, "i32"), SIZE), "f.mlir", CompileOptions()).code
    (tmp_path / "f.so").write_bytes(shared_library(code.object, ()))
    f = ctypes.CDLL(str(tmp_path / "f.so")).f
    for n in SIZES:
        given = values(n, "i32")
        wanted = expected(given, QUARTERS, SHORTER)
        f(given.ctypes.data_as(ctypes.c_void_p), ctypes.c_long(n))
        assert same(given, wanted), n


def test_a_temporary_as_long_as_nobody_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be of the 2^40 elements that stand for such an extent."""
    asked = lambda self, axis: self.one("memref.dim", ir.IndexType.get(), self.matrix, self.index(axis))  # noqa: E731
    monkeypatch.setattr(_Blocked, "_extent", asked)
    with pytest.raises(CompileError, match="C does not say how long an array is"):
        build(from_c(module(QUARTERS, SHORTER, "i32"), SIZE), "f.mlir", CompileOptions())
