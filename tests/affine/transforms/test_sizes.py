"""Constants become size symbols: one symbol for what loops tie together, another for everything else."""

import numpy as np
import pytest

from raising.affine.ir.affine_expr import Lin, const
from raising.affine.ir.program import Guard, Loop, Program, Store, walk
from raising.affine.sizes.symbolic_sizes import Generalised, generalise
from tests.affine.reading import interpreted, segment, whole
from tests.kernels import ISSUE_KERNELS, kernel
from tests.kernels.sources import SOURCES


def _kernel(name: str, sizes: dict[str, int] | None = None) -> Generalised:
    return generalise(whole(kernel(name, sizes)).program)


def _bounds(program: Program) -> list[Lin]:
    return [form for node in walk(program.body) if isinstance(node, Loop) for form in node.upper]


def _shapes(general: Generalised) -> dict[str, tuple[str, ...]]:
    return {name: tuple(map(str, a.shape)) for name, a in general.program.arrays.items() if a.shape}


@pytest.mark.parametrize("name", ISSUE_KERNELS)
def test_equal_sizes_stay_apart_unless_a_loop_ties_them(name: str) -> None:
    large = _kernel(name)
    square = _kernel(name, dict.fromkeys(SOURCES[name].large, 1000))
    assert _shapes(square) == _shapes(large)
    assert len(square.values) >= len(SOURCES[name].large)  # more: nothing ties the two dimensions of mvt
    assert set(square.values.values()) == {const(1000)}


def test_gemm_has_three_sizes_where_the_loops_say() -> None:
    general = _kernel("gemm")
    c, a, b = _shapes(general).values()
    assert len({*c, *a, *b}) == 3
    assert (c[0], c[1], a[1]) == (a[0], b[1], b[0])
    assert [general.values[s].const for s in c] == [1000, 1100]


def test_every_bound_and_extent_is_symbolic_and_says_the_same() -> None:
    found = whole(kernel("covariance"))
    general = generalise(found.program)
    sizes = {n: f.const for n, f in general.values.items()}
    for form, number in zip(_bounds(general.program), _bounds(found.program), strict=True):
        assert form.const == 0 and not form.is_const
        ivs = {n: 5 for n in form.names() - set(sizes)}
        assert form.evaluate({**sizes, **ivs}) == number.evaluate(ivs)


SHIFTED = """
  affine.for %i = 1 to {0} {{
    %a = affine.load %x[%i - 1] : memref<{1}xf64>
    %b = affine.load %x[%i + 1] : memref<{1}xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %y[%i] : memref<{1}xf64>
  }}"""


def test_near_constants_are_one_symbol_and_an_offset() -> None:
    general = generalise(segment(SHIFTED.format(299, 300), "%x: memref<300xf64>, %y: memref<300xf64>").program)
    assert len(general.values) == 1
    (name,) = general.values
    (bound,) = _bounds(general.program)
    shapes = {a.shape[0] for a in general.program.arrays.values()}
    assert len(shapes) == 1
    (extent,) = shapes
    assert extent - bound == const(1)
    assert extent.names() == {name}
    assert extent.evaluate({name: general.values[name].const}) == 300


TRIANGLE = """
  affine.for %i = 0 to 300 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %x[%j] : memref<300xf64>
      affine.store %a, %y[%i] : memref<300xf64>
    }
  }"""
AHEAD = """
  affine.for %i = 0 to 280 {
    %a = affine.load %x[%i + 20] : memref<300xf64>
    affine.store %a, %y[%i] : memref<300xf64>
  }"""
GUARDS = """
  affine.for %i = 0 to 300 {
    %a = affine.load %x[%i] : memref<300xf64>
    affine.if affine_set<(d0) : (d0 - 100 >= 0)>(%i) {
      affine.store %a, %y[%i] : memref<300xf64>
    }
    affine.if affine_set<(d0) : (200 - d0 >= 0, d0 mod 50 == 0)>(%i) {
      affine.store %a, %y[-%i + 299] : memref<300xf64>
    }
  }"""


def test_a_triangle_ties_its_rows_to_its_columns() -> None:
    general = generalise(segment(TRIANGLE, "%x: memref<300xf64>, %y: memref<300xf64>").program)
    assert len(general.values) == 1


@pytest.mark.parametrize("body", [TRIANGLE, AHEAD, GUARDS, SHIFTED.format(299, 300), SHIFTED.format(150, 300)])
def test_at_the_sources_own_sizes_it_is_the_source(body: str) -> None:
    program = segment(body, "%x: memref<300xf64>, %y: memref<300xf64>").program
    general = generalise(program)
    sizes = {n: v.const for n, v in general.values.items()}
    random = np.random.default_rng(0)
    arrays = {n: random.normal(size=300) for n in program.arrays}
    wanted = interpreted(program, {}, arrays)
    found = interpreted(general.program, sizes, arrays)
    assert all(np.array_equal(wanted[n], found[n]) for n in arrays)


def test_far_constants_are_symbols_of_their_own() -> None:
    body = SHIFTED.format(150, 300)
    general = generalise(segment(body, "%x: memref<300xf64>, %y: memref<300xf64>").program)
    (bound,) = _bounds(general.program)
    assert bound.names() and not bound.names() & {
        n for a in general.program.arrays.values() for n in a.shape[0].names()
    }


@pytest.mark.parametrize("trips", [0, 1, 2])
def test_short_loops_keep_their_number(trips: int) -> None:
    body = f"""
  affine.for %r = 0 to {trips} {{
    affine.for %i = 0 to 50 {{
      %a = affine.load %x[%i] : memref<50xf64>
      affine.store %a, %y[%i] : memref<50xf64>
    }}
  }}"""
    general = generalise(segment(body, "%x: memref<50xf64>, %y: memref<50xf64>").program)
    numbers = [f.const for f in _bounds(general.program) if f.is_const]
    assert numbers in ([trips], [])  # gone where the loop itself is
    assert [v.const for v in general.values.values()] == [50]


def test_open_extents_become_the_bound_of_the_loops_that_walk_them() -> None:
    body = """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %B[%j, %i] : memref<?x?xf64>
    }
  }"""
    arguments = "%n: index, %m: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>"
    general = generalise(segment(body, arguments).program)
    a, b = _shapes(general).values()
    assert a == b[::-1] and len(set(a)) == 2
    assert {str(form) for form in _bounds(general.program)} == set(a)


def test_a_program_at_other_sizes_is_the_same_program() -> None:
    general = _kernel("syrk", {"M": 17, "N": 23})
    names = {v.const: n for n, v in general.values.items()}
    scalars = [s.name for s in general.program.scalars.values() if s.literal is None]
    values = dict(zip(scalars, (2.0, 3.0), strict=False))
    random = np.random.default_rng(0)
    sizes = {names[17]: 4, names[23]: 6}
    arrays = {
        n: random.normal(size=tuple(f.evaluate(sizes) for f in a.shape)) for n, a in general.program.arrays.items()
    }
    after = interpreted(general.program, sizes, {**values, **arrays})
    (changed,) = [n for n in arrays if not np.array_equal(after[n], arrays[n])]
    other = next(n for n in arrays if n != changed)
    c, a = arrays[changed], arrays[other]
    for alpha, beta in ((2.0, 3.0), (3.0, 2.0)):
        wanted = np.where(np.tri(6, dtype=bool), alpha * a @ a.T + beta * c, c)
        if np.allclose(after[changed], wanted):
            return
    pytest.fail("the program at other sizes computes something else")


HOT = """
  affine.for %i = 0 to {0} {{
    %a = affine.load %x[%i] : memref<{0}xf64>
    affine.if affine_set<(d0) : ({1} - d0 >= 0)>(%i) {{
      affine.store %a, %y[%i] : memref<{0}xf64>
    }}
    affine.if affine_set<(d0) : (d0 - {2} == 0)>(%i) {{
      affine.store %a, %y[0] : memref<{0}xf64>
    }}
    affine.if affine_set<(d0) : (d0 - {3} >= 0)>(%i) {{
      affine.store %a, %y[%i] : memref<{0}xf64>
    }}
  }}"""


@pytest.mark.parametrize("extent", [10, 12, 13, 14, 15, 20, 40])
@pytest.mark.parametrize("place", [1, 3, 4, 5, 6, 7, 8])
def test_conditions_that_leave_no_gap_leave_none_at_any_size(place: int, extent: int) -> None:
    text = HOT.format(extent, place - 1, place, place + 1)
    general = generalise(segment(text, f"%x: memref<{extent}xf64>, %y: memref<{extent}xf64>").program)
    before, there, behind = (n.conds[0].form for n in walk(general.program.body) if isinstance(n, Guard))
    assert before + there == Lin(-1) and behind == there - 1
    sizes = {n: v.const for n, v in general.values.items()}
    assert there.evaluate({**sizes, **{n: place for n in there.names() - set(sizes)}}) == 0
    assert all(c.holds(sizes) for c in general.program.context)


def test_a_subscript_moves_with_the_condition_on_its_number() -> None:
    body = """
  affine.for %i = 0 to 30 {
    %a = affine.load %x[%i] : memref<30xf64>
    affine.if affine_set<(d0) : (d0 - 7 >= 0)>(%i) {
      affine.store %a, %y[%i - 7] : memref<30xf64>
    }
    affine.if affine_set<(d0) : (6 - d0 >= 0)>(%i) {
      affine.store %a, %y[%i + 23] : memref<30xf64>
    }
  }"""
    general = generalise(segment(body, "%x: memref<30xf64>, %y: memref<30xf64>").program)
    first, second = (n for n in walk(general.program.body) if isinstance(n, Guard))
    moved = next(n for n in walk(first.body) if isinstance(n, Store))
    assert moved.subscripts[0] == first.conds[0].form
    assert first.conds[0].form + second.conds[0].form == Lin(-1)


WALKS = """
  %n = arith.index_cast %count : i32 to index
  %k = arith.index_cast %taps : i32 to index
  affine.for %i = 0 to %n {{
    affine.for %j = 0 to %k {{
      %a = affine.load %x[{0}] : memref<?xf64>
      affine.store %a, %y[%i] : memref<?xf64>
    }}
  }}"""


@pytest.mark.parametrize(
    ("subscript", "extent"),
    [
        ("%i", "n"),
        ("%i + 2", "n + 2"),
        ("%i + %j", "n + k - 1"),
        ("2 * %i + %j + 1", "2 * n + k - 1"),
        ("symbol(%n) - 1 - %i", "n"),
        ("%i - %j", "n"),
        ("%i floordiv 2", None),
    ],
)
def test_an_open_extent_is_as_long_as_it_is_walked(subscript: str, extent: str | None) -> None:
    inputs = "%x: memref<?xf64>, %y: memref<?xf64>, %count: i32, %taps: i32"
    program = segment(WALKS.format(subscript), inputs).program
    general = generalise(program).program
    (x, y) = general.arrays.values()
    (n,) = y.shape[0].names()
    if extent is None:
        assert x.shape[0] == program.arrays[x.name].shape[0]
        return
    (loop,) = general.body
    assert isinstance(loop, Loop) and isinstance(inner := loop.body[0], Loop)
    (k,) = inner.upper[0].names()
    assert all(x.shape[0].evaluate({n: a, k: b}) == eval(extent, {"n": a, "k": b}) for a in (5, 9) for b in (3, 4))


FIELD = """
    %v{0} = affine.load %x[%i, {0}] : memref<{extent}xf64>
    affine.store %v{0}, %x[%i, {0}] : memref<{extent}xf64>"""


@pytest.mark.parametrize(
    ("places", "extent", "stays"),
    [
        (range(6), 7, True),  # of a struct: one more field in front of 5 would move it onto 4
        (range(12), 12, True),
        ((0, 1, 10, 11), 12, False),  # of an array: its first and its last elements
        ((5, 6), 7, False),
        (range(4), 4, True),
    ],
)
def test_fields_close_to_each_other_keep_their_number(places: tuple[int, ...], extent: int, stays: bool) -> None:
    fields = "".join(FIELD.format(place, extent=f"?x{extent}") for place in places)
    body = f"%n = arith.index_cast %count : i32 to index\naffine.for %i = 0 to %n {{{fields}\n}}"
    (array,) = generalise(segment(body, f"%x: memref<?x{extent}xf64>, %count: i32").program).program.arrays.values()
    assert array.shape[1].is_const == stays
