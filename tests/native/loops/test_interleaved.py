"""Interleaved data goes through whole vectors and shuffles: same results, and nothing outside of the arrays touched."""

from functools import partial
from itertools import product
from typing import Any
from unittest.mock import PropertyMock, patch

import numpy as np
import pytest

from raising.affine.ir.affine_expr import Affine, dim
from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.base.target import Target, target_for
from raising.native.compile import build
from raising.native.loops.interleave import Form, is_whole, place_of
from raising.native.loops.rolled import rolled
from raising.native.nest.nest import Access, Array, Nest, Scalar
from tests.native.guarded import guarded
from tests.native.running import isolated

SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50, 63, 65, 131)


def program(element: str, step: int, members: list[int], in_place: bool = False) -> str:
    """y[i][k] = x[i][members[k]] + x[i][members[0]] for each k below `step`, one after the other."""
    kind = f"memref<?x{step}x{element}>"
    view = f"memref<?x{element}, strided<[{step}], offset: "
    add = "addf" if element[0] == "f" else "addi"
    lines = ["%c0 = arith.constant 0 : index", f"%n = memref.dim %x, %c0 : {kind}"]
    result = "%x" if in_place else "%y"
    for k in range(step):
        for name, array in ((f"%s{k}", "%x"), (f"%d{k}", result)):
            lines.append(f"{name} = memref.subview {array}[0, {k}] [%n, 1] [1, 1] : {kind} to {view}{k}>>")
    for k in range(step):
        a, b = members[k % len(members)], members[0]
        maps = ", ".join(["affine_map<(i) -> (i)>"] * 3)
        ins = f"ins(%s{a}, %s{b} : {view}{a}>>, {view}{b}>>)"
        lines.append(f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
  {ins} outs(%d{k} : {view}{k}>>) {{
^bb0(%p: {element}, %q: {element}, %o: {element}):
  %r = arith.{add} %p, %q : {element}
  linalg.yield %r : {element} }}""")
    return f"func.func @f(%x: {kind}, %y: {kind}) {{\n" + "\n".join(lines) + "\nreturn\n}"


def expected(x: Any, members: list[int], in_place: bool) -> Any:
    y = x.copy()
    for k in range(x.shape[1]):
        source = y if in_place else x
        y[:, k] = source[:, members[k % len(members)]] + source[:, members[0]]
    return y


def _run(element: str, step: int, members: list[int], in_place: bool) -> None:
    compiled = compile_module(program(element, step, members, in_place))
    kind = np.dtype(f"{element[0]}{int(element[1:]) // 8}")
    rng = np.random.default_rng(0)
    for n in SIZES:
        given = rng.integers(-100, 100, (n, step)).astype(kind)
        x, y = guarded(given), guarded(np.zeros_like(given))
        compiled(x, y)
        assert np.array_equal(x if in_place else y, expected(given, members, in_place))


@pytest.mark.parametrize(("element", "step"), [("i8", 3), ("i16", 2), ("f32", 4), ("f64", 2), ("f32", 3), ("i8", 4)])
def test_all_and_single_members_of_a_group(element: str, step: int) -> None:
    def work() -> None:
        _run(element, step, list(range(step)), False)
        _run(element, step, [1], False)
        _run(element, step, list(reversed(range(step))), True)

    isolated(work)


LONG = (0, 1, 7, 8, 9, 33, 127, 128, 129, 261, 777)
"""Enough for stores to be aligned first."""


def rows(element: str, step: int, form: str) -> str:
    """Rows of few elements: `copy` a vector to each column, `add` rows, or `both`."""
    kind, flat = f"memref<?x{step}x{element}>", f"memref<?x{element}>"
    add = "addf" if element[0] == "f" else "addi"
    whole, row = "affine_map<(i, c) -> (i, c)>", "affine_map<(i, c) -> (i)>"
    source, ins, maps = {
        "copy": ("", f"%v : {flat}", f"{row}, {whole}"),
        "add": (f"%r = arith.{add} %p, %o : {element}", f"%x : {kind}", f"{whole}, {whole}"),
        "both": (f"%r = arith.{add} %p, %o : {element}", f"%v : {flat}", f"{row}, {whole}"),
    }[form]
    result = "%p" if form == "copy" else "%r"
    return f"""func.func @f(%v: {flat}, %x: {kind}, %y: {kind}) {{
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
    ins({ins}) outs(%y : {kind}) {{
  ^bb0(%p: {element}, %o: {element}):
    {source}
    linalg.yield {result} : {element} }}
  return
}}"""


def _rows(element: str, step: int) -> None:
    kind, rng = np.dtype(f"{element[0]}{int(element[1:]) // 8}"), np.random.default_rng(0)
    for form in ("copy", "add", "both"):
        compiled = compile_module(rows(element, step, form))
        for n in LONG:
            v = guarded(rng.integers(-50, 50, n).astype(kind))
            x, y = (guarded(rng.integers(-50, 50, (n, step)).astype(kind)) for _ in range(2))
            spread = np.repeat(v[:, None], step, axis=1)
            wanted = {"copy": spread, "add": x + y, "both": spread + y}[form]
            compiled(v, x, y)
            assert np.array_equal(y, wanted), (form, n)


@pytest.mark.parametrize(("element", "step"), [("i16", 2), ("f32", 3), ("i8", 4), ("f64", 2), ("i8", 3), ("f32", 5)])
def test_rows_of_few_elements(element: str, step: int) -> None:
    isolated(partial(_rows, element, step))


def test_members_are_put_together_where_that_costs_least() -> None:
    """All members as they lie in memory; each with the first one, permuted; one value for all of them, repeated."""
    own, with_first, first = (
        rolled(_statements(members, own), 0, frozenset(), Form())
        for members, own in (([0, 1, 2], True), ([0, 1, 2], False), ([0], False))
    )
    assert own is not None and with_first is not None and first is not None
    hows = [[part.how for part in each.rows[0][1].walk()] for each in (own, with_first, first)]
    assert hows == [["each", "memory", "memory"], ["each", "memory", "picked"], ["repeated"]]
    assert own.maskable and with_first.maskable and not first.maskable


def _statements(members: list[int], own: bool = False) -> tuple[Nest, ...]:
    arrays = [Array(name, "f32", "", (dim("n"), Affine(3)), (3, 1), 0, name) for name in ("%x", "%y")]
    made = []
    for k in range(3):
        read, first, write = (
            Access(array, (dim(0), Affine(c)))
            for array, c in ((arrays[0], members[k % len(members)]), (arrays[0], 0), (arrays[1], k))
        )
        add = Scalar("arith.addf", ("in0", "in0" if own else "in1"), "", ("f32", "f32"), "f32")
        made.append(Nest((dim("n"),), (True,), (read, first), (write,), (add,), ("v0",), (), ""))
    return tuple(made)


def _misaligned() -> None:
    """Stores are aligned first: whatever address an array has, and with a result that is also read."""
    maps = ", ".join(["affine_map<(i) -> (i)>"] * 2)
    text = f"""func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {{
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}} ins(%x : memref<?xf32>)
    outs(%y : memref<?xf32>) {{
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32 }}
  return
}}"""
    compiled = compile_module(text)
    memory = np.zeros(1024, np.float32)
    for first in range(17):
        for n in (0, 5, 127, 128, 129, 300):
            memory[:] = 0
            x = np.arange(n, dtype=np.float32)
            y = memory[first : first + n]
            compiled(x, y)
            assert np.array_equal(y, x) and not memory[first + n :].any() and not memory[:first].any()


def test_arrays_at_any_address() -> None:
    isolated(_misaligned)


def widening(element: str, wide: str, step: int, extend: str) -> str:
    """y[i][k] = x[i][k] * x[i][0] / 4, computed on more bits than elements have, with or without a sign."""
    kind, view = f"memref<?x{step}x{element}>", f"memref<?x{element}, strided<[{step}], offset: "
    shift = "shrsi" if extend == "extsi" else "shrui"
    lines = ["%c0 = arith.constant 0 : index", f"%n = memref.dim %x, %c0 : {kind}", f"%two = arith.constant 2 : {wide}"]
    for k in range(step):
        for name, array in ((f"%s{k}", "%x"), (f"%d{k}", "%y")):
            lines.append(f"{name} = memref.subview {array}[0, {k}] [%n, 1] [1, 1] : {kind} to {view}{k}>>")
    for k in range(step):
        maps = ", ".join(["affine_map<(i) -> (i)>"] * 3)
        lines.append(f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
  ins(%s{k}, %s0 : {view}{k}>>, {view}0>>) outs(%d{k} : {view}{k}>>) {{
^bb0(%p: {element}, %q: {element}, %o: {element}):
  %a = arith.{extend} %p : {element} to {wide}
  %b = arith.{extend} %q : {element} to {wide}
  %m = arith.muli %a, %b : {wide}
  %h = arith.{shift} %m, %two : {wide}
  %r = arith.trunci %h : {wide} to {element}
  linalg.yield %r : {element} }}""")
    return f"func.func @f(%x: {kind}, %y: {kind}) {{\n" + "\n".join(lines) + "\nreturn\n}"


def _widened(element: str, wide: str, step: int) -> None:
    size, more = int(element[1:]) // 8, int(wide[1:]) // 8
    rng = np.random.default_rng(0)
    for extend, letter in (("extsi", "i"), ("extui", "u")):
        narrow, limits = np.dtype(f"{letter}{size}"), np.iinfo(f"{letter}{size}")
        for cpu in ("native", "x86-64-v3"):
            compiled = compile_module(widening(element, wide, step, extend), cpu=cpu)
            for n in SIZES:
                x = rng.integers(limits.min, limits.max, (n, step), dtype=narrow, endpoint=True)
                given, y = guarded(x.view(f"i{size}")), guarded(np.zeros((n, step), f"i{size}"))
                compiled(given, y)
                wanted = (x.astype(f"{letter}{more}") * x[:, :1].astype(f"{letter}{more}")) >> 2
                assert np.array_equal(y.view(narrow), wanted.astype(narrow)), (extend, cpu, n)


@pytest.mark.parametrize(
    ("element", "wide", "step"),
    [("i8", "i16", 2), ("i8", "i16", 3), ("i8", "i16", 4), ("i8", "i32", 2), ("i8", "i32", 3), ("i8", "i32", 4),
     ("i16", "i32", 2), ("i16", "i32", 3), ("i16", "i32", 4), ("i16", "i64", 4), ("i32", "i64", 2)],
)  # fmt: skip
def test_members_that_are_computed_on_more_bits(element: str, wide: str, step: int) -> None:
    isolated(partial(_widened, element, wide, step))


def _assembly(step: int, cpu: str) -> str:
    text = widening("i8", "i16", step, "extui")
    return build(text.encode(), "-", CompileOptions(cpu=cpu)).code.assembly


def test_members_are_not_shuffled_one_by_one() -> None:
    """Four bytes of a pixel are parts of two words; three are permuted where the machine can."""
    assert "vpunpck" not in _assembly(4, "x86-64-v4") and "vpermt2w" in _assembly(4, "x86-64-v4")
    assert "vperm" not in _assembly(2, "x86-64-v4")
    permuted = _assembly(3, "icelake-server")
    assert "vpalignr" not in permuted and "2b\t" in permuted
    assert [target_for(cpu).permutes for cpu in ("icelake-server", "x86-64-v4", "x86-64-v3")] == [True, False, False]


def test_words_of_a_stride_of_three_are_blended() -> None:
    """Each vector is permuted once or twice: of two vectors at a time there were 60 permutations.

    No store goes past the caches: the loop would be there twice.
    """
    with patch.object(Target, "streams", PropertyMock(return_value=0)):
        found = build(program("f32", 3, [1, 2, 0]).encode(), "-", CompileOptions(cpu="icelake-server")).code.assembly
    assert found.count("vperm") <= 40


ALIGNED = """
#id = affine_map<(i) -> (i)>
func.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xi16>, %o: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
    ins(%x, %y, %z : memref<?xf32>, memref<?xf32>, memref<?xi16>) outs(%o : memref<?xf32>) {
  ^bb0(%p: f32, %q: f32, %s: i16, %old: f32):
    %k = arith.sitofp %s : i16 to f32
    %a = arith.addf %p, %q : f32
    %r = arith.addf %a, %k : f32
    linalg.yield %r : f32 }
  return
}
"""


def _at_any_distance() -> None:
    """Arrays of several sizes of elements, each at any distance from a multiple of a vector's size."""
    compiled = compile_module(ALIGNED)
    rng = np.random.default_rng(0)
    for case in range(60):
        n = int(rng.choice([0, 1, 127, 128, 131, 200, 513]))
        starts = rng.integers(0, 33, 4) if case % 2 else rng.choice([0, 16], 4)
        x, y, z = (np.zeros(n + 64, kind)[s : s + n] for s, kind in zip(starts, ("f4", "f4", "i2"), strict=False))
        memory = np.full(n + 64, -1, np.float32)
        o = memory[starts[3] : starts[3] + n]
        for array in (x, y, z):
            array[:] = rng.integers(-99, 99, n)
        compiled(x, y, z, o)
        assert np.array_equal(o, x + y + z)
        assert (memory[: starts[3]] == -1).all() and (memory[starts[3] + n :] == -1).all()


def test_several_arrays_at_any_address() -> None:
    isolated(_at_any_distance)


def test_what_is_behind_the_last_member_is_not_read() -> None:
    """`x[2 * i]` for i < n reads 2n - 1 elements: the page behind them must not be touched, nor the one before."""
    text = """func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 2], strides: [2, 1] : memref<?xf32> to memref<?x2xf32>
  %s = memref.subview %v[0, 0] [%n, 1] [1, 1] : memref<?x2xf32> to memref<?xf32, strided<[2]>>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%s : memref<?xf32, strided<[2]>>) outs(%y : memref<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32 }
  return
}"""
    isolated(partial(_every_second, text))


def _every_second(text: str) -> None:
    compiled = compile_module(text, unchecked=True)
    for n in SIZES[1:]:
        x, y = guarded(np.arange(2 * n - 1, dtype=np.float32)), guarded(np.zeros(n, np.float32))
        compiled(x, y)
        assert np.array_equal(y, x[::2])


def test_groups() -> None:
    pixels = Array("%x", "i8", "", (dim("n"), Affine(3)), (3, 1), 0, "%x")
    members = [Access(pixels, (dim(0), Affine(k))) for k in range(3)]
    places = [place_of(each, 0) for each in members]
    assert [each.phase for each in places if each] == [0, 1, 2] and len({each.group for each in places if each}) == 1
    assert is_whole(members[0], members, 0) and not is_whole(members[0], members[:2], 0)
    assert place_of(Access(pixels, (dim(0), dim(1))), 1) is None
    assert place_of(Access(pixels, (dim(1), Affine(0))), 0) is None


COLUMNS = """
#id = affine_map<(i, j) -> (i, j)>
func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<2x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %a = linalg.broadcast ins(%x : tensor<?xf32>) outs(%e : tensor<?x2xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%y : tensor<?xf32>) outs(%e : tensor<?x2xf32>) dimensions = [1]
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<?x2xf32>, tensor<?x2xf32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %j = linalg.index 1 : index
    %first = arith.cmpi eq, %j, %c0 : index
    %r = arith.select %first, %p, %q : f32
    linalg.yield %r : f32 } -> tensor<?x2xf32>
  %v = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%low : f32) outs(%v : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.reduce ins(%s : tensor<?x2xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    (%p: f32, %q: f32) { %r = arith.maximumf %p, %q : f32
      linalg.yield %r : f32 }
  %w = tensor.empty(%n) : tensor<2x?xf32>
  %t = linalg.transpose ins(%s : tensor<?x2xf32>) outs(%w : tensor<2x?xf32>) permutation = [1, 0]
  return %m, %t : tensor<?xf32>, tensor<2x?xf32>
}
"""


def _columns() -> None:
    compiled = compile_module(COLUMNS)
    for n in SIZES:
        x = np.arange(n, dtype=np.float32)
        most, both = np.zeros(n, np.float32), np.zeros((2, n), np.float32)
        compiled(x, 5 - x, out=(most, both))
        assert np.array_equal(both, [x, 5 - x])
        assert np.array_equal(most, np.maximum(x, 5 - x))


def test_elements_of_a_temporary_row_are_known_one_by_one() -> None:
    isolated(_columns)


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_pairs_stay_within_halves_of_vectors(element: str) -> None:
    """No instruction that crosses them: pairs are put together again in the order in which they were taken apart."""
    made = build(program(element, 2, [0, 1]).encode(), "f.mlir", CompileOptions(cpu="x86-64-v3")).code.assembly
    assert "%ymm" in made and not any(name in made for name in ("vpermpd", "vpermps", "vpermq", "vperm2f128"))


@pytest.mark.parametrize("element", ["f32", "f64", "i32"])
def test_pairs_in_the_order_of_shuffles(element: str) -> None:
    isolated(partial(_pairs, element))


def _pairs(element: str) -> None:
    """All of them, in place or not, and each with an element of an array without pairs."""
    for members, in_place in product(([0, 1], [1, 0]), (False, True)):
        _run(element, 2, members, in_place)
    kind, line = f"memref<?x2x{element}>", f"memref<?x{element}>"
    ins = ", ".join([f"memref<?x{element}, strided<[2], offset: {k}>>" for k in (0, 1)])
    first, second = ins.split(">>, ")
    maps, letter = ", ".join(["affine_map<(i) -> (i)>"] * 3), "f" if element[0] == "f" else "i"
    run = compile_module(f"""func.func @f(%x: {kind}, %y: {line}) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : {kind}
  %a = memref.subview %x[0, 0] [%n, 1] [1, 1] : {kind} to {first}>>
  %b = memref.subview %x[0, 1] [%n, 1] [1, 1] : {kind} to {second}
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}} ins(%a, %b : {ins}) outs(%y : {line}) {{
  ^bb0(%p: {element}, %q: {element}, %o: {element}):
    %d = arith.sub{letter} %p, %q : {element}
    %r = arith.sub{letter} %d, %o : {element}
    linalg.yield %r : {element} }}
  return
}}""")
    for n in (*range(34), 100):
        rng, numbers = np.random.default_rng(n), np.dtype(f"{element[0]}{int(element[1:]) // 8}")
        x, y = (rng.integers(-99, 99, size).astype(numbers) for size in ((n, 2), n))
        found = guarded(y)
        run(guarded(x), found)
        np.testing.assert_array_equal(found, x[:, 0] - x[:, 1] - y)


UPSAMPLED = """
#id = affine_map<(i, j) -> (i, j)>
func.func @f(%x: memref<?x?xi8>, %y: memref<?x?xi8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.dim %x, %zero : memref<?x?xi8>
  %m = memref.dim %x, %one : memref<?x?xi8>
PARTS
  return
}"""


def _parts() -> str:
    """Each element of `x` goes to four places, two rows and two columns of `y`."""
    lines = []
    for number, (row, column) in enumerate(product((0, 1), (0, 1))):
        offset = ("", ", offset: 1", ", offset: ?", ", offset: ?")[number]
        kind = f"memref<?x?xi8, strided<[?, 2]{offset}>>"
        lines += [f"%v{number} = memref.subview %y[{row}, {column}] [%n, %m] [2, 2] : memref<?x?xi8> to {kind}",
                  'linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}',
                  f"ins(%x : memref<?x?xi8>) outs(%v{number} : {kind}) {{", "^bb0(%a: i8, %o: i8):",
                  "linalg.yield %a : i8 }"]  # fmt: skip
    return "\n".join(lines)


def test_members_of_several_rows_are_stored_whole() -> None:
    """Rows of one array never meet: the members of one row wait for each other while those of the next are made."""
    text = UPSAMPLED.replace("PARTS", _parts())
    assert "vector.scatter" not in build(text.encode(), "f", CompileOptions(cpu="x86-64-v3")).mlir
    isolated(partial(_upsampled, text))


def _upsampled(text: str) -> None:
    compiled = compile_module(text)
    for n, m in product((0, 1, 2, 3), (*range(1, 8), 31, 32, 33, 65, 300)):
        x = np.random.default_rng(m).integers(-128, 128, (n, m)).astype(np.int8)
        y = guarded(np.zeros((2 * n, 2 * m), np.int8))
        compiled(guarded(x), y)
        assert np.array_equal(y, x.repeat(2, axis=0).repeat(2, axis=1)), (n, m)
