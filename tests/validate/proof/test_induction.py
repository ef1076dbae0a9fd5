"""Values that depend on each other in sequence: proved by induction, and nothing that is wrong is."""

from __future__ import annotations

import re

import pytest

from raising.validate.base.verdict import Refuted
from raising.validate.check import CheckOptions, check
from raising.validate.proof.proof import Equal
from tests.kernels import kernel
from tests.validate.proof.recursions import EQUAL, WRONG, modules
from tests.validate.proof.test_proof import module, proved

SEQUENTIAL = ("jacobi-1d", "seidel-2d", "durbin", "lu", "trisolv", "floyd-warshall", "gramschmidt", "fdtd-2d")


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_a_sequential_kernel_equals_itself_for_all_sizes(name: str) -> None:
    text = kernel(name)
    assert isinstance(proved(text, text), Equal)


@pytest.mark.parametrize("name", EQUAL)
def test_the_order_of_the_loops_does_not_matter(name: str) -> None:
    arguments, one, other = EQUAL[name]
    assert isinstance(proved(*modules(arguments, one, other)), Equal)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_order_or_value_is_refuted(name: str) -> None:
    arguments, one, other = WRONG[name]
    texts = modules(arguments, one, other)
    assert not isinstance(proved(*texts), Equal)
    verdict = check(*texts, CheckOptions(level="bounded"))
    assert isinstance(verdict, Refuted), verdict


COPIES = """
  affine.for %t = 1 to %n {{
    %c = memref.alloc(%n) : memref<?xf64>
    affine.for %i = 0 to %n {{
      %u = affine.load %y[%i] : memref<?xf64>
      affine.store %u, %c[%i] : memref<?xf64>
    }}
    %v = affine.load %c[%t - 1] : memref<?xf64>
    %w = math.exp %v : f64
    affine.store %w, %c[{0}] : memref<?xf64>
    affine.for %i = 0 to %n {{
      %u = affine.load %c[%i] : memref<?xf64>
      affine.store %u, %y[%i] : memref<?xf64>
    }}
  }}"""
IN_PLACE = """
  affine.for %t = 1 to %n {
    %v = affine.load %y[%t - 1] : memref<?xf64>
    %w = math.exp %v : f64
    affine.store %w, %y[%t] : memref<?xf64>
  }"""


def test_a_whole_array_may_be_copied_to_change_one_element() -> None:
    assert isinstance(proved(module(IN_PLACE), module(COPIES.format("%t"))), Equal)
    assert not isinstance(proved(module(IN_PLACE), module(COPIES.format("%t - 1"))), Equal)


def mutants(text: str) -> list[str]:
    """Each sum a difference, each product a sum, each offset of a subscript gone; one change each."""
    changes = (("arith.addf", "arith.subf"), ("arith.mulf", "arith.addf"), ("arith.subf", "arith.addf"), (" - 1]", "]"))
    found = []
    for old, new in changes:
        places = [m.start() for m in re.finditer(re.escape(old), text)]
        found += [text[:p] + new + text[p + len(old) :] for p in places[:2]]
    return found


@pytest.mark.parametrize("name", ["jacobi-1d", "seidel-2d", "trisolv", "lu"])
def test_no_mutant_of_a_sequential_kernel_is_proved(name: str) -> None:
    text = kernel(name)
    changed = mutants(text)
    assert len(changed) >= 2
    for mutant in changed:
        assert not isinstance(proved(text, mutant), Equal), mutant


RELAX = """
  affine.for %t = 0 to %n {{
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%m) {{
      %l = affine.load %y[%i - 1] : memref<?xf64>
      %r = affine.load %y[%i + 1] : memref<?xf64>
      {0}
      affine.store %s, %y[%i] : memref<?xf64>
    }}
  }}"""


def test_an_iteration_may_be_written_differently() -> None:
    one = RELAX.format("%s = arith.addf %l, %r : f64")
    shifted = one.replace("%i = 1", "%i = 0").replace("(d0 - 1)", "(d0 - 2)").replace("%i + 1]", "%i + 2]")
    shifted = shifted.replace("%y[%i] :", "%y[%i + 1] :").replace("%i - 1]", "%i]")
    assert isinstance(proved(module(one), module(shifted.replace("addf %l, %r", "addf %r, %l"))), Equal)
    late = one.replace("%y[%i - 1]", "%y[%i]")
    assert not isinstance(proved(module(one), module(late)), Equal)


def test_another_number_of_iterations_is_not_equal() -> None:
    one = RELAX.format("%s = arith.addf %l, %r : f64")
    assert not isinstance(proved(module(one), module(one.replace("%t = 0", "%t = 1"))), Equal)


def test_unwritten_memory_stays_unknown_through_a_loop() -> None:
    body = """
  %c = memref.alloc() : memref<1xf64>
  affine.for %t = 0 to %n {
    %l = affine.load %c[0] : memref<1xf64>
    %s = math.exp %l : f64
    affine.store %s, %c[0] : memref<1xf64>
  }
  %e = affine.load %c[0] : memref<1xf64>
  affine.store %e, %y[0] : memref<?xf64>"""
    assert not isinstance(proved(module(body), module(body)), Equal)
    written = body.replace(
        "memref<1xf64>\n  affine.for", "memref<1xf64>\n  affine.store %x, %c[0] : memref<1xf64>\n  affine.for"
    )
    assert isinstance(proved(module(written), module(written)), Equal)


def test_two_unwritten_memories_are_not_taken_to_be_equal() -> None:
    body = """
  %c = memref.alloc() : memref<1xf64>
  %d = memref.alloc() : memref<1xf64>
  affine.for %t = 0 to %n {{
    %l = affine.load %y[0] : memref<?xf64>
    %u = affine.load %c[0] : memref<1xf64>
    %v = affine.load %{0}[0] : memref<1xf64>
    %w = arith.subf %u, %v : f64
    %s = math.exp %l : f64
    %r = arith.addf %s, %w : f64
    affine.store %{1}, %y[0] : memref<?xf64>
  }}"""
    assert not isinstance(proved(module(body.format("c", "s")), module(body.format("d", "r"))), Equal)
