"""Statements of Python as statements of C."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from raising.frontend.c.ir.module import Refused
from raising.frontend.python import c_syntax as build
from raising.frontend.python.annotations import Shaped, Signature, element_kind
from raising.frontend.python.arrays import Arrays
from raising.frontend.python.module import Module, refused
from raising.frontend.python.scopes import Block, assigned, check_counters, counters, mentioned, sinking, with_counters
from raising.frontend.python.typed_nodes import Typed
from raising.frontend.python.types import INT, Kind, joined
from raising.support.source import Loc

MAX_ROUNDS = 20  # of finding the kinds of variables
_RANGES = ("range", "prange", "numba.prange", "numba.range")
_PRODUCTS = ("itertools.product", "numpy.ndindex", "ndindex", "product")


class Statements(Arrays):
    """Translates the body of one function."""

    def __init__(self, module: Module, signature: Signature, callees: Callable[[str], Any]) -> None:
        super().__init__(module, signature, callees)
        self.result: Kind | None = None
        self._fresh = count()
        self._declared: dict[int, list[str]] = {}
        self._typing = False  # the kinds of variables are still looked for

    def body(self) -> list[Any]:
        """The function's statements."""
        node = self.signature.node
        self._name_result(node)
        with_counters(self.module, node, self.unused)
        self._counters = check_counters(self.module, node)
        parameters = {*self.signature.order}
        self.kinds.update(self.signature.scalars)
        self.kinds.update(dict.fromkeys(self.signature.sizes, INT))
        self.arrays.update(self.signature.arrays)
        empty = Shaped(INT, ())
        self.signature.results.update({n: empty for n in self._returned() if n not in parameters})
        self._find_kinds(node.body)
        self._check_extents()
        for name in [n for n in self.signature.results if n not in self.arrays]:
            del self.signature.results[name]
        names = frozenset(self.kinds) - parameters - frozenset(self.signature.sizes) - self._counters
        for block, name in sinking(node.body, names):
            self._declared.setdefault(id(block), []).append(name)
        return self.block(node.body)

    def _name_result(self, function: ast.FunctionDef) -> None:
        """`return f(...)` of a function of the file, at the end, as `result = f(...); return result`."""
        last = function.body[-1]
        if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Call):
            return
        if self.module.dotted(last.value.func) in self.module.functions:
            name = self.unused("result")
            parts = ast.Assign([ast.Name(name, ast.Store())], last.value), ast.Return(ast.Name(name, ast.Load()))
            function.body[-1:] = [ast.fix_missing_locations(ast.copy_location(part, last)) for part in parts]

    def _returned(self) -> list[str]:
        """The names that the last statement returns, in order."""
        last = self.signature.node.body[-1]
        value = last.value if isinstance(last, ast.Return) else None
        return [p.id for p in (value.elts if isinstance(value, ast.Tuple) else [value]) if isinstance(p, ast.Name)]

    def block(self, block: Block) -> list[Any]:
        """A block: declarations of the variables that live in it, and its statements."""
        found = []
        for name in self._declared.get(id(block), []):
            found.append(build.declare(name, self.kinds[name], self.place(block[0])))
        for node in block:
            found += self.statement(node)
        return found

    def statement(self, node: ast.stmt) -> list[Any]:
        """A statement."""
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise refused(self.module, node, f"a {type(node).__name__} statement is not supported")
        return handler(self, node, self.place(node))

    def _check_extents(self) -> None:
        """`Refused` if a variable of an extent changes: extents are computed again where the array is used."""
        for name, shape in self.arrays.items():
            for part in sorted(mentioned(shape.extents)):
                if self.times[part] > (0 if part in self.signature.order else 1):
                    where = self.makers.get(name, self.signature.node)
                    raise refused(self.module, where, f"'{part}', of which array '{name}' has its extent, is changed")

    # ---- kinds of variables ------------------------------------------------------------------------

    def _find_kinds(self, body: Block) -> None:
        """Go through the statements until no variable changes its kind any more."""
        self._typing = True
        reason: Refused | None = None
        for _ in range(MAX_ROUNDS):
            before, reason = dict(self.kinds), None
            for node in body:
                try:
                    self.statement(node)
                except Refused as error:
                    reason = reason or error
            if self.kinds == before:
                break
        self._typing = False
        if reason is not None:
            raise reason

    def _set(self, name: str, value: Typed, node: ast.expr) -> None:
        """A variable gets a value of a kind."""
        if name in self.arrays:
            raise refused(self.module, node, f"array '{name}' is another one, or a number, from here on")
        if name in self.signature.sizes:
            raise refused(self.module, node, f"size '{name}' is changed")
        old = self.kinds.get(name, value.kind)
        kind = joined(old, value.kind) if name not in self.signature.scalars else old
        if kind is None:
            raise refused(self.module, node, f"'{name}' is a {old.dtype} first and a {value.kind.dtype} then")
        if not self._typing:
            self.check_exact(value, kind, node)
        self.kinds[name] = kind

    # ---- assignments -------------------------------------------------------------------------------

    def _assign(self, node: ast.Assign, loc: Loc) -> list[Any]:
        if len(node.targets) > 1:
            return self._assign_each(node, loc)
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple):
            return self._assign_all(target, value, loc)
        if self.is_size(target, value):
            return []
        if isinstance(target, ast.Name):
            made = self.array(target.id, value, loc)
            if made is not None:
                return made
        return [self._store(target, self.value(value), value, loc)]

    def _assign_each(self, node: ast.Assign, loc: Loc) -> list[Any]:
        """`a = b = x`: the value once, then the targets from left to right."""
        typed, name = self.value(node.value), self.unused(f"value_{next(self._fresh)}")
        kept = replace(typed, node=build.name(name, loc))
        stores = [self._store(target, kept, node.value, loc) for target in node.targets]
        return [build.declare(name, typed.kind, loc, init=typed.node), *stores]

    def _store(self, target: ast.expr, value: Typed, node: ast.expr, loc: Loc) -> Any:
        if isinstance(target, ast.Name):
            if target.id in self._counters:
                raise refused(self.module, target, f"'{target.id}' counts a loop, and is changed")
            self._set(target.id, value, node)
            self.meanings[target.id] = node
            return build.assign(build.name(target.id, loc), value.converted(self.kinds[target.id], loc), loc)
        if not isinstance(target, ast.Subscript):
            raise refused(self.module, target, "this cannot be assigned")
        element, rest = self.element(target)
        if rest.extents:
            raise refused(self.module, target, "a row of an array is assigned whole; write the loop over its elements")
        return build.assign(element, value.converted(rest.kind, loc), loc)

    def _assign_all(self, target: ast.Tuple, value: ast.expr, loc: Loc) -> list[Any]:
        """`a, b = x, y`: all values first; or the extents of an array."""
        if isinstance(value, ast.Attribute) and value.attr == "shape" and isinstance(value.value, ast.Name):
            values: Sequence[ast.expr] = self.shape(value.value)
        elif isinstance(value, ast.Tuple):
            values = value.elts
        else:
            return self.results_of(target, value)
        if len(values) != len(target.elts):
            raise refused(self.module, target, f"{len(values)} values for {len(target.elts)} names")
        pairs = [(t, v) for t, v in zip(target.elts, values, strict=True) if not self.is_size(t, v)]
        typed = [self.value(v) for _, v in pairs]
        names = [self.unused(f"value_{next(self._fresh)}") for _ in typed]
        found = [build.declare(n, t.kind, loc, init=t.node) for n, t in zip(names, typed, strict=True)]
        for (part, own), name, kept in zip(pairs, names, typed, strict=True):
            found.append(self._store(part, replace(kept, node=build.name(name, loc)), own, loc))
        return found

    def results_of(self, target: ast.Tuple, value: ast.expr) -> list[Any]:
        """The arrays that a call gives."""
        names = [t.id for t in target.elts if isinstance(t, ast.Name)]
        made = self.results(names, value) if len(names) == len(target.elts) else None
        if made is None:
            raise refused(self.module, value, "this gives no values that can be told apart")
        return made

    def _annotated(self, node: ast.AnnAssign, loc: Loc) -> list[Any]:
        if not isinstance(node.target, ast.Name) or (kind := element_kind(self.module, node.annotation)) is None:
            raise refused(self.module, node, "this annotation is not supported")
        if node.value is None:
            raise refused(self.module, node, "a declaration without a value")
        value = self.value(node.value)
        converted = Typed(value.converted(kind, loc), kind)
        return [self._store(node.target, converted, node.value, loc)]

    def _augmented(self, node: ast.AugAssign, loc: Loc) -> list[Any]:
        if isinstance(node.op, ast.Pow):
            raise refused(self.module, node, "**= is not supported")
        value = self.combined(node, self.value(node.target), self.value(node.value), loc)
        return [self._store(node.target, value, node.value, loc)]

    # ---- control -----------------------------------------------------------------------------------

    def _for(self, node: ast.For, loc: Loc) -> list[Any]:
        if node.orelse:
            raise refused(self.module, node, "a loop with else")
        names = counters(node.target)
        ranges = self._ranges(node.iter)
        if len(ranges) != len(names):
            raise refused(self.module, node.iter, "a loop over something that is not a range, or not one name for each")
        for name in names:
            if name in self.arrays or name in self.signature.order or name in self.signature.sizes:
                raise refused(self.module, node, f"'{name}' counts a loop and is something else, too")
            self.kinds[name] = INT
        changed = assigned(node.body) & mentioned([node.iter])
        if changed:
            raise refused(self.module, node, f"the loop changes '{min(changed)}', on which its range depends")
        body = self.block(node.body)
        for name, (low, high, step) in zip(reversed(names), reversed(ranges), strict=True):
            body = [build.count(name, low, high, step, body, loc)]
        return body

    def _ranges(self, node: ast.expr) -> list[tuple[Any, Any, int]]:
        """(start, end, step) of each loop that an iterable means."""
        if not isinstance(node, ast.Call) or node.keywords:
            return []
        name, loc = self.module.dotted(node.func), self.place(node)
        zero = build.integer(0, "int64", loc)
        if name in _RANGES and 1 <= len(node.args) <= 3:
            step = self.module.number(node.args[2]) if len(node.args) == 3 else 1
            if not isinstance(step, int) or step == 0:
                raise refused(self.module, node, "the step of a range has to be a constant other than 0")
            ends = [self.integer(a) for a in node.args[:2]]
            return [(ends[0], ends[1], step) if len(ends) == 2 else (zero, ends[0], step)]
        if name not in _PRODUCTS or any(isinstance(a, ast.Starred) for a in node.args):
            return []
        if name.endswith("product"):
            return [r for a in node.args for r in self._ranges(a)]
        extents = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else node.args
        return [(zero, self.integer(e), 1) for e in extents]

    def _while(self, node: ast.While, loc: Loc) -> list[Any]:
        if node.orelse:
            raise refused(self.module, node, "a loop with else")
        return [build.repeat(self.condition(node.test), self.block(node.body), loc)]

    def _if(self, node: ast.If, loc: Loc) -> list[Any]:
        return [build.branch(self.condition(node.test), self.block(node.body), self.block(node.orelse), loc)]

    def _return(self, node: ast.Return, loc: Loc) -> list[Any]:
        value = node.value
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            return [build.leave(None, loc)]
        if all(isinstance(p, ast.Name) and p.id in self.arrays for p in parts):
            if node is not self.signature.node.body[-1]:
                raise refused(self.module, node, "an array is returned from inside of the function")
            return []
        found = self.value(value)
        old = self.result or found.kind
        kind = joined(old, found.kind)
        if kind is None:
            raise refused(self.module, node, f"returns a {old.dtype} or a {found.kind.dtype}")
        self.result = kind
        return [build.leave(found.converted(kind, loc), loc)]

    def _alone(self, node: ast.Expr, loc: Loc) -> list[Any]:
        if isinstance(node.value, ast.Constant):
            return []
        if isinstance(node.value, ast.Call):
            return [self.called(node.value, [])]
        raise refused(self.module, node, "an expression whose value nobody uses")


def _nothing(statements: Statements, node: ast.stmt, loc: Loc) -> list[Any]:
    return []


_HANDLERS: dict[type, Callable[[Statements, Any, Loc], list[Any]]] = {
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.For: Statements._for,
    ast.While: Statements._while,
    ast.If: Statements._if,
    ast.Return: Statements._return,
    ast.Expr: Statements._alone,
    ast.Pass: _nothing,
    ast.Assert: _nothing,
    ast.Continue: lambda s, node, loc: [build.proceed(loc)],
    ast.Break: lambda s, node, loc: [build.stop(loc)],
}
