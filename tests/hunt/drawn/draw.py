"""Random functions: loops over a few arrays with bounds, subscripts and types of many kinds.

Nothing here sees to it that a call has a meaning: `spell.checked` finds the calls that have one.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from tests.hunt.drawn.idioms import IDIOMS
from tests.hunt.drawn.shadow import with_globals
from tests.hunt.drawn.strides import STRIDES
from tests.hunt.drawn.tastes import INTEGERS, TASTES, Taste
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
    walk,
)
from tests.hunt.drawn.windows import WINDOWS


@dataclass(frozen=True)
class Counter:
    """A loop's variable, its first value where that is a constant, and the name of the size above it."""

    name: str
    start: int = 0
    size: str = ""


@dataclass
class Drawing:
    """One function while it is drawn."""

    rng: random.Random
    taste: Taste
    arrays: list[Array] = field(default_factory=list)
    scalars: list[Scalar] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    offsets: list[str] = field(default_factory=list)
    around: list[Counter] = field(default_factory=list)
    locals: list[tuple[str, str]] = field(default_factory=list)
    made: int = 0

    def fresh(self, stem: str) -> str:
        self.made += 1
        return f"{stem}{self.made}"

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    # ---- the function ----

    def function(self) -> Function:
        rng, taste = self.rng, self.taste
        self.sizes = ["n", "m"][: rng.choice([1, 1, 2])]
        self.offsets = [o for o in taste.offsets if self.chance(0.7)] or list(taste.offsets[:1])
        for name in [*self.sizes, *self.offsets]:
            self.scalars.append(Scalar(name, rng.choice(taste.counters), True))
        element = rng.choice(taste.elements)
        for k in range(rng.choice([1, 2, 2, 3])):
            kind = rng.choice(taste.elements) if self.chance(taste.mixed) else element
            self.arrays.append(self.array(f"a{k}", kind))
        if self.chance(0.5):
            self.scalars.append(Scalar("x", self.arrays[0].type))
        body = tuple(s for _ in range(rng.choice(taste.nests)) for s in self.nest(rng.choice(taste.depths)))
        params: list[Param] = [*self.scalars, *self.arrays]
        return Function(tuple(p for p in params), body)

    def array(self, name: str, kind: str) -> Array:
        shape, size = self.rng.choice(self.taste.shapes), Var(self.rng.choice(self.sizes))
        dims: tuple[Expr | None, ...] = {
            "pointer": (None,),
            "fixed": (Num(self.rng.choice([5, 8, 17, 33])),),
            "grid": (Num(self.rng.choice([4, 6])), Num(self.rng.choice([5, 7]))),
            "vla": (size,) if self.chance(0.5) else (size, Var(self.rng.choice(self.sizes))),
            "rows": (None, Num(self.rng.choice([4, 5]))),
        }[shape]
        return Array(name, kind, dims, self.chance(self.taste.restrict))

    # ---- loops ----

    def nest(self, depth: int) -> list[Stmt]:
        """A loop with what is in it, and what stands before and after it."""
        kind = self.rng.choice(self.taste.statements)
        if kind == "scalar" and self.around and depth == 1:
            return self.reduction(depth)
        loop = self.loop(depth)
        return [loop]

    def loop(self, depth: int) -> For:
        low, cmp, high, step, counter = self.bounds()
        self.around.append(counter)
        known = len(self.locals)
        body: list[Stmt] = []
        for _ in range(self.rng.choice([1, 1, 1, 1, 1, 2])):
            body += self.nest(depth - 1) if depth > 1 and self.chance(0.85) else self.statement()
        del self.locals[known:]
        self.around.pop()
        style = self.style(body) if self.chance(0.15) else "for"
        return For(counter.name, self.rng.choice(self.taste.counters), low, cmp, high, step, tuple(body), style)

    def style(self, body: list[Stmt]) -> str:
        """How C spells a loop that is no plain `for`; a `continue` would leave out the step of `do`."""
        if self.taste.language != "c" or any(isinstance(node, Jump) for node in walk(tuple(body))):
            return "while"
        declares = any(isinstance(node, Decl) for node in body)
        steps = isinstance(body[-1], Set) and not declares
        return self.rng.choice(["while", "do", *(["step"] if steps else [])])

    def bounds(self) -> tuple[Expr, str, Expr, int, Counter]:
        name, size = self.fresh("i"), self.rng.choice(self.sizes)
        start, kind = self.rng.choice(self.taste.starts), self.rng.choice(self.taste.bounds)
        zero, n = Num(start), _plus(Var(size), start)
        if kind == "fixed":
            return zero, "<", Num(start + self.rng.choice([1, 4, 5])), 1, Counter(name, start)
        if kind == "shifted":
            low: Expr = Num(start + 1) if not self.offsets or self.chance(0.5) else self.offset()
            return low, "<", self.rng.choice([n, _plus(n, -1), _plus(n, 1)]), 1, Counter(name, start, size)
        if kind == "triangle" and self.around:
            outer = self.rng.choice(self.around)
            if self.chance(0.5):
                return zero, self.rng.choice(["<", "<="]), Var(outer.name), 1, Counter(name, start, size)
            return Var(outer.name), "<", n, 1, Counter(name, outer.start, size)
        if kind == "down":
            cmp, low = (">=", zero) if self.chance(0.7) else (">", Num(start))
            return _plus(n, -1), cmp, low, -1, Counter(name, start, size)
        if kind == "strided":
            return zero, "<", n, self.rng.choice([2, 3]), Counter(name, start, size)
        if kind == "size":
            return zero, "<", Var(size), 1, Counter(name, start, size)
        return zero, self.rng.choice(["<", "<", "<", "<="]), n, 1, Counter(name, start, size)

    def offset(self) -> Expr:
        return Var(self.rng.choice(self.offsets[:2]))

    # ---- statements ----

    def statement(self) -> list[Stmt]:
        kind = self.rng.choice(self.taste.statements)
        if kind == "scalar":
            return self.reduction(1)
        if kind == "branch":
            other: tuple[Stmt, ...] = (self.assign(),) if self.chance(0.4) else ()
            return [If(self.condition(), (self.assign(),), other)]
        if kind == "sum":
            return [self.accumulate()]
        return [self.assign()]

    def assign(self) -> Stmt:
        array = self.rng.choice(self.arrays)
        return Set(self.element(array), "=", self.value(array.type))

    def accumulate(self) -> Stmt:
        array = self.rng.choice(self.arrays)
        target = self.element(array)
        ops = ["+", "+", "+", "-", "*"] if array.type in FLOATS else ["+", "+", "-", "*", "^", "&", "|"]
        op = self.rng.choice(ops)
        if self.chance(0.2):
            value = self.value(array.type)
            return Set(target, "=", Sel(Bin(self.rng.choice(["<", ">"]), value, target), value, target))
        return Set(target, op, self.value(array.type))

    def reduction(self, depth: int) -> list[Stmt]:
        """A number that a loop computes, and its use after it."""
        array = self.rng.choice(self.arrays)
        name, kind = self.fresh("s"), array.type
        first = self.rng.choice([Num(0, _plain(kind)), Num(1, _plain(kind)), self.value(kind)])
        low, cmp, high, step, counter = self.bounds()
        self.around.append(counter)
        value = self.value(kind)
        inside = self._reduce(name, kind, value)
        self.around.pop()
        loop = For(counter.name, self.rng.choice(self.taste.counters), low, cmp, high, step, tuple(inside))
        self.locals.append((name, kind))
        use = Set(self.element(array), "=", Var(name) if self.chance(0.6) else self.value(kind))
        self.locals.pop()
        return [Decl(name, kind, first), loop, use]

    def _reduce(self, name: str, kind: str, value: Expr) -> list[Stmt]:
        here = Var(name)
        roll = self.rng.random()
        if roll < 0.2:
            op = self.rng.choice(["<", ">", "<=", ">="])
            return [Set(here, "=", Sel(Bin(op, value, here), value, here))]
        if roll < 0.3:
            return [If(Bin(self.rng.choice(["<", ">"]), value, here), (Set(here, "=", value),))]
        if roll < 0.4:
            return [If(self.condition(), (Set(here, "=", Num(1, _plain(kind))),))]
        if roll < 0.45:
            return [Set(here, "=", value)]
        ops = ["+", "+", "+", "-", "*"] if kind in FLOATS else ["+", "+", "*", "^", "&", "|"]
        return [Set(here, self.rng.choice(ops), value)]

    # ---- expressions ----

    def condition(self) -> Expr:
        op = self.rng.choice(COMPARISONS)
        if self.around and self.chance(0.5):
            i = self.rng.choice(self.around)
            others = [Var(c.name) for c in self.around if c is not i]
            choices: list[Expr] = [*others, Num(i.start + self.rng.choice([0, 1, 2, 3]))]
            right = self.rng.choice([*choices, Var(self.rng.choice(self.sizes))])
            return Bin(op, Var(i.name), right)
        array = self.rng.choice(self.arrays)
        return Bin(op, self.element(array), self.rng.choice([Num(0, _plain(array.type)), self.value(array.type, 0)]))

    def value(self, kind: str, depth: int | None = None) -> Expr:
        depth = self.rng.choice([1, 1, 1, 2]) if depth is None else depth
        roll = self.rng.random()
        if depth == 0 or roll < 0.35:
            return self.leaf(kind)
        a, b = self.value(kind, depth - 1), self.value(kind, depth - 1)
        if roll < 0.35 + self.taste.functions and kind == "f64":
            return Fn("fabs", (a,)) if self.chance(0.5) else Fn("sqrt", (Fn("fabs", (a,)),))
        if roll > 0.94:
            return Sel(self.condition(), a, b)
        if roll > 0.92:
            return Un("-", a)
        if kind in FLOATS:
            return Bin(self.rng.choice(["+", "+", "-", "*", "*"]), a, b)
        op = self.rng.choice(["+", "+", "-", "*", "*", "&", "|", "^", "<<", ">>"])
        if op in ("<<", ">>"):
            return Bin(op, a, Num(self.rng.choice([1, 2, 3])))
        return Bin(op, a, b)

    def leaf(self, kind: str) -> Expr:
        roll = self.rng.random()
        if self.locals and roll < 0.3:
            name, held = self.rng.choice(self.locals)
            return Var(name) if held not in FLOATS or kind in FLOATS else Cast(kind, Var(name))
        if self.around and roll > 1 - self.taste.index_data:
            i: Expr = Var(self.rng.choice(self.around).name)
            return Cast(kind, i) if self.chance(0.5) and kind != "bool" else i
        if roll < 0.75:
            return self._read(kind)
        data = [s for s in self.scalars if not s.size]
        if data and roll < 0.85:
            return Var(data[0].name) if data[0].type not in FLOATS or kind in FLOATS else Cast(kind, Var(data[0].name))
        if kind in FLOATS:
            return Num(self.rng.choice([2.0, 0.5, 3.0, 1.0]), kind)
        if self.taste.mixed and self.chance(0.4) and kind != "bool":
            return Cast(self.rng.choice(INTEGERS[:-1]), self.element(self.rng.choice(self.arrays)))
        return Num(self.rng.choice([1, 2, 3, 7]))

    def _read(self, kind: str) -> Expr:
        """An element, that of floats converted where integers are wanted, which alone have bits."""
        array = self.rng.choice(self.arrays)
        found = self.element(array)
        return found if array.type not in FLOATS or kind in FLOATS else Cast(kind, found)

    def element(self, array: Array) -> Elem:
        """An element; half of those of matrices are at the counters of the loops around it, in order."""
        rank = len(array.dims)
        if 1 < rank <= len(self.around) and self.chance(0.6):
            return Elem(array.name, tuple(self._plain(c) for c in self.around[-rank:]))
        return Elem(array.name, tuple(self.subscript(d) for d in array.dims))

    def _plain(self, counter: Counter) -> Expr:
        return _plus(Var(counter.name), -counter.start)

    def subscript(self, extent: Expr | None) -> Expr:
        if not self.around:
            return Num(self.rng.choice([0, 0, 1]))
        counter = self.around[-1] if self.chance(0.6) else self.rng.choice(self.around)
        i = _plus(Var(counter.name), -counter.start if counter.start > 1000 or self.chance(0.5) else 0)
        kind = self.rng.choice(self.taste.subscripts)
        size: Expr = Var(counter.size) if counter.size else Num(4)
        match kind:
            case "shift":
                return _plus(i, self.rng.choice([1, 1, -1, 2]))
            case "reverse":
                return Bin("-", _plus(size, -1), self._plain(counter))
            case "constant":
                return Num(self.rng.choice([0, 0, 1, 2]))
            case "offset":
                return Bin(self.rng.choice(["+", "+", "-"]), i, self.offset())
            case "stride":
                factor = Var(self.offsets[-1]) if self.offsets and self.chance(0.6) else Num(2)
                return Bin("*", i, factor)
            case "place":
                return self.offset()
            case "flat":
                return self._flat(i)
        return i

    def _flat(self, i: Expr) -> Expr:
        """Row-major: another counter times a size, and this one."""
        row = Var(self.rng.choice(self.around).name)
        return Bin("+", Bin("*", row, Var(self.rng.choice(self.sizes))), i)


def _plus(expr: Expr, more: int) -> Expr:
    if not more:
        return expr
    return Bin("+", expr, Num(more)) if more > 0 else Bin("-", expr, Num(-more))


def _plain(kind: str) -> str:
    return kind if kind in FLOATS else "i32"


def drawn(generator: str, seed: int) -> Function:
    """The function of a generator with this number."""
    rng, taste = random.Random(f"{generator} {seed}"), TASTES[generator]
    if taste.idiom:
        upwards = taste.language == "mlir"  # as loops of scf run
        idioms = (IDIOMS | WINDOWS | STRIDES)[taste.idiom]
        found = (rng.choice(idioms)(rng) for _ in count())
        return next(f for f in found if not upwards or all(n.step > 0 for n in walk(f.body) if isinstance(n, For)))
    function = Drawing(rng, taste).function()
    return with_globals(function, rng) if taste.globals else function


def generators() -> Sequence[str]:
    """What can be drawn."""
    return tuple(TASTES)
