"""Compiled bounds are those of the interpreter, and programs that are written out do what they did."""

from __future__ import annotations

import numpy as np
import pytest

from raising.validate.arithmetic import concrete
from raising.validate.native.error_bound_program import with_bounds
from raising.validate.native.foreign_call import Compiled
from raising.validate.native.program_to_mlir import printed
from raising.validate.native.rounding import rounding_bounds
from raising.validate.reading.pair import Assumptions, read_pair
from raising.validate.run.run import Leaf, elements_of, execute
from raising.validate.run.running_error import ROUNDED
from tests.kernels import kernel, small

KERNELS = ("gemm", "trisolv", "durbin", "covariance", "jacobi-1d", "floyd-warshall")


def numbers(shape: tuple[int, ...]) -> np.ndarray:
    found = np.random.default_rng(1).uniform(0.5, 1.5, shape)
    return found + 20 * np.eye(*shape) if len(shape) == 2 else found


@pytest.mark.parametrize("name", KERNELS)
def test_the_bounds_are_those_of_the_interpreter(name: str) -> None:
    text = kernel(name, small(name))
    pair = read_pair(text, text)
    arrays = pair.source.arrays
    arguments = [n for n in (*arrays, *pair.source.scalars) if n[0] == "a" and n[1:].isdigit()]
    given = {n: numbers(tuple(f.const for f in arrays[n].shape)) for n in arguments if n in arrays}
    inputs = [given.get(f"a{k}", 1.25) for k in range(len(arguments))]
    found = rounding_bounds(text, text, pair.source.name, inputs, {}, 1 << 30)
    assert found is not None

    def leaf(name: Leaf) -> tuple[float, float]:
        array = given.get(name.name)
        return 1.25 if array is None else float(array[name.index]), 0.0

    arithmetic = concrete.arithmetic(elements_of(pair.source), ROUNDED)
    memory = execute(pair.source, {}, arithmetic, leaf, Assumptions(), "source")
    for (array, _), label in zip(pair.outputs, pair.labels, strict=True):
        wanted = np.array([e for _, e in memory[array].data]).reshape(memory[array].shape)
        assert np.allclose(found.outputs[label][0], wanted, rtol=1e-6, atol=1e-300)
        assert float(wanted.max()) > 0


def test_what_is_written_out_has_maxima_guards_and_divisions() -> None:
    text = """func.func @f(%A: memref<40xf64>, %B: memref<40xi32>) {
      affine.for %i = 0 to 8 {
        affine.for %j = max affine_map<(d0) -> (3, d0 * 2)>(%i) to min affine_map<(d0) -> (d0 * 3 + 5, 30)>(%i) {
          affine.if affine_set<(d0, d1) : (d0 + d1 - 5 >= 0, d1 mod 2 == 0)>(%i, %j) {
            %x = affine.load %A[(%i + %j) floordiv 2] : memref<40xf64>
            %y = arith.addf %x, %x : f64
            affine.store %y, %A[%j] : memref<40xf64>
            %k = affine.apply affine_map<(d0) -> (d0 * 7 - 3)>(%j)
            %n = arith.index_cast %k : index to i32
            affine.store %n, %B[%i] : memref<40xi32>
          }
        }
      }
      return
    }"""
    pair = read_pair(text, text)
    results = []
    for run, name in ((text, "f"), (printed(pair.source, ["a0", "a1"], {}), "run")):
        arguments = [numbers((40,)), np.zeros(40, np.int32)]
        Compiled(run, name).call(arguments)
        results.append(arguments)
    assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))
    assert not np.array_equal(results[0][0], numbers((40,))) and results[0][1].any()


def test_integers_have_no_bounds() -> None:
    text = SUM_OF_INTEGERS
    program = read_pair(text, text).source
    assert set(with_bounds(program).arrays) == set(program.arrays)


SUM_OF_INTEGERS = """func.func @f(%A: memref<9xi32>, %r: memref<i32>) {
  affine.for %i = 0 to 9 {
    %a = affine.load %A[%i] : memref<9xi32>
    %s = affine.load %r[] : memref<i32>
    %t = arith.addi %a, %s : i32
    affine.store %t, %r[] : memref<i32>
  }
  return
}"""
