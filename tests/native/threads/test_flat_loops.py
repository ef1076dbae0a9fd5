"""Loops without loops in them on several threads: cut in blocks, with the same bits for any number of threads."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.native.threads.runtime import PARALLEL
from tests.native.running import isolated

LENGTHS = (0, 1, 3, 17, 4095, 4096, 8193, 65535, 131073, 300007)
POINT, NONE = "affine_map<(i) -> (i)>", "affine_map<(i) -> ()>"


def _nest(reads: list[str], write: str, kinds: tuple[str, str], body: str, result: str = "r") -> str:
    """One loop over %n elements; `write` is an array (one element of it: `!s`)."""
    element, kind = kinds
    scalar = write.startswith("!")
    name, whole = write.removeprefix("!"), f"memref<?x{element}>"
    target = f"memref<{element}>" if scalar else whole
    maps = ", ".join([POINT] * len(reads) + [NONE if scalar else POINT])
    heads = ", ".join(f"%{each}e: {element}" for each in (*reads, name))
    given = f"ins({', '.join('%' + each for each in reads)} : {', '.join([whole] * len(reads))})" if reads else ""
    return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = ["{kind}"]}}
      {given} outs(%{name} : {target}) {{
    ^bb0({heads}):
      {body}
      linalg.yield %{result} : {element} }}"""


def _function(arrays: dict[str, str], *nests: str) -> str:
    heads = ", ".join(f"%{name}: {kind}" for name, kind in arrays.items())
    return f"func.func @f({heads}) {{\n" + "\n".join(nests) + "\nreturn\n}"


def _float(name: str) -> dict[str, str]:
    return {name: "memref<?xf32>"}


SUM = _nest(["x"], "!s", ("f32", "reduction"), "%r = arith.addf %se, %xe : f32")
HEAVY = _nest(["x"], "!s", ("f32", "reduction"), "%v = math.exp %xe : f32\n%r = arith.addf %se, %v : f32")
MOST = _nest(["x"], "!s", ("f32", "reduction"), "%r = arith.maximumf %se, %xe : f32")
SMALL = _nest(["x"], "!s", ("i8", "reduction"), "%r = arith.addi %se, %xe : i8")
EXP = _nest(["x"], "y", ("f32", "parallel"), "%r = math.exp %xe : f32")
SCALED = _nest(["x"], "y", ("f32", "parallel"), "%r = arith.mulf %xe, %xe : f32")
SUM_OF_Y = _nest(["y"], "!s", ("f32", "reduction"), "%r = arith.addf %se, %ye : f32")
ONE = {"s": "memref<f32>"}
PROGRAMS = {
    "sum": _function({**_float("x"), **ONE}, SUM),
    "sum of functions": _function({**_float("x"), **ONE}, HEAVY),
    "maximum": _function({**_float("x"), **ONE}, MOST),
    "bytes": _function({"x": "memref<?xi8>", "s": "memref<i8>"}, SMALL),
    "function": _function({**_float("x"), **_float("y")}, EXP),
    "light": _function({**_float("x"), **_float("y")}, SCALED),
    "both": _function({**_float("x"), **_float("y"), **ONE}, SCALED, SUM_OF_Y),
}  # fmt: skip


def _arguments(name: str, length: int) -> list[Any]:
    rng = np.random.default_rng(length)
    kind = np.int8 if name == "bytes" else np.float32
    x = rng.integers(-128, 127, length).astype(kind) if name == "bytes" else rng.standard_normal(length).astype(kind)
    if name == "maximum" and length > 5:
        x[length // 2] = np.nan
    vectors = [x, np.zeros_like(x)] if "memref<?xf32>, %y" in PROGRAMS[name] else [x]
    return [*vectors, *([np.array(3, kind)] if "%s:" in PROGRAMS[name] else [])]


def _runs(name: str, fp: str) -> list[list[bytes]]:
    """What the arrays are after two calls, for all lengths, on one, two and five threads."""
    found = []
    for threads in (1, 2, 5):
        function = compile_module(PROGRAMS[name], threads=threads, fp=fp)
        results = []
        for length in LENGTHS:
            for _ in range(2):
                arguments = _arguments(name, length)
                function(*arguments)
                results.append(b"".join(each.tobytes() for each in arguments))
        found.append(results)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_change_no_bit(name: str):
    one, two, five = isolated(partial(_runs, name, "fast"))
    assert one == two == five


@pytest.mark.parametrize("name", PROGRAMS)
def test_blocks_are_shared(name: str):
    built = build(PROGRAMS[name].encode(), "-", CompileOptions(threads=2, fp="fast"))
    assert "@f.task0" in built.mlir and PARALLEL in built.code.llvm


@pytest.mark.parametrize(("body", "element", "least"), [
    ("%r = arith.addi %xe, %xe : i8", "i8", 32768), ("%r = arith.mulf %xe, %xe : f64", "f64", 4096),
    ("%r = math.exp %xe : f32", "f32", 4096),
])  # fmt: skip
def test_blocks_of_light_loops_count_bytes(body: str, element: str, least: int):
    """4096 additions of bytes are over before a thread has taken them."""
    kind = f"memref<?x{element}>"
    text = _function({"x": kind, "y": kind}, _nest(["x"], "y", (element, "parallel"), body))
    found = build(text.encode(), "-", CompileOptions(threads=2, fp="fast")).mlir
    assert f"arith.constant {least} : index" in found


def test_sums_in_their_order_are_not_cut():
    assert "@f.task" not in build(PROGRAMS["sum"].encode(), "-", CompileOptions(threads=2, fp="strict")).mlir
    assert "@f.task" in build(PROGRAMS["maximum"].encode(), "-", CompileOptions(threads=2, fp="strict")).mlir


@pytest.mark.parametrize("length", LENGTHS)
def test_values(length: int):
    x = _arguments("both", length)[0].astype(np.float64)

    def runs() -> Any:
        found = {}
        for name in ("both", "function", "bytes", "sum of functions"):
            arguments = _arguments(name, length)
            compile_module(PROGRAMS[name], threads=3, fp="fast")(*arguments)
            found[name] = arguments
        return found

    found = isolated(runs)
    assert np.allclose(found["both"][1], x * x, rtol=1e-6) and np.isclose(
        found["both"][2], 3 + (x * x).sum(), rtol=1e-5
    )
    assert np.allclose(found["function"][1], np.exp(x), rtol=1e-6)
    assert np.isclose(found["sum of functions"][1], 3 + np.exp(x).sum(), rtol=1e-5)
    small, total = found["bytes"]
    assert int(total) % 256 == (3 + int(small.astype(np.int64).sum())) % 256


def test_an_order_that_counts_is_kept():
    """What an iteration needs of another one stays with one thread."""
    before = """linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a : memref<?xf32, strided<[1], offset: 1>>) outs(%b : memref<?xf32>) {
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %p : f32
      linalg.yield %r : f32 }"""
    text = f"""func.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {{
      %a = memref.subview %y[1] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: 1>>
      %c = memref.subview %x[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
      %b = memref.cast %c : memref<?xf32, strided<[1]>> to memref<?xf32>
      {SCALED}
      {before}
      return }}"""

    def runs() -> bool:
        rng = np.random.default_rng(0)
        x, y = rng.standard_normal(200001).astype(np.float32), np.zeros(200001, np.float32)
        square = x * x
        compile_module(text, threads=3)(x, y, 200000)
        return bool(np.array_equal(x[:-1], 2 * square[1:]) and np.array_equal(y, square))

    assert isolated(runs)
