"""Calls that have a meaning: values for the parameters, what gcc computes, and how far floats may be off."""

from __future__ import annotations

import ctypes
import math
import random
import runpy
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.hunt.drawn.tree import FLOATS, NUMPY, Array, Bin, Expr, Function, Num, Param, Scalar, Var, walk
from tests.hunt.spell import c as spell_c
from tests.hunt.spell import checked as spell_checked
from tests.hunt.spell import python as spell_python

CTYPES = {
    "f64": ctypes.c_double, "f32": ctypes.c_float, "bool": ctypes.c_bool,
    "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
}  # fmt: skip
GCC_FLAGS = ("-O1", "-ffp-contract=off", "-w")
ROOM = 48  # elements before and behind each array, which nobody may change
POOL = (-1, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 9, 14)
WANTED, TRIES = 24, 72
VAGUE = 3  # what `spell.checked` returns where a comparison hangs on rounding, or on a NaN
MEMORY = 96  # elements of an array whose length C does not tell
DEEP = 400  # the same where subscripts begin far from 0


@dataclass(frozen=True)
class Call:
    """Arguments (a number, or an array exactly as long as it is used), the arrays afterwards, and their bounds."""

    arguments: tuple[Any, ...]
    wanted: tuple[np.ndarray, ...]
    bounds: tuple[np.ndarray, ...]
    exact: bool = False  # to the last bit, NaN and the signs of zeros among them

    @property
    def changes(self) -> bool:
        """Whether an array is not what it was."""
        before = [v for v in self.arguments if np.ndim(v)]
        return any(not np.array_equal(a, b) for a, b in zip(before, self.wanted, strict=True))


class Libraries:
    """Functions compiled by gcc, and with checks by g++; those in Python are run by Python."""

    def __init__(self, functions: Mapping[str, Function], folder: Path, language: str = "c") -> None:
        plain = spell_c.HEADER + "".join(spell_c.function(f, name) for name, f in functions.items())
        bodies = (spell_checked.function(f, name, language == "mlir") for name, f in functions.items())
        checks = spell_checked.HEADER + "".join(bodies)
        self.python = _module(functions, folder) if language == "python" else None
        (folder / "plain.c").write_text(plain)
        (folder / "checked.cpp").write_text(checks)
        self.plain = _library(["gcc", *GCC_FLAGS, "-shared", "-fPIC"], folder / "plain.c", folder / "plain.so")
        checked = _object(["g++", *spell_checked.FLAGS, "-fPIC", "-c"], folder / "checked.cpp", folder / "checked.o")
        self.checked = _library(["g++", "-shared"], checked, folder / "checked.so")


def _module(functions: Mapping[str, Function], folder: Path) -> dict[str, Any]:
    """The functions as Python has them."""
    path = folder / "plain.py"
    path.write_text(spell_python.HEADER + "".join(spell_python.function(f, name) for name, f in functions.items()))
    return runpy.run_path(str(path))


def _object(command: Sequence[str], source: Path, target: Path) -> Path:
    subprocess.run([*command, str(source), "-o", str(target)], check=True, capture_output=True, timeout=120)
    return target


def _library(command: Sequence[str], source: Path, target: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(_object([*command], source, target)))


# ---- values --------------------------------------------------------------------------------------


def vectors(
    function: Function, rng: random.Random, tries: int = TRIES, pool: Sequence[int] = POOL
) -> list[dict[str, int]]:
    """Values of the sizes, offsets and strides: all small, all the same, and at random; near the loops' starts."""
    sizes = [p.name for p in function.params if not isinstance(p, Array) and p.size]
    far = sorted({int(n.value) for n in walk(function.body) if isinstance(n, Num) and n.value >= 20})
    deep = [b + more for b in far if b <= DEEP for more in (-1, 0, 1, 3, 6)]
    pool = [*pool, *(deep * -(-len(pool) // max(len(deep), 1)))]
    found = [dict.fromkeys(sizes, v) for v in (0, 1, 5)]
    for _ in range(tries - len(found)):
        vector = {name: rng.choice(pool) for name in sizes}
        if len(sizes) > 1 and rng.random() < 0.3:
            a, b = rng.sample(sizes, 2)
            vector[a] = vector[b] + rng.choice([0, 0, 1, -1])
        found.append(vector)
    return found


def given(function: Function, vector: Mapping[str, int], rng: np.random.Generator, kind: int) -> list[Any]:
    """A value for each parameter; arrays whose length is not told get much room."""
    free = max(DEEP if _deep(function) else MEMORY, 4 * max(vector.values(), default=0))
    return [_value(p, vector, rng, kind, free) for p in function.params]


def _deep(function: Function) -> bool:
    return any(isinstance(n, Num) and n.value >= 20 for n in walk(function.body))


def _value(p: Param, vector: Mapping[str, int], rng: np.random.Generator, kind: int, free: int) -> Any:
    if not isinstance(p, Array):
        if p.size:
            return np.array([vector[p.name]]).astype(NUMPY[p.type])[0]
        return numbers(p.type, (), rng, kind)[()]
    found = numbers(p.type, (_room(p, vector, free),), rng, kind)
    if p.values:
        found[:] = [*p.values, *[0] * (len(found) - len(p.values))]
    return found


def _room(p: Array, vector: Mapping[str, int], free: int) -> int:
    room = 1
    for extent in p.dims:
        if extent is not None:
            room *= max(evaluated(extent, vector), 0)
    return room * (free // max(room, 1)) if p.dims[0] is None else room


def evaluated(expr: Expr, vector: Mapping[str, int]) -> int:
    """An extent at values of the sizes."""
    match expr:
        case Num():
            return int(expr.value)
        case Var():
            return vector[expr.name]
        case Bin("+"):
            return evaluated(expr.a, vector) + evaluated(expr.b, vector)
        case Bin("-"):
            return evaluated(expr.a, vector) - evaluated(expr.b, vector)
    raise ValueError(expr)


SPECIAL = (np.nan, -0.0, 0.0, np.inf, -np.inf, 1.0, -1.0)


def numbers(kind: str, shape: tuple[int, ...], rng: np.random.Generator, how: int) -> np.ndarray:
    """Small whole numbers, quarters, or anything: in this order less and less that is exact; or special floats (-1)."""
    if kind in FLOATS:
        if how < 0:
            return rng.choice(SPECIAL, shape).astype(NUMPY[kind])
        values = [
            rng.integers(-3, 4, shape),
            rng.integers(-16, 17, shape) / 4,
            rng.uniform(0.25, 2, shape) * rng.choice([-1.0, 1.0], shape),
        ]
        return np.asarray(values[how % 3]).astype(NUMPY[kind])
    if kind == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    low = 0 if kind[0] == "u" else -5
    small = rng.integers(low, 6, shape)
    info = np.iinfo(NUMPY[kind])
    large = rng.integers(info.min, info.max, shape, dtype=NUMPY[kind], endpoint=True)
    return np.asarray(large if how % 3 == 2 else small).astype(NUMPY[kind])


# ---- calls ---------------------------------------------------------------------------------------


def calls(
    name: str,
    function: Function,
    libraries: Libraries,
    seed: int,
    exact: bool = False,
    pool: Sequence[int] = POOL,
) -> list[Call]:
    """Calls that have a meaning, and what gcc makes of them; with special floats if it computes exactly."""
    rng, values = random.Random(seed), np.random.default_rng(seed)
    found: list[Call] = []
    for k, vector in enumerate(vectors(function, rng, pool=pool)):
        arguments = given(function, vector, values, -1 if exact and k % 3 else k)
        made = _checked(name, function, arguments, libraries, exact)
        if made is not None:
            found.append(made)
        if len(found) == WANTED:
            break
    return sorted(found, key=lambda call: not positive(function, call))


def positive(function: Function, call: Call) -> bool:
    """Whether all sizes are at least 1, so that most loops run."""
    pairs = zip(function.params, call.arguments, strict=True)
    return all(v >= 1 for p, v in pairs if not isinstance(p, Array) and p.size)


def _checked(
    name: str, function: Function, arguments: list[Any], libraries: Libraries, exact: bool = False
) -> Call | None:
    """The call on these arguments; None if it has no meaning, takes long, or hangs on rounding."""
    arrays = [k for k, p in enumerate(function.params) if isinstance(p, Array)]
    found = _run_checked(name, function, arguments, libraries, exact)
    if found is None:
        return None
    bounds, used = found
    cut = list(arguments)
    for place, k in enumerate(arrays):
        p = function.params[k]
        assert isinstance(p, Array)
        length = _rounded(used[place], p) if p.dims[0] is None else arguments[k].size
        cut[k], bounds[place] = arguments[k][:length], bounds[place][:length]
    after = placed(function, cut)
    if not _run(name, function, after, libraries):
        return None
    wanted = tuple(view.copy() for _, view in after if view is not None)
    return Call(tuple(cut), wanted, tuple(bounds), exact)


def _run(name: str, function: Function, ready: Placed, libraries: Libraries) -> bool:
    """Call the other implementation; False if Python sees an overflow or a subscript outside."""
    if libraries.python is None:
        getattr(libraries.plain, name)(*passing(function, ready))
        return True
    try:
        with np.errstate(over="raise"):
            libraries.python[name](*shaped(function, ready))
    except (IndexError, OverflowError, FloatingPointError):
        return False
    return True


def shaped(function: Function, ready: Placed) -> list[Any]:
    """The arguments as Python passes them: arrays in their shapes, sizes as its own numbers."""
    sizes = {p.name: v for p, (v, _) in zip(function.params, ready, strict=True) if not isinstance(p, Array)}
    found: list[Any] = []
    for p, (value, view) in zip(function.params, ready, strict=True):
        if view is None:
            found.append(int(value) if isinstance(p, Scalar) and p.size else value)
        else:
            assert isinstance(p, Array)
            found.append(view.reshape(extents(p, sizes, view.size)))
    return found


def extents(p: Array, sizes: Mapping[str, Any], length: int) -> tuple[int, ...]:
    """The extents of an array of so many elements."""
    known = [None if d is None else int(evaluated(d, sizes)) for d in p.dims]
    row = math.prod(d for d in known[1:] if d is not None)
    return tuple(length // max(row, 1) if d is None else d for d in known)


def checked_bounds(
    name: str, function: Function, arguments: list[Any], libraries: Libraries, exact: bool = False
) -> list[np.ndarray] | None:
    """How far each element of each array may be off after a call; None if it has no meaning."""
    found = _run_checked(name, function, arguments, libraries, exact)
    return None if found is None else found[0]


def _run_checked(
    name: str, function: Function, arguments: list[Any], libraries: Libraries, exact: bool
) -> tuple[list[np.ndarray], Sequence[int]] | None:
    arrays = [k for k, p in enumerate(function.params) if isinstance(p, Array)]
    bounds = [np.zeros(arguments[k].size) for k in arrays]
    used = (ctypes.c_long * max(len(arrays), 1))()
    table = (ctypes.c_void_p * max(len(arrays), 1))(*(b.ctypes.data for b in bounds))
    passed: list[Any] = []
    for p, value in zip(function.params, arguments, strict=True):
        passed += _passed(p, value) + ([ctypes.c_long(value.size)] if isinstance(p, Array) else [])
    result = (ctypes.c_double * 2)()
    status = getattr(libraries.checked, name)(*passed, table, used, result)
    return None if status and not (exact and status == VAGUE) else (bounds, list(used))


def _rounded(used: int, p: Array) -> int:
    """Whole rows."""
    row = math.prod(int(d.value) if isinstance(d, Num) else 1 for d in p.dims[1:])
    return -(-used // row) * row


Placed = list[tuple[Any, np.ndarray | None]]


def placed(function: Function, arguments: Sequence[Any]) -> Placed:
    """Arguments ready for a call: (number, None), or (an array with room around it, the array itself)."""
    found: Placed = []
    for p, value in zip(function.params, arguments, strict=True):
        if isinstance(p, Array):
            around = np.full(value.size + 2 * ROOM, 77).astype(value.dtype)
            view = around[ROOM : ROOM + value.size]
            view[:] = value
            found.append((around, view))
        else:
            found.append((value, None))
    return found


def passing(function: Function, ready: Placed, lengths: bool = False) -> list[Any]:
    """The same for ctypes; with `lengths`, behind each array those of its extents that are no constants."""
    sizes = {p.name: v for p, (v, _) in zip(function.params, ready, strict=True) if not isinstance(p, Array)}
    found: list[Any] = []
    for p, (value, view) in zip(function.params, ready, strict=True):
        if view is None:
            found += _passed(p, value)
            continue
        assert isinstance(p, Array)
        found.append(ctypes.c_void_p(value.ctypes.data + ROOM * value.itemsize))
        if lengths:
            pairs = zip(p.dims, extents(p, sizes, view.size), strict=True)
            found += [ctypes.c_int64(n) for d, n in pairs if not isinstance(d, Num)]
    return found


def _passed(p: Param, value: Any) -> list[Any]:
    if isinstance(p, Array):
        return [ctypes.c_void_p(value.ctypes.data)]
    return [CTYPES[p.type](value.item())]


def difference(function: Function, call: Call, ready: Placed) -> str:
    """How arrays after a call differ from what is wanted; empty if they do not."""
    names = [p.name for p in function.params if isinstance(p, Array)]
    arrays = [(around, view) for around, view in ready if view is not None]
    for name, (around, view), wanted, bound in zip(names, arrays, call.wanted, call.bounds, strict=True):
        if not ((around[:ROOM] == _filler(around)).all() and (around[len(around) - ROOM :] == _filler(around)).all()):
            return f"{name}: writes outside of the array"
        for k, (a, b, e) in enumerate(zip(view.tolist(), wanted.tolist(), bound.tolist(), strict=True)):
            if not same(a, b) if call.exact else differ(a, b, e):
                sizes = {
                    p.name: v.item() for p, v in zip(function.params, call.arguments, strict=True) if np.ndim(v) == 0
                }
                return f"{name}[{k}] is {a!r}, gcc has {b!r} (bound {e:.1e}) at {sizes}"
    return ""


def same(a: float, b: float) -> bool:
    """Whether two numbers are the same to the last bit, any two that are NaN among them."""
    return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)


def differ(a: float, b: float, bound: float) -> bool:
    """Whether two numbers are further from each other than rounding explains."""
    return a != b and not abs(a - b) <= bound and math.isfinite(bound) and math.isfinite(b)


def is_finite(call: Call) -> bool:
    """Whether all numbers of a call are finite, before and after it."""
    return all(np.isfinite(values).all() for values in (*call.arguments, *call.wanted))


def _filler(around: np.ndarray) -> Any:
    return np.full(1, 77).astype(around.dtype)[0]
