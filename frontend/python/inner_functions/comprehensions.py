"""Comprehensions, and what `sum`, `max`, `min`, `any` and `all` go through, as functions with loops.

    sum(x * c for x in a)           ->   _sum(a, c)     def _sum(a, c):
                                                            found = 0
                                                            for x in a:
                                                                found += x * c
                                                            return found
    np.array([x * c for x in a])    ->   _listed(a, c), which is numpy._each(k, len(a), a[k] * c)

Comprehensions over a few constants are written out, as loops over them are: their elements may be arrays.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import count, product
from typing import cast

from raising.frontend.python.inner_functions.known_arguments import known_value
from raising.frontend.python.inner_functions.made_functions import captured, kept, made, variables
from raising.frontend.python.module import Module, refused
from raising.frontend.python.numpy_library.made_syntax import numpy_call, placed, with_meanings, written

MOST = 32
"""A comprehension over more constants than these is a loop."""
_ITERATORS = ("range", "enumerate", "zip", "reversed", "len")
_FOLDS = {
    "sum": ("found = START", "found += ELEMENT", "return found"),
    "any": ("found = False", "if ELEMENT: found = True", "return found"),
    "all": ("found = True", "if not ELEMENT: found = False", "return found"),
    **{
        name: (
            "found, some = 0, 0",
            f"value = ELEMENT\nif some == 0 or value {op} found: found = value\nsome = 1",
            f"if some == 0: raise ValueError('{name} of no elements')\nreturn found",
        )
        for name, op in (("max", ">"), ("min", "<"))
    },
}
"""What stands in front of a loop, in it, and behind it."""
Comprehension = ast.GeneratorExp | ast.ListComp


def written_as_loops(module: Module, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function without comprehensions, in place; `Refused` for those that are no arrays."""
    function.body = [_Loops(module, function).visit(statement) for statement in function.body]
    return function


class _Loops(ast.NodeTransformer):
    def __init__(self, module: Module, function: ast.FunctionDef) -> None:
        self.module, self.variables = module, variables(function)
        self.taken = self.variables | {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call of a function of Python's that folds, or of one of NumPy's that makes an array."""
        name, given = self.module.dotted(node.func), node.args
        if name in _FOLDS and name not in self.module.functions and not node.keywords:
            several = len(given) != 1 and not (name == "sum" and len(given) == 2)
            if not several and not isinstance(given[0], ast.Starred):
                return self._folded(node, name)
        if name == "numpy.fromiter" and len(given) >= 2 and isinstance(given[0], ast.GeneratorExp):
            list_ = placed(ast.ListComp(given[0].elt, given[0].generators), node)
            return placed(_typed(self.visit_ListComp(list_), given[1]), node)
        if name == "numpy._array" and isinstance(given[0], ast.ListComp) and self._constants(given[0]) is None:
            return self.visit_ListComp(given[0])
        self.generic_visit(node)
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        """A generator that nothing of these goes through."""
        told = "a generator that none of sum, max, min, any, all and np.fromiter goes through"
        raise refused(self.module, node, told)

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """A list: of few constants, of the values written out; else an array."""
        values = self._written_out(node)
        if values is not None:
            return placed(ast.List(values, ast.Load()), node)
        outside, own = dict[str, ast.expr](), set[str]()
        made_ = self._listed(node, outside, own)
        return self._function("listed", node, [ast.Return(made_)], outside, own)

    def _listed(self, node: ast.ListComp, outside: dict[str, ast.expr], own: set[str]) -> ast.expr:
        """A list as `numpy._each(k, n, element)`: `n` elements, by their number `k`."""
        if any(g.ifs for g in node.generators) or len(node.generators) > 1:
            raise refused(self.module, node, "a list over several loops, or whose length depends on data")
        node = cast(ast.ListComp, self._renamed(node))
        (generator,), at = node.generators, self._unused("at")
        own.add(at)
        place = ast.Name(at, ast.Load())
        walked = self._outside(self.visit(generator.iter), outside)
        length, meanings = self._counted(generator.target, walked, place)
        inner = isinstance(node.elt, ast.ListComp) and self._constants(node.elt) is None
        element = self._listed(node.elt, outside, own) if inner else self.visit(node.elt)  # type: ignore[arg-type]
        element = numpy_call("_array", [element]) if isinstance(element, ast.List | ast.Tuple) else element
        return placed(numpy_call("_each", [place, length, with_meanings(element, meanings)]), node)

    def _counted(self, target: ast.expr, walked: ast.expr, at: ast.expr) -> tuple[ast.expr, dict[str, ast.expr]]:
        """How many rounds a loop has, and what its variables are in round `at`."""
        name = self.module.dotted(walked.func) if isinstance(walked, ast.Call) else ""
        given = walked.args if isinstance(walked, ast.Call) else []
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        if isinstance(walked, ast.Call) and any(getattr(k.value, "value", True) for k in walked.keywords):
            raise refused(self.module, walked, "a list over this; fill an array in a loop")
        match name, parts, given:
            case "enumerate", [ast.Name(id=counter), inner], [over, *start]:
                length, found = self._counted(inner, over, at)
                return length, {**found, counter: _sum(at, start[0]) if start else at}
            case "zip", _, _ if len(parts) == len(given) and given:
                pairs = [self._counted(t, w, at) for t, w in zip(parts, given, strict=True)]
                return pairs[0][0], {k: v for _, found in pairs for k, v in found.items()}
            case "range", [ast.Name(id=counter)], [end]:
                return end, {counter: at}
            case "range", [ast.Name(id=counter)], [start_, end]:
                return ast.BinOp(end, ast.Sub(), start_), {counter: _sum(at, start_)}
        if name in _ITERATORS or not all(isinstance(p, ast.Name) for p in parts):
            raise refused(self.module, walked, "a list over this; fill an array in a loop")
        place: ast.expr = ast.Subscript(walked, at, ast.Load())
        if isinstance(target, ast.Name):
            return _len(walked), {target.id: place}
        each = {p.id: ast.Subscript(place, ast.Constant(k), ast.Load()) for k, p in enumerate(parts)}  # type: ignore[attr-defined]
        return _len(walked), {**each}

    # ---- folds ---------------------------------------------------------------------------------------

    def _folded(self, node: ast.Call, name: str) -> ast.expr:
        """The fold of what is gone through."""
        source, start = node.args[0], node.args[1] if len(node.args) > 1 else ast.Constant(0)
        if isinstance(source, ast.List | ast.Tuple):
            self.generic_visit(node)
            return self._of_values(node, name, list(source.elts), start)
        if not isinstance(source, Comprehension):
            each = self._unused("each")
            walked = ast.comprehension(ast.Name(each, ast.Store()), source, [], 0)
            source = placed(ast.GeneratorExp(ast.Name(each, ast.Load()), [walked]), source)
        values = self._written_out(source)
        if values is not None:
            return self._of_values(node, name, values, self.visit(start))
        source, outside = self._renamed(source), dict[str, ast.expr]()
        own = {v: self._unused(v) for v in ("found", "some", "value")}
        element, start = self.visit(source.elt), self.visit(start)
        before, block, behind = (written(text, node, ELEMENT=element, START=start, **own) for text in _FOLDS[name])
        for number, generator in reversed([*enumerate(source.generators)]):
            for test in reversed(generator.ifs):
                block = [ast.If(self.visit(test), block, [])]
            over = self.visit(generator.iter)
            over = over if number else self._outside(over, outside)
            block = [ast.For(generator.target, over, block, [])]
        inner = {n for g in source.generators for n in _names(g.target)}
        return self._function(name, node, [*before, *block, *behind], outside, {*inner, *own.values()})

    def _of_values(self, node: ast.Call, name: str, values: Sequence[ast.expr], start: ast.expr) -> ast.expr:
        """The fold of values that are written out."""
        if name == "sum":
            found = start
            for value in values:
                found = ast.BinOp(found, ast.Add(), value)
            return placed(found, node)
        if name in ("any", "all"):
            each: list[ast.expr] = [ast.Compare(v, [ast.NotEq()], [ast.Constant(0)]) for v in values]
            op = ast.Or() if name == "any" else ast.And()
            found = ast.BoolOp(op, each) if len(each) > 1 else each[0] if each else ast.Constant(name == "all")
            return placed(found, node)
        if not values:
            raise refused(self.module, node, f"{name} of no elements")
        return placed(ast.Call(ast.Name(name, ast.Load()), [*values], []), node) if len(values) > 1 else values[0]

    # ---- what both have ------------------------------------------------------------------------------

    def _function(
        self, name: str, node: ast.expr, body: list[ast.stmt], outside: Mapping[str, ast.expr], own: set[str]
    ) -> ast.expr:
        """The call of a function with this body; what stands outside of its loops is an argument."""
        reads = captured(self.module, body, {*own, *outside}, self.variables)
        function = placed(made([*outside, *reads], body), node)
        called = kept(self.module, function, f"_{name}_{node.lineno}_{node.col_offset}", node)
        given = [*outside.values(), *(ast.Name(r, ast.Load()) for r in reads)]
        return placed(ast.Call(ast.Name(called, ast.Load()), given, []), node)

    def _outside(self, walked: ast.expr, outside: dict[str, ast.expr]) -> ast.expr:
        """What a loop goes through, with a parameter for each array in it that has no name."""
        if isinstance(walked, ast.Call) and self.module.dotted(walked.func) in _ITERATORS:
            walked.args = [self._outside(a, outside) for a in walked.args]
            return walked
        if not isinstance(walked, ast.Call | ast.BinOp | ast.UnaryOp) or self.module.number(walked) is not None:
            return walked
        name = self._unused("walked")
        outside[name] = walked
        return ast.copy_location(ast.Name(name, ast.Load()), walked)

    def _renamed(self, source: Comprehension) -> Comprehension:
        """The comprehension with names for its variables that nothing else has."""
        found = deepcopy(source)
        for name in {n for g in source.generators for n in _names(g.target)}:
            own = self._unused(name)
            first = found.generators[0].iter  # it is evaluated outside, where the name is another one
            for node in (n for n in ast.walk(found) if isinstance(n, ast.Name) and n.id == name):
                if node not in ast.walk(first):
                    node.id = own
        return found

    def _written_out(self, source: Comprehension) -> list[ast.expr] | None:
        """The elements of a comprehension over few constants; None for others."""
        rows = self._constants(source)
        if rows is None:
            return None
        found = []
        for row in rows:
            tests = [known_value(with_meanings(t, row), self.module.number) for g in source.generators for t in g.ifs]
            if None in tests:
                raise refused(self.module, source, "a condition on more than constants, in a comprehension over them")
            if all(tests):
                found.append(self.visit(with_meanings(source.elt, row)))
        return found

    def _constants(self, source: Comprehension) -> list[dict[str, ast.expr]] | None:
        """The values of the variables in each round of a comprehension over few constants; None for others."""
        each = [self._rows(g) for g in source.generators]
        if any(rows is None for rows in each):
            return None
        found = [{k: v for row in rows for k, v in row.items()} for rows in product(*each)]  # type: ignore[arg-type]
        return found if len(found) <= MOST else None

    def _rows(self, generator: ast.comprehension) -> list[dict[str, ast.expr]] | None:
        values, target = generator.iter, generator.target
        if isinstance(values, ast.Call) and self.module.dotted(values.func) == "range":
            ends = [self.module.number(a) for a in values.args]
            if values.keywords or not ends or not all(isinstance(e, int) for e in ends) or ends[2:] == [0]:
                return None
            steps = range(*ends)  # type: ignore[arg-type]
            rows: list[ast.expr] = [ast.Constant(k) for k in steps] if len(steps) <= MOST else []
            if not rows:
                return None
        elif isinstance(values, ast.Tuple | ast.List):
            rows = values.elts
        else:
            return None
        if isinstance(target, ast.Name):
            return [{target.id: row} for row in rows]
        names = _names(target)
        if not all(isinstance(row, ast.Tuple | ast.List) and len(row.elts) == len(names) for row in rows):
            return None
        return [dict(zip(names, row.elts, strict=True)) for row in rows]  # type: ignore[attr-defined]

    def _unused(self, name: str) -> str:
        found = next(own for own in (f"{name}_{k}" for k in count(1)) if own not in self.taken)
        self.taken.add(found)
        return found


def _names(target: ast.expr) -> list[str]:
    return [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]


def _sum(one: ast.expr, other: ast.expr) -> ast.expr:
    return ast.BinOp(one, ast.Add(), other)


def _len(array: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("len", ast.Load()), [array], [])


def _typed(array: ast.expr, kind: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(array, "astype", ast.Load()), [kind], [])
