"""Windows and bounds of several parameters: which element an output hangs on is decided by their order.

Each function has a size `n`, and widths, offsets or a second size, which may be below it, above it, or the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.hunt.drawn.idioms import M, N, Random, at, loop, number, plus, size, vector
from tests.hunt.drawn.tree import (
    COMPARISONS,
    FLOATS,
    Array,
    Bin,
    Cast,
    Decl,
    Elem,
    Expr,
    For,
    Function,
    If,
    Jump,
    Num,
    Sel,
    Set,
    Stmt,
    Var,
    names,
)

POOL = (-1, 0, 0, 1, 1, 2, 2, 3, 4, 5, 7, 9, 14, 17, 18, 33, 34, 70)
"""Sizes and widths: few, and around the lanes of vectors."""

W, K = Var("w"), Var("k")
KINDS = ("f64", "f32", "i32", "i32", "u8", "i16", "i64")
ZERO = Num(0)


# ---- ends ----------------------------------------------------------------------------------------


def least(a: Expr, b: Expr) -> Expr:
    """The smaller one of two numbers."""
    return Sel(Bin("<", a, b), a, b)


def greatest(a: Expr, b: Expr) -> Expr:
    """The larger one of two numbers."""
    return Sel(Bin(">", a, b), a, b)


def extent(rng: Random) -> Expr:
    """How far a loop over the elements runs: mostly to `n`, else to what other parameters leave of it."""
    half = Bin("/", N, Num(2))
    others = [least(N, M), least(N, M), Bin("-", N, K), half, plus(Bin("-", N, W), 1), Bin("-", N, M), greatest(N, K)]
    return N if rng.random() < 0.6 else rng.choice(others)


def ends(rng: Random, i: Expr) -> tuple[Expr, Expr]:
    """The first element of the window of `i`, and the one behind its last."""
    before, half = Bin("-", i, W), Bin("-", i, Bin("/", W, Num(2)))
    shifted, twice = Bin("+", i, K), Bin("*", i, Num(2))
    centred = (before, plus(Bin("+", i, W), 1))
    return rng.choice(
        [
            *(centred, centred, (i, Bin("+", i, W)), (plus(before, 1), plus(i, 1)), (half, Bin("+", half, W))),
            *((shifted, Bin("+", shifted, W)), (Bin("-", shifted, W), shifted), (twice, Bin("+", twice, W))),
            *((Bin("+", i, W), N), (ZERO, before), (K, Bin("+", i, W)), (before, i)),
            (Bin("*", i, W), Bin("*", plus(i, 1), W)),
        ]
    )  # fmt: skip


def clipped(rng: Random, low: Expr, high: Expr, n: Expr, name: str, body: tuple[Stmt, ...]) -> Stmt:
    """A loop over a window, of which what is outside of the array is left out at one end, at both, or nowhere."""
    j = Var(name)
    inside = Bin("&&", Bin(">=", j, ZERO), Bin("<", j, n))
    match rng.choice(["ends", "ends", "first", "last", "test", "test", "whole", "none"]):
        case "ends":
            return _either_way(rng, name, greatest(low, ZERO), least(high, n), body)
        case "first":
            return _either_way(rng, name, greatest(low, ZERO), high, body)
        case "last":
            return _either_way(rng, name, low, least(high, n), body)
        case "test":
            return _either_way(rng, name, low, high, (If(inside, body),))
        case "whole":
            tests = [Bin(">=", j, low), Bin("<", j, high)]
            return loop(name, 0, n, If(Bin("&&", *tests) if rng.random() < 0.7 else rng.choice(tests), body))
    return _either_way(rng, name, low, high, body)


def _either_way(rng: Random, name: str, low: Expr, high: Expr, body: tuple[Stmt, ...]) -> For:
    """A loop upwards, or (a third of them) downwards or in steps."""
    roll = rng.random()
    if roll < 0.2:
        return For(name, "i32", plus(high, -1), ">=", low, -1, body)
    return loop(name, low, high, *body, step=2 if roll < 0.3 else 1)


# ---- what is done with a window ------------------------------------------------------------------


def gathered(rng: Random, kind: str, x: Expr, j: Expr) -> tuple[list[Stmt], list[Stmt], Expr]:
    """What a window comes to: what is declared before its loop, what is done with `x` at `j`, and the result."""
    s, test = Var("s"), Bin(rng.choice(COMPARISONS), x, number(rng.choice([0, 1, 2]), kind))
    match rng.choice(["sum", "sum", "extremum", "extremum", "count", "last", "place", "branch", "product"]):
        case "extremum":
            start = rng.choice([at("a", ZERO), number(0, kind), number(1 if kind[0] == "u" else -3, kind)])
            return [Decl("s", kind, start)], [Set(s, "=", Sel(Bin(rng.choice("<>"), x, s), x, s))], s
        case "count":
            return [Decl("found", "i32", ZERO)], [If(test, (Set(Var("found"), "+", Num(1)),))], Cast(kind, Var("found"))
        case "last":
            return [Decl("s", kind, number(rng.choice([0, 1]), kind))], [Set(s, "=", x)], s
        case "place":
            better = If(Bin(rng.choice(["<", ">", ">="]), x, s), (Set(s, "=", x), Set(Var("found"), "=", j)))
            first = [Decl("s", kind, number(rng.choice([0, 1]), kind)), Decl("found", "i32", Num(rng.choice([0, -1])))]
            return first, [better], Cast(kind, Var("found"))
        case "branch":
            return [Decl("s", kind, number(0, kind))], [If(test, (Set(s, "+", x),))], s
        case "product":
            op = "*" if kind in FLOATS else rng.choice("|^*")
            return [Decl("s", kind, number(1, kind))], [Set(s, op, x)], s
    return [Decl("s", kind, number(0, kind))], [Set(s, rng.choice("++-"), x)], s


def left(rng: Random, kind: str, x: Expr, body: list[Stmt], flag: str = "g") -> list[Stmt]:
    """What a loop does, a fifth of it left early where data says so, by a word or by a flag."""
    test = Bin(rng.choice(COMPARISONS), x, number(rng.choice([0, 1, 3]), kind))
    roll, place = rng.random(), rng.choice([0, len(body)])
    if roll < 0.15:
        jump = If(test, (Jump(rng.choice(["break", "break", "return", "continue"])),))
        return [*body[:place], jump, *body[place:]]
    if roll < 0.22:
        return [If(Bin("==", Var(flag), ZERO), tuple(body)), If(test, (Set(Var(flag), "=", Num(1)),))]
    return body


def _declared(body: list[Stmt]) -> list[Stmt]:
    """The flag of a loop, if it has one."""
    return (
        [Decl("f", "i32", ZERO)] if any(isinstance(s, If) and s.cond == Bin("==", Var("f"), ZERO) for s in body) else []
    )


# ---- functions -----------------------------------------------------------------------------------


def line(rng: Random) -> Function:
    """What the window of each element comes to."""
    kind, j = rng.choice(KINDS), Var("j")
    x: Expr = rng.choice([at("a", "j"), at("a", "j"), Bin("*", at("a", "j"), at("b", "j"))])
    first, each, result = gathered(rng, kind, x, j)
    each = left(rng, kind, at("a", "j"), each, "f")
    low, high = ends(rng, Var("i"))
    window = clipped(rng, low, high, N, "j", tuple(each))
    value = rng.choice([result, result, Bin("-", at("a", "i"), result)])
    target = at(rng.choice("cccb"), "i")
    body = [*first, *_declared(each), window, Set(target, rng.choice(["=", "=", "+"]), value)]
    return _function(kind, rng, _either_way(rng, "i", ZERO, extent(rng), tuple(left(rng, kind, at("b", "i"), body))))


def spread(rng: Random) -> Function:
    """What each element does to those of its window, or they to it, without a number between."""
    kind, low, high = rng.choice(KINDS), *ends(rng, Var("i"))
    choices: list[tuple[Expr, Expr]] = [(Var("j"), Var("i")), (Var("i"), Var("j")), (ZERO, Var("j"))]
    target, other = (at(name, place) for name, place in zip("ca", rng.choice(choices), strict=True))
    op = rng.choice(["+", "+", "-", "=", "max"])
    one: Stmt = Set(target, op, other)
    if op == "max":
        one = Set(target, "=", Sel(Bin(rng.choice("<>"), other, target), other, target))
    window = clipped(rng, low, high, N, "j", tuple(left(rng, kind, at("b", "j"), [one])))
    body = [window] if rng.random() < 0.6 else [Set(at("c", "i"), rng.choice(["=", "+"]), at("b", "i")), window]
    if rng.random() < 0.2:
        body = [loop("t", 0, rng.choice([M, K, W]), *body)]
    return _function(kind, rng, _either_way(rng, "i", ZERO, extent(rng), tuple(body)))


def grid(rng: Random) -> Function:
    """A window over the rows of a matrix, over its columns, or over both."""
    kind = rng.choice(KINDS)
    pitch = rng.choice([None, Num(6), Num(6)])  # none: rows of m elements, in flat memory
    width = pitch or M

    def element(array: str, row: str, column: str) -> Elem:
        if pitch is not None:
            return at(array, row, column)
        return at(array, Bin("+", Bin("*", Var(row), M), Var(column)))

    over = rng.choice(["rows", "columns", "both"])
    x = element("a", "p" if over != "columns" else "i", "q" if over != "rows" else "j")
    first, each, result = gathered(rng, kind, x, Var("p" if over != "columns" else "q"))
    first = [replace(d, init=number(1, kind)) if isinstance(d, Decl) and isinstance(d.init, Elem) else d for d in first]
    each = left(rng, kind, x, each, "f")
    inner: tuple[Stmt, ...] = tuple(each)
    if over != "rows":
        inner = (clipped(rng, *ends(rng, Var("j")), width, "q", inner),)
    if over != "columns":
        inner = (clipped(rng, *ends(rng, Var("i")), N, "p", inner),)
    body = (*first, *_declared(each), *inner, Set(element("c", "i", "j"), rng.choice(["=", "+"]), result))
    nest = loop("i", 0, extent(rng), loop("j", 0, width, *body))
    dims = (None,) if pitch is None else (None, pitch)
    arrays = [Array(name, kind, dims) for name in "ac"]
    scalars = [size(name) for name in "nmwk" if name in names(nest) | {"n"}]
    return Function((*scalars, *arrays), (nest,))


def moving(rng: Random) -> Function:
    """A sum that follows its window: what comes in is added, what goes out is taken away."""
    kind = rng.choice(["f64", "i32", "u8", "i64"])
    s, i = Var("s"), Var("i")
    out = If(Bin(rng.choice([">=", ">"]), i, W), (Set(s, "-", at("a", Bin("-", i, W))),))
    place = rng.choice([i, Bin("-", i, W), plus(Bin("-", i, W), 1)])
    put: Stmt = Set(Elem("c", (place,)), "=", s)
    if place != i or rng.random() < 0.4:
        put = If(Bin(">=", i, rng.choice([W, plus(W, -1)])), (put,))
    body = [Set(s, "+", at("a", "i")), out, put]
    if rng.random() < 0.4:
        body = [body[1], body[0], body[2]]
    parts: list[Stmt] = [Decl("s", kind, number(rng.choice([0, 1]), kind))]
    if rng.random() < 0.4:  # the first window by a loop of its own
        parts.append(loop("p", 0, rng.choice([W, least(W, N)]), Set(s, "+", at("a", "p"))))
        roll = Set(s, "+", Bin("-", at("a", "i"), at("a", Bin("-", i, W))))
        return _function(kind, rng, *parts, loop("i", W, extent(rng), roll, Set(at("c", "i"), "=", s)))
    return _function(kind, rng, *parts, loop("i", 0, extent(rng), *body))


def pieces(rng: Random) -> Function:
    """Loops one after the other that meet where two parameters tell, or do not."""
    kind = rng.choice(KINDS)
    others = [least(N, W), least(W, K), greatest(Bin("-", N, K), ZERO)]
    borders = [W, K, Bin("-", N, W), Bin("/", N, Num(2)), *others]
    middle, target = rng.sample(borders, 2), at("c", "i")
    bounds = [ZERO, *middle[: rng.choice([1, 1, 2])], N]
    found: list[Stmt] = []
    for low, high in zip(bounds, bounds[1:], strict=False):
        a, b = at("a", "i"), at("b", "i")
        values = [a, b, number(2, kind), Bin("+", a, b), at("a", Bin("-", Var("i"), W))]
        one: Stmt = Set(target, rng.choice(["=", "=", "+"]), rng.choice(values))
        found.append(_either_way(rng, "i", low, high, tuple(left(rng, kind, at("b", "i"), [one]))))
    if rng.random() < 0.3:
        found = [Decl("s", kind, number(0, kind)), *found, loop("j", K, least(N, M), Set(Var("s"), "+", at("c", "j")))]
        found.append(Set(at("b", ZERO), "=", Var("s")))
    return _function(kind, rng, *found)


def _function(kind: str, rng: Random, *body: Stmt) -> Function:
    """A function of what its body mentions, in an order that tells nothing of which size is the larger one."""
    scalars = [size(name) for name in "nmwk"]
    rng.shuffle(scalars)
    arrays = [vector(name, kind, rng) if rng.random() < 0.3 else Array(name, kind, (None,)) for name in "abc"]
    used = names(body) | {"n"}
    body = (Decl("g", "i32", ZERO), *body) if "g" in used else body
    return Function(tuple(p for p in (*scalars, *arrays) if p.name in used), body)


WINDOWS: dict[str, tuple[Callable[[Random], Function], ...]] = {
    "windows": (line, line, spread, grid, moving, pieces),
}
"""The generator of this file, as `idioms` has its own."""
