"""A function in Python, statement by statement.

Values of MLIR never change, arrays of Python do. A value is kept as an expression until it is used; before a variable
is written, what is still needed of its old contents gets a name of its own. The results of loops, and what ends in an
array of the caller, are written to one variable all along, so that NumPy works in place.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, linear
from raising.readable.dialects import Dialect
from raising.readable.homes import Homes, Order, memories_written
from raising.readable.index_forms import Forms
from raising.readable.python_nodes import Node, assign, attribute, call, constant, name, pair, size, subscript
from raising.readable.python_values import Expr, Unsaid
from raising.readable.scalar_operations import Scalars, dtype_of, wrapped
from raising.support.mlir.permission import keeps_order

LONG = 60  # nodes of an expression that gets a name
_FREE = 14  # nodes of an index that is written out again
_TAKEN = {"np", "jnp", "lax", "range", "max", "min", "int", "float", "carried", "body", "then", "other"}
_TAKEN |= {*keyword.kwlist}
"""Names that mean something in the texts that are written."""


class FunctionWriter:
    """Writes one function; `names` are those of its arguments."""

    def __init__(
        self,
        op: Any,
        names: Sequence[str],
        dialect: Dialect,
        c_types: Sequence[Sequence[str]],
        handlers: Mapping[str, Callable[[FunctionWriter, Any], None]],
    ) -> None:
        self.op, self.dialect, self.c_types, self.handlers = op, dialect, c_types, handlers
        self.block = op.regions[0].blocks[0]
        if len(op.regions[0].blocks) != 1:
            raise Unsaid("it has jumps")
        strict = keeps_order(op)
        self.scalars, self.forms = Scalars(dialect.module, not strict), Forms()
        self.order = Order(op)
        self.used = set(_TAKEN)
        self.known: dict[Any, Expr] = {}
        self.statements: list[ast.stmt] = []
        self.written: list[str] = []
        self.defined: set[str] = set()
        self.kinds: dict[str, str] = {}  # element types of what loops and branches carry
        self.own: set[str] = set()  # variables whose arrays nothing else refers to
        self.memories: dict[Any, str] = {}
        self.arguments = [self._parameter(k, n) for k, n in enumerate(names)]
        self.homes = Homes(op, self.memories, self.order)

    # ---- parameters ------------------------------------------------------------------------------

    def _parameter(self, number: int, given: str) -> str:
        own = self.fresh(re.sub(r"\W", "_", given) or f"arg{number}", exact=True)
        value = self.block.arguments[number]
        kind = value.type
        self.defined.add(own)
        if isinstance(kind, ir.MemRefType | ir.RankedTensorType):
            dtype = self._signed(number, dtype_of(kind.element_type))
            self.known[value] = Expr(name(own), dtype, kind.rank, frozenset([own]), view=True)
            if isinstance(kind, ir.MemRefType):
                self.memories[value] = own
        else:
            dtype = self._signed(number, dtype_of(kind))
            weak = dtype == "int32" or dtype == "int64"
            static = dtype.lstrip("u").startswith("int")
            form = self.forms.part(name(own)) if weak else None
            self.known[value] = Expr(name(own), dtype, weak=weak, form=form, static=static)
        return own

    def _signed(self, number: int, dtype: str) -> str:
        spelled = self.c_types[number][0] if number < len(self.c_types) else ""
        unsigned = re.search(r"\bunsigned\b|\buint|\bsize_t\b", spelled)
        return "u" + dtype if unsigned and dtype.startswith("int") else dtype

    def fresh(self, base: str, exact: bool = False) -> str:
        """A name that is not taken."""
        if base[:1].isdigit():
            base = "x" + base
        found, count = base, 1
        while found in self.used:
            count += 1
            found = f"{base}_{count}" if base[-1:].isdigit() or exact else f"{base}{count}"
        self.used.add(found)
        return found

    # ---- values ----------------------------------------------------------------------------------

    def value(self, value: Any) -> Expr:
        """The expression that stands for a value of MLIR."""
        if value not in self.known:
            raise Unsaid(f"the result of '{value.owner.name}' has no form here")
        return self.known[value]

    def shape(self, value: Any) -> list[Affine]:
        """The extents of a tensor or a memory."""
        kind = value.type
        dims = range(kind.rank)
        return [self._extent(value, d) if kind.is_dynamic_dim(d) else Affine(kind.get_dim_size(d)) for d in dims]

    def _extent(self, value: Any, d: int) -> Affine:
        """An extent that is not in the type: by what the value is a change of, a parameter of C's, or `shape`."""
        while not isinstance(value, ir.BlockArgument) and (changed := _changed(value)) is not None:
            value = changed
        if not isinstance(value, ir.BlockArgument):
            found = self.homes.extent(value, d)
            if found is not None:
                return Affine(found) if isinstance(found, int) else self.form(found)
        elif value.owner == self.block and value.arg_number < len(self.c_types):
            extents = [*self.c_types[value.arg_number][2:]]
            if d < len(extents) and extents[d] in self.arguments:
                return self.forms.part(name(extents[d]))
        given = self.value(value)
        if given.splat or not isinstance(given.node, ast.Name):
            raise Unsaid("the extent of a value cannot be seen")
        return self.forms.part(subscript(attribute(given.node, "shape"), [constant(d)]), natural=True)

    def form(self, value: Any) -> Affine:
        """An index as a sum of sizes."""
        given = self.value(value)
        return given.form if given.form is not None else self.forms.part(given.node)

    def full(self, given: Expr, shape: Sequence[Affine]) -> Expr:
        """The expression with its whole shape: `np.zeros`, `np.full`, or repeated."""
        if not shape or (not given.splat and given.rank == len(shape) and not given.ones):
            return given
        extents = pair([self.forms.node(s) for s in shape])
        kind = attribute(name(self.dialect.module), "bool_" if given.dtype == "bool" else given.dtype)
        if given.rank:
            node = self.scalars.function("broadcast_to", given.node, extents)
            return given.but(node, rank=len(shape), ones=frozenset(), view=True)
        number = self.constant_of(given)
        size_ = self.forms.node(shape[0]) if len(shape) == 1 else extents
        if number == 0:
            node = self.scalars.function("zeros", size_, kind)
        elif number == 1:
            node = self.scalars.function("ones", size_, kind)
        else:
            node = self.scalars.function("full", size_, given.node, kind)
        return Expr(node, given.dtype, len(shape), given.reads)

    def constant_of(self, given: Expr) -> object:
        """The number, if it is one."""
        return given.node.value if isinstance(given.node, ast.Constant) else None

    # ---- statements ------------------------------------------------------------------------------

    def bound(self, given: Expr, hint: str = "t") -> Expr:
        """The value under a name of its own, which may be written to."""
        own = self.fresh(hint)
        node = self._copied(given) if given.rank else given.node
        self.statements.append(assign(name(own), node))
        self.defined.add(own)
        self.own.add(own)
        return Expr(name(own), given.dtype, given.rank, frozenset([own]), weak=given.weak, static=given.static)

    def _copied(self, given: Expr) -> Node:
        if self.dialect.in_place and (given.view or isinstance(given.node, ast.Name)):
            return call(attribute(given.node, "copy"))
        return given.node

    def release(self, variable: str, at: int, pending: Sequence[Any] = ()) -> None:
        """Before a variable is written, copy its old contents under a new name if they are still needed."""
        made: dict[str, Expr] = {}
        for value, given in list(self.known.items()):
            if (
                value in self.memories
                or variable not in given.reads
                or not (self.order.needed(value, at) or any(value == p for p in pending))
            ):
                continue
            text = ast.unparse(given.node)
            if text not in made:
                made[text] = self.bound(given, f"{variable}_old" if isinstance(given.node, ast.Name) else "t")
            self.known[value] = made[text]

    def put(self, target: Node, value: Expr) -> None:
        """Assign to a part of an array, or to a name."""
        if isinstance(target, ast.Subscript):
            self.statements.append(self.dialect.stored(target, value.node))
        else:
            self.statements.append(assign(target, self._copied(value) if value.rank else value.node))

    def fitted(self, value: Expr, dtype: str) -> Expr:
        """A number as elements of that type hold it: NumPy refuses integers that are too large."""
        if value.rank or value.dtype == dtype or not dtype.lstrip("u").startswith("int"):
            number = self.constant_of(value)
            if not (isinstance(number, int) and value.weak and dtype.startswith("uint")):
                return value
        if not value.weak:
            return self.scalars.converted(value, dtype)
        number = ast.literal_eval(value.node) if isinstance(value.node, ast.Constant | ast.UnaryOp) else None
        if not isinstance(number, int) or isinstance(number, bool):
            return value
        return value.but(constant(wrapped(number, dtype)))

    def store_all(self, variable: str, value: Expr, shape: Sequence[Affine], kept: str) -> None:
        """Give an array new contents."""
        if isinstance(value.node, ast.Name) and value.node.id == variable:
            return
        value = self.fitted(value, kept)
        if not self.dialect.in_place:
            value = self.full(value, shape)
            if value.dtype != kept:
                value = self.scalars.converted(value, kept)
        self.statements.append(self.dialect.whole(variable, len(shape), value.node))
        self.note_written(variable)

    def note_written(self, variable: str) -> None:
        """A variable was written."""
        if variable in self.arguments and variable not in self.written:
            self.written.append(variable)

    def define(self, value: Any, given: Expr) -> None:
        """Keep an expression for a value, or give it a name."""
        uses = list(value.uses)
        if not uses:
            return
        self.known[value] = given
        cheap = isinstance(given.node, ast.Name | ast.Constant) or given.splat and size(given.node) < 6
        cheap = cheap or (given.view or given.form is not None) and size(given.node) <= _FREE
        if cheap:
            return
        if value in self.homes.direct and len(uses) > 1:
            self._direct(value, given)
        elif len(uses) > 1 or not self.order.beside(value, uses[0]) or size(given.node) > LONG:
            self.known[value] = replace(self.bound(given), splat=given.splat)

    def _direct(self, value: Any, given: Expr) -> None:
        """Put a value where it ends anyway."""
        memory = self.homes.direct[value]
        own = self.memories[memory]
        self.release(own, self.order.place(value.owner))
        self.store_all(own, given, self.shape(memory), self.known[memory].dtype)
        self.known[value] = Expr(name(own), self.known[memory].dtype, given.rank, frozenset([own]), view=True)

    @contextmanager
    def inside(self) -> Iterator[list[ast.stmt]]:
        """Statements of a region; what is known there is forgotten afterwards."""
        outer, known, defined = self.statements, dict(self.known), set(self.defined)
        self.statements = []
        try:
            yield self.statements
        finally:
            self.statements, self.known, self.defined = outer, known, defined

    @contextmanager
    def counting(self, extent: Affine) -> Iterator[str]:
        """A loop over `extent` values."""
        counter = self.counter()
        with self.inside() as body:
            yield counter
        bounds = (constant(0), self.forms.node(extent), constant(1))
        self.statements += self.dialect.loop(counter, bounds, body, self.defined)
        self.used.discard(counter)

    def counter(self) -> str:
        """A name for a counter."""
        return self.fresh(next((n for n in "ijklmpqrs" if n not in self.used), "i"))

    # ---- regions ---------------------------------------------------------------------------------

    def write(self) -> ast.FunctionDef:
        """Write the function as syntax."""
        self.run(self.block)
        arguments = ast.arguments([], [ast.arg(a) for a in self.arguments], None, [], [], None, [])
        title = ir.StringAttr(self.op.attributes["sym_name"]).value
        title = re.sub(r"\W", "_", title)
        if title in _TAKEN or not title.isidentifier():
            title += "_"
        return ast.FunctionDef(title, arguments, self.statements or [ast.Pass()], [], lineno=0)

    def run(self, block: Any) -> None:
        """The operations of a block, in order."""
        for op in block.operations:
            operation = op.operation
            if operation.name in self.handlers:
                self.handlers[operation.name](self, operation)
            elif self.scalars.knows(operation.name) and len(operation.results) == 1:
                self._scalar(operation)
            else:
                raise Unsaid(f"'{operation.name}' has no form here")

    def _scalar(self, op: Any) -> None:
        operands = [self.value(v) for v in op.operands]
        found = self.scalars.said(op, operands)
        form = self._form_of(op, operands)
        if form is not None:
            node = self.forms.node(form)
            found = replace(found, form=form, weak=True, node=node if "max" not in ast.unparse(node) else found.node)
        self.define(op.results[0], replace(found, static=all(o.static for o in operands)))

    def _form_of(self, op: Any, operands: Sequence[Expr]) -> Affine | None:
        """The result of an operation on positions as a sum of sizes; None if it is none."""
        forms = [o.form for o in operands if o.form is not None]
        if len(forms) < len(operands):
            return None
        if op.name in ("arith.index_cast", "arith.extsi"):
            cut = str(op.operands[0].type) == "index" and str(op.results[0].type) != "i64"  # its numbers wrap around
            return None if operands[0].dtype.startswith("u") or cut else forms[0]
        if str(op.results[0].type) != "index":
            return None
        match op.name:
            case "arith.addi":
                return forms[0] + forms[1]
            case "arith.subi":
                return forms[0] - forms[1]
            case "arith.muli":
                return linear("*", *forms)
            case "arith.maxsi" if forms[1].known == 0:
                return self.forms.at_least_zero(forms[0])
        return None

    def returned(self, values: Sequence[Any]) -> None:
        """The end of the function."""
        given = [
            self.full(self.value(v), self.shape(v)) if isinstance(v.type, ir.ShapedType) else self.value(v)
            for v in values
        ]
        nodes = [g.node for g in given]
        if not self.dialect.in_place:
            nodes = [*(name(w) for w in self.written), *nodes]
        if nodes:
            self.statements.append(ast.Return(nodes[0] if len(nodes) == 1 else pair(nodes)))

    def memory(self, value: Any) -> str:
        """The variable that a memory is kept in."""
        if value not in self.memories:
            raise Unsaid("it works on a part of an array's memory")
        return self.memories[value]

    def release_written(self, op: Any, more: Sequence[str] = ()) -> None:
        """Before a loop or a branch, copy the old contents of variables that it writes if they are still needed."""
        at = self.order.place(op)
        names = {self.memories[m] for m in memories_written(op) if m in self.memories}
        for variable in sorted(names | set(more) | self.homes.inside(op)):
            self.release(variable, at)


def _changed(value: Any) -> Any:
    """The operand of a structured operation, or of bufferization, that a result has the shape of; or None."""
    op = value.owner
    if op.name.startswith("linalg."):
        number = list(op.results).index(value) if len(op.results) > 1 else 0
        return op.operands[len(op.operands) - len(op.results) + number]
    changed = op.operands[0] if op.name.startswith("bufferization.") and len(op.operands) else None
    return changed if changed is not None and isinstance(changed.type, ir.ShapedType) else None
