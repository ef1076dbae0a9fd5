"""Distribution and expansion: the smallest parts in an order that respects flow, over versions of arrays."""

import islpy as isl
import pytest

from raising.affine.polyhedral.distribution import Distribution, Part, Version, distribute
from raising.affine.polyhedral.expansion import expand
from raising.affine.polyhedral.scop import build
from raising.affine.polyhedral.sequential_loops import sequential_loops
from raising.affine.sizes.symbolic_sizes import generalise
from raising.support.errors import OutOfTime
from tests.affine.reading import segment, whole
from tests.kernels import ISSUE_KERNELS, kernel

FLOAT = "memref<20xf64>"


def _distributed(body: str, arguments: str = f"%x: {FLOAT}, %y: {FLOAT}") -> Distribution:
    return distribute(build(generalise(segment(body, arguments).program).program))


def _kernel(name: str) -> Distribution:
    return distribute(expand(build(generalise(whole(kernel(name)).program).program)))


def _loop(body: str, low: int = 0, high: int = 20) -> str:
    lines = "\n    ".join(body.strip().splitlines())
    return f"  affine.for %i = {low} to {high} {{\n    {lines}\n  }}\n"


def _copy(source: str, target: str, shift: str = "", op: str = "arith.negf") -> str:
    return (
        f"%v = affine.load %{source}[%i{shift}] : {FLOAT}\n%w = {op} %v : f64\naffine.store %w, %{target}[%i] : {FLOAT}"
    )


# ---- parts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ISSUE_KERNELS)
def test_each_kernel_falls_into_parts_of_one_statement(name: str) -> None:
    found = _kernel(name)
    assert [len(p.statements) for p in found.parts] == [1] * len(found.parts)
    assert not any(p.problem for p in found.parts)
    assert len(found.parts) == len(found.scop.statements)


def test_fused_statements_are_parted_and_ordered_by_flow() -> None:
    found = _distributed(
        _loop(_copy("x", "y") + "\n" + _copy("y", "z").replace("%v", "%a").replace("%w", "%b")),
        f"%x: {FLOAT}, %y: {FLOAT}, %z: {FLOAT}",
    )
    first, second = found.parts
    (y,) = first.outputs.values()
    (given,) = second.inputs
    assert given.version == y == Version(y.array, 1)
    assert [str(v) for v in found.final.values()] == [f"{a}@1" for a in found.final]


def test_each_rewriting_is_a_version_and_readers_name_theirs() -> None:
    body = _loop(_copy("x", "y")) + _loop(_copy("y", "x")) + _loop(_copy("x", "y"))
    found = _distributed(body)
    assert len(found.parts) == 3
    x, y = sorted(found.final)
    assert found.final == {x: Version(x, 1), y: Version(y, 2)}
    assert [p.inputs[0].version for p in found.parts] == [Version(x, 0), Version(y, 1), Version(x, 1)]
    assert [next(iter(p.outputs.values())) for p in found.parts] == [Version(y, 1), Version(x, 1), Version(y, 2)]


def test_a_reader_of_the_old_contents_keeps_them() -> None:
    # y is read at i + 1 before it is overwritten there: the reader needs no result of the writer
    body = _loop(_copy("y", "x", " + 1") + "\n" + _copy("z", "y").replace("%v", "%a").replace("%w", "%b"), 0, 19)
    found = _distributed(body, f"%x: {FLOAT}, %y: {FLOAT}, %z: {FLOAT}")
    reader = next(p for p in found.parts if len(p.inputs) == 1 and p.inputs[0].version.array != "z")
    versions = {i.version for p in found.parts for i in p.inputs}
    assert all(v.count == 0 for v in versions)
    assert not reader.problem and not reader.carried


def test_a_sum_is_carried_and_starts_from_its_own_array() -> None:
    body = """
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 30 {
      %a = affine.load %A[%i, %j] : memref<20x30xf64>
      %s = affine.load %x[%i] : memref<20xf64>
      %t = arith.addf %s, %a : f64
      affine.store %t, %x[%i] : memref<20xf64>
    }
  }"""
    (part,) = _distributed(body, "%A: memref<20x30xf64>, %x: memref<20xf64>").parts
    assert part.carried and not part.problem
    assert [i.version.count for i in part.inputs] == [0, 0]
    assert len({i.name for i in part.inputs} & set(part.outputs)) == 1


def test_statements_that_need_each_other_stay_together() -> None:
    body = """
  affine.for %i = 1 to 20 {
    %a = affine.load %x[%i - 1] : memref<20xf64>
    affine.store %a, %y[%i] : memref<20xf64>
    %b = affine.load %y[%i - 1] : memref<20xf64>
    affine.store %b, %x[%i] : memref<20xf64>
  }"""
    (part,) = _distributed(body).parts
    assert len(part.statements) == 2 and part.carried
    assert len(part.outputs) == 2


def test_statements_that_see_states_of_an_array_inside_of_a_loop_stay_together() -> None:
    # z[t] reads y[0] after each of the updates of y
    body = """
  affine.for %t = 0 to 20 {
    affine.for %i = 0 to 20 {
      %a = affine.load %x[%t] : memref<20xf64>
      affine.store %a, %y[%i] : memref<20xf64>
    }
    %c = affine.load %y[0] : memref<20xf64>
    affine.store %c, %z[%t] : memref<20xf64>
  }"""
    found = _distributed(body, f"%x: {FLOAT}, %y: {FLOAT}, %z: {FLOAT}")
    (part,) = found.parts
    assert not part.problem and set(part.outputs) == {"A2", "A3"}


def test_what_is_overwritten_comes_before_what_overwrites_it() -> None:
    # the first store to y has to wait for t; without regard to overwriting the second would come first
    body = """
  affine.for %i = 1 to 20 {
    %a = affine.load %t[%i - 1] : memref<20xf64>
    affine.store %a, %y[%i] : memref<20xf64>
    %b = affine.load %x[%i] : memref<20xf64>
    affine.store %b, %y[%i] : memref<20xf64>
    affine.store %b, %t[%i] : memref<20xf64>
  }"""
    found = _distributed(body, f"%x: {FLOAT}, %y: {FLOAT}, %t: {FLOAT}")
    lines = [p.statements[0].write.node.loc.line for p in found.parts]
    assert lines.index(5) < lines.index(7)
    y = next(a for a, version in found.final.items() if version.count == 2)
    last = next(p for p in found.parts if p.outputs.get(y) == Version(y, 2))
    assert last.statements[0].write.node.loc.line == 7


# ---- masks ---------------------------------------------------------------------------------------


def _mask(part: Part) -> isl.Set:
    (mask,) = part.masks.values()
    return mask


def test_the_mask_is_what_is_written() -> None:
    body = """
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %v = affine.load %A[%i, %j] : memref<20x20xf64>
      affine.store %v, %B[%j, %i] : memref<20x20xf64>
    }
  }"""
    found = _distributed(body, "%A: memref<20x20xf64>, %B: memref<20x20xf64>")
    (part,) = found.parts
    (array,) = part.outputs
    at_six = isl.Set(f"[N0] -> {{ {array}[j, i] : N0 = 6 and 0 <= j < i < 6 }}")
    fixed = _mask(part).intersect_params(isl.Set("[N0] -> { : N0 = 6 }"))
    assert fixed.is_equal(at_six)


def test_the_mask_of_a_strided_loop_has_gaps() -> None:
    (part,) = _distributed(
        "  affine.for %i = 2 to 20 step 6 {\n    %v = affine.load %x[%i] : memref<20xf64>\n"
        "    affine.store %v, %y[%i] : memref<20xf64>\n  }"
    ).parts
    (array,) = part.outputs
    numbers = isl.Set(f"[N0] -> {{ {array}[i] : N0 = 20 and (i = 2 or i = 8 or i = 14) }}")
    assert _mask(part).intersect_params(isl.Set("[N0] -> { : N0 = 20 }")).is_equal(numbers)


# ---- expansion -----------------------------------------------------------------------------------


def test_doitgens_sum_becomes_a_tensor_with_a_copy_of_its_last_state() -> None:
    before = build(generalise(whole(kernel("doitgen")).program).program)
    after = expand(before)
    (new,) = set(after.program.arrays) - set(before.program.arrays)
    array = after.program.arrays[new]
    assert array.kind == "local" and len(array.shape) == 3
    assert len(after.statements) == len(before.statements) + 1  # sum itself is live: its last state goes back
    assert set(before.program.arrays) < set(after.program.arrays)


ACCUMULATE = """
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 20 {
    %s = affine.for %j = 0 to 30 iter_args(%acc = %zero) -> (f64) {
      %v = affine.load %A[%i, %j] : memref<20x30xf64>
      %n = arith.addf %acc, %v : f64
      affine.yield %n : f64
    }
    affine.store %s, %x[%i] : memref<20xf64>
  }"""


def test_a_scalar_accumulator_gets_one_cell_per_iteration() -> None:
    before = build(generalise(segment(ACCUMULATE, "%A: memref<20x30xf64>, %x: memref<20xf64>").program).program)
    after = expand(before)
    cells = {n: a for n, a in after.program.arrays.items() if a.kind != "argument"}
    assert [len(a.shape) for a in cells.values()] == [1]
    x = next(a for a in after.program.arrays.values() if a.kind == "argument" and len(a.shape) == 1)
    assert next(iter(cells.values())).shape == x.shape
    assert not any(p.problem for p in distribute(after).parts)


def test_a_value_that_is_carried_is_not_expanded() -> None:
    carried = """
  affine.for %i = 0 to 20 {
    %s = affine.load %t[] : memref<f64>
    %v = affine.load %x[%i] : memref<20xf64>
    %n = arith.addf %s, %v : f64
    affine.store %n, %t[] : memref<f64>
    affine.store %n, %y[%i] : memref<20xf64>
  }"""
    program = generalise(segment(carried, "%t: memref<f64>, %x: memref<20xf64>, %y: memref<20xf64>").program).program
    scop = build(program)
    assert expand(scop) is scop


def test_a_value_carried_from_a_start_inside_of_the_loop_is_not_expanded() -> None:
    carried = """
  affine.for %i = 0 to 20 {
    %v = affine.load %x[%i] : memref<20xf64>
    affine.if affine_set<(d0) : (d0 == 0)>(%i) {
      affine.store %v, %t[] : memref<f64>
    }
    %s = affine.load %t[] : memref<f64>
    %n = arith.addf %s, %v : f64
    affine.store %n, %t[] : memref<f64>
    affine.store %n, %y[%i] : memref<20xf64>
  }"""
    program = segment(carried, "%t: memref<f64>, %x: memref<20xf64>, %y: memref<20xf64>").program
    scop = build(generalise(program).program)
    assert expand(scop) is scop


def test_a_program_without_temporaries_stays_itself() -> None:
    scop = build(generalise(whole(kernel("gemm")).program).program)
    assert expand(scop) is scop


def test_taking_apart_ends_with_the_time() -> None:
    scop = build(generalise(whole(kernel("lu")).program).program)
    with pytest.raises(OutOfTime):
        distribute(scop, deadline=0.0)
    with pytest.raises(OutOfTime):
        list(sequential_loops(scop.program, deadline=0.0))
