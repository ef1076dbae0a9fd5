"""Functions of real numbers: one row for each operation of MLIR, with what every stage has to know of it.

A new function is a row. Readers of C and of Python know it by its names there; the search, the field and the e-graph
take it as an uninterpreted function; the columns say how intervals and bounds on rounding are computed, and how it is
written in NumPy. Code for vectors is a function of the same name in `raising.native.vector_math`, where there is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

from raising.support.record import dataclass


@dataclass(frozen=True)
class RealFunction:
    """One row: an operation that takes `arity` floats of a type and gives one.

    `c` and `numpy` are its names in C's library (and Python's `math`) and in NumPy, the first one to write, the others
    to read only; NumPy's are C's if there are none, and "-" if NumPy has none. `rising` is 1 where a function of one
    number rises wherever it is defined, -1 where it falls, else 0; `gentle` says that no slope is beyond 1. A result is
    at most `ulps` units in the last place off. `errno` says that C's may set it, and `ball` that `arb` of python-flint
    has a method of the name of the operation.
    """

    op: str
    c: str = ""
    numpy: str = ""
    arity: int = 1
    rising: int = 0
    gentle: bool = False
    ulps: float = 4.0
    errno: bool = True
    ball: bool = False

    @property
    def short(self) -> str:
        """The name of the operation without its dialect."""
        return self.op.partition(".")[2]

    @property
    def names_in_c(self) -> tuple[str, ...]:
        """The names in C's library; none if it has no such function."""
        return () if self.c == "-" else tuple((self.c or self.short).split())

    @property
    def names_in_numpy(self) -> tuple[str, ...]:
        """The names in NumPy; none if it has no such function."""
        return () if self.numpy == "-" else tuple(self.numpy.split()) or self.names_in_c

    @property
    def names_in_python(self) -> tuple[str, ...]:
        """The names in Python's module `math`."""
        return tuple(name for name in self.names_in_c if hasattr(math, name))

    @cached_property
    def on_float(self) -> Callable[..., float]:
        """The function of the module `math`; AttributeError if that has none."""
        found: Callable[..., float] = getattr(math, self.names_in_c[0])
        return found

    @cached_property
    def on_arrays(self) -> Callable[..., Any]:
        """The function of arrays of floats, element by element."""
        import numpy as np  # a table for programs that start often

        names = self.names_in_numpy
        return getattr(np, names[0]) if names else np.vectorize(self.on_float, otypes=[float])


def _math(name: str, **columns: Any) -> RealFunction:
    return RealFunction(f"math.{name}", **columns)


_ROWS = (
    _math("absf", c="fabs", numpy="abs absolute fabs", errno=False, gentle=True),
    _math("acos", numpy="arccos acos", rising=-1, ball=True),
    _math("acosh", numpy="arccosh acosh", rising=1, ball=True),
    _math("asin", numpy="arcsin asin", rising=1, ball=True),
    _math("asinh", numpy="arcsinh asinh", rising=1, gentle=True, ball=True),
    _math("atan", numpy="arctan atan", rising=1, gentle=True, ball=True),
    _math("atan2", numpy="arctan2 atan2", arity=2),
    _math("atanh", numpy="arctanh atanh", rising=1, ball=True),
    _math("cbrt", rising=1),
    _math("ceil", errno=False),
    _math("copysign", arity=2, errno=False),
    _math("cos", gentle=True, ball=True),
    _math("cosh", ball=True),
    _math("erf", numpy="-", rising=1),
    _math("erfc", numpy="-", rising=-1, ulps=7.0),
    _math("exp", rising=1, ball=True),
    _math("exp2", rising=1),
    _math("expm1", rising=1, ball=True),
    _math("floor", errno=False),
    _math("fma", numpy="-", arity=3, errno=False),
    _math("log", rising=1, ball=True),
    _math("log10", rising=1),
    _math("log1p", rising=1, ball=True),
    _math("log2", rising=1),
    _math("powf", c="pow", numpy="power pow", arity=2),
    _math("round", numpy="-", errno=False),
    _math("roundeven", c="roundeven rint nearbyint", numpy="rint", errno=False),
    _math("rsqrt", c="-"),
    _math("sin", gentle=True, ball=True),
    _math("sinh", rising=1, ball=True),
    _math("sqrt", rising=1, ball=True),
    _math("tan", ball=True),
    _math("tanh", rising=1, gentle=True, ball=True),
    _math("trunc", errno=False),
    RealFunction("arith.maxnumf", c="fmax", arity=2, errno=False),
    RealFunction("arith.minnumf", c="fmin", arity=2, errno=False),
    RealFunction("arith.maximumf", c="maximum", arity=2, errno=False),
    RealFunction("arith.minimumf", c="minimum", arity=2, errno=False),
    RealFunction("arith.remf", c="fmod", arity=2, errno=False),  # compiled to a call of C's, which sets it
)
"""`maximum` and `minimum` are not C's: a NaN stays one."""

REALS = {row.op: row for row in _ROWS}
BY_C = {name: row for row in _ROWS for name in row.names_in_c}
BY_NUMPY = {name: row for row in _ROWS for name in row.names_in_numpy}
BY_PYTHON = {name: row for row in _ROWS for name in row.names_in_python}
