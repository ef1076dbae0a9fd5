"""Stores that go past the caches: the same results from every place and for every length, and where there are none."""

from functools import partial
from unittest.mock import PropertyMock, patch

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.base.target import Target
from raising.native.compile import build
from tests.native.running import isolated

ID, PAIRS = "affine_map<(i) -> (i)>", ("affine_map<(i) -> (2 * i)>", "affine_map<(i) -> (2 * i + 1)>")
LENGTHS = [*range(0, 70, 3), *range(250, 290), 1183]


def _copy(source: str, target: str, body: str) -> str:
    """Each element of `y` is made of one of `x`."""
    return f"""func.func @f(%x: memref<?x{source}>, %y: memref<?x{target}>) {{
  linalg.generic {{indexing_maps = [{ID}, {ID}], iterator_types = ["parallel"]}}
      ins(%x : memref<?x{source}>) outs(%y : memref<?x{target}>) {{
    ^bb0(%p: {source}, %o: {target}):
      {body}
      linalg.yield %r : {target} }}
  return
}}"""


DOUBLE = _copy("f32", "f32", "%r = arith.addf %p, %p : f32")
WIDE = _copy("i8", "f64", "%r = arith.sitofp %p : i8 to f64")
SHORT = _copy("i32", "i16", "%r = arith.trunci %p : i32 to i16")
UPDATE = _copy("f32", "f32", "%r = arith.subf %p, %o : f32")
THIRDS = """func.func @f(%x: memref<?xi16>, %y: memref<?x3xi16>) {
  linalg.generic {indexing_maps = [affine_map<(i, c) -> (i)>, affine_map<(i, c) -> (i, c)>],
                  iterator_types = ["parallel", "parallel"]} ins(%x : memref<?xi16>) outs(%y : memref<?x3xi16>) {
    ^bb0(%p: i16, %o: i16):
      linalg.yield %p : i16 }
  return
}"""
KINDS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "f32": np.float32, "f64": np.float64}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("text", [DOUBLE, WIDE, SHORT, UPDATE, THIRDS])
def test_every_length_and_place(text: str, threads: int) -> None:
    isolated(partial(_every_length, text, threads))


def _every_length(text: str, threads: int) -> None:
    with patch.object(Target, "streams", PropertyMock(return_value=64)):
        streaming = compile_module(text, threads=threads, cache=False)
    with patch.object(Target, "streams", PropertyMock(return_value=0)):
        usual = compile_module(text, threads=threads, cache=False)
    rng = np.random.default_rng(0)
    kinds = [KINDS[part.split("x")[-1]] for part in (text.split(">")[0], text.split(">")[1])]
    row = (3,) if text == THIRDS else ()
    for n in LENGTHS:
        for offset in (0, 1, 5) if n else (0,):
            x = rng.integers(-300, 300, n).astype(kinds[0])
            memory = rng.integers(-60, 60, (n + 9, *row)).astype(kinds[1])
            wanted, found = memory.copy(), memory.copy()
            usual(x, wanted[offset : offset + n])
            streaming(x, found[offset : offset + n])
            assert np.array_equal(found, wanted), (n, offset)


def _assembly(text: str, **settings: str) -> str:
    return build(text.encode(), "f", CompileOptions(**settings)).code.assembly


@pytest.mark.parametrize("text", [DOUBLE, WIDE, SHORT, THIRDS])
def test_what_is_only_written_goes_past_the_caches(text: str) -> None:
    found = _assembly(text, cpu="x86-64-v3")
    assert "vmovnt" in found
    assert "sfence" in found


def test_what_is_read_or_is_small_stays_in_the_caches() -> None:
    assert "vmovnt" not in _assembly(UPDATE, cpu="x86-64-v3")
    assert "vmovnt" not in _assembly(DOUBLE.replace("?", "4000"), cpu="x86-64-v3")


def test_other_processors_have_no_such_stores() -> None:
    assert "stnp" not in _assembly(DOUBLE, triple="aarch64-linux-gnu")
