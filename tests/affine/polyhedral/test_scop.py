"""Flow is exact: each load is bound to the stores whose values it reads, at the instances where it does."""

import islpy as isl
import pytest

from raising.affine.ir.affine_expr import const, var
from raising.affine.ir.interpreter import Machine, Memory, OutOfBounds
from raising.affine.ir.program import Array, Load, Loop, Program, Store
from raising.affine.polyhedral import counted_steps
from raising.affine.polyhedral.scop import Scop, build, conjunctions, dependences
from raising.support.errors import OutOfWork
from raising.support.source import Loc
from tests.affine.reading import PYTHON, segment, whole
from tests.kernels import FOLDER, kernel

SEQUENTIAL = FOLDER.parent / "inputs" / "sequential"


def _scop(text: str) -> Scop:
    return build(whole(text).program)


def _reads(scop: Scop, load: str, at: tuple[int, ...]) -> set[tuple[str, tuple[int, ...]]]:
    """The store instances that one load instance reads from, found by counting (numeric sizes only)."""
    found = set()
    for label, flow in dependences(scop.flow[load]):
        point = isl.Set(f"{{ {load}[{', '.join(map(str, at))}] }}")
        image = flow.intersect_domain(point.align_params(flow.get_space())).range()
        points: list[tuple[int, ...]] = []
        dims = image.dim(isl.dim_type.set)
        image.foreach_point(
            lambda p, dims=dims, points=points: points.append(
                tuple(p.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(dims))
            )
        )
        found |= {(label, p) for p in points}
    return found


def test_gemm_accumulates_from_the_scaling_and_then_from_itself() -> None:
    scop = _scop(kernel("gemm", {"NI": 6, "NJ": 7, "NK": 8}))
    scale, update = scop.statements
    (c,) = {s.write.node.array for s in scop.statements.values()}
    (inner,) = [n for n, a in scop.loads.items() if a.node.array == c and n in scop.statements[update].reads]
    order = scop.loads[inner].ivs
    assert len(order) == 3
    accumulated = [k for k, iv in enumerate(order) if iv not in str(scop.loads[inner].node.subscripts)]
    (depth,) = accumulated
    first, later = [2, 2, 2], [2, 2, 2]
    first[depth] = 0
    assert {label for label, _ in _reads(scop, inner, tuple(first))} == {scale}
    ((label, source),) = _reads(scop, inner, tuple(later))
    later[depth] -= 1
    assert (label, source) == (update, tuple(later))
    assert "arith.mulf" in scop.statements[scale].operations


def test_trmm_reads_rows_before_they_are_overwritten() -> None:
    scop = _scop(kernel("trmm", {"M": 6, "N": 7}))
    (b,) = {s.write.node.array for s in scop.statements.values()}
    own = {s.write.node.subscripts for s in scop.statements.values()}
    loads = [a for a in scop.loads.values() if a.node.array == b and len(a.ivs) == 3]
    assert {a.node.subscripts in own: scop.flow[a.name].is_empty() for a in loads} == {True: False, False: True}
    assert all(scop.flow[a.name].is_empty() for a in scop.loads.values() if a.node.array != b)


def test_seidel_reads_this_sweep_before_and_the_last_sweep_behind() -> None:
    text = (SEQUENTIAL / "seidel.mlir").read_text().replace("399", "7").replace("400", "8")
    scop = _scop(text.replace("0 to 100", "0 to 3"))
    by_offset = {tuple(f.const for f in a.node.subscripts): name for name, a in scop.loads.items()}
    (label,) = scop.statements
    assert _reads(scop, by_offset[-1, 0], (2, 3, 3)) == {(label, (2, 2, 3))}
    assert _reads(scop, by_offset[1, 0], (2, 3, 3)) == {(label, (1, 4, 3))}
    assert _reads(scop, by_offset[0, 0], (2, 3, 3)) == {(label, (1, 3, 3))}
    assert _reads(scop, by_offset[0, 0], (0, 3, 3)) == set()
    assert _reads(scop, by_offset[-1, 0], (2, 1, 3)) == set()  # row 0 is never written


TRIANGLE = """
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %v = affine.load %A[%i, %j] : memref<6x6xf64>
      affine.store %v, %B[%i, %j] : memref<6x6xf64>
    }
  }
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      %v = affine.load %B[%i, %j] : memref<6x6xf64>
      affine.store %v, %A[%j, %i] : memref<6x6xf64>
    }
  }"""


def test_a_triangle_is_read_only_where_it_was_written() -> None:
    scop = build(segment(TRIANGLE, "%A: memref<6x6xf64>, %B: memref<6x6xf64>").program)
    (name,) = [n for n in scop.loads if not scop.flow[n].is_empty()]
    first = next(iter(scop.statements))
    assert _reads(scop, name, (4, 2)) == {(first, (4, 2))}
    assert _reads(scop, name, (2, 4)) == set()
    (domain,) = conjunctions(scop.statements[first].write.domain, ("i", "j")) or ()
    inside = [(i, j) for i in range(-1, 7) for j in range(-1, 7) if all(c.holds({"i": i, "j": j}) for c in domain)]
    assert inside == [(i, j) for i in range(6) for j in range(i + 1)]


def test_a_descending_loop_reads_in_its_own_order() -> None:
    body = """
  affine.for %i = 0 to 8 {
    %v = affine.load %x[-%i + 9] : memref<10xf64>
    affine.store %v, %x[-%i + 8] : memref<10xf64>
  }"""
    scop = build(segment(body, "%x: memref<10xf64>").program)
    (name,), (label,) = scop.loads, scop.statements
    assert _reads(scop, name, (0,)) == set()
    assert _reads(scop, name, (5,)) == {(label, (4,))}


def test_a_loop_that_never_runs_writes_nothing() -> None:
    body = """
  affine.for %i = 5 to 5 {
    %v = affine.load %x[%i] : memref<10xf64>
    affine.store %v, %y[%i] : memref<10xf64>
  }"""
    scop = build(segment(body).program)
    assert all(s.write.domain.is_empty() for s in scop.statements.values())


# ---- the executable reference --------------------------------------------------------------------


def _copy(subscript: int) -> Program:
    loc = Loc("k.mlir", 3, 5)
    arrays = {n: Array(n, "f64", (var("N"),), "argument") for n in ("A", "B")}
    load = Load("v", "A", (var("i") + subscript,), loc)
    store = Store("S", "B", (var("i"),), "v", Loc("k.mlir", 4, 5))
    loop = Loop("i", (const(0),), (var("N"),), 1, (load, store), Loc("k.mlir", 2, 3))
    return Program("copy", arrays, {}, (loop,), frozenset("B"), ("N",))


def test_the_reference_runs_and_marks_what_it_wrote() -> None:
    memory = {n: Memory((4,), [1.0, 2.0, 3.0, 4.0] if n == "A" else [0.0] * 4) for n in "AB"}
    Machine(PYTHON, {"N": 3}, memory, {}).run(_copy(1).body)
    assert memory["B"].data == [2.0, 3.0, 4.0, 0.0]
    assert memory["B"].written == {0, 1, 2} and memory["A"].written == set()


@pytest.mark.parametrize(("subscript", "index"), [(1, 4), (-1, -1)])
def test_an_access_outside_of_its_array_names_the_place(subscript: int, index: int) -> None:
    memory = {n: Memory((4,), [0.0] * 4) for n in "AB"}
    with pytest.raises(OutOfBounds, match=rf"k\.mlir:3:5: subscript {index} outside of 0 … 3"):
        Machine(PYTHON, {"N": 4}, memory, {}).run(_copy(subscript).body)


def test_what_was_asked_before_the_count_restarts_is_counted_again() -> None:
    program = whole(kernel("gemm")).program
    counted_steps.restart()
    build(program)
    with counted_steps.at_most(1):
        build(program)  # remembered: no step
    with pytest.raises(OutOfWork), counted_steps.fresh(1):
        build(program)


def test_flow_between_other_instances_of_the_same_names_is_another() -> None:
    sizes = ({"NI": 6, "NJ": 7, "NK": 8}, {"NI": 6, "NJ": 7, "NK": 9})
    counted_steps.restart()
    together = [_scop(kernel("gemm", s)).flow for s in sizes]
    for flow, given in zip(together, sizes, strict=True):
        counted_steps.restart()
        alone = _scop(kernel("gemm", given)).flow
        assert flow.keys() == alone.keys() and all(flow[name].is_equal(alone[name]) for name in alone)
    assert any(not together[0][name].is_equal(together[1][name]) for name in together[0])
