"""Functions without effects that the core knows by name.

Names are those of C's library without the suffix of the type: `sqrt` of an f32 is C's `sqrtf`. That C's functions may
set `errno` is not kept.
"""

from __future__ import annotations

from raising.affine.ir.integer_functions import COUNTS_BY_C
from raising.affine.ir.real_functions import BY_C
from raising.support.record import dataclass


@dataclass(frozen=True)
class Signature:
    """`arity` operands of one type, of a class of types: `float`, `int` or `complex`.

    `result`: `same` type as the operands, `bool`, `part` (the float of a complex number) or `int` (32 bits, signed).
    """

    arity: int
    of: str = "float"
    result: str = "same"


_WITHOUT_OPERATION = {"exp10": 1, "tgamma": 1, "fdim": 2, "hypot": 2, "nextafter": 2, "remainder": 2}
_COMPLEX = (
    "cexp", "clog", "csqrt", "csin", "ccos", "ctan", "csinh", "ccosh", "ctanh", "conj", "cproj",
)  # fmt: skip

INTRINSICS: dict[str, Signature] = {
    **{name: Signature(row.arity) for name, row in BY_C.items()},
    **{name: Signature(arity) for name, arity in _WITHOUT_OPERATION.items()},
    **{name: Signature(1, "float", "bool") for name in ("isnan", "isinf", "isfinite", "isnormal", "signbit")},
    **{name: Signature(2, "float", "bool") for name in ("isunordered", "islessgreater")},
    **{name: Signature(1, "complex") for name in _COMPLEX},
    "cpow": Signature(2, "complex"),
    "cabs": Signature(1, "complex", "part"),
    "carg": Signature(1, "complex", "part"),
    "abs": Signature(1, "int"),
    "bswap": Signature(1, "int"),
    **{name: Signature(1, "int", "int") for name in COUNTS_BY_C},
    "imax": Signature(2, "int"),
    "imin": Signature(2, "int"),
}
"""`fmax` and `fmin` prefer a number to a NaN; of `maximum` and `minimum` (NumPy's) a NaN is the result. `abs` of the
least integer, `clz` and `ctz` of 0 are undefined. `imax`, `imin` are those of Python's `max`, `min` on integers.
`nearbyint` and `rint` round to even."""
