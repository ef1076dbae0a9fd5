"""The degree of what a program computes, for the bound on the chance that a wrong program passes in a field.

A value is a quotient of polynomials in the leaves and in the values of opaque
functions; its degree is a pair (numerator, denominator), never too small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from raising.affine.ir.integer_types import is_integer
from raising.affine.ir.interpreter import Arithmetic
from raising.affine.ir.program import Compute
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import CONSTANT, Body, scalar_part
from raising.grammar.terms.term import (
    Apply,
    Input,
    Insert,
    Literal,
    Mask,
    Position,
    Recur,
    Term,
    Undefined,
    Window,
    nodes,
)

Degree = tuple[int, int]
NUMBER: Degree = (0, 0)
LEAF: Degree = (1, 0)


def _add(a: Degree, b: Degree) -> Degree:
    return max(a[0] + b[1], b[0] + a[1]), a[1] + b[1]


def _mul(a: Degree, b: Degree) -> Degree:
    return a[0] + b[0], a[1] + b[1]


def _largest(degrees: Sequence[Degree]) -> Degree:
    return max((d[0] for d in degrees), default=0), max((d[1] for d in degrees), default=0)


def operation(op: str, args: Sequence[Degree], element: str) -> Degree:
    """The degree of one operation's result; integers are numbers, not elements of the field."""
    if is_integer(element) and element != "i1":
        return NUMBER
    kind = SCALARS[op].residue if op in SCALARS else ""
    return _OPERATIONS[kind](*args) if kind in _OPERATIONS else LEAF


_OPERATIONS: dict[str, Callable[..., Degree]] = {
    "add": _add,
    "sub": _add,
    "mul": _mul,
    "div": lambda a, b: _mul(a, b[::-1]),
    "fma": lambda a, b, c: _add(_mul(a, b), c),
    "neg": lambda a: a,
    "same": lambda a: a,
    "root": lambda a: a,
    "inverse_root": lambda a: a[::-1],
    "greater": lambda a, b: _add(_mul(LEAF, _add(a, b)), b),
    "less": lambda a, b: _add(_mul(LEAF, _add(a, b)), b),
    "magnitude": lambda a: _mul(LEAF, a),
    "select": lambda c, a, b: _add(_mul(c, _add(a, b)), b),
}


def _compute(node: Compute, args: Sequence[Degree]) -> Degree:
    return operation(node.op, args, node.element)


DEGREES: Arithmetic[Degree] = Arithmetic(_compute, lambda value, element: NUMBER)
"""Degrees as the arithmetic of a program."""


def apart(a: Degree, b: Degree) -> int:
    """The degree of the polynomial that is zero exactly where two values are equal."""
    return max(a[0] + b[1], b[0] + a[1])


def of_term(term: Term, sizes: Mapping[str, int]) -> Degree:
    """The degree of a tensor program's elements at given sizes."""
    return _of_terms((term,), sizes, {})[0]


def _of_terms(roots: tuple[Term, ...], sizes: Mapping[str, int], known: Mapping[bytes, Degree]) -> list[Degree]:
    found = dict(known)
    for node in nodes(roots):
        if node.digest not in found:
            found[node.digest] = _node(node, found, sizes)
    return [found[r.digest] for r in roots]


def _looped(node: Recur, known: Mapping[bytes, Degree], sizes: Mapping[str, int]) -> Degree:
    """The degree of what a loop leaves behind, by running it."""
    step = node.step
    given = {i.digest: known[t.digest] for i, t in zip(step.given, node.given, strict=True)}
    state = [known[t.digest] for t in node.inits]
    for value in step.trips(sizes):
        carried = {i.digest: d for i, d in zip(step.carried, state, strict=True)}
        state = _of_terms(step.results, {**sizes, step.iv: value}, {**given, **carried})
    return state[node.number]


def _node(node: Term, known: Mapping[bytes, Degree], sizes: Mapping[str, int]) -> Degree:
    match node:
        case Input() | Undefined():
            return LEAF
        case Literal() | Mask() | Position():
            return NUMBER
        case Window():
            return known[node.source.digest]
        case Insert():
            return _largest([known[node.into.digest], known[node.piece.digest]])
        case Apply():
            return _applied(node, known, sizes)
        case Recur():
            return _looped(node, known, sizes)
        case _:
            return _largest([known[o.digest] for o in node.operands])


def _applied(node: Apply, known: Mapping[bytes, Degree], sizes: Mapping[str, int]) -> Degree:
    body, op = scalar_part(node.body)
    value = _body(body, [known[t.digest] for t in node.inputs], node.type.element)
    if op is None:
        return value
    out = {d for entry in node.maps[-1] for d in ([entry] if isinstance(entry, int) else [d for d, _ in entry])}
    summed = prod(e.evaluate(sizes) for d, e in enumerate(node.extents()) if d not in out)
    value = _repeated(op, value, summed, node.type.element)
    return value if node.init is None else operation(op, (known[node.init.digest], value), node.type.element)


def _repeated(op: str, value: Degree, count: int, element: str) -> Degree:
    kind = SCALARS[op].residue
    if kind == "mul":
        return value[0] * count, value[1] * count
    if kind == "add" and not value[1]:
        return value
    total = value
    for _ in range(count - 1):
        total = operation(op, (total, value), element)
    return total


def _body(body: Body, args: Sequence[Degree], element: str) -> Degree:
    values = [*args, LEAF]
    for instr in body.instrs:
        if instr.op == CONSTANT:
            values.append(NUMBER)
        else:
            values.append(operation(instr.op, [values[a] for a in instr.args], instr.type or element))
    return values[body.result]
