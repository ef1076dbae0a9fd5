"""Dynamic programming over intervals runs in blocks, and every element is what the loops compute, to the bit."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from mlir import ir

from raising.compile_module import compile_module
from raising.native.bufferize.bufferize import bufferize
from raising.native.bufferize.destination_passing import to_destinations
from raising.native.input.read_module import new_context, read
from raising.native.intervals.interval_blocks import block_intervals
from raising.native.intervals.interval_terms import BLOCK
from raising.support.record import dataclass
from tests.native.guarded import guarded
from tests.native.running import isolated

Array = np.ndarray[Any, np.dtype[Any]]
SIZES = (0, 1, 2, 3, 9, 33, 64, 70, BLOCK - 1, BLOCK + 1, 2 * BLOCK + 5)
TYPES: dict[str, type[np.generic]] = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8}
FLOAT = {"f": "f", "max": "maximumf", "min": "minimumf"}
WHOLE = {"f": "i", "max": "maxsi", "min": "minsi"}


@dataclass(frozen=True)
class Program:
    """t[i, j] from a sum over x from i + `low` to below j of a term of t[i, x], t[x + `next`, j] and w at i, x and j.

    The sum begins with `before`, over t[i, j] and its neighbours; `after` makes of it what is stored.
    """

    term: str
    low: int = 1
    next: int = 0
    before: str = "%init = arith.{max} %old, %old : T"
    after: str = "%new = arith.{max} %sum, %sum : T"
    columns: bool = False
    more: str = ""


TEXT = """func.func @f(%t: memref<?x?xT>, %w: memref<?xT>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.dim %t, %zero : memref<?x?xT>
  scf.for %a = %zero to %n step %one {
    %down = arith.subi %n, %one : index
    LOOP
      %start = arith.addi %i, %low : index
      %some = arith.subi %j, %start : index
      %size = arith.maxsi %some, %zero : index
      %right = arith.addi %start, %next : index
      %left = arith.subi %j, %one : index
      %below = arith.addi %i, %one : index
      %old = memref.load %t[%i, %j] : memref<?x?xT>
      %west = memref.load %t[%i, %left] : memref<?x?xT>
      %south = memref.load %t[%below, %j] : memref<?x?xT>
      %wi = memref.load %w[%i] : memref<?xT>
      %wj = memref.load %w[%j] : memref<?xT>
      BEFORE
      %s = memref.alloc() : memref<T>
      memref.store %init, %s[] : memref<T>
      %p = memref.subview %t[%i, %start] [1, %size] [1, 1] : memref<?x?xT> to memref<?xT, strided<[1], offset: ?>>
      %q = memref.subview %t[%right, %j] [%size, 1] [1, 1] : memref<?x?xT> to memref<?xT, strided<[?], offset: ?>>
      %r = memref.subview %w[%start] [%size] [1] : memref<?xT> to memref<?xT, strided<[1], offset: ?>>
      linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> (k)>,
        affine_map<(k) -> ()>, affine_map<(k) -> ()>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
        ins(%p, %q, %r, %wi, %wj : memref<?xT, strided<[1], offset: ?>>, memref<?xT, strided<[?], offset: ?>>,
            memref<?xT, strided<[1], offset: ?>>, T, T) outs(%s : memref<T>) {
      ^bb0(%x: T, %y: T, %wx: T, %ui: T, %uj: T, %o: T):
        TERM
        linalg.yield %z : T
      }
      MORE
      %sum = memref.load %s[] : memref<T>
      AFTER
      memref.store %new, %t[%i, %j] : memref<?x?xT>
      memref.dealloc %s : memref<T>
    }
  }
  return
}"""
ROWS = """%i = arith.subi %down, %a : index
    %first = arith.subi %n, %a : index
    scf.for %j = %first to %n step %one {"""
COLUMNS = """%j = arith.addi %a, %zero : index
    %first = arith.subi %n, %a : index
    scf.for %b = %first to %n step %one {
      %i = arith.subi %down, %b : index"""


def text_of(program: Program, kind: str) -> str:
    """The program for open sizes; the loop over j is the inner one, or with `columns` the one over i, which falls."""
    numbers = f"%low = arith.constant {program.low} : index\n%next = arith.constant {program.next} : index\n"
    names = FLOAT if kind[0] == "f" else WHOLE
    text = TEXT.replace("LOOP", numbers + (COLUMNS if program.columns else ROWS))
    for name, part in (("BEFORE", program.before), ("TERM", program.term), ("AFTER", program.after)):
        text = text.replace(name, part.format(**names))
    return text.replace("MORE", program.more).replace("T>", f"{kind}>").replace("T", kind)


LONGEST = "%c = arith.add{f} %x, %y : T\n%z = arith.{max} %c, %o : T"
"""Nussinov's rule."""
CHAIN = """%u = arith.mul{f} %ui, %wx : T
%m = arith.mul{f} %u, %uj : T
%c = arith.add{f} %x, %y : T
%d = arith.add{f} %c, %m : T
%z = arith.{min} %o, %d : T"""
"""The order of a product of matrices."""
WIDEST = "%c = arith.{min} %x, %y : T\n%z = arith.{max} %c, %o : T"
COUNTED = "%c = arith.mul{f} %x, %y : T\n%z = arith.add{f} %o, %c : T"
"""How many ways there are."""
DERIVED = "%c = arith.andi %x, %y : T\n%z = arith.ori %c, %o : T"
"""What a grammar derives, a bit for each symbol."""
NEIGHBOURS = """%g = arith.{max} %old, %west : T
%h = arith.{max} %g, %south : T
%e = arith.add{f} %wi, %wj : T
%init = arith.{max} %h, %e : T"""
NUSSINOV = Program(LONGEST, 1, 1, NEIGHBOURS)
TREE = Program(LONGEST.replace("max", "min"), 1, 1, after="%new = arith.add{f} %sum, %wj : T")
PROGRAMS = [(NUSSINOV, "f32"), (NUSSINOV, "i8"), (TREE, "i32"), (Program(CHAIN, 0, 1), "i32"),
            (Program(CHAIN, 0, 1), "f32"), (Program(WIDEST, 1, 0), "f64"), (Program(COUNTED, 1, 0), "i8"),
            (Program(DERIVED, 0, 1), "i32"), (Program(LONGEST, 3, 0), "i32"),
            (Program(LONGEST, 1, 1, NEIGHBOURS, columns=True), "i32"),
            (Program(COUNTED, 0, 1, columns=True), "i32")]  # fmt: skip


def maximum(one: Array, other: Array) -> Array:
    """The larger one as `arith.maximumf` has it: NaN if either is, and 0.0 before -0.0."""
    found = np.maximum(one, other)
    zeros = (one == 0) & (other == 0)
    return np.where(zeros, one + other, found) if found.dtype.kind == "f" else found


def reduced(values: Array, start: Array) -> Array:
    """The maximum of values along their first axis, by halves."""
    while len(values) > 1:
        half = len(values) // 2
        values = np.concatenate([maximum(values[:half], values[half : 2 * half]), values[2 * half :]])
    return maximum(values[0], start) if len(values) else start


def expected(program: Program, t: Array, w: Array) -> Array:
    """The same, diagonal by diagonal, whose elements need those of earlier ones only."""
    t, n = t.copy(), len(t)
    for distance in range(1, n):
        i = np.arange(n - distance)
        j = i + distance
        places = i + np.arange(program.low, max(program.low, distance))[:, None]
        x, y = t[i, places], t[places + program.next, j]
        init = t[i, j]
        if program.before == NEIGHBOURS:
            init = maximum(maximum(maximum(t[i, j], t[i, j - 1]), t[i + 1, j]), w[i] + w[j])
        t[i, j] = folded(program.term, x, y, (w[i], w[places], w[j]), init)
        if program == TREE:
            t[i, j] += w[j]
    return t


def folded(term: str, x: Array, y: Array, w: tuple[Array, Array, Array], init: Array) -> Array:
    """What a program's sum is, of whose terms each has its elements in a row."""
    if term == CHAIN:
        return -reduced(-(x + y + w[0] * w[1] * w[2]), -init)
    if term == WIDEST:
        return reduced(-maximum(-x, -y), init)
    if term == COUNTED:
        return np.asarray(init + np.sum(x * y, axis=0, dtype=x.dtype))
    if term == DERIVED:
        return np.asarray(init | np.bitwise_or.reduce(x & y))
    lowest = "min} %c, %o" in term
    return -reduced(-(x + y), -init) if lowest else reduced(x + y, init)


def values(shape: tuple[int, ...], kind: str, special: float = 0) -> Array:
    """Small numbers, so that 8 bits wrap around sometimes; a part of the floats is NaN, infinite, huge or -0.0."""
    random = np.random.default_rng(shape[0])
    plain = random.integers(-9, 10, shape)
    if kind[0] == "i":
        return plain.astype(TYPES[kind])
    odd = random.choice([np.nan, np.inf, -np.inf, -0.0, 3e38, -3e38], shape)
    return np.where(random.random(shape) < special, odd, plain).astype(TYPES[kind])


def blocked(text: str, fp: str = "reassoc") -> bool:
    with new_context() as context, ir.Location.unknown():
        found = read(text.encode(), "-", context)
        to_destinations(found)
        found = bufferize(found)
        before = str(found).count("scf.for")
        block_intervals(found, fp)
        assert found.operation.verify()
        return str(found).count("scf.for") > before


def same(one: Array, other: Array) -> bool:
    equal = (one == other) & (np.signbit(one) == np.signbit(other)) if one.dtype.kind == "f" else one == other
    return bool((equal | ((one != one) & (other != other))).all())


def after_calls(text: str, calls: list[tuple[Array, Array]], settings: dict[str, Any]) -> list[Array]:
    """What one function makes of several arrays."""
    function = compile_module(text, **settings)
    found = []
    for t, w in calls:
        mine = guarded(t)
        function(mine, guarded(w))
        found.append(mine)
    return found


@pytest.mark.parametrize(("program", "kind"), PROGRAMS)
def test_every_element_is_what_the_loops_compute(program: Program, kind: str) -> None:
    text = text_of(program, kind)
    assert blocked(text) and blocked(text, "strict")
    odd = {2 * BLOCK + 5: 0.0005, 70: 0.001}
    calls = [(values((n, n), kind, odd.get(n, 0)), values((n,), kind)) for n in SIZES]
    with np.errstate(all="ignore"):
        wanted = [expected(program, *call) for call in calls]
    for settings in ({"fp": "strict"}, {"threads": 2}):
        found = isolated(partial(after_calls, text, calls, settings))
        assert all(map(same, found, wanted)), [
            len(t) for t, one, other in zip(found, found, wanted, strict=True) if not same(one, other)
        ]


def test_a_product_of_many_terms_is_done_in_parts() -> None:
    program = Program(COUNTED, 1, 0)
    t, w = values((420, 420), "i32"), values((420,), "i32")
    (found,) = isolated(partial(after_calls, text_of(program, "i32"), [(t, w)], {}))
    assert same(found, expected(program, t, w))


def test_sums_of_floats_are_taken_in_another_order_where_they_may_be() -> None:
    text = text_of(Program(COUNTED), "f32")
    assert blocked(text) and not blocked(text, "strict")
    t, w = values((250, 250), "f32") / 64, values((250,), "f32")
    (found,) = isolated(partial(after_calls, text, [(t, w)], {}))
    np.testing.assert_allclose(found, expected(Program(COUNTED), t, w), rtol=2e-4, atol=1e-5)


EAST = """%most = arith.subi %n, %one : index
%next_j = arith.addi %j, %one : index
%east = arith.minsi %next_j, %most : index
"""
REFUSED = {
    "what the iteration before has stored": Program(LONGEST, more="memref.store %old, %t[%i, %left] : memref<?x?xT>"),
    "the first term, which changes": Program(LONGEST, 0, 1, more="memref.store %old, %t[%i, %i] : memref<?x?xT>"),
    "a later column of the row below": Program(
        LONGEST, before=EAST + "%init = memref.load %t[%below, %east] : memref<?x?xT>"
    ),
    "a place that nobody knows": Program(LONGEST, more=EAST + "memref.store %old, %t[%east, %j] : memref<?x?xT>"),
    "terms with their number": Program(
        "%k = linalg.index 0 : index\n%ki = arith.index_cast %k : index to T\n" + LONGEST.replace("%y", "%ki")
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_iterations_that_need_others_stay(name: str) -> None:
    assert not blocked(text_of(REFUSED[name], "i32"))


def test_a_store_of_what_an_element_has_is_none() -> None:
    """It is taken for what it is: a store in some iterations only."""
    more = """%c = arith.cmpi eq, %j, %below : index
%kept = memref.load %t[%i, %below] : memref<?x?xT>
%v = arith.select %c, %old, %kept : T
memref.store %v, %t[%i, %below] : memref<?x?xT>"""
    program = Program(LONGEST, more=more)
    text = text_of(program, "i32")
    assert blocked(text) and not blocked(text.replace("eq, %j", "ne, %j"))
    t, w = values((250, 250), "i32"), values((250,), "i32")
    (found,) = isolated(partial(after_calls, text, [(t, w)], {}))
    assert same(found, expected(program, t, w))


BY_LENGTH = """func.func @f(%t: memref<?x?xi32>, %w: memref<?xi32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %n = memref.dim %t, %zero : memref<?x?xi32>
  %last = arith.subi %n, %one : index
  scf.for %a = %zero to %last step %one {
    %rows = arith.subi %last, %a : index
    %first = arith.addi %a, %one : index
    %p = memref.subview %t[0, 0] [%rows, %last] [1, 1] : memref<?x?xi32> to memref<?x?xi32, strided<[?, 1]>>
    %q = memref.subview %t[1, %first] [%last, %rows] [1, 1] : memref<?x?xi32> to PART
    %d = memref.subview %t[0, %first] [%rows, %rows] [1, 1] : memref<?x?xi32> to PART
    %s = memref.alloc(%rows, %rows) : memref<?x?xi32>
    memref.copy %d, %s : PART to memref<?x?xi32>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%d : PART) outs(%s : memref<?x?xi32>) {
    ^bb0(%x: i32, %o: i32):
      linalg.yield %x : i32
    }
    linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k)>, affine_map<(i, k, j) -> (k, j)>,
      affine_map<(i, k, j) -> (i, j)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%p, %q : memref<?x?xi32, strided<[?, 1]>>, PART) outs(%s : memref<?x?xi32>) {
    ^bb0(%x: i32, %y: i32, %o: i32):
      %k = linalg.index 1 : index
      %j = linalg.index 2 : index
      %above = arith.cmpi sge, %k, %j : index
      %end = arith.addi %j, %a : index
      %below = arith.cmpi sle, %k, %end : index
      %inside = arith.andi %above, %below : i1
      %z = arith.select %inside, %y, %none : i32
      %m = arith.andi %x, %z : i32
      %r = arith.ori %m, %o : i32
      linalg.yield %r : i32
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%s : memref<?x?xi32>) outs(%d : PART) {
    ^bb0(%x: i32, %o: i32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c = arith.cmpi eq, %i, %j : index
      %r = arith.select %c, %x, %o : i32
      linalg.yield %r : i32
    }
    memref.dealloc %s : memref<?x?xi32>
  }
  return
}""".replace("PART", "memref<?x?xi32, strided<[?, 1], offset: ?>>")


def test_of_a_square_whose_diagonal_is_stored_the_diagonal_is_computed() -> None:
    """Also beside something else that writes to the square, where it is computed as it was."""
    calls = [(values((n, n), "i32"), values((n,), "i32")) for n in (1, 2, 3, 8, 9, 33, 70)]
    wanted = [expected(Program(DERIVED, 0, 1), *call) for call in calls]
    for text in (BY_LENGTH, BY_LENGTH.replace(COPY, "")):
        assert all(map(same, isolated(partial(after_calls, text, calls, {})), wanted))


COPY = next(line for line in BY_LENGTH.split("\n") if "memref.copy" in line)
