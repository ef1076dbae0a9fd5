"""What cannot be raised stays as it was, each loop with one remark; the rest of the file is raised."""

import re
from functools import cache
from pathlib import Path

import pytest
from mlir import ir

import raising.segment.effort as effort
import raising.segment.solve_body
from raising.pipeline import RaiseOptions, RaiseResult, raise_module
from tests.kernels import kernel
from tests.kernels.execute import inputs, run
from tests.raising.algebra import loops, operations, signatures
from tests.raising.running import execute, kept

INPUTS = Path(__file__).parents[1] / "inputs"
UNRAISABLE = {path.stem: path for path in sorted((INPUTS / "unraisable").glob("*.mlir"))}
MIXED = {path.stem: path for path in sorted((INPUTS / "mixed").glob("*.mlir"))}
REASONS = {
    "call": r"calls a function",
    "indirect": r"subscript or bound is not an affine function",
    "while": r"not a static-control loop \(scf\.while\)",
}


@cache
def _raised(path: Path) -> RaiseResult:
    return raise_module(path.read_text(), file=path.name, options=RaiseOptions(check="field"))


def _printed(text: str) -> str:
    with ir.Context():
        return str(ir.Module.parse(text))


def _expected_line(text: str) -> int:
    (line,) = [k for k, line in enumerate(text.splitlines(), 1) if "// expect-remark" in line]
    return line


@pytest.mark.parametrize("name", UNRAISABLE)
def test_it_comes_out_unchanged(name: str) -> None:
    text = UNRAISABLE[name].read_text()
    result = _raised(UNRAISABLE[name])
    assert result.text == _printed(text)
    assert not result.complete
    assert [f.raised for f in result.functions] == [0] * len(result.functions)


@pytest.mark.parametrize("name", UNRAISABLE)
def test_one_remark_names_the_place_and_the_reason(name: str) -> None:
    (remark,) = _raised(UNRAISABLE[name]).remarks
    text = UNRAISABLE[name].read_text()
    assert remark.kind == "kept"
    assert re.search(REASONS[name], remark.why), remark.why
    assert remark.where.file == f"{name}.mlir"
    assert remark.where.line == _expected_line(text)
    column = text.splitlines()[remark.where.line - 1]
    assert re.fullmatch(r"(%\w+ =)?", column[: remark.where.col - 1].strip())
    assert str(remark).startswith(f"{name}.mlir:{remark.where.line}:{remark.where.col}: ")


def test_every_reason_is_listed() -> None:
    assert set(REASONS) == set(UNRAISABLE)


# ---- mixed files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "left"), [("call_between", 0), ("functions", 1), ("one_function", 1)])
def test_the_rest_of_a_mixed_file_is_raised(name: str, left: int) -> None:
    text = MIXED[name].read_text()
    result = _raised(MIXED[name])
    assert len(loops(result.text)) == left
    assert len([r for r in result.remarks if r.kind == "kept"]) == left
    assert signatures(result.text) == signatures(text)
    if left:
        (remark,) = [r for r in result.remarks if r.kind == "kept"]
        assert remark.where.line == _expected_line(text)
        assert "each iteration needs the one before it" in remark.why


def test_every_mixed_file_is_listed() -> None:
    assert set(MIXED) == {"call_between", "functions", "one_function"}


def test_the_call_stays_between_the_two_that_were_raised() -> None:
    names = operations(_raised(MIXED["call_between"]).text)
    writes = [k for k, n in enumerate(names) if n == "bufferization.materialize_in_destination"]
    call = names.index("func.call")
    assert len(writes) == 2 and writes[0] < call < writes[1]


def test_functions_that_nobody_touches_stay_as_they_are() -> None:
    result = _raised(MIXED["functions"])
    before = _printed(MIXED["functions"].read_text())
    body = r"func\.func @twice\(.*?\n  }\n"
    (old,), (new,) = (re.findall(body, text, re.DOTALL) for text in (before, result.text))
    assert old == new
    reports = {f.name: (f.raised, f.kept) for f in result.functions}
    assert reports["add"] == reports["outer"] == (1, 0)
    assert reports["orbit"] == (1, 0)
    notes = [r.why for r in result.remarks if r.kind == "note"]
    assert notes == ["function 'twice' has no loops"]


@pytest.mark.parametrize(
    ("name", "function"), [("functions", "add"), ("functions", "outer"), ("one_function", "smooth")]
)
def test_a_mixed_function_still_computes_the_same(name: str, function: str) -> None:
    text = MIXED[name].read_text()
    before = inputs(text, function)
    wanted = run(text, function, before)
    found = execute(_raised(MIXED[name]).text, function, before)
    assert len(wanted) == len(found)
    for want, got in zip(wanted, found, strict=True):
        assert got == pytest.approx(want, rel=1e-9)


def test_remarks_come_in_the_order_of_the_file() -> None:
    for path in [*UNRAISABLE.values(), *MIXED.values()]:
        places = [(r.where.line, r.where.col) for r in _raised(path).remarks]
        assert places == sorted(places)


def test_a_kept_loop_is_counted() -> None:
    result = _raised(MIXED["one_function"])
    (report,) = result.functions
    assert (report.raised, report.kept, report.sequential) == (3, 0, 1)
    assert not result.complete
    assert kept(result) == [str(r) for r in result.remarks if r.kind == "kept"]


def test_nothing_new_is_begun_once_the_time_is_over() -> None:
    result = raise_module(kernel("ludcmp"), options=RaiseOptions(check="native", timeout=1e-6, cache=False))
    assert [r.kept for r in result.functions] == [3]
    assert sum("the time limit was reached" in r.why for r in result.remarks if r.kind == "kept") == 3
    assert all(not p.stats.enumerated for p in result.functions[0].parts)


def test_a_program_that_takes_too_long_to_take_apart_keeps_its_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raising.segment.solve_body, "SLACK", -1e9)
    result = raise_module(kernel("ludcmp"), options=RaiseOptions(check="field", cache=False))
    assert [(r.raised, r.kept) for r in result.functions] == [(0, 3)]
    assert sum("the time limit was reached" in r.why for r in result.remarks if r.kind == "kept") == 3
    assert "affine.for" in result.text


@pytest.mark.parametrize("bound", ["_STEPS", "_CANDIDATES"])
def test_work_that_is_used_up_keeps_the_loops_of_its_function_only(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same whatever the machine does meanwhile, and no later function is poorer for it."""
    for each in ("_STEPS_EACH", "_CANDIDATES_EACH"):
        monkeypatch.setattr(effort, each, 0)
    scale = "func.func @scale(%x: memref<9xf64>) { affine.for %i = 0 to 9 { %v = affine.load %x[%i] : memref<9xf64>\n"
    scale += "%w = arith.mulf %v, %v : f64\n affine.store %w, %x[%i] : memref<9xf64> } return }"
    monkeypatch.setattr(effort, bound, 60_000)
    text = f"{kernel('ludcmp')}\n{scale}"
    results = [raise_module(text, options=RaiseOptions(check="field", cache=False)) for _ in range(2)]
    assert results[0].text == results[1].text
    first, second = sorted(results[0].functions, key=lambda f: f.name)
    assert (second.name, second.raised, second.kept) == ("scale", 1, 0) and first.kept > 0
    assert any("the bound on work for one function was reached" in r.why for r in results[0].remarks)


OUTSIDE = """func.func @f(%m: index, %n: index, %b: memref<?xf64>, %a: memref<?xf64>) {
  affine.for %i = 0 to %m {
    %x = affine.load %b[%i] : memref<?xf64>
    %y = arith.addf %x, %x : f64
    affine.store %y, %b[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %a[2] : memref<?xf64>
    affine.store %x, %a[%i - 1] : memref<?xf64>
  }
  return
}"""


def test_loops_that_leave_their_array_whenever_they_run_stay():
    result = raise_module(OUTSIDE, options=RaiseOptions(check="field"))
    assert result.functions[0].kept and not any("internal" in r.why for r in result.remarks), result.remarks


ONE_THAT_IS_NOT_KNOWN = """func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %x = affine.load %A[%i] : memref<?xf64>
    %k = arith.constant 3 : i32
    %r = math.fpowi %x, %k : f64, i32
    affine.store %r, %C[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %A[%i] : memref<?xf64>
    %r = arith.addf %x, %x : f64
    affine.store %r, %B[%i] : memref<?xf64>
  }
  return
}"""


def test_an_operation_that_the_search_cannot_evaluate_keeps_its_own_loop_only() -> None:
    result = raise_module(ONE_THAT_IS_NOT_KNOWN, options=RaiseOptions(check="none"))
    assert [str(r.why) for r in result.remarks if r.kind == "kept"] == [
        "loop kept: operation 'math.fpowi' is not supported (statement at -:6:5)"
    ]
    assert "linalg.add" in result.text and result.text.count("affine.for") == 1


@pytest.mark.parametrize("operation", ["addi", "subi", "xori"])
def test_truth_values_are_numbers_to_every_target(operation: str) -> None:
    text = f"""func.func @f(%n: index, %A: memref<?xi1>, %B: memref<?xi1>) {{
      affine.for %i = 0 to %n {{
        %x = affine.load %A[%i] : memref<?xi1>
        %y = affine.load %B[%i] : memref<?xi1>
        %r = arith.{operation} %x, %y : i1
        affine.store %r, %B[%i] : memref<?xi1>
      }}
      return
    }}"""
    result = raise_module(text, options=RaiseOptions(check="none", target="tosa"))
    assert not any("internal" in r.why for r in result.remarks)


def test_loops_that_go_beyond_an_array_say_so() -> None:
    text = """func.func @f(%a: memref<10xf64>, %b: memref<30xf64>) {
  affine.for %i = 0 to 30 {
    %v = affine.load %a[%i] : memref<10xf64>
    affine.store %v, %b[%i] : memref<30xf64>
  }
  return
}"""
    result = raise_module(text, file="f.mlir", options=RaiseOptions(check="field"))
    assert "function 'f' kept: a loop goes to element 29 of 10 in dimension 0" in [r.why for r in result.remarks]
    assert _printed(result.text) == _printed(text)
