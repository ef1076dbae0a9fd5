"""Functions without effects that the core knows by name.

Names are those of C's library without the suffix of the type: `sqrt` of an f32 is C's `sqrtf`. That C's functions may
set `errno` is not kept.
"""

from __future__ import annotations

from raising.support.record import dataclass


@dataclass(frozen=True)
class Signature:
    """`arity` operands of one type, of a class of types: `float`, `int` or `complex`.

    `result`: `same` type as the operands, `bool`, `part` (the float of a complex number) or `int` (32 bits, signed).
    """

    arity: int
    of: str = "float"
    result: str = "same"


_ONE = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp2",
    "expm1", "exp10", "fabs", "floor", "log", "log10", "log1p", "log2", "nearbyint", "rint", "round", "roundeven",
    "sin", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc",
)  # fmt: skip
_TWO = (
    "atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot", "maximum", "minimum", "nextafter", "pow",
    "remainder",
)  # fmt: skip
_COMPLEX = (
    "cexp", "clog", "csqrt", "csin", "ccos", "ctan", "csinh", "ccosh", "ctanh", "conj", "cproj",
)  # fmt: skip

INTRINSICS: dict[str, Signature] = {
    **{name: Signature(1) for name in _ONE},
    **{name: Signature(2) for name in _TWO},
    **{name: Signature(1, "float", "bool") for name in ("isnan", "isinf", "isfinite", "isnormal", "signbit")},
    **{name: Signature(2, "float", "bool") for name in ("isunordered", "islessgreater")},
    **{name: Signature(1, "complex") for name in _COMPLEX},
    "fma": Signature(3),
    "cpow": Signature(2, "complex"),
    "cabs": Signature(1, "complex", "part"),
    "carg": Signature(1, "complex", "part"),
    "abs": Signature(1, "int"),
    "bswap": Signature(1, "int"),
    "popcount": Signature(1, "int", "int"),
    "clz": Signature(1, "int", "int"),
    "ctz": Signature(1, "int", "int"),
    "imax": Signature(2, "int"),
    "imin": Signature(2, "int"),
}
"""`fmax` and `fmin` prefer a number to a NaN; of `maximum` and `minimum` (NumPy's) a NaN is the result. `abs` of the
least integer, `clz` and `ctz` of 0 are undefined. `imax`, `imin` are those of Python's `max`, `min` on integers.
`nearbyint` and `rint` round to even."""
