"""Statements of Python as statements of the core."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leaving_jumps import ends
from raising.frontend.core.types import I64, VOID
from raising.frontend.lower.ir.module import Refused
from raising.frontend.python.annotations import Shaped, Signature, element_kind
from raising.frontend.python.calls import Callee
from raising.frontend.python.module import Module, refused
from raising.frontend.python.numpy_library import complex_arithmetic
from raising.frontend.python.numpy_library.made_syntax import once, placed
from raising.frontend.python.returned_values import Returns
from raising.frontend.python.typed_nodes import Typed, constant
from raising.frontend.python.types import INT, joined
from raising.frontend.python.variables.grown_lists import with_filled_arrays
from raising.frontend.python.variables.scopes import (
    Block,
    begin_as,
    check_counters,
    mentioned,
    name_result,
    sets,
    sinking,
    with_own_names,
)
from raising.frontend.python.variables.unset_variables import with_errors_of_unset
from raising.frontend.python.variables.ways_out import never_ends
from raising.frontend.python.whole_arrays.second_names import put_in_its_places
from raising.support.source import Loc

MAX_ROUNDS = 20  # of finding the kinds of variables


class Statements(Returns):
    """Translates the body of one function."""

    def __init__(self, module: Module, signature: Signature, callees: Callee) -> None:
        super().__init__(module, signature, callees)
        self._declared: dict[int, list[str]] = {}
        self._reason: Refused | None = None  # the first in a round of looking for kinds
        self._unborn: set[str] = set()  # variables that their first assignment declares

    def function(self) -> st.Function:
        """The whole function."""
        node, loc = self.signature.node, self.place(self.signature.node)
        self._prepare()
        self.begin()
        sizes = [st.Variable(n, I64, "parameter", loc, n) for n in self.signature.sizes]
        scalars = {n: st.Variable(n, k.core, "parameter", loc, n) for n, k in self.signature.scalars.items()}
        self.variables.update({p.name: p for p in (*sizes, *scalars.values())})
        parameters = [
            *sizes,
            *(scalars[n] if n in scalars else self.memory(n, loc) for n in self.signature.order),
            *(self.memory(n, loc) for n in self.signature.results),
        ]
        self.variables = {p.name: p for p in parameters}
        body, _ = self.captured(partial(self.block, node.body))
        result = VOID if self.result is None else self.result.core
        if self.result is not None and not ends(body):
            if not never_ends(node.body):
                raise refused(
                    self.module, node, "a path on which nothing is returned, beside one that returns a number"
                )
            body = (*body, st.Return(constant(0, loc).converted(self.result, loc), loc))
        made = st.Function(node.name, result, tuple(parameters), body, loc, self.variables)
        complex_arithmetic.check(made, inner=self.signature.inner)
        return made

    def _prepare(self) -> None:
        """The kinds of all variables, and the blocks that they belong to."""
        node = self.signature.node
        name_result(self.module, node, self.unused)
        with_errors_of_unset(self.module, node, self.unused)
        self._counters = check_counters(self.module, node)
        with_filled_arrays(self.module, node, self.unused)
        parameters = {*self.signature.order}
        self.kinds.update(self.signature.scalars)
        self.kinds.update(dict.fromkeys(self.signature.sizes, INT))
        self.arrays.update(self.signature.arrays)
        empty = Shaped(INT, ())
        self.signature.results.update({n: empty for n in self._returned() if n not in parameters})
        self._find_kinds(node.body)
        for name, kind in self.signature.scalars.items():
            if self.kinds[name].core != kind.core:  # in Python a name has no type
                begin_as(node, own := self.unused(name), name)
                self.kinds[own], self.kinds[name] = self.kinds[name], kind
        self._check_extents()
        for name in [n for n in self.signature.results if n not in self.arrays]:
            del self.signature.results[name]
        names = frozenset(self.kinds) - parameters - frozenset(self.signature.sizes) - self._counters
        for block, name in sinking(node.body, names):
            self._declared.setdefault(id(block), []).append(name)

    def _returned(self) -> list[str]:
        """The names that the last statement returns, in order."""
        last = self.signature.node.body[-1]
        value = last.value if isinstance(last, ast.Return) else None
        return [p.id for p in (value.elts if isinstance(value, ast.Tuple) else [value]) if isinstance(p, ast.Name)]

    def block(self, block: Block) -> None:
        """A block: the variables that live in it are declared where they are set first, or at its start."""
        for name in self._declared.get(id(block), []):
            if sets(block, name):
                self._unborn.add(name)
            else:
                loc = self.place(block[0])
                self.declare(self.variable(name, self.kinds[name].core, loc), None, loc)
        for node in block:
            try:
                self.statement(node)
            except Refused as error:
                if not self.typing:
                    raise
                self._reason = self._reason or error  # a later statement may say what is not known here

    def statement(self, node: ast.stmt) -> None:
        """Translate a statement."""
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise refused(self.module, node, f"a {type(node).__name__} statement is not supported")
        handler(self, node, self.place(node))
        if isinstance(node, ast.Return):
            self.asked.clear()
        self.ask()  # here, where the counters of loops around are what they are

    def _check_extents(self) -> None:
        """`Refused` if a variable of an extent changes: extents are computed again where the array is used."""
        for name, shape in self.arrays.items():
            for part in sorted(mentioned(shape.extents) - self.arrays.keys()):  # an array keeps its shape
                if self.times[part] > (0 if part in self.signature.order else 1):
                    where = self.makers.get(name, self.signature.node)
                    raise refused(self.module, where, f"'{part}', of which array '{name}' has its extent, is changed")

    # ---- kinds of variables ------------------------------------------------------------------------

    def _find_kinds(self, body: Block) -> None:
        """Go through the statements until no variable changes its kind any more."""
        self.typing = True
        for _ in range(MAX_ROUNDS):
            self.before, self._reason, self.again = dict(self.kinds), None, False
            self.begin()
            self.block(body)
            if self.kinds == self.before and not self.again:
                break
        self.typing = False
        if self._reason is not None:
            raise self._reason

    def _set(self, name: str, value: Typed, node: ast.expr) -> None:
        """A variable gets a value of a kind."""
        if name in self.arrays:
            raise refused(self.module, node, f"array '{name}' is another one, or a number, from here on")
        if name in self.signature.sizes:
            raise refused(self.module, node, f"size '{name}' is changed")
        old = self.kinds.get(name, value.kind)
        kind = joined(old, value.kind)
        if kind is None:
            if self.typing and with_own_names(self.signature.node, name, self.unused):
                self.again, self.times = True, self.times_set()
                del self.kinds[name]  # the next round finds several
            raise refused(self.module, node, f"'{name}' is a {old.dtype} first and a {value.kind.dtype} then")
        self.check_exact(value, kind, node)
        self.kinds[name] = kind

    # ---- assignments -------------------------------------------------------------------------------

    def _assign(self, node: ast.Assign, loc: Loc) -> None:
        if len(node.targets) > 1:
            self._assign_each(node, loc)
            return
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple):
            self._assign_all(target, value, loc)
        elif self.typing and isinstance(value, ast.Subscript) and isinstance(target, ast.Name) and self.selects(value):
            if not put_in_its_places(self.signature.node, node, self.module.functions):
                raise refused(self.module, value, f"selection '{target.id}' is written, or what it is of; use np.where")
            self.again = True
        elif self.is_size(target, value) or (isinstance(target, ast.Name) and self.array(target.id, value, loc)):
            return
        elif not self.stored_whole(target, value, loc):
            self._store(target, self.value(value), value, loc)

    def _assign_each(self, node: ast.Assign, loc: Loc) -> None:
        """`a = b = x`: the value once, then the targets from left to right."""
        if self.stored_in_each(node.targets, node.value, loc):
            return
        kept = self.keep(self.value(node.value))
        for target in node.targets:
            self._store(target, kept, node.value, loc)

    def _store(self, target: ast.expr, value: Typed, node: ast.expr, loc: Loc) -> None:
        if isinstance(target, ast.Name):
            self._store_name(target, value, node, loc)
            return
        if not isinstance(target, ast.Subscript):
            raise refused(self.module, target, "this cannot be assigned")
        made, (element, rest) = self.captured(partial(self.element, target))
        if made:
            value = self.keep(value)
            self.out += made
        self._store_element(target, element, rest, value, loc)

    def _store_element(self, target: ast.Subscript, element: ex.Lvalue, rest: Shaped, value: Typed, loc: Loc) -> None:
        if rest.extents:
            raise refused(self.module, target, "a row of an array is assigned whole; write the loop over its elements")
        self.check_fits([value], rest.kind, loc)
        self.out.append(st.Assign(element, value.converted(rest.kind, loc), loc))

    def _store_name(self, target: ast.Name, value: Typed, node: ast.expr, loc: Loc) -> None:
        name = target.id
        if name in self._counters:
            raise refused(self.module, target, f"'{name}' counts a loop, and is changed")
        self._set(name, value, node)
        self.meanings[name] = node
        variable = self.variable(name, self.kinds[name].core, loc)
        found = value.converted(self.kinds[name], loc)
        if name in self._unborn:
            self._unborn.remove(name)
            self.declare(variable, found, loc)
        else:
            self.out.append(st.Assign(build.name(variable, loc), found, loc))

    def _assign_all(self, target: ast.Tuple, value: ast.expr, loc: Loc) -> None:
        """`a, b = x, y`: all values first, then the targets from left to right."""
        if self.exchanged(target, value, loc):
            return
        if (values := self.parts_of(value)) is None:
            several = isinstance(value, ast.Call) and self.gives_tuple(value)
            if self.view(value) is None and not several and self.shape_of(value):
                value = self.named_first(value)
            view = self.view(value)
            if view is None or not view.extents:
                self.results_of(target, value)
                return
            values = self._each(value, view.extents[0], len(target.elts))
            if len(view.extents) > 1:
                for part, row in zip(target.elts, values, strict=True):
                    self.stored_whole(part, row, loc)
                return
        if len(values) != len(target.elts):
            raise refused(self.module, target, f"{len(values)} values for {len(target.elts)} names")
        pairs = [(t, v) for t, v in zip(target.elts, values, strict=True) if not self.is_size(t, v)]
        if any(self.shape_of(v) and isinstance(t, ast.Subscript) for t, v in pairs):
            self._assign_parts(pairs, loc)
            return
        typed = self.values([v for _, v in pairs])
        for (part, own), value_ in zip(pairs, [self.keep(t) for t in typed], strict=True):
            self._store(part, value_, own, loc)

    def _assign_parts(self, pairs: Sequence[tuple[ast.expr, ast.expr]], loc: Loc) -> None:
        """`A[:, i], A[:, j] = A[:, j], A[:, i].copy()`: what is a part of an array is read when it is stored."""
        ready: list[ast.expr | Typed] = []
        for _, value in pairs:
            if not self.shape_of(value):
                ready.append(self.keep(self.value(value)))
            else:
                ready.append(value if self.shared(value) else self.named_first(value))
        for (target, own), value_ in zip(pairs, ready, strict=True):
            if isinstance(value_, Typed):
                self._store(target, value_, own, loc)
            elif isinstance(target, ast.Name) or not self.stored_whole(target, value_, loc):
                raise refused(self.module, target, "an array is assigned to this, beside parts of arrays")

    def _each(self, vector: ast.expr, extent: ast.expr, count: int) -> list[ast.expr]:
        """The elements of a vector, or the rows of an array, that has as many as there are names."""
        length = ast.copy_location(ast.Constant(count), vector)
        self.require_equal("there is an element for each name", extent, length, vector)
        self.ask()
        parts: list[ast.expr] = [ast.Subscript(vector, ast.Constant(k), ast.Load()) for k in range(count)]
        return once(vector, "parts", lambda: [placed(part, vector) for part in parts])

    def results_of(self, target: ast.Tuple, value: ast.expr) -> None:
        """The arrays and numbers that a call gives; numbers are in arrays of one element, until they are stored."""
        shapes, loc = self.result_shapes(value) if isinstance(value, ast.Call) else [], self.place(value)
        if not isinstance(value, ast.Call) or len(shapes) != len(target.elts):
            raise refused(self.module, value, f"this gives no values for {len(target.elts)} names")
        signature = self.callee(value).signature
        numbers: list[tuple[ast.expr, Typed]] = []
        names = []
        for part, shape, (name, kind) in zip(
            target.elts, shapes, [(n, signature.boxed.get(n)) for n in signature.results], strict=True
        ):
            if kind is not None:
                box = self.temporary(shape.kind, shape.extents, value)
                zero = build.integer(0, I64, loc)
                numbers.append((part, Typed(build.load(self.lvalue(box, [zero], loc), loc), kind)))
                names.append(box.name)
            elif isinstance(part, ast.Name):
                self.declare_array(part.id, shape, value, loc)
                names.append(part.id)
            else:
                raise refused(self.module, part, f"array '{name}' is given to no name")
        self.called(value, names)
        for part, number in numbers:
            self._store(part, self.keep(number), value, loc)

    def _annotated(self, node: ast.AnnAssign, loc: Loc) -> None:
        if not isinstance(node.target, ast.Name) or (kind := element_kind(self.module, node.annotation)) is None:
            raise refused(self.module, node, "this annotation is not supported")
        if node.value is None:
            raise refused(self.module, node, "a declaration without a value")
        value = self.value(node.value)
        self._store(node.target, Typed(value.converted(kind, loc), kind), node.value, loc)

    def _augmented(self, node: ast.AugAssign, loc: Loc) -> None:
        if self.augmented_whole(node, loc):
            return
        if not isinstance(node.target, ast.Subscript):
            left, right = self.values((node.target, node.value))
            self._store(node.target, self.combined(node, left, right, loc), node.value, loc)
            return
        element, rest = self.element(node.target)
        if rest.extents:
            raise refused(self.module, node.target, "a row of an array is used whole; write the loop over its elements")
        where = self.place(node.target)
        old = Typed(build.load(element, where), rest.kind)
        left, right = self.in_order([lambda: old, partial(self.value, node.value)])
        self._store_element(node.target, element, rest, self.combined(node, left, right, loc), loc)

    def _alone(self, node: ast.Expr, loc: Loc) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if not isinstance(node.value, ast.Call):
            raise refused(self.module, node, "an expression whose value nobody uses")
        if self.stored_by_call(node.value, loc):
            return
        if self.module.dotted(node.value.func).startswith("numpy."):
            self.value(node.value)  # for what it asks of its arguments
            return
        self.called(node.value, [])


def _nothing(statements: Statements, node: ast.stmt, loc: Loc) -> None:
    return None


def _continue(statements: Statements, node: ast.stmt, loc: Loc) -> None:
    statements.out.append(st.Continue(loc))


def _break(statements: Statements, node: ast.stmt, loc: Loc) -> None:
    statements.out.append(st.Break(loc))


_HANDLERS: dict[type, Callable[[Statements, Any, Loc], None]] = {
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.For: Statements._for,
    ast.While: Statements._while,
    ast.If: Statements._if,
    ast.Return: Returns.return_,
    ast.Expr: Statements._alone,
    ast.Pass: _nothing,
    ast.Assert: _nothing,
    ast.Continue: _continue,
    ast.Break: _break,
}
