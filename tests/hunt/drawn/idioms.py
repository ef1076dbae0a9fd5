"""What people write, with its numbers, types and bounds at random: clamps, stencils, time loops, remainders, searches.

Each idiom is a function of a random number generator. Like `draw`, none sees to it that a call has a meaning.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.hunt.drawn.tree import (
    COMPARISONS,
    FLOATS,
    Array,
    Bin,
    Cast,
    Decl,
    Elem,
    Expr,
    Fn,
    For,
    Function,
    If,
    Jump,
    Num,
    Param,
    Scalar,
    Sel,
    Set,
    Stmt,
    Un,
    Var,
)

Random = random.Random
N, M, T = Var("n"), Var("m"), Var("t")
NARROW = ("u8", "u16", "i8", "i16", "u32", "i32")


def size(name: str = "n") -> Scalar:
    """A size among the parameters."""
    return Scalar(name, "i32", True)


def vector(name: str, kind: str, rng: Random) -> Array:
    """An array of one dimension: a pointer, of an extent that is told, or of a few elements."""
    return Array(name, kind, (rng.choice([None, None, N, Num(8), Num(17), Num(33)]),))


def at(name: str, *subs: Expr | str) -> Elem:
    """An element."""
    return Elem(name, tuple(Var(s) if isinstance(s, str) else s for s in subs))


def plus(expr: Expr | str, more: int) -> Expr:
    """An expression and a number."""
    expr = Var(expr) if isinstance(expr, str) else expr
    return Bin("+" if more > 0 else "-", expr, Num(abs(more))) if more else expr


def loop(name: str, low: Expr | int, high: Expr, *body: Stmt, step: int = 1) -> For:
    """An ordinary loop."""
    return For(name, "i32", Num(low) if isinstance(low, int) else low, "<", high, step, body)


def number(value: float, kind: str) -> Num:
    """A constant that fits a type."""
    return Num(value, kind) if kind in FLOATS else Num(int(value))


def either(*kinds: str) -> Callable[[Random], str]:
    """A choice of types."""
    return lambda rng: rng.choice(kinds)


# ---- branches on data ----------------------------------------------------------------------------


def clamp(rng: Random) -> Function:
    """Values cut off below and above, by conditional expressions or branches, in place or not."""
    kind = rng.choice(["f64", "f32", "i32", "u8", "i16"])
    low, high = number(rng.choice([0, 1, -2]) if kind[0] != "u" else 1, kind), number(rng.choice([1, 3]), kind)
    target = at(rng.choice("ab"), "i")
    x: Expr = at("a", "i") if rng.random() < 0.5 else Bin("+", at("a", "i"), at("b", "i"))
    below, above = rng.choice(["<", "<="]), rng.choice([">", ">="])
    if rng.random() < 0.4:
        body: tuple[Stmt, ...] = (Set(target, "=", Sel(Bin(below, x, low), low, Sel(Bin(above, x, high), high, x))),)
    else:
        body = (Decl("v", kind, x), If(Bin(below, Var("v"), low), (Set(Var("v"), "=", low),)))
        body += (If(Bin(above, Var("v"), high), (Set(Var("v"), "=", high),)), Set(target, "=", Var("v")))
    return Function((size(), vector("a", kind, rng), vector("b", kind, rng)), (loop("i", 0, N, *body),))


def branches(rng: Random) -> Function:
    """Different things are stored, or counted, where a comparison of data holds."""
    kind = rng.choice(["f64", "i32", "i64", "f32"])
    test = Bin(rng.choice(COMPARISONS), at("a", "i"), rng.choice([at("b", "i"), number(1, kind), at("a", Num(0))]))
    then = Set(at("b", "i"), rng.choice(["=", "+", "-"]), rng.choice([at("a", "i"), number(2, kind)]))
    other = Set(at(rng.choice("ab"), "i"), "=", rng.choice([Un("-", at("a", "i")), at("b", "i"), number(0, kind)]))
    body: list[Stmt] = [If(test, (then,), (other,) if rng.random() < 0.6 else ())]
    if rng.random() < 0.4:
        count = Decl("c", "i32", Num(0))
        body.append(If(test, (Set(Var("c"), "+", Num(1)),)))
        tail = Set(at("b", Num(0)), "=", Var("c") if kind[0] == "i" else Cast(kind, Var("c")))
        return Function((size(), vector("a", kind, rng), vector("b", kind, rng)), (count, loop("i", 0, N, *body), tail))
    return Function((size(), vector("a", kind, rng), vector("b", kind, rng)), (loop("i", 0, N, *body),))


def search(rng: Random) -> Function:
    """A loop that ends early, or leaves out elements, and what it found."""
    kind = rng.choice(["f64", "i32", "u8", "i64"])
    test = Bin(rng.choice(COMPARISONS), at("a", "i"), number(rng.choice([0, 1, 2]), kind))
    word = rng.choice(["break", "break", "continue"])
    found = Set(Var("s"), rng.choice(["=", "+"]), rng.choice([Var("i"), Num(1)]))
    work = Set(at("b", "i"), "=", rng.choice([at("a", "i"), number(1, kind)]))
    body: list[Stmt] = [If(test, (found, Jump(word)) if rng.random() < 0.5 else (Jump(word),))]
    body.insert(rng.randint(0, 1), work if rng.random() < 0.6 else found)
    first = Decl("s", "i32", Num(rng.choice([0, -1])))
    last = Set(at("b", Num(0)), "=", Cast(kind, Var("s")))
    tail = (last,) if rng.random() < 0.7 else ()
    return Function((size(), vector("a", kind, rng), vector("b", kind, rng)), (first, loop("i", 0, N, *body), *tail))


def placed(rng: Random) -> Function:
    """Stores and sums at places that are data or that a count of elements tells; loops that data ends."""
    kind = rng.choice(["i32", "u8", "i16", "f64", "u64"])
    mask, test = Num(rng.choice([3, 7])), Bin(rng.choice(COMPARISONS), at("p", "i"), Num(rng.choice([0, 2, 4])))
    place = rng.choice([at("p", "i"), Bin("+", at("p", "i"), Num(1)), Var("s"), Bin("^", at("p", "i"), Var("i"))])
    values = [at("a", "i"), number(1, kind), at("b", Bin("&", Var("i"), mask)), Cast(kind, at("p", "i"))]
    store = Set(at("b", Bin("&", place, mask)), rng.choice(["=", "+", "+", "-"]), rng.choice(values))
    count = Set(Var("s"), "+", rng.choice([Num(1), at("p", "i"), Var("i")]))
    body: list[Stmt] = [rng.choice([If(test, (store, count)), If(test, (count,), (store,)), store]), count]
    rng.shuffle(body)
    if rng.random() < 0.5:
        body.insert(
            rng.randint(0, 2), If(Bin(rng.choice("<>"), Var("s"), Num(6)), (Jump(rng.choice(["break", "continue"])),))
        )
    nest: Stmt = loop("i", 0, N, *body)
    if rng.random() < 0.3:
        nest = loop("j", 0, rng.choice([at("p", Num(0)), Num(3)]), nest)
    tail = Set(at("b", Num(0)), "=", Cast(kind, Var("s")))
    params = (size(), vector("a", kind, rng), Array("b", kind, (None,)), vector("p", rng.choice(["i32", "u8"]), rng))
    return Function(
        params, (Decl("s", "i32", Num(rng.choice([0, 1, -1]))), nest, *([tail] if rng.random() < 0.6 else []))
    )


# ---- stencils ------------------------------------------------------------------------------------


def _neighbours(rng: Random, name: str, ivs: tuple[str, ...], kind: str) -> Expr:
    """A weighted sum of an element and some around it."""
    found: Expr = at(name, *ivs)
    for _ in range(rng.choice([1, 2, 2, 4])):
        k = rng.randrange(len(ivs))
        subs = [plus(iv, rng.choice([-1, 1])) if j == k else Var(iv) for j, iv in enumerate(ivs)]
        found = Bin(rng.choice(["+", "+", "-"]), found, at(name, *subs))
    return Bin("*", found, number(rng.choice([0.5, 0.25, 2]) if kind in FLOATS else 3, kind))


def stencil(rng: Random) -> Function:
    """A stencil of one to three dimensions, in place or from one array to another, some in a loop over time."""
    kind, rank = rng.choice(["f64", "f64", "f32", "i32"]), rng.choice([1, 2, 2, 3])
    ivs = ("i", "j", "k")[:rank]
    extents = {1: (Num(9),), 2: (Num(6), Num(5)), 3: (Num(4), Num(4), Num(5))}[rank]
    dims: tuple[Expr | None, ...] = rng.choice([extents, (None, *extents[1:]), (N, *extents[1:])])
    high = (plus(N, -1), *(plus(e, -1) for e in extents[1:]))
    target = rng.choice(["a", "b"])
    body: tuple[Stmt, ...] = (Set(at(target, *ivs), "=", _neighbours(rng, "a", ivs, kind)),)
    for iv, bound in zip(reversed(ivs), reversed(high), strict=True):
        body = (loop(iv, 1, bound, *body),)
    if target == "b" and rng.random() < 0.6:
        back: tuple[Stmt, ...] = (
            Set(at("a", *ivs), "=", rng.choice([at("b", *ivs), _neighbours(rng, "b", ivs, kind)])),
        )
        for iv, bound in zip(reversed(ivs), reversed(high), strict=True):
            back = (loop(f"{iv}2", 1, bound, *_with(back, iv)),)
        body += back
    params: list[Param] = [size(), Array("a", kind, dims), Array("b", kind, dims)]
    if rng.random() < 0.5:
        params.insert(1, size("t"))
        body = (loop("s", 0, T, *body),)
    return Function(tuple(params), body)


def _with(body: tuple[Stmt, ...], iv: str) -> tuple[Stmt, ...]:
    """Statements over another variable."""
    from tests.hunt.drawn.tree import renamed

    return renamed(body, {iv: Var(f"{iv}2")})


# ---- algebra -------------------------------------------------------------------------------------


def normalise(rng: Random) -> Function:
    """Loops one after the other, with numbers between them: a sum or an extremum, then every element by it."""
    kind = rng.choice(["f64", "f32", "f64", "i32"])
    x = at("a", "i")
    start = rng.choice([number(0, kind), number(1, kind), at("a", Num(0))])
    bigger = Sel(Bin(rng.choice("<>"), x, Var("s")), x, Var("s"))
    step = rng.choice([Set(Var("s"), "+", rng.choice([x, Bin("*", x, x)])), Set(Var("s"), "=", bigger)])
    between: list[Stmt] = []
    if rng.random() < 0.5:
        between.append(Set(Var("s"), rng.choice("+*"), number(2, kind)))
    use = Set(at(rng.choice("ab"), "j"), rng.choice(["=", "=", "-"]), Bin(rng.choice("+-*"), at("a", "j"), Var("s")))
    second: list[Stmt] = [loop("j", rng.choice([0, 1]), N, use)]
    if rng.random() < 0.5:
        again = Set(Var("r"), "+", Bin("*", at("b", "k"), Var("s")))
        second += [Decl("r", kind, number(0, kind)), loop("k", 0, N, again), Set(at("b", Num(0)), "=", Var("r"))]
    body = (Decl("s", kind, start), loop("i", rng.choice([0, 1]), N, step), *between, *second)
    return Function((size(), vector("a", kind, rng), vector("b", kind, rng)), body)


def triangle(rng: Random) -> Function:
    """A triangular loop: a product with half of a matrix, a copy of it, or a substitution."""
    kind = rng.choice(["f64", "f32", "i32"])
    extent = rng.choice([N, Num(5)])
    a = Array("a", kind, rng.choice([(extent, extent), (None, Num(6))]))
    low, cmp, high = rng.choice([("0", "<", "i"), ("0", "<=", "i"), ("i", "<", "n"), ("i1", "<", "n")])
    first: Expr = {"0": Num(0), "i": Var("i"), "i1": plus("i", 1)}[low]
    inner = rng.choice(
        [
            Set(at("x", "i"), rng.choice("+-"), Bin("*", at("a", "i", "j"), at("x", "j"))),
            Set(at("y", "i"), "+", Bin("*", at("a", "i", "j"), at("x", "j"))),
            Set(
                at("a", "i", "j"),
                "=",
                rng.choice([at("a", "j", "i"), number(0, kind), Bin("*", at("x", "i"), at("y", "j"))]),
            ),
            Set(at("y", "j"), "+", at("a", "i", "j")),
        ]
    )
    body: list[Stmt] = [For("j", "i32", first, cmp, Var(high), 1, (inner,))]
    if rng.random() < 0.3:
        body.append(Set(at("x", "i"), "*", number(2, kind)))
    down = rng.random() < 0.3
    outer = For("i", "i32", plus(N, -1), ">=", Num(0), -1, tuple(body)) if down else loop("i", 0, N, *body)
    return Function((size(), a, vector("x", kind, rng), vector("y", kind, rng)), (outer,))


def interactions(rng: Random) -> Function:
    """What each two elements do to one another, where an order of their numbers holds: forces, ranks, distances."""
    kind = rng.choice(["f64", "f64", "f32", "i32", "i16", "i8"])
    extent = rng.choice([N, Num(6)])
    values: list[Expr] = [at("x", "i"), at("x", "j"), at("a", "i", "j"), at("a", "j", "i")]
    term = Bin(rng.choice("-+*"), *rng.sample(values, 2))
    if rng.random() < 0.4:
        term = Bin(rng.choice("+*"), term, rng.choice(values))
    target = rng.choice([at("y", "i"), at("y", "j"), at("c", "i", "j"), at("y", Num(0))])
    inner: Stmt = Set(target, rng.choice("+++-*"), term)
    if rng.random() < 0.2:
        inner = Set(target, "=", Sel(Bin(rng.choice("<>"), term, target), term, target))
    test = Bin(rng.choice(COMPARISONS), Var("i"), plus("j", rng.choice([0, 0, 0, 1, -2])))
    body: tuple[Stmt, ...] = (If(test, (inner,)),) if rng.random() < 0.8 else (inner,)
    if rng.random() < 0.3:
        body = (*body, Set(at("y", "i"), "+", at("x", "j")))
    low: Expr | int = rng.choice([0, 0, 0, 0, 1, plus("i", 1)])
    nest: Stmt = loop("i", 0, N, loop("j", low, N, *body))
    if rng.random() < 0.3 and low in (0, 1):
        nest = loop("j", low, N, loop("i", 0, N, *body))
    matrices = [Array(name, kind, (extent, extent)) for name in "ac"]
    return Function((size(), *matrices, vector("x", kind, rng), vector("y", kind, rng)), (nest,))


def product(rng: Random) -> Function:
    """A matrix product: with an initial value or not, transposed operands, and something done to the result."""
    kind = rng.choice(["f64", "f32", "i32", "i8"])
    dims: tuple[tuple[Expr | None, ...], ...] = rng.choice(
        [((N, M), (M, N), (N, N)), ((None, Num(4)), (None, Num(5)), (None, Num(5)))]
    )
    width: Expr = dims[2][1] or N
    inner = dims[0][1] or M
    a, b = at("a", "i", "k"), at("b", "k", "j")
    term = Bin("*", a, b) if rng.random() < 0.7 else Bin("*", Bin("*", number(2, kind), a), b)
    target = at("c", "i", "j")
    sum_ = loop("k", 0, inner, Set(target, rng.choice("+++-"), term))
    first = Set(target, rng.choice(["=", "*"]), number(rng.choice([0, 2]), kind))
    last = Set(target, "=", Sel(Bin("<", target, number(0, kind)), number(0, kind), target))
    body: list[Stmt] = [*([first] if rng.random() < 0.6 else []), sum_, *([last] if rng.random() < 0.3 else [])]
    params = (size(), size("m"), *(Array(n, kind, d) for n, d in zip("abc", dims, strict=True)))
    return Function(params, (loop("i", 0, N, loop("j", 0, width, *body)),))


# ---- numbers -------------------------------------------------------------------------------------


def narrow(rng: Random) -> Function:
    """Arithmetic of narrow and unsigned integers that wraps around, is widened, shifted and cut."""
    kind, wide = rng.choice(NARROW), rng.choice(["u8", "u16", "i32", "u32", "i64", "u64"])
    a, b = at("a", "i"), at("b", "i")
    values: list[Expr] = [
        Bin("+", Bin("*", a, Num(3)), b),
        Bin(">>", Bin("+", Bin("+", a, b), Num(1)), Num(1)),
        Bin("-", a, b),
        Cast(kind, Bin("+", Cast(wide, a), Cast(wide, b))),
        Bin("^", Bin("<<", Cast("u32", a), Num(3)), Bin(">>", Cast("u32", a), Num(2))),
        Sel(Bin(">", Bin("+", a, b), Num(100)), Num(100), Bin("+", a, b)),
        Sel(Bin("<", a, b), Bin("-", b, a), Bin("-", a, b)),
        Bin("*", Cast(wide, a), Cast("u8", b)),
    ]
    value = rng.choice(values)
    if rng.random() < 0.4:
        held = rng.choice([kind, wide])
        body: tuple[Stmt, ...] = (Decl("s", held, Num(rng.choice([0, 1]))),)
        body += (loop("i", 0, N, Set(Var("s"), rng.choice("++^|&"), value)), Set(at("o", Num(0)), "=", Var("s")))
    else:
        body = (loop("i", 0, N, Set(at(rng.choice("ao"), "i"), rng.choice(["=", "=", "+"]), value)),)
    return Function((size(), vector("a", kind, rng), vector("b", kind, rng), vector("o", wide, rng)), body)


def positions(rng: Random) -> Function:
    """Numbers and subscripts computed of the counter alone that are something else from some iteration on."""
    kind, c = rng.choice(["f64", "i32", "u8", "i16", "i64"]), rng.choice([24, 32, 40, 63, 100])
    i, far = Var("i"), Num(c)
    square = Bin(">", Bin("*", i, i), Num(c * (c // 2)))
    values: list[Expr] = [
        Bin("/", i, far), Bin("%", i, far), Bin("&", i, Num(64)), Bin(">>", i, Num(5)), Sel(square, Num(3), Num(1)),
        Sel(Bin(">", i, far), far, i), Sel(Bin("<", Bin("*", i, Num(2)), far), Num(0), Bin("-", i, Num(9))),
        Sel(Bin("==", Bin("%", i, far), Num(c - 1)), Num(2), Num(5)), Cast("u8", Bin("*", i, Num(c // 8))),
    ]  # fmt: skip
    value = rng.choice(values)
    roll = rng.random()
    if roll < 0.3:
        read = at("a", rng.choice([Bin("%", i, far), Bin("/", i, far), Bin("-", i, Bin("/", i, far))]))
        data: Expr = Bin(rng.choice("+*-"), at("a", "i"), read) if rng.random() < 0.7 else read
    elif roll < 0.6:
        data = Bin(rng.choice("+*-"), at("a", "i"), Cast(kind, value))
    else:
        data = Cast(kind, value)
    total = rng.random() < 0.3
    body: tuple[Stmt, ...] = (loop("i", 0, N, Set(at("b", Num(0) if total else "i"), "+" if total else "=", data)),)
    return Function((size(), vector("a", kind, rng), vector("b", kind, rng)), body)


def special(rng: Random) -> Function:
    """Element by element, with no rounding that may differ: for data with NaN, infinities and zeros of both signs."""
    kind = rng.choice(["f64", "f64", "f32"])
    a, b = at("a", "i"), at("b", "i")
    other = rng.choice([b, number(0, kind), at("a", plus("i", 1))])
    test = Bin(rng.choice(COMPARISONS), a, other)
    values: list[Expr] = [
        Sel(test, a, other), Sel(test, other, a), Sel(test, b, Un("-", a)), Un("-", a), Bin("-", number(0, kind), a),
        Bin("+", a, number(0, kind)), Bin("*", a, number(rng.choice([0, 1, -1]), kind)), Bin("-", a, b),
        Bin("*", a, b), Sel(test, number(1, kind), number(0, kind)), a,
    ]  # fmt: skip
    values += [Fn("fabs", (a,)), Bin("-", Fn("fabs", (a,)), b)] if kind == "f64" else []
    value, target = rng.choice(values), at(rng.choice("ab"), "i")
    body: Stmt = Set(target, "=", value)
    roll = rng.random()
    if roll < 0.25:
        body = If(test, (Set(target, "=", value),))
    elif roll < 0.5:
        first = rng.choice([at("a", Num(0)), number(0, kind)])
        pick = Set(Var("s"), "=", Sel(Bin(rng.choice(["<", ">", "<=", ">="]), a, Var("s")), a, Var("s")))
        parts = (Decl("s", kind, first), loop("i", 0, N, pick), Set(at("b", Num(0)), "=", Var("s")))
        return Function((size(), vector("a", kind, rng), vector("b", kind, rng)), parts)
    return Function((size(), vector("a", kind, rng), vector("b", kind, rng)), (loop("i", 0, N, body),))


def unrolled(rng: Random) -> Function:
    """A loop unrolled by hand, with a loop for what remains; or only every second element."""
    kind, by = rng.choice(["f64", "f32", "i32", "u8"]), rng.choice([2, 4])
    whole = Bin("*", Bin("/", N, Num(by)), Num(by))
    summed, scale = rng.random() < 0.4, number(rng.choice([2, 3]), kind)

    def one(i: Expr) -> Stmt:
        value = Bin("*", Elem("a", (i,)), scale)
        return Set(Var("s"), "+", value) if summed else Set(Elem("b", (i,)), rng_op, Bin("+", value, Elem("b", (i,))))

    rng_op = rng.choice(["=", "+"])
    main = loop("i", 0, rng.choice([whole, whole, plus(N, 1 - by)]), *(one(plus("i", k)) for k in range(by)), step=by)
    rest = loop("j", whole, N, one(Var("j")))
    parts: list[Stmt] = [main, *([rest] if rng.random() < 0.8 else [])]
    if summed:
        parts = [Decl("s", kind, number(0, kind)), *parts, Set(at("b", Num(0)), "=", Var("s"))]
    return Function((size(), vector("a", kind, rng), vector("b", kind, rng)), tuple(parts))


IDIOMS: dict[str, tuple[Callable[[Random], Function], ...]] = {
    "branches": (clamp, branches),
    "exits": (search,),
    "places": (placed,),
    "stencils": (stencil,),
    "algebra": (normalise, triangle, product),
    "interactions": (interactions,),
    "narrow": (narrow,),
    "special": (special,),
    "unrolled": (unrolled,),
    "positions": (positions,),
}
