"""Modules of many functions, when the time is over in the middle: what was finished is in the result."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import pytest
from mlir import ir

from raising import pipeline
from raising.api.result import RaiseResult
from raising.frontend.mlir.parse_module import make_context
from raising.segment.effort import Effort
from raising.segment.part_search import LATE, PartSearch
from raising.synth.enumerate.limits import Statistics
from raising.validate.base.verdict import Proved, Tested
from raising.verify.verify import Checked, Raised, alone
from tests.cli.running import SCALE

NAMES = ("a", "b", "c")
SOURCE = "".join(SCALE.replace("@scale", f"@{name}") for name in NAMES) + "func.func @empty() { return }\n"
DIFFERENT = "".join(
    SCALE.replace("@scale", f"@{name}").replace("arith.mulf", f"arith.{op}")
    for name, op in zip(NAMES, ("mulf", "addf", "subf"), strict=True)
)


@pytest.fixture
def end(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Ends the time when it is called."""
    over: list[bool] = []
    monkeypatch.setattr(PartSearch, "out_of_time", property(lambda _: bool(over)))
    return lambda: over.append(True)


def _raised(result: RaiseResult) -> list[str]:
    return [f.name for f in result.functions if f.raised and f.name in NAMES]


def _left(result: RaiseResult) -> list[str]:
    return [r.why for r in result.remarks if r.kind == "kept"]


def test_functions_are_finished_one_after_the_other(end: Callable[[], None]) -> None:
    done = pipeline.raise_module(SOURCE, check="proof", cache=False, so_far=lambda _: end())
    assert _raised(done) == ["a"] and not done.complete and not done.in_time
    assert _left(done) == 2 * [f"loop kept: {LATE}"]
    assert done.text.count("affine.for") == 2
    assert isinstance(done.functions[0].verdict, Proved)


def test_the_result_so_far_is_a_whole_one() -> None:
    found: list[RaiseResult] = []
    whole = pipeline.raise_module(SOURCE, check="field", so_far=lambda result: found.append(result()))
    assert [_raised(result) for result in found] == [["a"], ["a", "b"], ["a", "b", "c"]]
    assert [result.text.count("affine.for") for result in found] == [2, 1, 0]
    assert _left(found[0]) == 2 * [f"loop kept: {LATE}"]
    assert [len(result.functions) for result in found] == [4, 4, 4]
    assert [result.complete for result in found] == [False, False, True]
    assert found[-1].text == whole.text and whole.complete


def test_a_wrong_function_costs_no_other_its_result(monkeypatch: pytest.MonkeyPatch, end: Callable[[], None]) -> None:
    """It is put back in its place."""
    asked: list[str] = []

    def checked(function: Raised, tested: Tested, *_: object) -> Checked:
        asked.append(function.name)
        if function.name == "b":
            end()
        return Checked(tested, wrong="so it is" if function.name == "a" else "")

    monkeypatch.setattr(pipeline, "checked", checked)
    told: list[str] = []
    done = pipeline.raise_module(SOURCE, check="proof", cache=False, so_far=lambda r: told.append(r().text))
    assert _raised(done) == ["b"]
    assert _left(done) == ["function 'a' kept: so it is", f"loop kept: {LATE}"]
    assert asked == ["a", "b"]  # and the verdict on b is not asked for again
    assert all(text.index("func.func @a") < text.index("affine.for") for text in told)


def test_where_one_function_is_wrong_the_others_are_raised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def checked(function: Raised, tested: Tested, *_: object) -> Checked:
        return Checked(tested, wrong="so it is" if function.name != "b" else "")

    monkeypatch.setattr(pipeline, "checked", checked)
    said: list[str] = []
    done = pipeline.raise_module(SOURCE, check="proof", cache=False, progress=said.append)
    assert _raised(done) == ["b"] and done.in_time
    assert _left(done) == ["function 'a' kept: so it is", "function 'c' kept: so it is"]
    assert [line for line in said if "proving" in line] == [
        f"function '{n}': running natively and proving" for n in NAMES
    ]


def test_what_takes_much_work_waits_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """How much that is does not depend on the clock."""
    begun: list[float] = []
    charged = Effort.charge

    def charge(effort: Effort, stats: Statistics) -> None:
        begun.append(effort.share)
        charged(effort, stats)
        effort.spent |= len(begun) == 2  # of b, whose first turn that is

    monkeypatch.setattr(Effort, "charge", charge)
    told: list[RaiseResult] = []
    done = pipeline.raise_module(DIFFERENT, check="proof", cache=False, so_far=lambda r: told.append(r()))
    assert [_raised(result) for result in told] == [["a"], ["a"], ["a", "c"]]
    assert len(begun) == 3 and max(begun) < 1  # what the first turn of b found is known in its second
    assert (_raised(done), _left(done), done.in_time) == (["a", "b", "c"], [], True)


def test_where_there_is_too_little_for_all_some_have_enough() -> None:
    """With one function more, none of those that take much work was raised."""
    assert pipeline.shares(math.inf, 3) == [1.0] * 3 and pipeline.shares(1.0, 0) == []
    assert pipeline.shares(1.0, 5) == [0.2] * 5
    assert pipeline.shares(1.0, 9) == [0.25] * 4 + [0.0] * 5


def test_what_waits_stays_where_the_time_is_over(monkeypatch: pytest.MonkeyPatch, end: Callable[[], None]) -> None:
    monkeypatch.setattr(Effort, "charge", lambda effort, _: setattr(effort, "spent", True))
    done = pipeline.raise_module(SOURCE, check="proof", cache=False, so_far=lambda r: len(r().functions) > 4 or end())
    assert _raised(done) == [] and not done.in_time
    assert _left(done) == 3 * [f"loop kept: {LATE}"]


def test_no_function_is_late_because_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, shares of the time were too short for each of them: nothing was raised."""
    given: list[float] = []

    def checked(function: Raised, tested: Tested, deadline: float, *_: object) -> Checked:
        given.append(deadline - time.monotonic())
        return Checked(tested)

    monkeypatch.setattr(pipeline, "checked", checked)
    pipeline.raise_module(SOURCE, check="proof", cache=False, timeout=4000)
    assert len(given) == 3 and all(left > 3500 for left in given)


def test_a_check_sees_one_function_and_what_it_needs() -> None:
    text = """
      memref.global "private" constant @table : memref<2xf64> = dense<1.0>
      memref.global "private" @other : memref<2xf64> = dense<2.0>
      func.func private @declared(f64) -> f64
      func.func @leaf(%x: f64) -> f64 { return %x : f64 }
      func.func @calls(%x: f64) -> f64 {
        %t = memref.get_global @table : memref<2xf64>
        %y = call @leaf(%x) : (f64) -> f64
        return %y : f64
      }
      func.func private @alone(%x: f64) -> f64 { %y = call @declared(%x) : (f64) -> f64  return %y : f64 }
    """
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        assert _symbols(alone(module, "calls")) == {"table", "leaf", "calls"}
        assert _symbols(alone(module, "alone")) == {"declared", "alone"}
        assert len(_symbols(module.operation)) == 6
        single = ir.Module.parse(SCALE)
        assert alone(single, "scale") is single


def _symbols(module: ir.Operation) -> set[str]:
    return {ir.StringAttr(op.attributes["sym_name"]).value for op in module.regions[0].blocks[0].operations}
