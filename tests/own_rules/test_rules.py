"""`raising.rule`: what is right is used on open sizes, what is wrong is refused with a counterexample."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy import cos, sin

import raising
from raising.eqsat.egraph.sexpr import RuleError
from raising.support.errors import InputError


@raising.rule
def pythagoras(x):
    """The sum of two squares."""
    return sin(x) ** 2 + np.cos(x) ** 2, 1


@raising.rule
def halves(x):
    s = sin(x)
    return s * cos(x) + cos(x) * s, sin(2 * x)


@raising.rule  # noqa: RET503 (there is nothing else to return)
def scaled_rows(s, A, B):
    if s.shape[1] == 1:
        return (s * A) @ B, s * (A @ B)


@raising.rule
def divided(x, c: float):
    return x / c, x * (1 / c)


def _root(x):
    return np.sqrt(x * x), x


def _squares(a, b):
    return a + b, (a * a - b * b) / (a - b)


def _sines(x, y):
    return np.sin(x + y), np.sin(x) + np.sin(y)


def _logarithm(x, y):
    return np.log(x * y), np.log(x) + np.log(y)


def _commutes(A, B):
    assert A.shape == B.shape
    return A @ B, B @ A


def _unscaled(s, A, B):
    return (s * A) @ B, s * (A @ B)


def _greatest(a, b):
    return np.maximum(a, b) * 2, np.maximum(a * 2, b)


def _truncated(x):
    return (x << 1) ^ x, x * 2


def _arc(x):
    return np.arcsin(np.sin(x)), x


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (_root, r"'_root' is wrong \(real numbers\) at x = -.*: [\d.]+ but -"),
        (_squares, r"at a = (\S+), b = \1: \S+ but no value"),
        (_sines, r"at x = \S+, y = \S+: \S+ but \S+$"),
        (_logarithm, "but no value"),
        (_commutes, r"A = \[.*\], B = \[.*\]: \S+ but"),
        (_unscaled, r"no shape: .* at s: 1x2"),
        (_greatest, r"at a = \S+, b = "),
        (_truncated, r"integers of 4 bits\) at x = "),
        (_arc, r"at x = \S+: \S+ but \S+$"),
    ],
)
def test_what_is_wrong_is_refuted(written: Callable[..., Any], told: str) -> None:
    with pytest.raises(RuleError, match=told) as error:
        raising.rule(written)
    assert "test_rules.py:" in str(error.value)


def _halved(x, y):
    return (x + y) * 0.5, x * 0.5 + y * 0.5


def _cancelled(x, y):
    return (x + y) - y, x


def test_the_class_is_the_strongest_that_holds() -> None:
    made = raising.rule(_halved).rules[0]
    assert (made.klass, made.kinds) == ("reassociates", ("float",))
    with pytest.raises(RuleError, match="float32"):
        raising.rule(exact=True)(_halved)
    made = raising.rule(_cancelled).rules[0]
    assert (made.klass, made.kinds) == ("finite-only", ("float", "int"))
    assert "z3: undecided" in str(pythagoras) and "compared at" in str(pythagoras)
    assert "proved for real numbers" in str(scaled_rows) and str(scaled_rows).count("cols(s) == 1") == 1


def _outside(x):
    return open(x), x  # noqa: PTH123


def _everything(x):
    return x, x * 1


def _unbound(x, y):
    return x * 2, y


def _one_side(x):
    return x * 2


def _looping(x):
    for _ in range(3):
        x = x * 2
    return x, x


def _condition(x):  # noqa: RET503
    if x.shape[0] > 3:
        return x * 2, x + x


def _by_zero(x):
    return x * (1 / 0), x


def _doubling(x):
    a = x + x
    b = a + a
    c = b + b
    d = c + c
    e = d + d
    return e + e, x * 64


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (_outside, "'open'"),
        (_everything, "matches everything"),
        (_unbound, "'y' is not bound"),
        (_one_side, "return left, right"),
        (_looping, "names, conditions"),
        (_condition, "equations of extents"),
        (_by_zero, "no value"),
        (_doubling, "more than 60 operations"),
        (lambda x: (x, x), "no function that is defined by def"),
    ],
)
def test_what_is_no_rule_has_a_place(written: Callable[..., Any], told: str) -> None:
    with pytest.raises(InputError, match=rf"test_rules.py:\d+:\d+: error: .*{told}"):
        raising.rule(written)


def test_sets_are_values() -> None:
    both, then = pythagoras | halves, pythagoras >> halves
    assert [len(s) for s in both.stages] == [2] and [len(s) for s in then.stages] == [1, 1]
    assert [len(s) for s in (then | divided).stages] == [2, 2]
    assert both | both == both and pickle.loads(pickle.dumps(then)) == then
    assert repr(then | divided) == "<rules pythagoras | divided >> halves | divided>"
    with pytest.raises(ValueError, match="2 stages of rules cannot be joined with 3"):
        then | then >> halves
    with pytest.raises(TypeError):
        then | "sin"
    with pytest.raises(ValueError, match="made by raising.rule"):
        raising.jit(rules="sin")
    with pytest.raises(ValueError, match="two different rules are called 'halves'"):

        def halves_(x):
            return x * 1, x

        halves_.__name__ = "halves"
        halves | raising.rule(halves_)


@raising.vectorize("float64(float64)", rules=halves)
def product(x):
    """What the search writes as `sin(x) * (cos(x) + cos(x))`."""
    return np.sin(x) * np.cos(x) + np.cos(x) * np.sin(x)


@raising.jit(rules=halves >> pythagoras)
def triangle(x):
    """A sum whose parts are not side by side."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if j > i:
                x[i, j] = np.cos(x[i, j]) ** 2 + x[i, j] + np.sin(x[i, j]) ** 2


def test_they_are_used_on_open_sizes() -> None:
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(product(x), np.sin(2 * x), atol=1e-12)
    program = product.inspect().kinds[0].program
    assert "?" in program and program.count("math.sin") == 1 and "math.cos" not in program
    given = x.copy()
    triangle(given)
    np.testing.assert_allclose(given, x + np.triu(np.ones_like(x), 1))
    (kind,) = triangle.inspect().kinds
    assert "math" not in kind.program and "math.sin" in kind.raised and "z3: undecided" in kind.saturation


LOOPS = """
func.func @f(%s: memref<?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %C, %c0 : memref<?x?xf64>
  %m = memref.dim %C, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %A[%i, %j] : memref<?x?xf64>
      %y = math.sin %x : f64
      %z = math.cos %x : f64
      %u = arith.mulf %y, %y : f64
      %v = arith.mulf %z, %z : f64
      %w = arith.addf %u, %v : f64
      affine.store %w, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
"""


def test_raise_module_takes_them() -> None:
    said = [raising.raise_module(LOOPS, check="field", rules=r) for r in (None, pythagoras | divided)]
    assert ["math.sin" in s.text for s in said] == [True, False]
    assert any("cost" in r.why for r in said[1].remarks)
