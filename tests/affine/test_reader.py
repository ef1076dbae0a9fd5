"""What the reader makes of MLIR computes what MLIR computes; what it does not read it refuses by place."""

import pytest

from raising.affine.ir.affine_expr import const, var
from raising.affine.ir.program import Compute, Guard, Load, Loop, Store, walk
from raising.frontend.mlir.reader import InputError, parse
from raising.frontend.mlir.segments import segments
from raising.support.source import Loc
from tests.affine.bodies import BODIES
from tests.affine.reading import agrees_with_mlir, function, segment

XY = "%x: memref<10xf64>, %y: memref<10xf64>"


@pytest.mark.parametrize("name", BODIES)
def test_what_was_read_computes_what_mlir_computes(name: str) -> None:
    assert agrees_with_mlir(BODIES[name])


def test_a_rank_0_argument_is_an_array() -> None:
    body = """
  affine.for %i = 0 to 10 {
    %v = affine.load %x[%i] : memref<10xf64>
    %s = affine.load %s0[] : memref<f64>
    %n = arith.addf %s, %v : f64
    affine.store %n, %s0[] : memref<f64>
  }"""
    arguments = "%x: memref<10xf64>, %s0: memref<f64>"
    assert agrees_with_mlir(body, arguments)
    program = segment(body, arguments).program
    assert [a.shape for a in program.arrays.values()] == [(const(10),), ()]
    assert len(program.live_out) == 2  # every argument may be looked at afterwards


def test_an_integer_argument_cast_to_index_is_a_size() -> None:
    body = """
  %n = arith.index_cast %k : i64 to index
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    affine.store %v, %y[%i] : memref<?xf64>
  }"""
    program = segment(body, "%k: i64, %x: memref<?xf64>, %y: memref<?xf64>").program
    (loop,) = program.body
    assert isinstance(loop, Loop)
    (bound,) = loop.upper
    assert len(bound.names()) == 1 and bound.names() <= set(program.sizes)
    assert all(a.shape[0].names() <= set(program.sizes) for a in program.arrays.values())


def test_memref_dim_is_the_extent_itself() -> None:
    body = """
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    affine.store %v, %x[%i] : memref<?xf64>
  }"""
    program = segment(body, "%x: memref<?xf64>").program
    (array,) = program.arrays.values()
    (loop,) = program.body
    assert isinstance(loop, Loop) and loop.upper == array.shape


def test_every_node_keeps_its_place() -> None:
    program = segment(BODIES["iter_args"]).program
    nodes = list(walk(program.body))
    places = [(type(n).__name__, n.loc.line, n.loc.col) for n in nodes if isinstance(n, Loop | Compute | Load)]
    assert ("Loop", 4, 3) in places and ("Loop", 5, 10) in places
    assert ("Load", 6, 12) in places and ("Compute", 7, 12) in places
    (store,) = [n for n in nodes if isinstance(n, Store) and program.arrays[n.array].kind == "argument"]
    assert (store.loc.line, store.loc.col) == (10, 5)


def test_locations_in_the_text_are_used() -> None:
    places = {
        '"k.c":7:9': Loc("k.c", 7, 9),
        'callsite("g"("k.c":8:3) at "m.c":1:1)': Loc("k.c", 8, 3),
        'fused["p.c":3:4, "n.c":2:2]': Loc("p.c", 3, 4),
        "unknown": Loc(),
    }
    for text, place in places.items():
        body = f"""
  affine.for %i = 0 to 10 {{
    %v = affine.load %x[%i] : memref<10xf64> loc({text})
    affine.store %v, %y[%i] : memref<10xf64>
  }}"""
        assert [n.loc for n in walk(segment(body).program.body)][1] == place


def test_alternatives_of_a_condition_exclude_each_other() -> None:
    (loop,) = segment(BODIES["if with results"]).program.body
    assert isinstance(loop, Loop)
    guards = [n for n in loop.body if isinstance(n, Guard)]
    for i in range(10):
        held = [all(c.holds({loop.iv: i}) for c in g.conds) for g in guards]
        assert sum(held) == 1


# ---- segments ------------------------------------------------------------------------------------

COPY = "  affine.for %i = 0 to 10 {{\n    %v{0} = affine.load %{1}[%i] : memref<10xf64>\n"
COPY += "    affine.store %v{0}, %{2}[%i] : memref<10xf64>\n  }}\n"


def test_plain_operations_do_not_part_nests_but_memory_does() -> None:
    first, second = COPY.format(1, "x", "y"), COPY.format(2, "y", "x")
    joined = function(f"{first}  %c = arith.constant 1.0 : f64\n{second}")
    assert [len(s.positions) for s in segments(joined)] == [2]
    parted = function(f"{first}  affine.store %s, %y[0] : memref<10xf64>\n{second}", f"{XY}, %s: f64")
    assert [len(s.positions) for s in segments(parted)] == [1, 1]
    kept = frozenset(segments(joined)[0].positions[:1])
    assert [len(s.positions) for s in segments(joined, kept)] == [1]


def test_a_scalar_made_of_a_nest_parts_it_from_the_next() -> None:
    body = """
  %zero = arith.constant 0.0 : f64
  %s = affine.for %i = 0 to 10 iter_args(%acc = %zero) -> (f64) {
    %v = affine.load %x[%i] : memref<10xf64>
    %n = arith.addf %acc, %v : f64
    affine.yield %n : f64
  }
  %r = math.sqrt %s : f64
  affine.for %i = 0 to 10 {
    affine.store %r, %y[%i] : memref<10xf64>
  }"""
    assert [len(s.positions) for s in segments(function(body))] == [1, 1]


def test_a_local_memory_lives_on_only_if_it_is_used_outside() -> None:
    body = """
  %t = memref.alloc() : memref<10xf64>
  affine.for %i = 0 to 10 {
    %v = affine.load %x[%i] : memref<10xf64>
    affine.store %v, %t[%i] : memref<10xf64>
    %w = affine.load %t[%i] : memref<10xf64>
    affine.store %w, %y[%i] : memref<10xf64>
  }
  memref.dealloc %t : memref<10xf64>"""
    found = segment(body)
    local = next(a.name for a in found.program.arrays.values() if a.kind == "local")
    assert local not in found.program.live_out
    assert local in found.undefined
    copied = "memref.copy %t, %x : memref<10xf64> to memref<10xf64>"
    used = segment(body.replace("memref.dealloc %t : memref<10xf64>", copied)).program
    assert {a.name for a in used.arrays.values() if a.kind == "local"} <= used.live_out


# ---- refusals ------------------------------------------------------------------------------------

REFUSED = {
    "step": (
        "affine.for %i = 0 to %n {\n scf.for %j = %c to %n step %n {\n }\n }",
        "loop step is not constant",
    ),
    "product": (
        "affine.for %i = 0 to %n {\n affine.for %j = 0 to %n {\n  %k = arith.muli %i, %j : index\n"
        "  %v = memref.load %x[%k] : memref<10xf64>\n  affine.store %v, %y[%j] : memref<10xf64>\n } }",
        "not an affine function",
    ),
    "branch on data": (
        "affine.for %i = 0 to 10 {\n %v = affine.load %x[%i] : memref<10xf64>\n"
        " %b = arith.cmpf ogt, %v, %v : f64\n scf.if %b {\n  affine.store %v, %y[%i + %n] : memref<10xf64>\n } }",
        "a branch depends on data",
    ),
    "unknown operation": (
        "affine.for %i = 0 to 10 {\n vector.print %i : index\n }",
        "operation 'vector.print' is not a static-control loop program",
    ),
    "parallel assignment": (
        'affine.for %k = 0 to 2 {\n %r = affine.parallel (%i) = (0) to (10) reduce ("assign") -> (f64) {\n'
        "  %v = affine.load %x[%i] : memref<10xf64>\n  affine.yield %v : f64\n }\n"
        " affine.store %r, %y[%k] : memref<10xf64> }",
        "affine.parallel with a reduction by 'assign'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_says_what_and_where(name: str) -> None:
    body, reason = REFUSED[name]
    text = f"func.func @f(%n: index, {XY}) {{\n %c = arith.constant 0 : index\n {body}\n return\n}}"
    (item,) = [i for i in parse(text, "t.mlir").functions[0].items if i.kind in ("refused", "nest")]
    assert item.kind == "refused"
    assert reason in item.reason
    assert item.loc.line >= 3 and item.loc.col > 0


def test_a_broken_text_is_an_input_error_with_its_place() -> None:
    with pytest.raises(InputError, match=r"^k\.mlir:2:\d+: error: ") as caught:
        parse("func.func @f() {\n  oops\n}", "k.mlir")
    assert (caught.value.loc.file, caught.value.loc.line) == ("k.mlir", 2)
    with pytest.raises(InputError, match=r"k\.mlir"):
        parse(b"\xff\xfe\x00", "k.mlir")


def test_form_names_are_loop_variables() -> None:
    (loop,) = segment(COPY.format(1, "x", "y")).program.body
    assert isinstance(loop, Loop)
    assert [n.subscripts for n in loop.body if isinstance(n, Load | Store)] == [(var(loop.iv),)] * 2
