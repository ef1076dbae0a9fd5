"""Loops over elements as loops that count.

for v in x + y: s += v    ->  elements = x + y
                              for at in range(len(elements)): v = elements[at]; s += v
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

from raising.frontend.python.module import Module
from raising.frontend.python.numpy_library.made_syntax import arguments_of, builtin_call, expression, placed, written
from raising.frontend.python.variables.scopes import assigned, counters, mentioned
from raising.frontend.python.whole_arrays.second_names import put


def with_counters(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> None:
    """`for v in x` as `for at in range(len(x)): v = x[at]`, and `enumerate`, `zip` and `reversed` likewise, in place.

    What is gone through and has no name, such as `x + y`, gets one first. A range whose step is computed becomes one
    that counts its rounds, and `x[a:b:step] = v` with such a step a loop. `unused` makes a name that the function does
    not have.
    """
    _Counted(module, unused, _set_apart(module, function, unused)).visit(function)


def _set_apart(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> frozenset[str]:
    """Names of their own for what loops over elements, or with computed steps, call as other loops call their counters.

    The result is the counters that are variables besides: used outside of their loops, or set in them.
    """
    loops, variables = [n for n in ast.walk(function) if isinstance(n, ast.For)], set[str]()
    uses = Counter(n.id for n in ast.walk(function) if isinstance(n, ast.Name))
    for name in sorted({name for loop in loops for name in counters(loop.target)}):
        sharing = [loop for loop in loops if name in counters(loop.target)]
        inside = [[n for part in (s.target, *s.body) for n in _named(part, name)] for s in sharing]
        changed = any(name in assigned(loop.body) for loop in sharing if _is_counter(module, loop, name))
        if sum(map(len, inside)) != uses[name] or changed:
            variables |= {name} if uses[name] > len(sharing) else set()
            continue
        for loop, places in zip(sharing, inside, strict=True):
            counts = arguments_of(module, loop.iter, "range") and _computed_step(module, loop.iter) is None
            if len(sharing) > 1 and not counts:
                own = unused(name)
                for place in places:
                    place.id = own
    return frozenset(variables)


def _is_counter(module: Module, loop: ast.For, name: str) -> bool:
    """Whether a loop counts with a name, and does not give it elements."""
    numbers = isinstance(loop.iter, ast.Call) and module.dotted(loop.iter.func).rpartition(".")[2]
    if numbers == "enumerate" and isinstance(loop.target, ast.Tuple):
        return name in counters(loop.target.elts[0])
    return numbers in _RANGES


def _named(node: ast.AST, name: str) -> list[ast.Name]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]


_EQUAL = 'if one != other: raise ValueError("zip() of arrays of several lengths")'
_FORWARDS = 'if step < 1: raise ValueError("a slice whose step is computed goes forwards")'
_ROUNDS = "(end - start + step - 1) // step if step > 0 else (start - end + -step - 1) // -step"
_INSIDE = "min(max(bound + length if bound < 0 else bound, 0), length)"
"""The place that the bound of a slice means: a negative one counts from the end, and none lies outside."""
_RANGES = ("range", "prange", "product", "ndindex")
_ITERATORS = (*_RANGES, "enumerate", "zip", "reversed")


class _Counted(ast.NodeTransformer):
    def __init__(self, module: Module, unused: Callable[[str], str], variables: frozenset[str]) -> None:
        self.module, self.unused, self.variables = module, unused, variables
        self.made = 0

    def visit_For(self, node: ast.For) -> ast.For | list[ast.stmt]:  # noqa: N802 (the name that ast calls)
        """The loop, and those in it; behind what asks whether all arrays of a strict `zip` are equally long."""
        self.generic_visit(node)
        if (steps := _computed_step(self.module, node.iter)) is not None:
            return self._stepped(node, steps)
        backwards = arguments_of(self.module, node.iter, "reversed")
        if backwards and arguments_of(self.module, backwards[0], "range"):
            node.iter = _backwards(backwards[0]) or node.iter
        if isinstance(node.iter, ast.Call) and self.module.dotted(node.iter.func).rpartition(".")[2] in _RANGES:
            return self._counting(node, node.iter)
        counter, source, target = self._numbered(node)
        name, backwards = counter or self._counter(), arguments_of(self.module, source, "reversed")
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
        before = [
            *named,
            *(s for end in ends[1:] if strict for s in written(_EQUAL, node.iter, one=ends[0], other=end)),
        ]
        loop = builtin_call("range", *bounds)
        for part in (p for made in (loop, *first, *before) for p in ast.walk(made)):
            ast.copy_location(part, node.iter)
        node.iter, node.target = loop, ast.copy_location(ast.Name(name, ast.Store()), node.target)
        node.body = [*first, *node.body]
        return [ast.fix_missing_locations(stmt) for stmt in (*before, node)]

    def _counting(self, node: ast.For, numbers: ast.Call) -> list[ast.stmt]:
        """A loop over ranges, which Python computes once, with counters that are nothing else."""
        before: list[ast.stmt] = []
        inside = assigned(node.body)
        numbers.args = [self._name(a, before, "end") if _is_changed(a, inside) else a for a in numbers.args]
        for target in [n for n in ast.walk(node.target) if isinstance(n, ast.Name) and n.id in self.variables]:
            variable, target.id = target.id, self._counter()
            node.body[:0] = written("variable = counter", node, variable=variable, counter=target.id)
        return [*(placed(each, node.iter) for each in before), ast.fix_missing_locations(node)]

    def _numbered(self, node: ast.For) -> tuple[str | None, ast.expr, ast.expr]:
        """The counter that a loop has, what it goes through, and what is set to the elements."""
        numbered = arguments_of(self.module, node.iter, "enumerate", ("start",))
        if isinstance(node.iter, ast.Call) and numbered:
            numbered = [*numbered, *(k.value for k in node.iter.keywords)]
            if len(numbered) == 1 and mentioned([node.target]) & self.variables:
                numbered.append(ast.Constant(0))
        match node.target:
            case ast.Tuple(elts=[ast.Name() as number, target]) if len(numbered) == 2:
                at = self._counter()
                counted = expression("at + start", node.iter, at=at, start=numbered[1])
                if number.id in self.variables | assigned(node.body):
                    node.body[:0] = written("number = counted", node.iter, number=number, counted=counted)
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
        given = ((place.lower or ast.Constant(0), "start"), (place.upper or length, "end"))
        bounds = [
            expression(_INSIDE, node, bound=self._name(bound, before, what), length=length) for bound, what in given
        ]
        step = self._name(way, before, "step")
        before += written(_FORWARDS, node, step=step)
        at = self._counter()
        target.slice, node.value = ast.Name(at, ast.Load()), value
        (loop,) = written("for at in (): body", node, at=at, body=[node])
        return [*(placed(each, node) for each in before), *self._stepped(cast(ast.For, loop), (*bounds, step))]

    def _stepped(self, node: ast.For, steps: Sequence[ast.expr]) -> list[ast.stmt]:
        """A loop whose step is computed, as one that counts its rounds. A step of 0 divides by it: an error."""
        before: list[ast.stmt] = []
        # integers of any type become Python's, which do not wrap around; `|` refuses a float
        whole = (expression("int(value | 0)", node, value=step) for step in steps)
        ends = {what: self._name(s, before, what) for s, what in zip(whole, ("start", "end", "step"), strict=True)}
        rounds = self._name(expression(_ROUNDS, node, **ends), before, "rounds")
        text = "for at in range(rounds):\n  target = start + at * step\n  body\nelse: behind"
        made = written(
            text,
            node,
            at=self._counter(),
            target=node.target,
            body=node.body,
            behind=node.orelse,
            rounds=rounds,
            **ends,
        )
        return [*(placed(each, node) for each in before), *made]

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


def _is_made(module: Module, source: ast.expr) -> bool:
    """Whether an expression makes an array, or names a part of one that is made: no range, and nothing listed."""
    while isinstance(source, ast.Subscript | ast.Attribute):
        source = source.value
    known = isinstance(source, ast.Call) and module.dotted(source.func).rpartition(".")[2] in _ITERATORS
    return isinstance(source, ast.Call | ast.BinOp | ast.UnaryOp) and not known


def _is_changed(bound: ast.expr, inside: frozenset[str]) -> bool:
    """Whether the bound of a range reads one of some variables, but for extents of arrays, which never change."""
    match bound:
        case ast.Name(id=name):
            return name in inside
        case ast.Attribute(attr="shape" | "size") | ast.Call(func=ast.Name(id="len")):
            return False
    return any(_is_changed(part, inside) for part in ast.iter_child_nodes(bound) if isinstance(part, ast.expr))


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
    return expression("numbers(end - 1, start - 1, -1)", loop, numbers=loop.func, start=start, end=end)
