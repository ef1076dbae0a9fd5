"""What an operation computes at a point, drawn as text and as a function of that point."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

DTYPES: dict[str, type[np.generic]] = {
    "f64": np.float64,
    "f32": np.float32,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
}
_ORDERS: dict[str, Callable[[int, int], bool]] = {
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}
_BINARY: dict[str, Callable[[Any, Any], Any]] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
_FOLDS: dict[str, Callable[[Any, Any], Any]] = {"add": operator.add, "max": max, "min": min}


@dataclass(frozen=True)
class At:
    """A point of the loops: the counters, what is read there, and what was there."""

    indices: tuple[int, ...]
    inputs: tuple[Any, ...]
    old: Any


@dataclass(frozen=True)
class Value:
    """A name in the text, and its value at a point."""

    name: str
    at: Callable[[At], Any]


@dataclass
class Body:
    """The text of a body of `rank` loops over elements of one type."""

    rng: Random
    element: str
    rank: int
    inputs: int
    lines: list[str] = field(default_factory=list)

    def result(self, reduces: bool) -> Value:
        """The value that is stored: often one that is kept, or 0, where a condition does not hold."""
        rng, old = self.rng, Value("%old", lambda p: p.old)
        fold = rng.choice(["add", "add", "max", "min"]) if reduces or rng.random() < 0.5 else None
        way = rng.choice(["all", "zero", "old", "other"])
        term = self._value()
        if way == "zero":
            term = self._chosen(self._condition(), term, self._number(0))
        elif way == "other":
            term = self._chosen(self._condition(), term, self._value())
        found = term if fold is None else self._folded(fold, old, term)
        if way == "old":
            both = (found, old) if rng.random() < 0.7 else (old, found)
            found = self._chosen(self._condition(), *both)
        return found

    def _line(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def _typed(self, number: Any) -> Any:
        return DTYPES[self.element](number)

    def _number(self, number: int) -> Value:
        told = f"{number}.0" if self.element[0] == "f" else str(number)
        return Value(self._line(f"arith.constant {told} : {self.element}"), lambda p: self._typed(number))

    def _value(self, depth: int = 0) -> Value:
        kind = self.rng.random()
        if depth > 2 or kind < 0.4:
            k = self.rng.randrange(self.inputs)
            return Value(f"%in{k}", lambda p: p.inputs[k])
        if kind < 0.5:
            return self._number(self.rng.randint(-2, 3))
        if kind < 0.6:
            return self._larger() if self.rng.random() < 0.6 else self._counted()
        one, two = self._value(depth + 1), self._value(depth + 1)
        name = self.rng.choice(list(_BINARY))
        text = f"arith.{name}{self.element[0]} {one.name}, {two.name} : {self.element}"
        return Value(self._line(text), lambda p: self._typed(_BINARY[name](one.at(p), two.at(p))))

    def _larger(self) -> Value:
        """One of two values, as an order between them says."""
        one, two = self._value(2), self._value(2)
        order = "slt" if self.element[0] == "i" else "olt"
        asked = self._line(f"arith.cmp{self.element[0]} {order}, {one.name}, {two.name} : {self.element}")
        return self._chosen(Value(asked, lambda p: bool(one.at(p) < two.at(p))), two, one)

    def _counted(self) -> Value:
        """A counter as an element."""
        d = self.rng.randrange(self.rank)
        index = self._line(f"linalg.index {d} : index")
        if self.element[0] == "i":
            name = self._line(f"arith.index_cast {index} : index to {self.element}")
        else:
            number = self._line(f"arith.index_cast {index} : index to i32")
            name = self._line(f"arith.sitofp {number} : i32 to {self.element}")
        return Value(name, lambda p: self._typed(p.indices[d]))

    def _folded(self, fold: str, old: Value, term: Value) -> Value:
        names = {"add": "addf", "max": "maximumf", "min": "minimumf"}
        if self.element[0] == "i":
            names = {"add": "addi", "max": "maxsi", "min": "minsi"}
        text = f"arith.{names[fold]} {old.name}, {term.name} : {self.element}"
        return Value(self._line(text), lambda p: self._typed(_FOLDS[fold](old.at(p), term.at(p))))

    def _chosen(self, condition: Value, one: Value, two: Value) -> Value:
        text = f"arith.select {condition.name}, {one.name}, {two.name} : {self.element}"
        return Value(self._line(text), lambda p: one.at(p) if condition.at(p) else two.at(p))

    def _condition(self) -> Value:
        """An order between two counters, or a counter and a number; or two of these."""
        one, two = self._counter(), self._position()
        order = self.rng.choice(list(_ORDERS))
        name = self._line(f"arith.cmpi {order}, {one.name}, {two.name} : index")
        found = Value(name, lambda p: _ORDERS[order](one.at(p), two.at(p)))
        if self.rng.random() > 0.25:
            return found
        other, join = self._condition(), self.rng.choice([("andi", all), ("ori", any)])
        name = self._line(f"arith.{join[0]} {found.name}, {other.name} : i1")
        return Value(name, lambda p: join[1]((found.at(p), other.at(p))))

    def _counter(self) -> Value:
        d = self.rng.randrange(self.rank)
        found = Value(self._line(f"linalg.index {d} : index"), lambda p: p.indices[d])
        if self.rng.random() > 0.4:
            return found
        by = self.rng.randint(-3, 3)
        name = self._line(f"arith.constant {by} : index")
        return Value(self._line(f"arith.addi {found.name}, {name} : index"), lambda p: found.at(p) + by)

    def _position(self) -> Value:
        if self.rank > 1 and self.rng.random() < 0.75:
            return self._counter()
        number = self.rng.randint(-1, 6)
        return Value(self._line(f"arith.constant {number} : index"), lambda p: number)
