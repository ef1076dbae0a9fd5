"""Rows that are updated from their own mirror image, in place and from both ends: every element stays the same."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from mlir import ir

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.native.nest.read_nests import read_block
from raising.native.nest.read_views import Reader
from raising.native.sequential.mirrored_updates import mirrored_update
from raising.support.mlir.walk import maker
from tests.native.guarded import guarded
from tests.native.running import isolated, plainly_compiled

ADD = "%s = arith.addf %x, %m : T"
LESS = """%p = arith.mulf %a, %m : T
%s = arith.subf %x, %p : T"""
WHOLE = """%p = arith.muli %a, %m : T
%s = arith.addi %x, %p : T"""
TYPES: dict[str, Any] = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8}
SIZES = (-1, *range(21), 31, 32, 33, 34, 63, 64, 65, 128, 129)


def module(body: str, kind: str, last: int = 1, more: str = "", load: str = "%part") -> str:
    """y[row, b .. b + n] from itself and its mirror image; `last` counted from n is what element 0 is mirrored at."""
    place = "memref<?xT, strided<[1], offset: ?>>"
    return f"""func.func @f(%y: memref<?x?xT>, %row: index, %b: index, %n: index, %a: T, %o: memref<?xT>) {{
  %c0 = arith.constant 0 : index
  %last = arith.constant {last} : index
  %some = arith.maxsi %n, %c0 : index
  %end = arith.subi %n, %last : index
  %part = memref.subview %y[%row, %b] [1, %some] [1, 1] : memref<?x?xT> to {place}
  %t = memref.alloc(%some) : memref<?xT>
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
    ins(%part : {place}) outs(%t : memref<?xT>) {{
  ^bb0(%x: T, %out: T):
    %i = linalg.index 0 : index
    %k = arith.subi %end, %i : index
    %m = memref.load {load}[%k] : {place if load == "%part" else "memref<?xT>"}
    {body}
    linalg.yield %s : T
  }}
  {more.replace("PLACE", place)}
  memref.copy %t, %part : memref<?xT> to {place}
  return
}}""".replace("xT", f"x{kind}").replace(": T", f": {kind}")


def arguments(kind: str, n: int, begin: int) -> list[Any]:
    random = np.random.default_rng(n + 1)
    y = random.integers(-100, 100, (3, max(n, 0) + begin + 2)).astype(TYPES[kind])
    if kind[0] == "f":
        y = (y * random.standard_normal(y.shape)).astype(TYPES[kind])
        for value in (np.nan, -0.0, np.inf, -np.inf):
            y[random.random(y.shape) < 0.05] = value
    return [y, 1, begin, n, TYPES[kind](3), np.zeros(max(n, 1), TYPES[kind])]


def turned(text: str) -> bool:
    """Whether the update is done from both ends: without memory of its own."""
    built = build(text.encode(), "f", CompileOptions())
    return built.mlir.count("arith.shrui") > 0


def _all_sizes(kind: str) -> list[int]:
    """The sizes at which loops that nothing was done to compute something else."""
    text, found = module(WHOLE if kind[0] == "i" else LESS, kind), []
    mirrored = compile_module(text, fp="strict")
    plain = plainly_compiled(text, fp="strict")
    for n in SIZES:
        y, *others = arguments(kind, n, n % 3)
        one, two = guarded(y), y.copy()
        mirrored(one, *others)
        plain(two, *others)
        found += [n] if one.tobytes() != two.tobytes() else []
    return found


@pytest.mark.parametrize("kind", TYPES)
def test_every_size_is_as_by_plain_loops(kind: str) -> None:
    assert turned(module(WHOLE if kind[0] == "i" else LESS, kind))
    assert isolated(partial(_all_sizes, kind)) == []


READ = "%v = memref.load %t[%c0] : memref<?xT>\n memref.store %v, %o[%c0] : memref<?xT>"
BETWEEN = "%v = memref.load %part[%c0] : PLACE\n memref.store %v, %o[%c0] : memref<?xT>"
REFUSED = {
    "a mirror that is off by one": {"last": 2},
    "the results are needed elsewhere": {"more": READ},
    "the old row is read in between": {"more": BETWEEN},
    "another row is read backwards": {"load": "%o"},
}


@pytest.mark.parametrize("why", REFUSED)
def test_others_keep_the_second_row(why: str) -> None:
    assert not turned(module(ADD, "f32", **REFUSED[why]))  # type: ignore[arg-type]


def test_numbers_of_elements_are_not_mirrored() -> None:
    count = """%w = arith.index_cast %i : index to i32
%q = arith.sitofp %w : i32 to f32
%s = arith.addf %m, %q : T"""
    assert not turned(module(count, "f32"))


def exchange(kind: str, more: int = 0, begin: str = "%end", between: str = "") -> str:
    """The first (n + more) / 2 elements of y, and as many from `begin` on, get each other's values, last ones first."""
    low, high = "memref<?xT, strided<[1]>>", "memref<?xT, strided<[1], offset: ?>>"
    lines = "indexing_maps = [affine_map<(i) -> (i)>"
    load = "%k = linalg.index 0 : index\n%r = arith.subi %last, %k : index\n%v = memref.load"
    return f"""func.func @f(%y: memref<?xT>, %n: index, %o: memref<?xT>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %more = arith.constant {more} : index
  %m = arith.addi %n, %more : index
  %h = arith.floordivsi %m, %c2 : index
  %some = arith.maxsi %h, %c0 : index
  %end = arith.subi %n, %h : index
  %last = arith.subi %h, %c1 : index
  %high = memref.subview %y[{begin}] [%some] [1] : memref<?xT> to {high}
  %low = memref.subview %y[0] [%some] [1] : memref<?xT> to {low}
  %t = memref.alloc(%some) : memref<?xT>
  linalg.generic {{{lines}, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
    ins(%low : {low}) outs(%t : memref<?xT>) {{
    ^bb0(%a: T, %b: T):
      linalg.yield %a : T
  }}
  {between}
  linalg.generic {{{lines}], iterator_types = ["parallel"]}} outs(%low : {low}) {{
    ^bb0(%b: T):
      {load} %high[%r] : {high}
      linalg.yield %v : T
  }}
  linalg.generic {{{lines}], iterator_types = ["parallel"]}} outs(%high : {high}) {{
    ^bb0(%b: T):
      {load} %t[%r] : memref<?xT>
      linalg.yield %v : T
  }}
  return
}}""".replace("xT", f"x{kind}").replace(": T", f": {kind}")


def exchanged(text: str) -> bool:
    """Whether the copy is found to be none that is needed."""
    with ir.Context(), ir.Location.unknown():
        module, reader = ir.Module.parse(text), Reader()
        items = read_block(module.body.operations[0].regions[0].blocks[0], reader)[:-1]
        temporary = {name for name, value in reader.values.items() if maker(value, "memref.alloc") is not None}
        return mirrored_update(items, temporary.__contains__, reader) is not None


def _all_sizes_of_exchanges(kind: str, more: int) -> list[int]:
    text, found = exchange(kind, more), []
    compiled, plain = compile_module(text, fp="strict"), plainly_compiled(text, fp="strict")
    for n in SIZES:
        y, *_ = arguments(kind, max(n, 0), 0)
        y, none = y[0][: max(n, 0)].copy(), np.zeros(1, y.dtype)
        one, two = guarded(y), y.copy()
        compiled(one, n, none)
        plain(two, n, none)
        found += [n] if one.tobytes() != two.tobytes() else []
    return found


@pytest.mark.parametrize("more", [0, -1, -2])
@pytest.mark.parametrize("kind", TYPES)
def test_a_reversal_in_place_has_no_copy(kind: str, more: int) -> None:
    assert exchanged(exchange(kind, more))
    assert isolated(partial(_all_sizes_of_exchanges, kind, more)) == []


CHANGES = "memref.store %first, %low[%c0] : memref<?xT, strided<[1]>>"
KEEP = {
    "the element in the middle is in both halves": {"more": 1},
    "the second half begins earlier": {"begin": "%last"},
    "an element changes in between": {"between": f"%first = memref.load %o[%c0] : memref<?xT>\n{CHANGES}"},
}


@pytest.mark.parametrize("why", KEEP)
def test_other_exchanges_need_their_copy(why: str) -> None:
    assert not exchanged(exchange("f32", **KEEP[why]))  # type: ignore[arg-type]
