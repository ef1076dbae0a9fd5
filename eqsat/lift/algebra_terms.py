"""The text of terms of the tensor algebra: one `let` for each, with what is known of its shape."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from raising.eqsat.egraph.vocabulary import Vocabulary, float_text
from raising.eqsat.ruleset.algebra import FLOAT, INT, Shape, result_shape
from raising.eqsat.ruleset.to_egglog import FLOAT as FLOAT_LITERAL
from raising.eqsat.ruleset.to_egglog import INTEGER, LEAF, NEGATIVE_ZERO, SPREAD
from raising.grammar.terms.structured_op import Instr, Map
from raising.support.record import dataclass

Labels = tuple["int | None", ...]
"""The iteration dimension of each dimension of an array; None for one of extent one."""


@dataclass(frozen=True)
class Array:
    """A value of the algebra: the name of its term, its shape and elements; the number, if it is one everywhere."""

    name: str
    shape: Shape
    element: str
    constant: float | None = None


@dataclass
class Lifted:
    """The text of all terms; the operations in them: numbers of operands, and the scalar operations that they are.

    `times` counts how often each operation occurs.
    """

    lines: list[str] = field(default_factory=list)
    operations: dict[str, int] = field(default_factory=dict)
    instrs: dict[str, Instr] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    literals: set[str] = field(default_factory=set)
    times: Counter[str] = field(default_factory=Counter)


class NoTerm(Exception):
    """An operation means nothing that the algebra says."""


class Terms:
    """The text of terms, as they are made."""

    def __init__(self, vocabulary: Vocabulary, reassociate: bool) -> None:
        self.vocabulary = vocabulary
        self.reassociate = reassociate
        self.functions: dict[str, int] = {}  # that are linear in two operands, by all that decides what they compute
        self.ir = vocabulary.ir
        self.out = Lifted()
        self.known: dict[Any, Array] = {}
        self.count = 0

    def leaf(self, value: Any, term: str) -> Array:
        """A value of the program as it is."""
        if value not in self.known:
            element = element_of(value.type, self.ir)
            self.known[value] = self.named(f"({LEAF} {term})", algebra_shape(shape_of(value.type, self.ir)), element)
        return self.known[value]

    def literal(self, value: float, element: str) -> Array:
        """Write a number as a term, once for each that there is."""
        kind = self.vocabulary.type_term(self.ir.Type.parse(element))
        if element[0] in "iu":
            text = f"({INTEGER} {int(value)} {kind})"
        elif value == 0.0 and math.copysign(1.0, value) < 0:
            text = f"({NEGATIVE_ZERO} {kind})"
        else:
            text = f"({FLOAT_LITERAL} {float_text(value)} {kind})"
        self.out.literals.add(text[1:].split()[0])
        return self.named(text, (1, 1), element, value)

    def node(self, op: str, args: Sequence[Array], element: str) -> Array:
        """An operation of the algebra, by its name in an e-graph."""
        shape = result_shape(op, tuple(a.shape for a in args))
        self.out.kinds.add(INT if element[0] in "iu" else FLOAT)
        self.out.times[op] += 1
        if op != "transpose":
            self.out.operations[op] = len(args)
        return self.named(f"(t.{op} {' '.join(a.name for a in args)})", shape, element)

    def spread(self, array: Array, shape: Shape) -> Array:
        """An array repeated to a larger shape."""
        if array.shape == shape:
            return array
        self.out.literals.add("like")
        text = f"({SPREAD} {array.name} {extents(shape)})"
        return self.named(text, shape, array.element, array.constant)

    def named(self, term: str, shape: Shape, element: str, constant: float | None = None) -> Array:
        """A term with a name."""
        name = f"$t{self.count}"
        self.count += 1
        kind = self.vocabulary.type_term(self.ir.Type.parse(element))
        self.out.lines += [
            f"(let {name} {term})",
            f"(set (t.rows {name}) {shape[-2]}) (set (t.cols {name}) {shape[-1]})",
            f"(set (t.batch {name}) {batch_of(shape)}) (union (t.elem {name}) {kind})",
        ]
        return Array(name, shape, element, constant)

    def special(self, head: str, inputs: Sequence[object], shape: Shape, element: str) -> Array:
        """A term that says more than its operands."""
        self.out.kinds.add(INT if element[0] in "iu" else FLOAT)
        self.out.literals.add(head.removeprefix("t."))
        return self.named(f"({head} {' '.join(map(str, inputs))})", shape, element)

    def turned(self, array: Array) -> Array:
        """Write the transpose of an array."""
        if array.shape[-1] == array.shape[-2] == 1:
            return array
        return self.node("transpose", [array], array.element)

    def arranged(self, array: Array, labels: Labels, wanted: Labels) -> Array:
        """The array with its dimensions where `wanted` has them, transposed if that helps; `NoTerm` if not."""
        if _fits(labels, wanted):
            return array
        if _fits((*labels[:-2], labels[-1], labels[-2]), wanted):
            return self.turned(array)
        raise NoTerm


def batch_of(shape: Shape) -> str:
    """The leading extents of an array as text."""
    return f"(vec-of {' '.join(map(str, shape[:-2]))})" if shape[:-2] else "(vec-empty)"


def extents(shape: Shape) -> str:
    """All extents of an array as text."""
    return f"{batch_of(shape)} {shape[-2]} {shape[-1]}"


def algebra_shape(shape: Shape) -> Shape:
    """A tensor's shape in the algebra: a scalar is 1 x 1, a vector a column."""
    return (1, 1) if not shape else (*shape, 1) if len(shape) == 1 else shape


def labels(shape: Shape, units: tuple[int, ...], m: Map) -> Labels:
    """The iteration dimension of each dimension of the algebra's array."""
    if not all(isinstance(d, int) for d in m) or len(m) + len({*units} & {*range(len(shape))}) != len(shape):
        raise NoTerm
    rest = iter(m)
    found: list[int | None] = [None if d in units else next(rest) for d in range(len(shape))]  # type: ignore[misc]
    return (*found, *(None,) * (2 - len(found)))


def _fits(own: Labels, wanted: Labels) -> bool:
    """Whether an array broadcasts to a wanted arrangement as it is."""
    extra = len(own) - len(wanted)
    if any(label is not None for label in own[: max(0, extra)]) or extra > 0:
        return False
    padded = (*(None,) * -extra, *own)
    return all(a is None or a == b for a, b in zip(padded, wanted, strict=True))


def shape_of(kind: Any, ir: Any) -> Shape:
    """The shape of a type; `NoTerm` if it is not known."""
    if not isinstance(kind, ir.ShapedType):
        return ()
    if not isinstance(kind, ir.RankedTensorType) or not ir.RankedTensorType(kind).has_static_shape:
        raise NoTerm
    return tuple(ir.RankedTensorType(kind).shape)


def element_of(kind: Any, ir: Any) -> str:
    """The type of a type's elements."""
    return str(ir.ShapedType(kind).element_type) if isinstance(kind, ir.ShapedType) else str(kind)
