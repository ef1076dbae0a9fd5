"""Loops and scopes of Python, rewritten for the core.

A loop over the elements of an array becomes a loop that counts. Python's variables belong to the function; in the core
each is declared in the innermost block that holds all its uses, so that no iteration is taken to depend on the last.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from typing import cast

from raising.frontend.python.annotations import element_kind
from raising.frontend.python.module import Module, refused
from raising.frontend.python.numpy_library.made_syntax import placed
from raising.frontend.python.whole_arrays.second_names import put


def with_counters(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> None:
    """`for v in x` as `for at in range(len(x)): v = x[at]`, and `enumerate`, `zip` and `reversed` likewise, in place.

    What is gone through and has no name, such as `x + y`, gets one first. A range whose step is computed becomes one
    that counts its rounds, and `x[a:b:step] = v` with such a step a loop. `unused` makes a name that the function does
    not have.
    """
    _Counted(module, unused).visit(function)


def without_hints(module: Module, function: ast.FunctionDef) -> None:
    """`y: np.ndarray = x` as `y = x`, in place: only types of numbers say what a variable is."""
    fields = (getattr(n, field, None) for n in ast.walk(function) for field in ("body", "orelse"))
    for block in (b for b in fields if isinstance(b, list)):
        for k, node in enumerate(block):
            if isinstance(node, ast.AnnAssign) and node.value and element_kind(module, node.annotation) is None:
                block[k] = ast.copy_location(ast.Assign([node.target], node.value), node)


def with_errors_of_unset(module: Module, function: ast.FunctionDef) -> None:
    """Before a variable is read that only a loop sets, an error where that loop does nothing, in place.

        for k in range(n): last = x[k]        for k in range(n): last = x[k]
        return last                           if not n > 0: raise UnboundLocalError
                                              return last

    The range has to be made of sizes and constants, so that it is the same whenever the loop is come to.
    """
    sets = _assignments(function)
    for loop in [n for n in ast.walk(function) if isinstance(n, ast.For)]:
        runs = _runs(module, function.body, sets, loop)
        if runs is None:
            continue
        inside = {id(n) for s in loop.body for n in ast.walk(s)}
        for name in sorted(assigned(loop.body)):
            if all(id(node) in inside for node in sets[name]):
                _ask_before_reads(function.body, loop, name, runs)


def _assignments(function: ast.FunctionDef) -> dict[str, list[ast.AST]]:
    """What sets each name: a parameter, a loop, or a statement."""
    found: dict[str, list[ast.AST]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            found.setdefault(node.arg, []).append(node)
        elif isinstance(node, ast.stmt) and node is not function:
            parts = (node.target,) if isinstance(node, ast.For) else () if blocks(node) else (node,)
            for name in assigned(parts):
                found.setdefault(name, []).append(node)
    return found


def _runs(module: Module, body: Block, sets: dict[str, list[ast.AST]], loop: ast.For) -> ast.expr | None:
    """The condition under which a loop does something; None if constants or data decide."""
    bounds = _called(module, loop.iter, "range") or _called(module, loop.iter, "prange")
    step = module.number(bounds[2]) if len(bounds) == 3 else 1
    if not bounds or not isinstance(step, int) or not all(_is_of_sizes(b, body, sets) for b in bounds):
        return None
    low, high = bounds[:2] if len(bounds) > 1 else (ast.Constant(0), bounds[0])
    if all(isinstance(module.number(end), int) for end in (low, high)):
        return None
    return ast.Compare(high, [ast.Gt() if step > 0 else ast.Lt()], [low])


def _is_of_sizes(node: ast.expr, body: Block, sets: dict[str, list[ast.AST]]) -> bool:
    """Whether an expression is made of constants, extents, parameters, and variables that `body` sets once to such."""
    match node:
        case ast.Constant(value=int()):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv(), right=right):
            return _is_of_sizes(left, body, sets) and _is_of_sizes(right, body, sets)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]) | ast.Attribute(value=ast.Name(), attr="size"):
            return True
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=ast.Constant()):
            return True
        case ast.Name(id=name):
            match sets.get(name, []):
                case [ast.arg()]:
                    return True
                case [ast.Assign(targets=[ast.Name()], value=value) as one] if one in body:
                    return _is_of_sizes(value, body, sets)
    return False


def _ask_before_reads(block: list[ast.stmt], loop: ast.For, name: str, runs: ast.expr) -> None:
    """Put the error before the first statement of a block that reads the variable outside of the loop."""
    for k, node in enumerate(block):
        if node is loop:
            continue
        inside = blocks(node)
        if name in mentioned(heads(node) if inside else (node,)):
            error = ast.Raise(_call("UnboundLocalError", ast.Constant(f"'{name}' is set by a loop")), None)
            test = ast.UnaryOp(ast.Not(), deepcopy(runs))
            block.insert(k, placed(ast.If(test, [error], []), node))
            return
        for part in inside:
            _ask_before_reads(cast(list[ast.stmt], part), loop, name, runs)


def name_result(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> None:
    """`return f(...)` of a function of the file, at the end, as `result = f(...); return result`, in place."""
    last = function.body[-1]
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Call):
        return
    if module.dotted(last.value.func) in module.functions:
        name = unused("result")
        parts = ast.Assign([ast.Name(name, ast.Store())], last.value), ast.Return(ast.Name(name, ast.Load()))
        function.body[-1:] = [placed(part, last) for part in parts]


def begin_as(function: ast.FunctionDef, own: str, parameter: str) -> None:
    """A variable in place of a parameter, which it begins as."""
    for node in (n for s in function.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == parameter):
        node.id = own
    first = ast.Assign([ast.Name(own, ast.Store())], ast.Name(parameter, ast.Load()))
    function.body.insert(0, placed(first, function))


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
        name, backwards = counter or self._counter(), _called(self.module, source, "reversed")
        if backwards and _called(self.module, backwards[0], "range"):
            node.iter = _backwards(backwards[0]) or node.iter
            return node
        zipped = _called(self.module, source, "zip", ("strict",))
        sources = zipped or backwards or [source]
        targets = target.elts if zipped and isinstance(target, ast.Tuple) else [target]
        inside = assigned(node.body)
        named: list[ast.stmt] = []
        sources = [self._name(s, named) if _is_made(self.module, s) else s for s in sources]
        if len(sources) != len(targets) or counter and backwards or not all(_is_walked(s, inside) for s in sources):
            return node
        ends: list[ast.expr] = [_call("len", s) for s in sources]
        bounds = ends if len(ends) == 1 else [_call("min", *ends)]
        if backwards:
            bounds = [ast.BinOp(ends[0], ast.Sub(), ast.Constant(1)), ast.Constant(-1), ast.Constant(-1)]
        parts = [ast.Subscript(s, ast.Name(name, ast.Load()), ast.Load()) for s in sources]
        first: list[ast.stmt] = [ast.Assign([t], part) for t, part in zip(targets, parts, strict=True)]
        strict = isinstance(source, ast.Call) and any(getattr(k.value, "value", True) for k in source.keywords)
        before = [*named, *(_unless_equal(ends[0], end) for end in ends[1:] if strict)]
        loop = _call("range", *bounds)
        for part in (p for made in (loop, *first, *before) for p in ast.walk(made)):
            ast.copy_location(part, node.iter)
        node.iter, node.target = loop, ast.copy_location(ast.Name(name, ast.Store()), node.target)
        node.body = [*first, *node.body]
        return [ast.fix_missing_locations(stmt) for stmt in (*before, node)]

    def _numbered(self, node: ast.For) -> tuple[str | None, ast.expr, ast.expr]:
        """The counter that a loop has, what it goes through, and what is set to the elements."""
        numbered = _called(self.module, node.iter, "enumerate", ("start",))
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
        value, length = self._name(node.value, before, "value"), _call("len", array)
        low = _in_array(self._name(place.lower or ast.Constant(0), before, "start"), length)
        high = _in_array(self._name(place.upper or length, before, "end"), length)
        step = self._name(way, before, "step")
        why = _call("ValueError", ast.Constant("a slice whose step is computed goes forwards"))
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
            _call("range", self._name(rounds, before, "rounds")),
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


def _called(module: Module, node: ast.expr, name: str, options: Sequence[str] = ()) -> list[ast.expr]:
    """The arguments of a call of a function of Python's own, with these options; none for other expressions."""
    if not isinstance(node, ast.Call) or module.dotted(node.func) != name or name in module.functions:
        return []
    return [] if any(k.arg not in options for k in node.keywords) else node.args


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _computed_step(module: Module, loop: ast.expr) -> list[ast.expr] | None:
    """The start, the end and the step of a range whose step is no constant."""
    given = _called(module, loop, "range")
    return given if len(given) == 3 and module.number(given[2]) is None else None


def _integer(value: ast.expr) -> ast.expr:
    """An integer of any type as one of Python's, which does not wrap around; `|` refuses a float."""
    return _call("int", ast.BinOp(value, ast.BitOr(), ast.Constant(0)))


def _rounds(start: ast.expr, end: ast.expr, step: ast.expr) -> ast.expr:
    """How often a step of at least 1 leads from a start before an end: `(end - start + step - 1) // step`."""
    gap = ast.BinOp(ast.BinOp(end, ast.Sub(), start), ast.Add(), step)
    return ast.BinOp(ast.BinOp(gap, ast.Sub(), ast.Constant(1)), ast.FloorDiv(), step)


def _in_array(bound: ast.expr, length: ast.expr) -> ast.expr:
    """The place that the bound of a slice means: a negative one counts from the end, and none lies outside."""
    negative = ast.Compare(bound, [ast.Lt()], [ast.Constant(0)])
    place = ast.IfExp(negative, ast.BinOp(bound, ast.Add(), length), bound)
    return _call("min", _call("max", place, ast.Constant(0)), length)


def _is_made(module: Module, source: ast.expr) -> bool:
    """Whether an expression makes an array, or names a part of one that is made: no range, and nothing listed."""
    while isinstance(source, ast.Subscript | ast.Attribute):
        source = source.value
    known = isinstance(source, ast.Call) and module.dotted(source.func).rpartition(".")[2] in _ITERATORS
    return isinstance(source, ast.Call | ast.BinOp | ast.UnaryOp) and not known


def _unless_equal(one: ast.expr, other: ast.expr) -> ast.stmt:
    error = _call("ValueError", ast.Constant("zip() of arrays of several lengths"))
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


Block = Sequence[ast.stmt]


def blocks(node: ast.stmt) -> tuple[Block, ...]:
    """The blocks inside of a statement."""
    if isinstance(node, ast.For | ast.While | ast.If):
        return node.body, node.orelse
    return ()


def heads(node: ast.stmt) -> tuple[ast.expr, ...]:
    """The expressions of a statement that has blocks."""
    if isinstance(node, ast.For):
        return node.target, node.iter
    return (node.test,) if isinstance(node, ast.While | ast.If) else ()


def mentioned(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Every name in some syntax."""
    return frozenset(n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name))


def assigned(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names that some syntax assigns."""
    return frozenset(
        n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    )


def counters(target: ast.expr) -> tuple[str, ...]:
    """The names that a loop counts with."""
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return tuple(p.id for p in parts if isinstance(p, ast.Name))


def sinking(block: Block, names: frozenset[str]) -> Iterator[tuple[Block, str]]:
    """Each variable with the innermost block that it can be declared in.

    It goes into a block inside if nothing outside of it mentions the variable
    and the first statement there that does assigns it, so that no iteration
    of a loop sees what the one before left.
    """
    for name in sorted(names & mentioned(block)):
        users = [s for s in block if name in mentioned([s])]
        inside = [b for b in blocks(users[0]) if name in mentioned(b)] if len(users) == 1 else []
        if len(inside) == 1 and name not in mentioned(heads(users[0])) and _starts(inside[0], name):
            yield from sinking(inside[0], frozenset([name]))
        else:
            yield block, name


def _starts(block: Block, name: str) -> bool:
    """Whether the first use of a variable in a block assigns it, whatever happens."""
    first = next(s for s in block if name in mentioned([s]))
    if isinstance(first, ast.For | ast.While | ast.If):
        inside = [b for b in blocks(first) if name in mentioned(b)]
        alone = not any(name in mentioned([s]) for s in block if s is not first)
        return alone and name not in mentioned(heads(first)) and all(_starts(b, name) for b in inside)
    if isinstance(first, ast.AnnAssign):
        return isinstance(first.target, ast.Name) and first.value is not None and name not in mentioned([first.value])
    return (
        isinstance(first, ast.Assign)
        and name not in mentioned([first.value, *(t for t in first.targets if not isinstance(t, ast.Name))])
        and any(isinstance(t, ast.Name) and t.id == name for t in first.targets)
    )


def sets(block: Block, name: str) -> bool:
    """Whether the first statement of a block that mentions a variable is an assignment to it."""
    first = next(s for s in block if name in mentioned([s]))
    if isinstance(first, ast.AnnAssign):
        return isinstance(first.target, ast.Name) and first.value is not None and name not in mentioned([first.value])
    if not isinstance(first, ast.Assign) or name in mentioned([first.value]):
        return False
    targets = [t for one in first.targets for t in (one.elts if isinstance(one, ast.Tuple) else [one])]
    others = [t for t in targets if not isinstance(t, ast.Name)]
    return name not in mentioned(others)


def check_counters(module: Module, function: ast.FunctionDef) -> frozenset[str]:
    """The names of loop counters; `Refused` where one is used outside of its loops."""
    found = frozenset(
        name for node in ast.walk(function) if isinstance(node, ast.For) for name in counters(node.target)
    )
    _check(module, function.body, found, frozenset())
    return found


def _check(module: Module, block: Block, names: frozenset[str], bound: frozenset[str]) -> None:
    for node in block:
        head, inner = heads(node) if blocks(node) else (node,), bound
        if isinstance(node, ast.For):
            head, inner = (node.iter,), bound | frozenset(counters(node.target))
        for part in head:
            _check_part(module, part, names - bound)
        for inside in blocks(node):
            _check(module, inside, names, inner)


def _check_part(module: Module, part: ast.AST, outside: frozenset[str]) -> None:
    for n in ast.walk(part):
        if isinstance(n, ast.Name) and n.id in outside:
            raise refused(module, n, f"'{n.id}' counts a loop, and is used outside of it, too")


def opposites(test: ast.expr) -> list[ast.expr]:
    """What holds where a condition does not."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            return [one for value in values for one in opposites(value)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [operand]
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]):
            return [ast.copy_location(ast.Compare(left, [ast.Eq()], [right]), test)]
    return [ast.copy_location(ast.UnaryOp(ast.Not(), test), test)]
