"""Integers are computed on as few bits as their values need, with the same results."""

import random
from functools import partial

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.native.loops.narrow import narrowed
from raising.native.loops.vector_ops import element_bits
from tests.native.guarded import guarded
from tests.native.nest.test_nest import nests, read
from tests.native.running import called, isolated, plainly_compiled

BINARY = ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui"]
SHIFTS, DIVISIONS = ["shli", "shrsi", "shrui"], ["divsi", "divui", "remsi", "remui"]
COMPARISONS = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


def program(rng: random.Random, name: str, element: str, wide: str) -> str:
    """z[i] from x[i] and y[i] by a few random operations on more bits."""
    lines = [
        f"%v{k} = arith.{rng.choice(['extui', 'extsi'])} %{each} : {element} to {wide}" for k, each in enumerate("ab")
    ]
    for k in range(2, rng.randint(4, 8)):
        a, b = (f"%v{rng.randrange(k)}" for _ in range(2))
        kind = rng.randrange(7)
        lines.append(
            f"%k{k} = arith.constant {rng.choice([1, 2, 3, 7, 8, 15, 77, 127, 128, 255, 256, -1, -5, 1000])} : {wide}"
        )
        lines.append(f"%n{k} = arith.constant {rng.randint(1, 9)} : {wide}")
        small = [f"%m{k} = arith.andi {b}, %n{k} : {wide}", f"%s{k} = arith.addi %m{k}, %n{k} : {wide}"]
        lines += small if rng.random() < 0.5 else [f"%s{k} = arith.maxsi %n{k}, %n{k} : {wide}"]
        if kind == 0:
            lines.append(f"%v{k} = arith.{rng.choice(SHIFTS)} {a}, %s{k} : {wide}")
        elif kind == 1:
            lines.append(f"%v{k} = arith.{rng.choice(DIVISIONS)} {a}, %s{k} : {wide}")
        elif kind == 2:
            lines.append(f"%c{k} = arith.cmpi {rng.choice(COMPARISONS)}, {a}, %k{k} : {wide}")
            lines.append(f"%v{k} = arith.select %c{k}, {b}, {a} : {wide}")
        elif kind == 6:
            lines.append(f"%v{k} = math.absi {a} : {wide}")
        else:
            lines.append(f"%v{k} = arith.{rng.choice(BINARY)} {a}, {b if kind < 5 else f'%k{k}'} : {wide}")
    body = "\n".join([*lines, f"%r = arith.trunci %v{k} : {wide} to {element}"])
    kind, maps = f"memref<?x{element}>", ", ".join(["affine_map<(i) -> (i)>"] * 3)
    return f"""func.func @{name}(%x: {kind}, %y: {kind}, %z: {kind}) {{
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}} ins(%x, %y : {kind}, {kind})
    outs(%z : {kind}) {{
  ^bb0(%a: {element}, %b: {element}, %o: {element}):
  {body}
  linalg.yield %r : {element} }}
  return
}}"""


@pytest.mark.parametrize(("element", "wide"), [("i8", "i32"), ("i16", "i32"), ("i8", "i64")])
def test_random_bodies_on_all_values(element: str, wide: str) -> None:
    isolated(partial(_compared, element, wide))


def _compared(element: str, wide: str) -> None:
    rng = random.Random(f"{element} {wide}")
    texts = [program(rng, f"f{k}", element, wide) for k in range(6)]
    ours = compile_module("\n".join(texts))
    plain = plainly_compiled("\n".join(texts))
    kind = np.dtype(f"i{int(element[1:]) // 8}")
    every = np.arange(-128, 128) if element == "i8" else np.array([0, 1, -1, 5, 255, 256, -256, 32767, -32768, 9999])
    x, y = (guarded(each.ravel().astype(kind)) for each in np.meshgrid(every, every))
    for k, text in enumerate(texts):
        one, other = guarded(np.zeros_like(x)), guarded(np.zeros_like(x))
        ours[f"f{k}"](x, y, one)
        plain[f"f{k}"](x, y, other)
        assert np.array_equal(one, other), text


GRAY = """
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : memref<?xi8>) outs(%y : memref<?xi8>) {
  ^bb0(%a: i8, %o: i8):
    %k = arith.constant FACTOR : i32
    %s = arith.constant 8 : i32
    %e = arith.extui %a : i8 to i32
    %m = arith.muli %e, %k : i32
    %h = arith.shrsi %m, %s : i32
    %r = arith.trunci %h : i32 to i8
    linalg.yield %r : i8 }"""


@pytest.mark.parametrize(("factor", "bits"), [(257, 16), (258, 32), (-1, 16)])
def test_bits_follow_from_the_values(factor: int, bits: int) -> None:
    (nest,) = nests(read(GRAY.replace("FACTOR", str(factor)), "%x: memref<?xi8>, %y: memref<?xi8>")[0])
    assert max(element_bits(scalar.result) for scalar in narrowed(nest).body) == bits


KEPT = GRAY.replace("muli", "OPERATION").replace("arith.shrsi %m, %s", "arith.subi %m, %s")


@pytest.mark.parametrize(("operation", "bits"), [("addi", 8), ("xori", 8), ("muli", 16)])
def test_bits_follow_from_those_that_are_kept(operation: str, bits: int) -> None:
    text = KEPT.replace("OPERATION", operation).replace("FACTOR", "777")
    (nest,) = nests(read(text, "%x: memref<?xi8>, %y: memref<?xi8>")[0])
    assert max(element_bits(scalar.result) for scalar in narrowed(nest).body) == bits


@pytest.mark.parametrize(("element", "bits"), [("i8", 16), ("i16", 32)])
def test_an_absolute_value_has_room_for_that_of_the_least_number(element: str, bits: int) -> None:
    text = GRAY.replace("i8", element).replace("%h = arith.shrsi %m, %s", "%h = math.absi %e").replace("extui", "extsi")
    (nest,) = nests(read(text.replace("FACTOR", "1"), f"%x: memref<?x{element}>, %y: memref<?x{element}>")[0])
    assert {s.result for s in narrowed(nest).tidy.body if s.name == "math.absi"} == {f"i{bits}"}


ABOVE = """func.func @f(%t: i8, %x: memref<?xi8>, %y: memref<?xi8>) {
  %by_index = arith.index_castui %t : i8 to index
  %longer = arith.extui %t : i8 to i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : memref<?xi8>) outs(%y : memref<?xi8>) {
  ^bb0(%a: i8, %old: i8):
    %e = arith.extui %a : i8 to i32
    %i = arith.index_cast %by_index : index to i32
    %c = arith.cmpi sgt, %e, %i : i32
    %d = arith.select %c, %e, %longer : i32
    %r = arith.trunci %d : i32 to i8
    linalg.yield %r : i8 }
  return
}"""


def test_scalars_from_around_count_with_the_bits_they_came_from() -> None:
    assert "vector<64xi32>" not in build(ABOVE.encode(), "-", CompileOptions(cpu="icelake-server")).mlir
    rng = np.random.default_rng(0)
    for n in (0, 1, 63, 64, 65, 200):
        for t in (0, 1, 127, 128, 255):
            x = rng.integers(0, 256, n).astype(np.uint8)
            _, _, y = called(ABOVE, [np.uint8(t).view(np.int8), x.view(np.int8), np.zeros(n, np.int8)])
            assert np.array_equal(y.view(np.uint8), np.maximum(x, t))
