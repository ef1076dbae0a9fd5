"""Operations that move elements, and functions that are linear in two operands, as terms of the tensor algebra."""

from __future__ import annotations

from typing import Any

from raising.eqsat.egraph.encode import Original
from raising.eqsat.lift.algebra_terms import Array, NoTerm, Terms, algebra_shape, element_of, extents, shape_of
from raising.eqsat.lift.movement import DIAGONAL, JOIN, MATRIX, PAD, RESHAPE, WINDOW, Moved
from raising.eqsat.ruleset import to_egglog
from raising.eqsat.ruleset.algebra import FLOAT, INT
from raising.eqsat.ruleset.to_egglog import BILINEAR, DIAGONAL_MATRIX, LEAF, PADDED, PICK, ROOT
from raising.grammar.terms.literal import number_of


class Mover:
    """One operation, with what it does at its own sizes; `term` is the operation's own term."""

    def __init__(self, lifter: Terms, op: Any, original: Original, moved: Moved, term: str) -> None:
        self.lifter, self.op, self.original, self.moved, self.term = lifter, op, original, moved, term

    def read(self) -> Array:
        """The term of the operation; `NoTerm` if there is none."""
        self.shape = algebra_shape(shape_of(self.op.results[0].type, self.lifter.ir))
        self.element = element_of(self.op.results[0].type, self.lifter.ir)
        read = {RESHAPE: self._reshaped, WINDOW: self._picked, DIAGONAL: self._diagonal, MATRIX: self._matrix}
        read |= {PAD: self._padded, JOIN: self._joined}
        return read.get(self.moved.family, self._bilinear)()

    def _operand(self, number: int) -> Array:
        if number >= len(self.original.operands):
            raise NoTerm
        return self.lifter.leaf(self.op.operands[number], self.original.operands[number])

    def _reshaped(self) -> Array:
        array = self._operand(self.moved.arguments[0])
        if array.shape == self.shape:
            return array
        if array.shape == self.shape[::-1] and 1 in self.shape and len(self.shape) == 2:
            return self.lifter.turned(array)
        return self.lifter.special(to_egglog.RESHAPE, (array.name, extents(self.shape)), self.shape, self.element)

    def _picked(self) -> Array:
        array, box = self._operand(self.moved.arguments[0]), self.moved.box
        if any(extent for _, _, extent in box[:-2]):
            raise NoTerm
        rows, columns = (box[-2:] if len(box) > 1 else (*box, (0, 1, 0))) if box else ((0, 1, 0),) * 2
        array = self._rows(array, rows)
        return self.lifter.turned(self._rows(self.lifter.turned(array), columns)) if columns[2] else array

    def _rows(self, array: Array, which: tuple[int, int, int]) -> Array:
        start, stride, count = which
        if not count:
            return array
        shape = (*array.shape[:-2], count, array.shape[-1])
        key = f'"{start} {stride} {count} {array.shape[-2]}"'
        return self.lifter.special(PICK, (key, count, array.name), shape, array.element)

    def _joined(self) -> Array:
        """A value as it is, of which some rows or columns are other values."""
        whole = self.lifter.leaf(self.op.results[0], self.original.name)
        for number, (axis, start, count) in zip(self.moved.arguments, self.moved.box, strict=True):
            piece, of = self._operand(number), whole
            if axis == len(self.shape) - 1:
                piece, of = self.lifter.turned(piece), self.lifter.turned(of)
            elif axis != len(self.shape) - 2:
                raise NoTerm
            self.lifter.out.lines.append(f"(union {self._rows(of, (start, 1, count)).name} {piece.name})")
        return whole

    def _padded(self) -> Array:
        """An array with a number around it; one that is computed would have to be chosen element by element."""
        array, box = self._operand(self.moved.arguments[0]), self.moved.box
        if self.moved.text:
            border = self.lifter.literal(number_of(self.moved.text), self.element)
        else:
            border = self._operand(self.moved.arguments[1])
        if not box or len(box) > PADDED or border.constant is None or border.shape != (1, 1):
            raise NoTerm
        sides = [n for low, high, _ in (box if len(box) > 1 else (*box, (0, 0, 0))) for n in (low, high)]
        said = " ".join(map(str, [0] * (2 * PADDED - len(sides)) + sides))
        inputs = (said, extents(self.shape), array.name, border.name)
        return self.lifter.special(to_egglog.PAD, inputs, self.shape, self.element)

    def _diagonal(self) -> Array:
        array = self._operand(self.moved.arguments[0])
        column = self.lifter.special(to_egglog.DIAGONAL, (array.name,), (array.shape[0], 1), array.element)
        if not self.moved.sums:
            return column
        kind = (INT if self.element[0] in "iu" else FLOAT)[0]
        total = self.lifter.node(f"colsum{kind}", [column], self.element)
        start = self._operand(self.moved.start) if self.moved.start >= 0 else None
        if start is None or start.constant == 0.0:
            return total
        if not (self.lifter.reassociate or kind == INT[0]):
            raise NoTerm
        return self.lifter.node(f"add{kind}", [start, total], self.element)

    def _matrix(self) -> Array:
        if self.moved.arguments:
            column = self._operand(self.moved.arguments[0])
        else:
            number = self.lifter.literal(number_of(self.moved.text), self.element)
            column = self.lifter.spread(number, (self.shape[0], 1))
        return self.lifter.special(DIAGONAL_MATRIX, (column.name,), self.shape, self.element)

    def _starts_from_zero(self) -> None:
        if self.moved.start >= 0 and self._operand(self.moved.start).constant != 0.0:
            raise NoTerm

    def _bilinear(self) -> Array:
        """A function of two operands, with the rule that makes operations of the program of it again."""
        self._starts_from_zero()
        x, y = (self._operand(n) for n in self.moved.arguments)
        head = f"({self.original.constructor} {' '.join(self.original.operands)}"
        if self.element[0] not in "bf" or not self.term.startswith(head) or {x.element, y.element} != {self.element}:
            raise NoTerm
        kinds = [str(v.type) for v in self.op.operands]
        said = " ".join(map(str, (self.term.removeprefix(head), *kinds, *self.moved.arguments)))
        key = f'"f{self.lifter.functions.setdefault(said, len(self.lifter.functions))}"'
        made = self.lifter.special(BILINEAR, (key, extents(self.shape), x.name, y.name), self.shape, self.element)
        operands, types = list(self.original.operands), [self.op.operands[n].type for n in self.moved.arguments]
        terms = [self.lifter.vocabulary.type_term(kind) for kind in types]
        for number, name, array, term in zip(self.moved.arguments, ("x", "y"), (x, y), terms, strict=True):
            self.lifter.out.lines.append(f"(union {operands[number]} ({ROOT} {array.name} {term}))")
            operands[number] = f"({ROOT} {name} {term})"
        again = f"({self.original.constructor} {' '.join(operands)}{self.term.removeprefix(head)}"
        premise = f"(= e ({BILINEAR} {key} b r c x y))"
        rule = f"(rule ({premise}) ((union e ({LEAF} {again}))) :ruleset t.rules)"
        if rule not in self.lifter.out.lines:
            self.lifter.out.lines.append(rule)
        return made
