"""Random C functions of static control over a few small arrays: loops that nobody wrote to be raised.

Every subscript is inside its array by construction, every loop ends, no integer overflows what
it may, and no division is there, so that gcc's result is the meaning of the text.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from raising.polybench.suite.values import Value

EXTENTS = {"N": 7, "M": 5, "L": 6, "K": 19}
"""Sizes by name: macros, or the parameters of a function for all sizes."""
FLAT = {"NM": ("N", "M"), "LM": ("L", "M")}
"""Sizes of rows in one line, and of what; macros only."""
SIZES = EXTENTS | {name: EXTENTS[a] * EXTENTS[b] for name, (a, b) in FLAT.items()}
C_TYPES = {"f64": "double", "f32": "float", "u32": "unsigned"}
NUMPY = {"f64": np.float64, "f32": np.float32, "u32": np.uint32}


@dataclass(frozen=True)
class RandomFunction:
    """A text with one function `f`, and the types of its parameters in order: extents, arrays, scalars."""

    text: str
    element: str
    open_sizes: bool
    shapes: tuple[tuple[int, ...], ...]

    def arguments(self, seed: int) -> list[Value]:
        """Random values: floats of both signs near 1, small numbers without sign."""
        rng = np.random.default_rng(seed)
        sizes: list[Value] = [np.int32(n) for n in EXTENTS.values()] if self.open_sizes else []
        return [*sizes, *(self._value(rng, shape) for shape in self.shapes)]

    def _value(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Value:
        kind = NUMPY[self.element]
        if self.element == "u32":
            return rng.integers(0, 50, shape).astype(kind)[()]
        return (rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)).astype(kind)[()]


@dataclass(frozen=True)
class Iterator:
    """A loop's variable, the numbers between which it runs, and the outer one that it does not exceed."""

    name: str
    low: int
    high: int
    below: str = ""


@dataclass(frozen=True)
class Scope:
    """What an expression may mention: the loops around it, and numbers held in local scalars."""

    around: tuple[Iterator, ...] = ()
    locals: tuple[str, ...] = ()


@dataclass
class Writer:
    """Writes one function; `arrays` gives each array's extents by name, of which some are `written`."""

    rng: random.Random
    element: str
    arrays: dict[str, tuple[str, ...]]
    scalars: tuple[str, ...]
    written: tuple[str, ...]
    extents: tuple[str, ...]
    lines: list[str] = field(default_factory=list)
    names: int = 0

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def put(self, scope: Scope, text: str) -> None:
        self.lines.append("  " * (len(scope.around) + 1) + text)

    # ---- loops ----

    def nest(self, scope: Scope, depth: int) -> None:
        """A loop with statements, or further loops, in it."""
        head, inner = self.loop(scope)
        self.put(scope, head + " {")
        inside = replace(scope, around=(*scope.around, inner))
        for _ in range(self.rng.choice([1, 1, 1, 2])):
            if depth > 1 and self.rng.random() < 0.75:
                self.accumulation(inside) if self.rng.random() < 0.3 else self.nest(inside, depth - 1)
            else:
                self.statement(inside)
        self.put(scope, "}")

    def loop(self, scope: Scope) -> tuple[str, Iterator]:
        """The head of a loop over part of an extent, or up to, or from, an outer variable."""
        i, extent = self.fresh("i"), self.rng.choice(self.extents)
        size, first, fewer = SIZES[extent], self.rng.choice([0, 0, 0, 1]), self.rng.choice([0, 0, 0, 1])
        top = f"{extent} - {fewer}" if fewer else extent
        outer = self.rng.choice(scope.around) if scope.around and self.rng.random() < 0.3 else None
        if outer and self.rng.random() < 0.6:
            return f"for (int {i} = 0; {i} <= {outer.name}; {i}++)", Iterator(i, 0, outer.high, outer.name)
        if outer and outer.high < size:
            return f"for (int {i} = {outer.name}; {i} < {extent}; {i}++)", Iterator(i, outer.low, size - 1)
        span = Iterator(i, first, size - fewer - 1)
        if self.rng.random() < 0.12:
            return f"for (int {i} = {top} - 1; {i} >= {first}; {i}--)", span
        step = f"{i} += 2" if self.rng.random() < 0.06 else f"{i}++"
        return f"for (int {i} = {first}; {i} < {top}; {step})", span

    # ---- statements ----

    def statement(self, scope: Scope) -> None:
        """An assignment, perhaps under a condition on iterators or on data."""
        chance = self.rng.random()
        if chance < 0.75:
            return self.put(scope, self.assignment(scope))
        condition = self.affine_condition(scope) if chance < 0.9 else self.data_condition(scope)
        other = f" else {self.assignment(scope)}" if self.rng.random() < 0.4 else ""
        return self.put(scope, f"if ({condition}) {self.assignment(scope)}{other}")

    def assignment(self, scope: Scope) -> str:
        op = self.rng.choice(["=", "=", "=", "+=", "+=", "-=", "*="])
        return f"{self.access(scope, self.rng.choice(self.written))} {op} {self.expression(scope, 2)};"

    def accumulation(self, scope: Scope) -> None:
        """A sum, difference or extremum in a local scalar, and its use after the loop."""
        local, start = self.fresh("s"), self.rng.choice(["0", "0", self.expression(scope, 1)])
        self.put(scope, f"{C_TYPES[self.element]} {local} = {start};")
        head, inner = self.loop(scope)
        inside = replace(scope, around=(*scope.around, inner))
        term = self.expression(inside, 2)
        larger = f"{local} = {local} > ({term}) ? {local} : ({term});"
        self.put(scope, head)
        self.put(inside, self.rng.choice([f"{local} += {term};"] * 4 + [f"{local} -= {term};", larger]))
        self.put(scope, self.assignment(replace(scope, locals=(*scope.locals, local))))

    # ---- conditions ----

    def affine_condition(self, scope: Scope) -> str:
        one, op = self.rng.choice(scope.around), self.rng.choice(["<", "<=", ">", "==", "!="])
        others = [i.name for i in scope.around if i is not one]
        if others and self.rng.random() < 0.6:
            return f"{one.name} {op} {self.rng.choice(others)}"
        numbers = [self.rng.randint(one.low, max(one.low, one.high)) for _ in range(self.rng.choice([1, 1, 2]))]
        return " || ".join(f"{one.name} {op} {number}" for number in numbers)

    def data_condition(self, scope: Scope) -> str:
        return f"{self.read(scope)} {self.rng.choice(['<', '>', '<=', '>='])} {self.read(scope)}"

    # ---- expressions ----

    def expression(self, scope: Scope, depth: int) -> str:
        """Sums, differences, products, negations and choices of what can be read."""
        chance = self.rng.random()
        if depth == 0 or chance < 0.25:
            return self.read(scope)
        left, right = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        if chance < 0.92:
            return f"({left} {self.rng.choice(['+', '-', '*', '*', '*'])} {right})"
        if chance < 0.98:
            condition = self.data_condition if chance < 0.96 or not scope.around else self.affine_condition
            return f"(({condition(scope)}) ? {left} : {right})"
        return f"(-{left})"

    def read(self, scope: Scope) -> str:
        """One element, scalar, local number or constant."""
        chance = self.rng.random()
        if scope.locals and chance < 0.4:
            return self.rng.choice(scope.locals)
        if chance < 0.8:
            inputs = [name for name in self.arrays if name not in self.written]
            return self.access(scope, self.rng.choice(inputs if inputs and self.rng.random() < 0.8 else self.written))
        if chance < 0.92:
            return self.rng.choice(self.scalars)
        return self.rng.choice(["2", "3"] if self.element == "u32" else ["2.0", "0.5", "3.0"])

    def access(self, scope: Scope, array: str) -> str:
        return array + "".join(f"[{self.subscript(scope, extent)}]" for extent in self.arrays[array])

    def subscript(self, scope: Scope, extent: str) -> str:
        """An affine expression that stays inside; a loop's own variable above all others."""
        size = SIZES[extent]
        rows = self.rows(scope, extent)
        if rows and self.rng.random() < 0.75:
            return self.rng.choice(rows)
        plain = [i.name for i in scope.around if i.low >= 0 and i.high < size]
        if plain and self.rng.random() < 0.75:
            return self.rng.choice(plain)
        inside = [text for text, low, high in self.forms(scope.around, extent) if low >= 0 and high < size]
        return self.rng.choice([*inside, "0", f"{extent} - 1"])

    def forms(self, around: Sequence[Iterator], extent: str) -> list[tuple[str, int, int]]:
        """Shifted, reversed, doubled variables and differences of two, with the numbers between which they are."""
        size, found = SIZES[extent], []
        for i in around:
            found += [(f"{i.name} + {c}", i.low + c, i.high + c) for c in (1, 2)]
            found += [(f"{i.name} - 1", i.low - 1, i.high - 1), (f"2 * {i.name}", 2 * i.low, 2 * i.high)]
            found += [(f"{extent} - 1 - {i.name}", size - 1 - i.high, size - 1 - i.low)]
            found += [(f"{i.below} - {i.name}", 0, i.high)] if i.below else []
            if i.low >= 0 and self.rng.random() < 0.2:
                found += [(f"{i.name} / {c}", i.low // c, i.high // c) for c in (2, 5)]
                found += [(f"{i.name} % {c}", 0, c - 1) for c in (3, 5)]
        return found

    def rows(self, scope: Scope, extent: str) -> list[str]:
        """Elements of rows in one line, by the numbers of their row and column."""
        if extent not in FLAT:
            return []
        heights, lengths = ([i for i in scope.around if i.low >= 0 and i.high < EXTENTS[name]] for name in FLAT[extent])
        pairs = [(i.name, j.name) for i in heights for j in lengths if i is not j]
        return [f"{i} * {FLAT[extent][1]} + {j}" for i, j in pairs]


def random_function(seed: int) -> RandomFunction:
    """The function with this number: one to three nests of one to three loops."""
    rng = random.Random(seed)
    element = rng.choice(["f64", "f64", "f64", "f64", "f32", "u32"])
    ranks = [rng.choice([1, 1, 2, 2, 2, 3]) for _ in range(rng.randint(2, 4))]
    open_sizes = rng.random() < 0.4
    extents = tuple(EXTENTS) if open_sizes or rng.random() < 0.5 else tuple(SIZES)
    arrays = {f"A{k}": tuple(rng.choice(extents) for _ in range(rank)) for k, rank in enumerate(ranks)}
    written = tuple(list(arrays)[: rng.choice([1, 1, 2, len(arrays)])])
    writer = Writer(rng, element, arrays, ("x", "y"), written, extents)
    for _ in range(rng.choice([1, 1, 2, 3])):
        writer.nest(Scope(), rng.choice([1, 2, 2, 3, 3]))
    kind = C_TYPES[element]
    sizes = [f"int {name}" for name in EXTENTS] if open_sizes else []
    places = [f"{kind} {name}" + "".join(f"[restrict {e}]" if not k else f"[{e}]" for k, e in enumerate(extents))
              for name, extents in arrays.items()]  # fmt: skip
    head = f"void f({', '.join([*sizes, *places, *(f'{kind} {name}' for name in writer.scalars)])})"
    macros = [] if open_sizes else [f"#define {name} {size}" for name, size in SIZES.items()]
    shapes = (*(tuple(SIZES[e] for e in extents) for extents in arrays.values()), *(() for _ in writer.scalars))
    return RandomFunction("\n".join([*macros, head + " {", *writer.lines, "}", ""]), element, open_sizes, shapes)
