"""Calls from Python whose arrays the code looks at itself: what fits goes in, all else is told as before."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from raising.compile_module import compile_module
from raising.native.base.unsupported import CallError
from raising.native.call.python_function import CLOSER, objects_are_known
from tests.native.running import isolated

ADD = """
func.func @add(%A: memref<3x4xf32>, %factor: f32, %C: memref<3x4xf32>, %S: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%A : memref<3x4xf32>) outs(%C : memref<3x4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = memref.load %S[] : memref<f32>
    %p = arith.mulf %a, %factor : f32
    %q = arith.addf %p, %s : f32
    %r = arith.addf %c, %q : f32
    linalg.yield %r : f32
  }
  return
}"""


class _Subclass(np.ndarray[Any, Any]):
    """An array with a class of its own."""


def _good() -> list[Any]:
    A = np.arange(12, dtype=np.float32).reshape(3, 4)
    return [A, 2.0, np.ones((3, 4), np.float32), np.full((), 0.5, np.float32)]


def _read_only() -> Any:
    array = np.ones((3, 4), np.float32)
    array.flags.writeable = False
    return array


def _unaligned() -> Any:
    return np.zeros(49, np.uint8)[1:].view(np.float32).reshape(3, 4)


def _aliased(arguments: list[Any]) -> list[Any]:
    """C begins in the middle of A."""
    memory = np.ones(20, np.float32)
    return [memory[:12].reshape(3, 4), 2.0, memory[8:].reshape(3, 4), arguments[3]]


def _with(place: int, value: Any, arguments: list[Any]) -> list[Any]:
    return [*arguments[:place], value, *arguments[place + 1 :]]


WRONG: dict[str, Callable[[list[Any]], list[Any]]] = {
    "rows": partial(_with, 0, np.ones((4, 4), np.float32)),
    "columns": partial(_with, 2, np.ones((3, 5), np.float32)),
    "rank": partial(_with, 0, np.ones(12, np.float32)),
    "element": partial(_with, 0, np.ones((3, 4))),
    "order": partial(_with, 0, np.ones((4, 3), np.float32).T),
    "stride": partial(_with, 0, np.ones((3, 8), np.float32)[:, ::2]),
    "bytes swapped": partial(_with, 0, np.ones((3, 4), ">f4")),
    "unaligned": partial(_with, 0, _unaligned()),
    "read-only": partial(_with, 2, _read_only()),
    "list": partial(_with, 0, [[1.0] * 4] * 3),
    "nothing": partial(_with, 0, None),
    "type": partial(_with, 0, np.ndarray),
    "number for an array": partial(_with, 2, 1.0),
    "array for a number": partial(_with, 1, np.ones(2, np.float32)),
    "text for a number": partial(_with, 1, "two"),
    "overlap": _aliased,
    "same": lambda arguments: [arguments[2], *arguments[1:]],
    "too few": lambda arguments: arguments[:-1],
    "too many": lambda arguments: [*arguments, arguments[0]],
}
RIGHT: dict[str, Callable[[list[Any]], list[Any]]] = {
    "as before": list,
    "read-only input": lambda arguments: [_read_only(), *arguments[1:]],
    "integer": partial(_with, 1, 2),
    "number of NumPy's": partial(_with, 1, np.float32(2)),
    "subclass": lambda arguments: [arguments[0].view(_Subclass), *arguments[1:]],
    "rank 0 as a number": partial(_with, 3, 0.5),
}


def _calls(quick: bool) -> dict[str, Any]:
    """After a call that is right: what each other one gives, C or the error; with the code's own look or without."""
    with patch("raising.native.call.compiled.objects_are_known", lambda: quick and objects_are_known()):
        add = compile_module(ADD, cache=False)
    add(*_good())
    found: dict[str, Any] = {}
    for name, change in (WRONG | RIGHT).items():
        arguments = change(_good())
        try:
            add(*arguments)
            found[name] = np.array(arguments[2])
        except CallError as error:
            found[name] = str(error)
    return found


def test_same_calls_are_right_whoever_looks_at_the_arrays() -> None:
    assert objects_are_known()
    quick, close = (isolated(partial(_calls, way)) for way in (True, False))
    assert {name for name, value in close.items() if isinstance(value, str)} == set(WRONG)
    for name, value in close.items():
        np.testing.assert_array_equal(quick[name], value, err_msg=name)


def test_other_objects_are_looked_at_from_python() -> None:
    """Where arrays do not look as expected, the code does not look at them."""
    objects_are_known.cache_clear()
    with patch("raising.native.call.python_function.OFFSETS", (8, 16, 24, 32, 56, 72)):
        assert not objects_are_known()
    objects_are_known.cache_clear()


OPEN = """
func.func @total(%A: memref<?x?xf64>, %rows: i32) -> f64 {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %columns = memref.dim %A, %one : memref<?x?xf64>
  %end = arith.index_cast %rows : i32 to index
  %sum = scf.for %i = %first to %end step %one iter_args(%row = %zero) -> f64 {
    %inner = scf.for %j = %first to %columns step %one iter_args(%old = %row) -> f64 {
      %a = memref.load %A[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %a : f64
      scf.yield %new : f64
    }
    scf.yield %inner : f64
  }
  return %sum : f64
}"""


def _open_calls() -> None:
    total: Any = compile_module(OPEN, unchecked=True)["total"]
    a, b = np.arange(12.0).reshape(3, 4), np.ones((5, 2))
    assert total.quick is None  # nothing was looked at so far
    for array, rows in ((a, 3), (b, 5), (a, 2)):
        wanted = array[:rows].sum()
        assert total(array, rows) == wanted == total.quick(array, rows)
        assert total(array, np.int32(rows)) == wanted
        assert total.quick(array, np.int32(rows)) is CLOSER and total.quick(array, rows) == wanted
    others = [(b, 2), (a, 3), (a, 2.0), (a, True), (a, 2 + 2**32), (a, 2 + 2**64), (a, -(2**70)), (a, "2"), (a.T, 2)]
    others += [(a, None), (None, 2), (2, 2), (int, 2), (a, a), (), (a,), (a, 2, 2)]
    for given in others:
        assert total.quick(*given) is CLOSER


def test_open_sizes_and_integers_are_those_of_a_call_that_was_looked_at_closely() -> None:
    isolated(_open_calls)


def _number(kind: str) -> str:
    return f"""func.func @first(%A: memref<?x{kind}>, %factor: {kind}) -> {kind} {{
  %zero = arith.constant 0 : index
  %a = memref.load %A[%zero] : memref<?x{kind}>
  %r = arith.mul{"f" if kind[0] == "f" else "i"} %a, %factor : {kind}
  return %r : {kind}
}}"""


def _numbers() -> None:
    for kind, value, factor in (("f64", 0.1, 3.0), ("f32", 0.1, 3.0), ("i8", -5, 3), ("i16", -300, 7),
                                ("i32", -(2**31), 1), ("i64", -(2**62), 1), ("i64", 2**62, -2)):  # fmt: skip
        first: Any = compile_module(_number(kind), unchecked=True)["first"]
        array = np.array([value], f"{kind[0]}{int(kind[1:]) // 8}")
        closely = first(array, factor)
        assert first.quick(array, factor) == closely == array.dtype.type(array[0] * array.dtype.type(factor)), kind
        assert type(first.quick(array, factor)) is type(closely) is (float if kind[0] == "f" else int)
        assert first.quick(array, complex(factor)) is CLOSER and first.quick(array, str(factor)) is CLOSER


def test_numbers_are_those_of_a_close_look() -> None:
    isolated(_numbers)


PRODUCT = """
func.func @product(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  linalg.matmul ins(%A, %B : memref<?x?xf64>, memref<?x?xf64>) outs(%C : memref<?x?xf64>)
  return
}"""


def _by_threads() -> None:
    """Calls at once, of which one at a time has the memory for packed blocks; the others are looked at closely."""
    product: Any = compile_module(PRODUCT)["product"]
    a = np.random.default_rng(0).random((60, 60))
    product(a, a, np.zeros((60, 60)))
    assert product._needed > 0
    wrong, ready = [], threading.Barrier(4)

    def work() -> None:
        ready.wait()
        for _ in range(200):
            c = np.zeros((60, 60))
            product(a, a, c)
            wrong.extend([] if np.allclose(c, a @ a) else [1])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_threads_that_call_at_once() -> None:
    isolated(_by_threads)


def _kept() -> None:
    """A function lives on without its module, and no object is counted too often or too seldom."""
    add: Any = compile_module(ADD, cache=False)["add"]
    given = _good()
    add(*given)
    quick = add.quick
    del add
    gc.collect()
    before = [sys.getrefcount(each) for each in (*given, None, CLOSER)]
    for _ in range(1000):
        assert quick(*given) is None and quick(*given[:-1]) is CLOSER
    after = [sys.getrefcount(each) for each in (*given, None, CLOSER)]
    assert all(abs(one - two) < 50 for one, two in zip(before, after, strict=True))
    given[2][:] = 1
    quick(*given)
    assert np.array_equal(given[2], 1 + given[0] * 2.0 + 0.5)


def test_it_keeps_what_it_needs() -> None:
    isolated(_kept)
