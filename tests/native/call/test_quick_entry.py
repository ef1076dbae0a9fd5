"""Calls from Python whose arrays the code looks at itself: what fits goes in, all else is told as before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from raising.compile_module import compile_module
from raising.native.base.unsupported import CallError
from raising.native.call.arguments import objects_are_known
from raising.native.call.compiled import CLOSER
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
    with patch("raising.native.abi.python_entry.OFFSETS", (8, 16, 24, 32, 56, 72)):
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
    total = compile_module(OPEN, unchecked=True)["total"]
    quickly = total.call_quickly  # type: ignore[attr-defined]
    a, b = np.arange(12.0).reshape(3, 4), np.ones((5, 2))
    assert quickly((a, 3)) is CLOSER  # nothing was looked at so far
    for array, rows in ((a, 3), (b, 5), (a, 2)):
        wanted = array[:rows].sum()
        assert total(array, rows) == wanted
        assert quickly((array, rows)) == wanted
        assert quickly((array, np.int32(rows))) == wanted
    for array, rows in ((b, 2), (a, 3), (a, 2.0), (a, 2 + 2**32), (a, "2"), (a.T, 2), (a, None), (None, 2)):
        assert quickly((array, rows)) is CLOSER


def test_open_sizes_and_integers_are_those_of_a_call_that_was_looked_at_closely() -> None:
    isolated(_open_calls)
