"""Memory of one dimension that loops walk in rows: read, raised and proved like arrays of two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.unsupported import CallError
from raising.validate.base.verdict import Proved, Refuted, Unknown
from raising.validate.check import check
from tests.raising.running import execute, raised

_HEAD = """func.func @f(%n32: i32, %m32: i32, %a: memref<?xf64>, %o: memref<?xf64>) {
  %n = arith.index_cast %n32 : i32 to index
  %m = arith.index_cast %m32 : i32 to index
"""
_ROWS = """  affine.for %i = {0} {{
    affine.for %j = {1} {{
{2}
    }}
  }}
"""
_SUM = """      %x = affine.load %a[{0}] : memref<?xf64>
      %y = affine.load %o[%i] : memref<?xf64>
      %z = arith.addf %x, %y : f64
      affine.store %z, %o[%i] : memref<?xf64>"""
_MOVE = """      %x = affine.load %a[{0}] : memref<?xf64>
      affine.store %x, %o[{1}] : memref<?xf64>"""
_AT = "%i * symbol(%m) + %j"
_FEW = "1 to affine_map<()[s] -> (s - 1)>()[%{}]"


def _loops(rows: str, columns: str, body: str) -> str:
    return _HEAD + _ROWS.format(rows, columns, body) + "  return\n}"


WHOLE = {  # every row to its end
    "sums": _loops("0 to %n", "0 to %m", _SUM.format(_AT)),
    "transpose": _loops("0 to %n", "0 to %m", _MOVE.format(_AT, "%j * symbol(%n) + %i")),
    "every second row": _loops("0 to %n step 2", "0 to %m", _MOVE.format(_AT, _AT)),
    "a later row": _loops("0 to %n", "0 to %m", _MOVE.format("%i * symbol(%m) + symbol(%m) + %j", _AT)),
}
PARTS = {  # the last row that is accessed may end in front of its last element, or all rows may
    "inside": _loops(_FEW.format("n"), _FEW.format("m"), _MOVE.format(_AT + " + 1", _AT)),
    "below the diagonal": _loops("0 to %m", "0 to affine_map<(d) -> (d)>(%i)", _SUM.format(_AT)),
    "rows that may be shorter": _loops("0 to %n", "0 to 3", _SUM.format(_AT)),
    "rows of no elements": _loops("0 to %n", "0 to 1", _SUM.format("%i * symbol(%m)")),
}
NEGATIVE = ("rows that may be shorter", "rows of no elements")  # with rows of negative length they leave the memory
LEFT = {
    "a column of the next row": _loops("0 to %n", "0 to %m", _MOVE.format(_AT + " + 1", _AT)),
    "rows of two lengths": _loops(
        "0 to %n",
        "0 to %m",
        _MOVE.format(_AT, _AT) + "\n      affine.store %x, %o[%j * symbol(%n) + %i] : memref<?xf64>",
    ),
}
SIZES = ((3, 4), (4, 3), (1, 1), (1, 5), (5, 1), (2, 2), (0, 3), (3, 0), (-1, 3), (3, -1), (-2, -2))


def _given(n: int, m: int, lacking: int = 0) -> list[Any]:
    """Arguments, with memory for a row more than `n` and `m` say but so many elements."""
    length, random = max(0, (max(n, m, 0) + 1) * max(m, n, 0) - lacking), np.random.default_rng(0)
    return [np.int32(n), np.int32(m), random.normal(size=length), random.normal(size=length)]


def _differ(before: str, after: str, arguments: list[Any]) -> bool:
    pairs = zip(execute(before, "f", arguments), execute(after, "f", arguments), strict=True)
    return not all(np.allclose(one, other, rtol=1e-12) for one, other in pairs)


@pytest.mark.parametrize("name", {**WHOLE, **PARTS})
def test_rows_are_raised_and_proved(name: str) -> None:
    text = {**WHOLE, **PARTS}[name]
    result = raised(text, "proof")
    assert result.complete
    assert isinstance(result.functions[0].verdict, Proved)
    inside = [(n, m) for n, m in SIZES if m >= 0 or name not in NEGATIVE]
    # three more elements: rows of three are read where arrays have rows of one
    assert not [sizes for sizes in inside if _differ(text, result.text, _given(*sizes, lacking=-3))]


@pytest.mark.parametrize("name", PARTS)
def test_a_last_row_that_is_not_whole_is_not_counted(name: str) -> None:
    text, n = PARTS[name], 5
    result = raised(text)
    assert "memref.reinterpret_cast" in result.text and "affine.for" in result.text
    for length in range((n - 1) * n + n - 1, n * n + 2):  # up to the last element that is accessed, and more
        random = np.random.default_rng(length)
        given = [np.int32(n), np.int32(n), random.normal(size=length), random.normal(size=length)]
        assert not _differ(text, result.text, given)


@pytest.mark.parametrize("name", LEFT)
def test_what_may_leave_its_row_is_left_alone(name: str) -> None:
    result = raised(LEFT[name])
    assert "memref.reinterpret_cast" not in result.text and not result.complete


def test_rows_are_compared_only_with_rows_of_the_same_length() -> None:
    source = WHOLE["sums"]
    assert isinstance(check(source, source.replace("%x, %y", "%y, %x")), Proved)
    assert isinstance(check(source, source.replace("addf", "subf")), Refuted)
    assert isinstance(check(source, source.replace(_AT, "%j * symbol(%n) + %i")), Unknown)


def test_a_call_is_checked_in_rows() -> None:
    compiled = compile_module(raised(WHOLE["sums"]).text, cache=False)["f"]
    a, o = np.ones(12), np.zeros(3)
    compiled(3, 4, a, o)
    assert o.tolist() == [4.0, 4.0, 4.0]
    with pytest.raises(CallError, match=r"reads arg2\[14\]"):
        compiled(3, 5, a, o)


def test_a_call_with_short_rows_runs_the_loops() -> None:
    compiled = compile_module(raised(PARTS["rows that may be shorter"]).text, cache=False)["f"]
    a, o = np.arange(6.0), np.zeros(3)
    compiled(3, 1, a, o)  # rows of 3 elements, each one behind the other
    assert o.tolist() == [3.0, 6.0, 9.0]
