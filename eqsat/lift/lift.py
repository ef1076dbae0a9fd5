"""Operations of a program as terms of the tensor algebra, beside the terms that they are anyway.

A measured meaning (maps and a scalar body) becomes operations on elements, products of matrices and sums of rows or
columns. An operation that fits none of these has no term of the algebra: it is a leaf.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from raising.eqsat.egraph.encode import Encoded, Original
from raising.eqsat.egraph.vocabulary import Vocabulary
from raising.eqsat.lift.algebra_terms import (
    Array,
    Labels,
    Lifted,
    NoTerm,
    Terms,
    algebra_shape,
    element_of,
    labels,
    shape_of,
)
from raising.eqsat.lift.lift_moved import Mover
from raising.eqsat.lift.meaning import Meanings, Measured
from raising.eqsat.lift.movement import moved
from raising.eqsat.ruleset.algebra import FLOAT, INT, operation, short_name
from raising.eqsat.ruleset.to_egglog import DIAGONAL, DIAGONAL_MATRIX, LEAF, ROOT
from raising.grammar.measure.bodies import POSITION
from raising.grammar.select.selector import scalar_type
from raising.grammar.terms.literal import number_of
from raising.grammar.terms.scalar_ops import CASTS, SCALARS
from raising.grammar.terms.structured_op import CONSTANT, Body, Instr, scalar_part
from raising.support.graphs import reachable

_NARROWEST = 8  # bits
_COUNTING = 32  # bits that hold any extent
Symbol = int | frozenset[int]
"""The position along a dimension, or that the positions along two are equal."""


def lift(encoded: Encoded, vocabulary: Vocabulary, meanings: Meanings, reassociate: bool) -> Lifted:
    """Terms of the algebra for every operation that has one.

    A sum that starts from a value is a sum and an addition only where that may
    round differently (`reassociate`).
    """
    lifter = _Lifter(vocabulary, reassociate)
    lets = dict(_name_and_term(let) for let in encoded.lets)
    for op, original in sorted(encoded.originals.items(), key=lambda pair: pair[1].depth):
        inside = op.parent is not None and op.parent.operation in lifter.lifted
        if len(op.results) != 1 or inside:
            continue
        measured = meanings.measure(op, vocabulary.ir)
        if measured is not None and lifter.lift(op, original, partial(_read, lifter, op, original, measured)):
            continue
        axis = meanings.position(op, vocabulary.ir) if measured is None else None
        if axis is not None and _counts(element_of(op.results[0].type, vocabulary.ir)):
            lifter.symbols[op.results[0]] = axis
        what = moved(op, meanings, vocabulary.ir) if axis is None else None
        if what is not None:
            lifter.lift(op, original, Mover(lifter, op, original, what, lets[original.name]).read)
    return lifter.out


def _read(lifter: _Lifter, op: Any, original: Original, measured: Measured) -> Array:
    return _Reader(lifter, op, original, measured).read()


def _name_and_term(let: str) -> tuple[str, str]:
    """The name and the term of a `let`."""
    name, _, term = let.removeprefix("(let ").removesuffix(")").partition(" ")
    return name, term


class _Lifter(Terms):
    def __init__(self, vocabulary: Vocabulary, reassociate: bool) -> None:
        super().__init__(vocabulary, reassociate)
        self.lifted: set[Any] = set()
        self.symbols: dict[Any, Symbol] = {}  # of values that are positions, or tell whether two are equal
        self.constants: dict[Any, float] = {}  # values that are a number that no term says everywhere

    def lift(self, op: Any, original: Original, read: Callable[[], Array]) -> bool:
        """Whether an operation has a term, which `read` makes."""
        before = (self.count, len(self.out.lines))
        known = dict(self.known)
        try:
            array = read()
        except NoTerm:
            self.count, lines = before
            del self.out.lines[lines:]
            self.known = known
            return False
        kind = self.vocabulary.type_term(op.results[0].type)
        self.out.lines.append(f"(union {original.name} ({ROOT} {array.name} {kind}))")
        self.out.lines.append(f"(union ({LEAF} {original.name}) {array.name})")
        self.known[op.results[0]] = array
        self.lifted.add(op)
        return True


class _Reader:
    """One operation: its operands with the labels of their dimensions, and its body."""

    def __init__(self, lifter: _Lifter, op: Any, original: Original, measured: Measured) -> None:
        self.lifter, self.op, self.measured = lifter, op, measured
        self.meaning, ir = measured.meaning, lifter.ir
        self.operands = [(v, t) for v, t in zip(op.operands, original.operands, strict=True)]
        if any(a >= len(self.operands) for a in (*measured.arguments, measured.start)):
            raise NoTerm  # a region uses a value from outside
        shape = shape_of(op.results[0].type, ir)
        self.element = element_of(op.results[0].type, ir)
        self.shape = algebra_shape(shape)
        self.out = labels(shape, measured.units[-1], self.meaning.maps[-1])
        self.inputs: list[tuple[Array, Labels]] = []
        self.symbols: list[Symbol | None] = []
        for k, argument in enumerate(measured.arguments):
            value, term = self.operands[argument]
            own = labels(shape_of(value.type, ir), measured.units[k], self.meaning.maps[k])
            self.symbols.append(_along(lifter.symbols.get(value), own))
            self.inputs.append((lifter.leaf(value, term), own))

    def read(self) -> Array:
        body = self.meaning.body
        if not _types_follow(body):
            raise NoTerm
        if not body.reads_output:
            self._remember(body)
            if body.result < body.arity - 1:
                repeated = self.operands[self.measured.arguments[body.result]][0]
                if repeated in self.lifter.constants:
                    self.lifter.constants[self.op.results[0]] = self.lifter.constants[repeated]
            return self.lifter.spread(self._elements(body, body.result, self.out), self.shape)
        inner, op = scalar_part(body)
        if op == operation("max", FLOAT).scalar:
            return self._greatest(inner)
        if op not in (operation("add", FLOAT).scalar, operation("add", INT).scalar):
            raise NoTerm
        kind = FLOAT if op == operation("add", FLOAT).scalar else INT
        start = self._start()
        product = self._product(inner, kind)
        if product is not None:
            return self._contraction(inner, product, kind, start)
        total = self._total(inner, kind)
        if start is None:
            return total
        if not self.lifter.reassociate and kind == FLOAT:
            raise NoTerm
        return self.lifter.node(operation("add", kind).name, [start, total], self.element)

    # ---- on elements -----------------------------------------------------------------------------

    def _elements(self, body: Body, value: int, wanted: Labels) -> Array:
        """A value of a body, with its dimensions as wanted."""
        if value < body.arity:
            if value == body.arity - 1:
                raise NoTerm
            array, own = self.inputs[value]
            return self.lifter.arranged(array, own, wanted)
        instr = body.instrs[value - body.arity]
        if instr.op == CONSTANT:
            return self._constant(instr)
        if instr.op not in SCALARS:
            raise NoTerm
        masked = self._masked(body, instr, wanted)
        if masked is not None:
            return masked
        args = [self._elements(body, a, wanted) for a in instr.args]
        element = scalar_type(instr, [a.element for a in args], self.element)
        if not _on_truth(instr) and not all(_is_number(e) for e in (element, *(a.element for a in args))):
            raise NoTerm
        name = _name(instr, element)
        self.lifter.out.instrs[name] = Instr(instr.op, (), instr.attrs, element if instr.op in CASTS else "")
        return self.lifter.node(name, args, element)

    def _constant(self, instr: Instr) -> Array:
        text = dict(instr.attrs)["value"]
        element = text.rpartition(" : ")[2] if " : " in text else "i1"
        value = number_of(text)
        if element == "i1" or not math.isfinite(value) or abs(value) >= 2**53:
            self.lifter.constants[self.op.results[0]] = value
            raise NoTerm
        return self.lifter.literal(value, element)

    # ---- positions -------------------------------------------------------------------------------

    def _remember(self, body: Body) -> None:
        """Note a result that is a position, or tells whether two are equal: by the dimensions of the result."""
        symbol = self._symbol(body, body.result)
        if symbol is None or not (self.element == "i1" or _counts(self.element)):
            return
        axes = {d: k for k, d in enumerate(self.out) if d is not None}
        found = axes[symbol] if isinstance(symbol, int) else frozenset(axes[d] for d in symbol)
        self.lifter.symbols[self.op.results[0]] = found

    def _symbol(self, body: Body, value: int) -> Symbol | None:
        if value < body.arity:
            return self.symbols[value] if value < len(self.symbols) else None
        instr = body.instrs[value - body.arity]
        if instr.op == POSITION:
            return int(dict(instr.attrs)["dim"])
        found = [self._symbol(body, a) for a in instr.args]
        if instr.op in CASTS and isinstance(found[0], int) and _counts(instr.type or self.element):
            return found[0]
        if instr.op == "arith.cmpi" and _compares_equal(instr) and all(isinstance(s, int) for s in found):
            pair = frozenset(s for s in found if isinstance(s, int))
            return pair if len(pair) == 2 else None
        return None

    def _masked(self, body: Body, instr: Instr, wanted: Labels) -> Array | None:
        """What is zero outside of a diagonal; None for anything else."""
        pair = self._symbol(body, instr.args[0]) if instr.args else None
        if not isinstance(pair, frozenset) or set(wanted[-2:]) != pair:
            return None
        row = wanted[-2]
        extent = self.shape[self.out.index(row)]
        if instr.op in ("arith.uitofp", "arith.extui"):
            ones = self.lifter.literal(1.0, instr.type or self.element)
            return self._diagonal_matrix(ones, extent)
        if instr.op != "arith.select":
            return None
        zero = self._elements(body, instr.args[2], wanted)
        if zero.constant != 0.0 or math.copysign(1.0, zero.constant) < 0:
            return None
        if not pair <= self._dims(body, instr.args[1]):
            (along,) = (pair & self._dims(body, instr.args[1])) or {row}
            return self._diagonal_matrix(self._elements(body, instr.args[1], (along, None)), extent)
        full = self._elements(body, instr.args[1], wanted)
        if len(full.shape) != 2:
            return None
        column = self.lifter.special(DIAGONAL, (full.name,), (extent, 1), full.element)
        return self._diagonal_matrix(column, extent)

    def _diagonal_matrix(self, column: Array, extent: int) -> Array:
        column = self.lifter.spread(column, (extent, 1))
        return self.lifter.special(DIAGONAL_MATRIX, (column.name,), (extent, extent), column.element)

    # ---- sums ------------------------------------------------------------------------------------

    def _start(self) -> Array | None:
        """The start value of a sum; None for zero."""
        if self.measured.start < 0:
            return None
        value, term = self.operands[self.measured.start]
        array = self.lifter.leaf(value, term)
        if array.constant is not None and array.constant == 0.0 and math.copysign(1.0, array.constant) > 0:
            return None
        return array

    def _greatest(self, inner: Body) -> Array:
        """The greatest element of each row."""
        start = self.measured.start
        given = None if start < 0 else self.lifter.constants.get(self.operands[start][0])
        dims = self._dims(inner, inner.result)
        kept = [d for d in self.out if d is not None]
        reduced = sorted(dims - set(kept))
        if len(dims) > 2 or len(reduced) != 1 or not (start < 0 or given == -math.inf):
            raise NoTerm
        array = self._elements(inner, inner.result, (kept[0] if kept else None, reduced[0]))
        made = self.lifter.node(f"rowmax{FLOAT[0]}", [array], self.element)
        return self._placed(made, (kept[0] if kept else None, None))

    def _product(self, inner: Body, kind: str) -> tuple[int, int] | None:
        """The two factors of what is summed."""
        if inner.result < inner.arity:
            return None
        last = inner.instrs[inner.result - inner.arity]
        return (last.args[0], last.args[1]) if last.op == operation("mul", kind).scalar else None

    def _dims(self, body: Body, value: int) -> set[int]:
        if value < body.arity:
            return {d for d in self.inputs[value][1] if d is not None}
        return {d for a in body.instrs[value - body.arity].args for d in self._dims(body, a)}

    def _contraction(self, inner: Body, factors: tuple[int, int], kind: str, start: Array | None) -> Array:
        x, y = (self._dims(inner, f) for f in factors)
        kept = {d for d in self.out if d is not None}
        if kept - (x | y) or (x ^ y) - kept:
            raise NoTerm
        m, n, k = (_one(s) for s in ((x - y) & kept, (y - x) & kept, (x & y) - kept))
        batch = tuple(d for d in self.out if d in x & y & kept)
        left = self._elements(inner, factors[0], (*batch, m, k))
        right = self._elements(inner, factors[1], (*batch, k, n))
        if k is None or left.shape[-1] == 1:
            raise NoTerm
        if start is not None:
            start = self.lifter.arranged(start, self.out, (*batch, m, n))
            made = self.lifter.node(f"mma{kind[0]}", [start, left, right], self.element)
        else:
            made = self.lifter.node(f"matmul{kind[0]}", [left, right], self.element)
        return self._placed(made, (*batch, m, n))

    def _total(self, inner: Body, kind: str) -> Array:
        """A sum of one operand's elements along rows, columns or both."""
        dims = self._dims(inner, inner.result)
        kept = [d for d in self.out if d is not None]
        reduced = sorted(dims - set(kept))
        if len(dims) > 2 or not reduced:
            raise NoTerm
        space: Labels = (*kept, *reduced) if len(dims) == 2 else (None, *reduced)
        array = self._elements(inner, inner.result, space)
        made = self.lifter.node(f"rowsum{kind[0]}", [array], self.element)
        if len(reduced) == 2:
            made = self.lifter.node(f"colsum{kind[0]}", [made], self.element)
        return self._placed(made, (kept[0] if kept else None, None))

    def _placed(self, array: Array, own: Labels) -> Array:
        array = self.lifter.arranged(array, own, self.out)
        if array.shape != self.shape:
            raise NoTerm
        return array


# ---- shapes ------------------------------------------------------------------------------------------


def _one(dims: set[int]) -> int | None:
    if len(dims) > 1:
        raise NoTerm
    return next(iter(dims), None)


def _name(instr: Instr, element: str) -> str:
    """The name of a scalar operation in an e-graph: with what else decides its value."""
    parts = [short_name(instr.op), *(t for _, t in instr.attrs)]
    parts += [element] if instr.op in CASTS else []
    return "|".join("".join(c for c in p if c.isalnum() or c in "_.-") for p in parts)


def _types_follow(body: Body) -> bool:
    """Whether each cast that does not say its type has that of the result."""

    def alike_with(value: int) -> tuple[int, ...]:
        if value < body.arity:
            return ()
        instr = body.instrs[value - body.arity]
        kind = SCALARS[instr.op].residue if instr.op in SCALARS else ""
        if instr.op in CASTS or kind in ("compare", "truth"):
            return ()
        return instr.args[1:] if kind == "select" else instr.args

    alike = reachable([body.result], alike_with)
    return all(i.type or i.op not in CASTS or body.arity + k in alike for k, i in enumerate(body.instrs))


def _along(symbol: Symbol | None, own: Labels) -> Symbol | None:
    """A symbol by dimensions of an operation, of an operand that has these labels; None along one element."""
    if symbol is None or isinstance(symbol, int):
        return None if symbol is None else own[symbol]
    found = [own[axis] for axis in symbol]
    return frozenset(d for d in found if d is not None) if None not in found and len({*found}) == 2 else None


def _counts(element: str) -> bool:
    """Whether elements of a type can be any position."""
    return element == "index" or (
        element[:1] in "iu" and element.lstrip("siu").isdigit() and int(element.lstrip("siu")) >= _COUNTING
    )


def _compares_equal(instr: Instr) -> bool:
    return dict(instr.attrs).get("predicate", "").split(" ")[0] in ("0", "eq")


def _is_number(element: str) -> bool:
    """False for truth values, indices, and integers so narrow that the constants of rules do not fit."""
    return element[0] != "i" or (element[1:].isdigit() and int(element[1:]) >= _NARROWEST)


def _on_truth(instr: Instr) -> bool:
    return SCALARS[instr.op].residue in ("compare", "truth", "select")
