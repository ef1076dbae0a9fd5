"""A StableHLO module while it is written."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

EXACT = 20
"""Bits that a float of any type here holds exactly, with some to spare."""

ROUNDED = 1000
"""The bits of a value that is rounded: order, equality and integers may not be taken of it."""


@dataclass(frozen=True)
class Value:
    """A value: its name, shape, elements, and a bound on the bits that its elements need (of integers: 0)."""

    name: str
    shape: tuple[int, ...]
    element: str
    bits: int = 0

    @property
    def type(self) -> str:
        """Its type as text."""
        return kind(self.shape, self.element)

    @property
    def is_float(self) -> bool:
        """Whether its elements are floats."""
        return self.element[0] == "f"

    @property
    def is_number(self) -> bool:
        """Whether its elements are numbers, and no truths."""
        return self.element != "i1"

    @property
    def is_exact(self) -> bool:
        """Whether each way to compute it gives the same bits."""
        return self.bits <= EXACT


def kind(shape: Sequence[int], element: str) -> str:
    """The type of a tensor."""
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


@dataclass
class Writing:
    """What was written: the lines of the function, the values to draw from, and functions that it calls."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    count: int = 0

    def fresh(self) -> str:
        """A new name."""
        self.count += 1
        return f"%{self.count}"

    def op(self, text: str, shape: Sequence[int], element: str, bits: int = 0) -> Value:
        """An operation with one result, whose text says all behind the `=`."""
        made = Value(self.fresh(), tuple(shape), element, bits if element[0] == "f" else 0)
        self.lines.append(f"    {made.name} = {text}")
        return made

    def same(self, name: str, values: Sequence[Value], bits: int = ROUNDED) -> Value:
        """An operation on elements of values of one type."""
        first = values[0]
        text = f"stablehlo.{name} {', '.join(v.name for v in values)} : {first.type}"
        return self.op(text, first.shape, first.element, bits)

    def number(self, value: float, like: Value) -> Value:
        """A number in the shape of a value, as JAX makes it: a constant of rank 0, and a broadcast."""
        text = {"f": f"{value:e}", "i": f"{int(value)}", "u": f"{int(abs(value))}"}[like.element[0]]
        text = ("true" if value else "false") if like.element == "i1" else text
        bits = 3 if value * 4 == int(value * 4) else ROUNDED
        zero_rank = self.op(f"stablehlo.constant dense<{text}> : {kind((), like.element)}", (), like.element, bits)
        return self.spread(zero_rank, like.shape, ()) if like.shape else zero_rank

    def spread(self, value: Value, shape: Sequence[int], dims: Sequence[int]) -> Value:
        """`broadcast_in_dim`."""
        to = kind(shape, value.element)
        text = f"stablehlo.broadcast_in_dim {value.name}, dims = {list(dims)} : ({value.type}) -> {to}"
        return self.op(text, shape, value.element, value.bits)

    def compare(self, how: str, left: Value, right: Value) -> Value:
        """A comparison of elements."""
        order = "FLOAT" if left.is_float else "UNSIGNED" if left.element in ("i1", "ui8", "ui32") else "SIGNED"
        text = f"stablehlo.compare {how}, {left.name}, {right.name}, {order} : ({left.type}, {right.type})"
        return self.op(f"{text} -> {kind(left.shape, 'i1')}", left.shape, "i1")

    def select(self, truth: Value, one: Value, other: Value) -> Value:
        """One of two values, element by element."""
        text = f"stablehlo.select {truth.name}, {one.name}, {other.name} : {truth.type}, {one.type}"
        return self.op(text, one.shape, one.element, max(one.bits, other.bits))

    def convert(self, value: Value, element: str) -> Value:
        """The same numbers as other elements."""
        text = f"stablehlo.convert {value.name} : ({value.type}) -> {kind(value.shape, element)}"
        return self.op(text, value.shape, element, value.bits if value.is_float else 8)

    def pick(self, wanted: Callable[[Value], bool]) -> Value | None:
        """A value that is wanted, mostly one of the last."""
        fits = [v for v in self.values if wanted(v)]
        return self.rng.choice(fits[-3:] if self.rng.random() < 0.6 else fits) if fits else None

    def text(self, arguments: Sequence[Value], results: Sequence[Value]) -> str:
        """The module."""
        given = ", ".join(f"{a.name}: {a.type}" for a in arguments)
        types = ", ".join(r.type for r in results)
        said = ", ".join(f'{r.type} {{jax.result_info = "result[{k}]"}}' for k, r in enumerate(results))
        end = f"    return {', '.join(r.name for r in results)} : {types}"
        head = "module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {"
        function = [f"  func.func public @main({given}) -> ({said}) {{", *self.lines, end, "  }"]
        return "\n".join([head, *function, *self.called, "}", ""])
