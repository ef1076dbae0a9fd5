"""Parameters as strides: rows with a pitch, vectors with an increment as BLAS has them, packed triangles.

Where an access goes hangs on products of a counter and a parameter, or on a sum that a loop carries along. Increments
may be 0, below 0, or so small that rows lie in each other.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.hunt.drawn.idioms import M, N, Random, at, loop, number, plus, size
from tests.hunt.drawn.tree import (
    Array,
    Bin,
    Decl,
    Elem,
    Expr,
    For,
    Function,
    If,
    Num,
    Param,
    Sel,
    Set,
    Stmt,
    Var,
    names,
)

K, S, T = Var("k"), Var("s"), Var("t")
ZERO, ONE = Num(0), Num(1)
KINDS = ("f64", "f32", "i32", "u8", "i64", "i16")
POOL = (-2, -1, -1, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 7, 9, 17)
"""Sizes and strides."""


def one_of(rng: Random, *choices: Expr) -> Expr:
    """One of some expressions."""
    return rng.choice(choices)


def times(a: Expr | str, b: Expr) -> Expr:
    """A product of a counter."""
    return Bin("*", Var(a) if isinstance(a, str) else a, b)


def total(*parts: Expr) -> Expr:
    """A sum, in a given order."""
    found = parts[0]
    for part in parts[1:]:
        found = Bin("+", found, part)
    return found


def either_way(rng: Random, name: str, high: Expr, *body: Stmt) -> For:
    """A loop over a range, a fifth of them downwards."""
    if rng.random() < 0.2:
        return For(name, "i32", plus(high, -1), ">=", ZERO, -1, body)
    return loop(name, rng.choice([0, 0, 0, 1]), high, *body)


def put(rng: Random, kind: str, target: Elem, value: Expr) -> Stmt:
    """An assignment, one under a condition, or the larger one."""
    roll = rng.random()
    if roll < 0.1:
        return Set(target, "=", Sel(Bin(rng.choice("<>"), value, target), value, target))
    if roll < 0.25:
        return If(
            Bin(rng.choice(["<", ">", "!="]), value, number(rng.choice([0, 1]), kind)), (Set(target, "=", value),)
        )
    return Set(target, rng.choice(["=", "=", "=", "+", "-"]), value)


def increments(rng: Random) -> Function:
    """Vectors of which each has an increment: `y[i * t] += alpha * x[i * s]`."""
    kind = rng.choice(KINDS)
    start = Sel(Bin("<", S, ZERO), times(Bin("-", ONE, N), S), ZERO)  # as BLAS begins where increments are negative
    x = one_of(rng, times("i", S), total(times("i", S), K), times(Bin("-", plus(N, -1), Var("i")), S))
    if rng.random() < 0.3:
        x = total(start, times("i", S))
    y = one_of(rng, Var("i"), times("i", T), times("i", S), total(times("i", T), K), ZERO)
    a, target = Elem("a", (x,)), Elem(rng.choice("ccca"), (y,))
    value = one_of(rng, a, Bin("*", a, number(2, kind)), Bin("+", a, at("b", "i")), Bin("*", a, Elem("b", (y,))))
    body: list[Stmt] = [either_way(rng, "i", N, put(rng, kind, target, value))]
    if rng.random() < 0.25:  # a loop of its own where the increment is 1
        plain = either_way(rng, "i", N, Set(at("c", "i"), "=", at("a", "i")))
        body = [If(Bin("==", one_of(rng, S, T), ONE), (plain,), tuple(body))]
    return _function(kind, rng, *body)


def carried(rng: Random) -> Function:
    """Places that are carried along: `p += s` beside the counter."""
    kind, p, q = rng.choice(KINDS), Var("p"), Var("q")
    a, target = Elem("a", (p,)), Elem("c", (one_of(rng, q, q, Var("i"), p),))
    first = one_of(rng, ZERO, ZERO, K, Sel(Bin("<", S, ZERO), times(Bin("-", ONE, N), S), ZERO))
    steps: list[Stmt] = [Set(p, rng.choice("++-"), S), Set(q, "+", one_of(rng, T, ONE, S, Num(2)))]
    one = put(rng, kind, target, one_of(rng, a, Bin("+", a, at("b", "i")), Bin("*", a, number(3, kind))))
    body = [one, *steps] if rng.random() < 0.7 else [steps[0], one, steps[1]]
    if rng.random() < 0.35:  # rows: the place goes on from one to the next
        inner = loop("j", 0, M, one, Set(p, "+", ONE), Set(q, "+", ONE))
        body = [inner, Set(p, "+", one_of(rng, Bin("-", S, M), S)), *([Set(q, "+", T)] if rng.random() < 0.5 else [])]
    return _function(kind, rng, Decl("p", "i32", first), Decl("q", "i32", ZERO), loop("i", 0, N, *body))


def pitches(rng: Random) -> Function:
    """Rows with a pitch, copied, transposed, added, or in each other."""
    kind, i, j = rng.choice(KINDS), Var("i"), Var("j")
    there = one_of(rng, total(times("i", S), j), total(times("j", S), i), total(times("i", S), j, K))
    there = total(times("i", S), times("j", T)) if rng.random() < 0.3 else there
    here = one_of(rng, total(times("i", T), j), total(times("j", T), i), total(times("i", M), j), there, i, j)
    a = Elem("a", (there,))
    value = one_of(rng, a, a, Bin("+", a, Elem("a", (plus(there, 1),))), Bin("*", a, at("b", rng.choice("ij"))))
    if rng.random() < 0.15:  # a stencil across rows
        value = Bin("-", Elem("a", (Bin("+", there, S),)), Elem("a", (Bin("-", there, S),)))
    inner: list[Stmt] = [either_way(rng, "j", one_of(rng, M, M, i, N), put(rng, kind, Elem("c", (here,)), value))]
    if rng.random() < 0.4:
        sums: list[Stmt] = [Decl("r", kind, number(0, kind)), either_way(rng, "j", M, Set(Var("r"), "+", value))]
        inner = [*sums, Set(Elem("c", (one_of(rng, i, times("i", T)),)), rng.choice("=+"), Var("r"))]
    return _function(kind, rng, either_way(rng, "i", N, *inner))


def packed(rng: Random) -> Function:
    """A triangle row after row, as it is packed: `a[i * (i + 1) / 2 + j]`."""
    kind, i, j = rng.choice(KINDS), Var("i"), Var("j")
    corner = Bin("/", times("i", plus(i, 1)), Num(2))
    place = Elem("a", (Bin("+", corner, j),))
    full = Elem("c", (one_of(rng, total(times("i", N), j), total(times("j", N), i), total(times("i", S), j)),))
    one = rng.choice(
        [Set(full, "=", place), Set(at("c", "i"), "+", Bin("*", place, at("b", "j"))), Set(place, "=", full)]
    )
    return _function(kind, rng, loop("i", 0, N, loop("j", 0, plus(i, 1), one)))


def _function(kind: str, rng: Random, *body: Stmt) -> Function:
    """A function of what its body mentions."""
    scalars = [size(name) for name in "nmstk"]
    rng.shuffle(scalars)
    used = names(body) | {"n"}
    params: tuple[Param, ...] = (*scalars, *(Array(name, kind, (None,)) for name in "abc"))
    return Function(tuple(p for p in params if p.name in used), body)


STRIDES: dict[str, tuple[Callable[[Random], Function], ...]] = {
    "strides": (increments, increments, carried, pitches, pitches, packed),
}
"""The generator of this file, as `windows` has its own."""
