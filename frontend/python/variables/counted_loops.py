"""Loops over elements as loops that count.

for v in x + y: s += v    ->  elements = x + y
                              for at in range(len(elements)): v = elements[at]; s += v
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from raising.frontend.python.module import Module
from raising.frontend.python.numpy_library.made_syntax import arguments_of, builtin_call, placed
from raising.frontend.python.variables.scopes import assigned, mentioned
from raising.frontend.python.whole_arrays.second_names import put


def with_counters(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> None:
    """`for v in x` as `for at in range(len(x)): v = x[at]`, and `enumerate`, `zip` and `reversed` likewise, in place.

    What is gone through and has no name, such as `x + y`, gets one first. A range whose step is computed becomes one
    that counts its rounds, and `x[a:b:step] = v` with such a step a loop. `unused` makes a name that the function does
    not have.
    """
    _Counted(module, unused).visit(function)


_ITERATORS = ("range", "prange", "product", "ndindex", "enumerate", "zip", "reversed")


class _Counted(ast.NodeTransformer):
    def __init__(self, module: Module, unused: Callable[[str], str]) -> None:
        self.module, self.unused = module, unused
        self.made = 0

    def visit_For(self, node: ast.For) -> ast.For | list[ast.stmt]:  # noqa: N802 (the name that ast calls)
        """The loop, and those in it; behind what asks whether all arrays of a strict `zip` are equally long."""
        self.generic_visit(node)
        if (steps := _computed_step(self.module, node.iter)) is not None:
            return self._stepped(node, steps)
        counter, source, target = self._numbered(node)
        name, backwards = counter or self._counter(), arguments_of(self.module, source, "reversed")
        if backwards and arguments_of(self.module, backwards[0], "range"):
            node.iter = _backwards(backwards[0]) or node.iter
            return node
        zipped = arguments_of(self.module, source, "zip", ("strict",))
        sources = zipped or backwards or [source]
        targets = target.elts if zipped and isinstance(target, ast.Tuple) else [target]
        inside = assigned(node.body)
        named: list[ast.stmt] = []
        sources = [self._name(s, named) if _is_made(self.module, s) else s for s in sources]
        if len(sources) != len(targets) or counter and backwards or not all(_is_walked(s, inside) for s in sources):
            return node
        ends: list[ast.expr] = [builtin_call("len", s) for s in sources]
        bounds = ends if len(ends) == 1 else [builtin_call("min", *ends)]
        if backwards:
            bounds = [ast.BinOp(ends[0], ast.Sub(), ast.Constant(1)), ast.Constant(-1), ast.Constant(-1)]
        parts = [ast.Subscript(s, ast.Name(name, ast.Load()), ast.Load()) for s in sources]
        first: list[ast.stmt] = [ast.Assign([t], part) for t, part in zip(targets, parts, strict=True)]
        strict = isinstance(source, ast.Call) and any(getattr(k.value, "value", True) for k in source.keywords)
        before = [*named, *(_unless_equal(ends[0], end) for end in ends[1:] if strict)]
        loop = builtin_call("range", *bounds)
        for part in (p for made in (loop, *first, *before) for p in ast.walk(made)):
            ast.copy_location(part, node.iter)
        node.iter, node.target = loop, ast.copy_location(ast.Name(name, ast.Store()), node.target)
        node.body = [*first, *node.body]
        return [ast.fix_missing_locations(stmt) for stmt in (*before, node)]

    def _numbered(self, node: ast.For) -> tuple[str | None, ast.expr, ast.expr]:
        """The counter that a loop has, what it goes through, and what is set to the elements."""
        numbered = arguments_of(self.module, node.iter, "enumerate", ("start",))
        if isinstance(node.iter, ast.Call) and numbered:
            numbered = [*numbered, *(k.value for k in node.iter.keywords)]
        match node.target:
            case ast.Tuple(elts=[ast.Name() as number, target]) if len(numbered) == 2:
                at = self._counter()
                counted = placed(ast.BinOp(ast.Name(at, ast.Load()), ast.Add(), numbered[1]), node.iter)
                if number.id in assigned(node.body):
                    node.body.insert(0, placed(ast.Assign([number], counted), node.iter))
                else:
                    node.body = put(node.body, number.id, counted)
                return at, numbered[0], target
            case ast.Tuple(elts=[ast.Name(id=counter), target]) if len(numbered) == 1:
                return counter, numbered[0], target
        return None, node.iter, node.target

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | list[ast.stmt]:  # noqa: N802
        """A store to a slice whose step is computed, as a loop: one number for all of its elements."""
        match node.targets:
            case [ast.Subscript(value=ast.Name() as array, slice=ast.Slice(step=ast.expr() as way) as place) as target]:
                pass
            case _:
                return node
        if self.module.number(way) is not None:
            return node
        before: list[ast.stmt] = []
        value, length = self._name(node.value, before, "value"), builtin_call("len", array)
        low = _in_array(self._name(place.lower or ast.Constant(0), before, "start"), length)
        high = _in_array(self._name(place.upper or length, before, "end"), length)
        step = self._name(way, before, "step")
        why = builtin_call("ValueError", ast.Constant("a slice whose step is computed goes forwards"))
        before.append(ast.If(ast.Compare(step, [ast.Lt()], [ast.Constant(1)]), [ast.Raise(why)], []))
        at = ast.Name(self._counter(), ast.Store())
        target.slice, node.value = ast.Name(at.id, ast.Load()), value
        loop = placed(ast.For(at, ast.Tuple([low, high, step]), [node], []), node)
        return [*(placed(each, node) for each in before), *self._stepped(loop, (low, high, step))]

    def _stepped(self, node: ast.For, steps: Sequence[ast.expr]) -> list[ast.stmt]:
        """A loop whose step is computed, as one that counts its rounds. A step of 0 divides by it: an error."""
        before: list[ast.stmt] = []
        names = ("start", "end", "step")
        start, end, step = (self._name(_integer(s), before, n) for s, n in zip(steps, names, strict=True))
        up, down = _rounds(start, end, step), _rounds(end, start, ast.UnaryOp(ast.USub(), step))
        rounds = ast.IfExp(ast.Compare(step, [ast.Gt()], [ast.Constant(0)]), up, down)
        at = self._counter()
        way = ast.BinOp(ast.Name(at, ast.Load()), ast.Mult(), step)
        first = ast.Assign([node.target], ast.BinOp(start, ast.Add(), way))
        counted = ast.For(
            ast.Name(at, ast.Store()),
            builtin_call("range", self._name(rounds, before, "rounds")),
            [first, *node.body],
            node.orelse,
        )
        return [placed(each, node) for each in (*before, counted)]

    def _name(self, value: ast.expr, before: list[ast.stmt], what: str = "elements") -> ast.Name:
        """A name for a value; what gives it that is put behind the statements before."""
        self.made += 1
        name = self.unused(f"{what}_{self.made}")
        before.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return ast.Name(name, ast.Load())

    def _counter(self) -> str:
        self.made += 1
        return self.unused(f"at_{self.made}")


def _computed_step(module: Module, loop: ast.expr) -> list[ast.expr] | None:
    """The start, the end and the step of a range whose step is no constant."""
    given = arguments_of(module, loop, "range")
    return given if len(given) == 3 and module.number(given[2]) is None else None


def _integer(value: ast.expr) -> ast.expr:
    """An integer of any type as one of Python's, which does not wrap around; `|` refuses a float."""
    return builtin_call("int", ast.BinOp(value, ast.BitOr(), ast.Constant(0)))


def _rounds(start: ast.expr, end: ast.expr, step: ast.expr) -> ast.expr:
    """How often a step of at least 1 leads from a start before an end: `(end - start + step - 1) // step`."""
    gap = ast.BinOp(ast.BinOp(end, ast.Sub(), start), ast.Add(), step)
    return ast.BinOp(ast.BinOp(gap, ast.Sub(), ast.Constant(1)), ast.FloorDiv(), step)


def _in_array(bound: ast.expr, length: ast.expr) -> ast.expr:
    """The place that the bound of a slice means: a negative one counts from the end, and none lies outside."""
    negative = ast.Compare(bound, [ast.Lt()], [ast.Constant(0)])
    place = ast.IfExp(negative, ast.BinOp(bound, ast.Add(), length), bound)
    return builtin_call("min", builtin_call("max", place, ast.Constant(0)), length)


def _is_made(module: Module, source: ast.expr) -> bool:
    """Whether an expression makes an array, or names a part of one that is made: no range, and nothing listed."""
    while isinstance(source, ast.Subscript | ast.Attribute):
        source = source.value
    known = isinstance(source, ast.Call) and module.dotted(source.func).rpartition(".")[2] in _ITERATORS
    return isinstance(source, ast.Call | ast.BinOp | ast.UnaryOp) and not known


def _unless_equal(one: ast.expr, other: ast.expr) -> ast.stmt:
    error = builtin_call("ValueError", ast.Constant("zip() of arrays of several lengths"))
    return ast.If(ast.Compare(one, [ast.NotEq()], [other]), [ast.Raise(error)], [])


def _is_walked(source: ast.expr, inside: frozenset[str]) -> bool:
    """Whether elements of an array or of a part of one are gone through, the same part in each round."""
    base = source
    while isinstance(base, ast.Subscript) or isinstance(base, ast.Attribute) and base.attr == "T":
        base = base.value
    parts = mentioned([source]) - mentioned([base])
    return isinstance(base, ast.Name) and not (parts | mentioned([base] if base is not source else [])) & inside


def _backwards(loop: ast.expr) -> ast.expr | None:
    """`range(a, b)` from its end to its start; None if it has a step."""
    assert isinstance(loop, ast.Call)
    if len(loop.args) > 2:
        return None
    start, end = loop.args if len(loop.args) == 2 else (ast.Constant(0), loop.args[0])
    bounds: list[ast.expr] = [ast.BinOp(one, ast.Sub(), ast.Constant(1)) for one in (end, start)]
    made = ast.Call(loop.func, [*bounds, ast.Constant(-1)], [])
    return placed(made, loop)
