"""Programs drawn: operations on elements, reductions, products and views of arrays."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.hunt.exported import places
from tests.hunt.exported.module import ROUNDED, Value, Writing, kind

SHAPES = ((), (1,), (3,), (4,), (1, 4), (4, 1), (3, 4), (4, 3), (4, 4), (2, 3, 4), (2, 4, 3), (1, 1), (6,))
ELEMENTS = ("f32", "f32", "f32", "f64", "i32", "i32", "i64")
_DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
_MOST = 2000  # elements of a value

Draw = Callable[[Writing], Value | None]


@dataclass(frozen=True)
class Exported:
    """A program, arguments for it, and which results are the same to the last bit however they are computed."""

    text: str
    arguments: tuple[np.ndarray, ...]
    exact: tuple[bool, ...]


def exported(seed: int) -> Exported:
    """The program of this number."""
    rng = random.Random(f"exported {seed}")
    w = Writing(rng)
    arguments = [Value(f"%arg{k}", rng.choice(SHAPES), rng.choice(ELEMENTS), 2) for k in range(rng.choice([1, 2, 3]))]
    w.values += arguments
    made: list[Value] = []
    wanted = rng.choice([2, 3, 4, 6, 8])
    for _ in range(20 * wanted):
        lines = len(w.lines)
        value = rng.choice(_DRAWS)(w)
        if value is None or math.prod(value.shape) > _MOST or value in w.values:
            del w.lines[lines:]
            continue
        w.values.append(value)
        made.append(value)
        if len(made) == wanted:
            break
    results = made[-rng.choice([1, 1, 2]) :] or arguments[:1]
    values = np.random.default_rng(seed)
    given = tuple(values.integers(-3, 4, a.shape).astype(_DTYPES[a.element]) for a in arguments)
    return Exported(w.text(arguments, results), given, tuple(r.is_exact for r in results))


# ---- elements ------------------------------------------------------------------------------------------


def unary(w: Writing) -> Value | None:
    """A function of elements."""
    x = w.pick(lambda v: v.is_float)
    if x is None:
        return None
    name = w.rng.choice(["negate", "abs", "tanh", "exponential", "logistic", "cosine", "sign", "floor", "sqrt", "ceil"])
    if name in ("sign", "floor", "ceil") and not x.is_exact:
        return None
    if name in ("sqrt", "exponential"):
        x = w.same("abs", [x], x.bits) if name == "sqrt" else w.same("minimum", [x, w.number(3, x)], x.bits)
    return w.same(name, [x], x.bits if name in ("negate", "abs", "sign", "floor", "ceil") else ROUNDED)


def binary(w: Writing) -> Value | None:
    """An operation on elements of two values, one of them repeated where it has one element."""
    x = w.pick(lambda v: v.is_number)
    y = w.pick(lambda v: x is not None and v.element == x.element and _broadcasts(v.shape, x.shape))
    if x is None or y is None:
        return None
    if y.shape != x.shape:
        y = _repeated(w, y, x.shape)
    name = w.rng.choice(["add", "add", "subtract", "multiply", "multiply", "maximum", "minimum"])
    bits = {"multiply": x.bits + y.bits, "maximum": max(x.bits, y.bits), "minimum": max(x.bits, y.bits)}
    return w.same(name, [x, y] if w.rng.random() < 0.7 else [y, x], bits.get(name, max(x.bits, y.bits) + 1))


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    own = shape[len(shape) - len(to) :] if len(shape) <= len(to) else None
    return own is not None and all(a in (1, b) for a, b in zip(own, to[len(to) - len(own) :], strict=True))


def _repeated(w: Writing, y: Value, shape: tuple[int, ...]) -> Value:
    """As JAX repeats: first to the rank, then along the dimensions of one."""
    extra = len(shape) - len(y.shape)
    kept = [k for k, n in enumerate(y.shape) if n == shape[extra + k]]
    if len(kept) < len(y.shape):
        squeezed = tuple(y.shape[k] for k in kept)
        text = f"stablehlo.reshape {y.name} : ({y.type}) -> {kind(squeezed, y.element)}"
        y = w.op(text, squeezed, y.element, y.bits)
    return w.spread(y, shape, [extra + k for k in kept])


def with_number(w: Writing) -> Value | None:
    """An operation on elements and a number."""
    x = w.pick(lambda v: v.is_number)
    if x is None:
        return None
    name = w.rng.choice(["add", "subtract", "multiply", "divide", "maximum"])
    c = w.number(w.rng.choice([0, 1, 2, -1, 3, 0.5] if name != "divide" else [2, 4, 3]), x)
    bits = x.bits + 3 if name != "divide" else ROUNDED
    return w.same(name, [x, c] if name == "divide" or w.rng.random() < 0.7 else [c, x], bits)


def compared(w: Writing) -> Value | None:
    """A choice by a comparison, or the truths themselves."""
    x = w.pick(lambda v: v.is_number and v.is_exact)
    if x is None:
        return None
    y = w.pick(lambda v: v.element == x.element and v.shape == x.shape and v.is_exact) or w.number(0, x)
    truth = w.compare(w.rng.choice(["LT", "GE", "EQ", "NE", "GT"]), x, y)
    return truth if w.rng.random() < 0.3 else w.select(truth, x, w.number(w.rng.choice([0, 1]), x))


def clamped(w: Writing) -> Value | None:
    """`jnp.clip`, by a function of its own as JAX has it."""
    x = w.pick(lambda v: v.is_number)
    if x is None:
        return None
    name, low, high = f"@clip_{w.count}", w.number(-1, Value("", (), x.element)), w.number(2, Value("", (), x.element))
    cell = kind((), x.element)
    w.called.append(
        f"  func.func private {name}(%arg0: {x.type}, %arg1: {cell}, %arg2: {cell}) -> {x.type} {{\n"
        f"    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : ({cell}) -> {x.type}\n"
        f"    %1 = stablehlo.maximum %0, %arg0 : {x.type}\n"
        f"    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : ({cell}) -> {x.type}\n"
        f"    %3 = stablehlo.minimum %2, %1 : {x.type}\n    return %3 : {x.type}\n  }}"
    )
    text = f"call {name}({x.name}, {low.name}, {high.name}) : ({x.type}, {cell}, {cell}) -> {x.type}"
    return w.op(text, x.shape, x.element, x.bits)


def converted(w: Writing) -> Value | None:
    """The same numbers as other elements."""
    x = w.pick(lambda v: True)
    to = w.rng.choice(["f32", "f64", "i32", "i64", "i8"])
    if x is None or to == x.element or not (x.is_exact or to[0] == "f"):
        return None
    return w.convert(x, to)


# ---- reductions and products ---------------------------------------------------------------------------


def reduced(w: Writing) -> Value | None:
    """A sum, product, extremum, or truth of some, along any dimensions or none."""
    x = w.pick(lambda v: True)
    if x is None:
        return None
    dims = [d for d in range(len(x.shape)) if w.rng.random() < 0.6]
    if not x.is_number:
        name, start = w.rng.choice([("and", "true"), ("or", "false")])
    elif x.is_float:
        low, high = ("0xFF800000", "0x7F800000") if x.element == "f32" else ("0xFFF0000000000000", "0x7FF0000000000000")
        name, start = w.rng.choice([("add", "0.000000e+00"), ("maximum", low), ("minimum", high), ("add", "0.0")])
    else:
        name, start = w.rng.choice([("add", "0"), ("multiply", "1")])
    many = math.prod(x.shape[d] for d in dims)
    cell = w.op(f"stablehlo.constant dense<{start}> : {kind((), x.element)}", (), x.element)
    shape = [n for d, n in enumerate(x.shape) if d not in dims]
    text = f"stablehlo.reduce({x.name} init: {cell.name}) applies stablehlo.{name} across dimensions = {dims}"
    text += f" : ({x.type}, {cell.type}) -> {kind(shape, x.element)}"
    return w.op(text, shape, x.element, x.bits + (many.bit_length() if name == "add" else 0))


def product(w: Writing) -> Value | None:
    """`dot_general`, with any dimension of each contracted, and a batch where both have three."""
    x = w.pick(lambda v: v.is_number and len(v.shape) in (1, 2, 3))
    y = w.pick(lambda v: x is not None and v.element == x.element and len(v.shape) in (1, 2, 3))
    if x is None or y is None:
        return None
    batch = len(x.shape) == len(y.shape) == 3 and x.shape[0] == y.shape[0]
    pairs = [(i, j) for i in range(batch, len(x.shape)) for j in range(batch, len(y.shape)) if x.shape[i] == y.shape[j]]
    if not pairs:
        return None
    i, j = w.rng.choice(pairs)
    rest = [[n for d, n in enumerate(v.shape) if d != k and not (batch and d == 0)] for v, k in ((x, i), (y, j))]
    shape = ([x.shape[0]] if batch else []) + rest[0] + rest[1]
    first = "batching_dims = [0] x [0], " if batch else ""
    text = f"stablehlo.dot_general {x.name}, {y.name}, {first}contracting_dims = [{i}] x [{j}], precision = [DEFAULT,"
    text += f" DEFAULT] : ({x.type}, {y.type}) -> {kind(shape, x.element)}"
    return w.op(text, shape, x.element, x.bits + y.bits + x.shape[i].bit_length())


# ---- views ---------------------------------------------------------------------------------------------


def viewed(w: Writing) -> Value | None:
    """The same elements elsewhere: transposed, in another shape, backwards, in part, repeated."""
    x = w.pick(lambda v: len(v.shape) > 0)
    if x is None:
        return None
    rank, to = len(x.shape), list(range(len(x.shape)))
    match w.rng.choice(["transpose", "reshape", "reverse", "slice", "broadcast"]):
        case "transpose":
            w.rng.shuffle(to)
            shape, text = [x.shape[d] for d in to], f"transpose {x.name}, dims = {to}"
        case "reshape":
            whole = math.prod(x.shape)
            parts = [d for d in (2, 3, 4) if whole % d == 0]
            shape = w.rng.choice([[whole], [1, whole], [whole, 1], *([d, whole // d] for d in parts)])
            text = f"reshape {x.name}"
        case "reverse":
            shape, text = list(x.shape), f"reverse {x.name}, dims = {sorted(w.rng.sample(to, w.rng.randint(1, rank)))}"
        case "slice":
            cuts = [_cut(w.rng, n) for n in x.shape]
            shape = [len(range(*c)) for c in cuts]
            text = f"slice {x.name} [{', '.join(':'.join(map(str, c)) for c in cuts)}]"
        case _:
            return w.spread(x, (w.rng.choice([1, 2, 3]), *x.shape), [d + 1 for d in to])
    return w.op(f"stablehlo.{text} : ({x.type}) -> {kind(shape, x.element)}", shape, x.element, x.bits)


def _cut(rng: random.Random, extent: int) -> tuple[int, int, int]:
    start = rng.randrange(extent)
    return start, rng.randint(start + 1, extent), rng.choice([1, 1, 2])


def joined(w: Writing) -> Value | None:
    """Two values one behind the other, or one with a margin (which may be negative, and between elements)."""
    x = w.pick(lambda v: len(v.shape) > 0 and v.is_number)
    if x is None:
        return None
    d = w.rng.randrange(len(x.shape))
    near = [v for v in w.values if v.element == x.element and _but(v.shape, d) == _but(x.shape, d)]
    if near and w.rng.random() < 0.5:
        y = w.rng.choice(near)
        shape = [*x.shape]
        shape[d] += y.shape[d]
        text = f"stablehlo.concatenate {x.name}, {y.name}, dim = {d} : ({x.type}, {y.type})"
        return w.op(f"{text} -> {kind(shape, x.element)}", shape, x.element, max(x.bits, y.bits))
    rims = [(w.rng.choice([0, 0, 1, 2, -1]), w.rng.choice([0, 1]), w.rng.choice([0, 0, 0, 1])) for _ in x.shape]
    shape = [n + low + high + (n - 1) * inner for n, (low, high, inner) in zip(x.shape, rims, strict=True)]
    if min(shape) < 1:
        return None
    fill = w.number(w.rng.choice([0, 1]), Value("", (), x.element))
    low, high, inner = (list(one) for one in zip(*rims, strict=True))
    text = f"stablehlo.pad {x.name}, {fill.name}, low = {low}, high = {high}, interior = {inner}"
    return w.op(f"{text} : ({x.type}, {fill.type}) -> {kind(shape, x.element)}", shape, x.element, max(x.bits, 3))


def _but(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return (len(shape), *shape[:dim], *shape[dim + 1 :])


_DRAWS: tuple[Draw, ...] = (
    *((unary, binary, binary, with_number, compared, clamped, converted) * 2),
    *(reduced, reduced, reduced, product, product, product, viewed, viewed, viewed, joined),
    *places.DRAWS,
)
