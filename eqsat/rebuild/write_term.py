"""Chosen terms of the algebra written as operations of a target, through its grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from raising.affine.ir.affine_expr import Lin
from raising.eqsat.egraph.vocabulary import CannotRead
from raising.eqsat.lift.algebra_terms import algebra_shape
from raising.eqsat.rebuild.algebra_to_term import (
    View,
    computed,
    given,
    literal,
    padded,
    picked,
    reshaped,
    returned,
    spread,
    summed,
    transposed,
)
from raising.eqsat.ruleset.algebra import Shape, scalar_name, summing
from raising.eqsat.ruleset.to_egglog import FLOAT, INTEGER, NEGATIVE_ZERO, PAD, PADDED, PICK, RESHAPE, SPREAD, TRANSPOSE
from raising.grammar.emit.term_builder import Builder
from raising.grammar.emit.value_targets import PureBuilder
from raising.grammar.select.selector import Argument, CannotSay, Selector
from raising.grammar.terms.structured_op import Instr
from raising.grammar.terms.term import Input, TensorType, Term
from raising.support.mlir.create import MADE, InsertPoint
from raising.support.mlir.walk import operations
from raising.support.record import dataclass

_NAME = re.compile(r"%\w+")


@dataclass(frozen=True)
class Dialect:
    """How a function's own dialect is written: its speller, and the scalar operations that carry attributes."""

    speller: Callable[[], Selector]
    instrs: Mapping[str, Instr]


class Writer:
    """Writes terms into one block; what was written once is used again."""

    def __init__(self, dialect: Dialect, ir: Any) -> None:
        self.dialect, self.ir = dialect, ir
        selector = dialect.speller()
        self.general = selector.target.general
        self.builder: Any = Builder(selector, {}, {}) if self.general else PureBuilder(selector, {})
        self.values: dict[str, Any] = {}
        self.inputs: dict[Any, Input] = {}
        self.views: dict[int, View] = {}  # by class

    def leaf(self, value: Any) -> View:
        """A value of the program."""
        ir = self.ir
        if value not in self.inputs:
            tensor = isinstance(value.type, ir.RankedTensorType)
            shape = tuple(ir.RankedTensorType(value.type).shape) if tensor else ()
            element = str(ir.ShapedType(value.type).element_type) if tensor else str(value.type)
            name = f"%in{len(self.values)}"
            term = Input(TensorType(element, tuple(Lin(e) for e in shape)), name[1:])
            self.inputs[value], self.values[name] = term, value
            self.builder.values[term.digest] = Argument(name, str(value.type)) if self.general else name
        term = self.inputs[value]
        return given(term, algebra_shape(tuple(d.const for d in term.type.dims)))

    def node(self, name: str, views: Sequence[View], labels: Sequence[Any]) -> View:
        """An operation of the algebra by its name in an e-graph; `labels` are its inputs that are no arrays."""
        if name == TRANSPOSE:
            return transposed(views[0])
        if name == SPREAD:
            return spread(views[0], (*labels[0], labels[1], labels[2]))
        if name == RESHAPE:
            return reshaped(views[0], (*labels[0], labels[1], labels[2]))
        if name == PICK:
            return picked(views[0], *map(int, labels[0].split()[:3]))
        if name == PAD:
            *batch, rows, columns = labels[2 * PADDED :]
            return padded(views[0], views[1], labels[: 2 * PADDED : 2], (*batch[0], rows, columns))
        if name in (FLOAT, INTEGER, NEGATIVE_ZERO):
            return literal("-0.0" if name == NEGATIVE_ZERO else repr(labels[0]), labels[-1])
        op = name.removeprefix("t.")
        if summing(op):
            return summed(op, views, self.general)
        instr = self.dialect.instrs.get(op) or Instr(scalar_name(op), ())
        return computed(op, views, instr)

    def write(self, view: View, kind: Any, at: InsertPoint) -> Any:
        """The value of a view, of a type of the program, made where the block is being written."""
        ir = self.ir
        shape: Shape = tuple(ir.RankedTensorType(kind).shape) if isinstance(kind, ir.RankedTensorType) else ()
        try:
            name = self._built(returned(view, shape), str(kind))
        except (CannotSay, KeyError) as error:
            raise CannotRead(f"the rules' result cannot be written: {error}") from error
        if name not in self.values:
            self._insert(at)
        value = self.values[name]
        if value.type != kind:
            raise CannotRead(f"the rules' result has type {value.type}, not {kind}")
        return value

    def _built(self, term: Term, kind: str) -> str:
        (built,) = self.builder.build([term])
        if not self.general:
            return str(built)
        as_tensor = kind.startswith("tensor<")
        found = self.builder.as_tensor(built, term.type) if as_tensor else self.builder.as_scalar(built, kind)
        return str(found.name)

    def _insert(self, at: InsertPoint) -> None:
        """Parse what was built since the last time and move it to its place."""
        lines, self.builder.lines = self.builder.lines, []
        defined = [line.split(" = ", 1)[0] for line in lines if line.startswith("%")]
        text = "\n".join(lines)
        used = [n for n in dict.fromkeys(_NAME.findall(text)) if n in self.values]
        head = ", ".join(f"{n}: {self.values[n].type}" for n in used)
        with at.location:
            helper = self.ir.Module.parse(f"func.func @f({head}) {{\n{text}\nfunc.return\n}}")
        block = helper.body.operations[0].regions[0].blocks[0]
        for argument, name in zip(block.arguments, used, strict=True):
            argument.replace_all_uses_with(self.values[name])
        *made, _ = [op.operation for op in block.operations]
        place = self.ir.Location.name(MADE, at.location)
        for op in made:
            for each in operations(op):
                each.location = place  # in the text it had that of a line of it
            if at.point.ref_operation is None:
                at.point.block.append(op)
            else:
                op.move_before(at.point.ref_operation)
        for name, op in zip(defined, made, strict=True):
            self.values[name] = op.results[0]
