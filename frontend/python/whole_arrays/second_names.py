"""Names that stand for others: parts of arrays are put where their names are, and a new array has a name of its own.

    left, right = x[:-1], x[1:]        ->  y = x[1:] - x[:-1]
    y = right - left

    A = A.copy()                       ->  A_ = A.copy()   (a parameter, and A_ from here on)

A part of an array is the array's memory, so that what is written through one is read through the other: to put the
part for its name is what NumPy means, as long as nothing in it changes. Loops over constants are written out.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy

from raising.frontend.python.numpy_library.made_syntax import placed
from raising.frontend.python.variables.ways_out import leaves
from raising.frontend.python.whole_arrays.owned_copies import copied_first, handed_over, rank_of, renewed
from raising.frontend.python.whole_arrays.written_memory import is_new, may_be_written, sets

_MOST = 32
"""Loops over more constants than these stay as they are."""
_VIEWS = ("diag", "diagonal", "transpose", "swapaxes", "flip")


def written_out(function: ast.FunctionDef) -> None:
    """The function without loops over constants, in place."""
    _Names(function).write_out(function.body)


def resolved(function: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef]) -> ast.FunctionDef:
    """The function without such names, changed in place; it may call `functions` of the file."""
    renewed(function)
    copied_first(function, functions)
    handed_over(function)
    _Names(function).statements(function.body, frozenset())
    return function


def put_in_its_places(function: ast.FunctionDef, named: ast.Assign, functions: Mapping[str, ast.FunctionDef]) -> bool:
    """Whether a value could be put in the places of the name that it gets, which it is then, in place: what it reads
    is not changed before the last of them.
    """
    (target,) = named.targets
    lists = (getattr(n, field, None) for n in ast.walk(function) for field in ("body", "orelse"))
    block = next((b for b in lists if isinstance(b, list) and named in b), None)
    if block is None or not isinstance(target, ast.Name):
        return False
    name, rest = target.id, ast.Module(block[block.index(named) + 1 :], [])
    everywhere, behind = (
        sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(part)) for part in (function, rest)
    )
    reads = {n.id for n in ast.walk(named.value) if isinstance(n, ast.Name)}
    changed = any(may_be_written(rest, n, functions) or sets(rest, n) for n in (name, *reads))
    if everywhere != behind + 1 or changed:
        return False
    block[block.index(named) :] = [placed(ast.Pass(), named), *put(rest.body, name, named.value)]
    return True


class _Names:
    def __init__(self, function: ast.FunctionDef) -> None:
        self.function = function
        arguments = function.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self.ranks = {p.arg: rank_of(p.annotation) for p in given}
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
        self.stored = Counter(n.id for n in names if not isinstance(n.ctx, ast.Load))
        updated = [n.target for n in ast.walk(function) if isinstance(n, ast.AugAssign)]
        self.updated = Counter(n.id for n in updated if isinstance(n, ast.Name))  # in place, as far as it is an array
        once = [n for s in function.body if isinstance(s, ast.Assign) for t in s.targets for n in _names(t)]
        self.fixed = {n for n in once if self.stored[n] == 1 and n not in self.ranks}
        self.own = dict[str, int]()  # the dimensions of arrays that the function makes, where they are plain to see
        for each in (s for s in function.body if isinstance(s, ast.Assign)):
            targets = _names(each.targets[0])
            values = each.value.elts if isinstance(each.value, ast.Tuple) else [each.value]
            for name, value in zip(targets, values, strict=False):
                self.own[name] = self._made_rank(value) if name in self.fixed and len(targets) == len(values) else 0

    def statements(self, body: list[ast.stmt], counters: frozenset[str]) -> None:
        """Resolve what a list of statements names; `counters` are those of the loops around it."""
        number = 0
        while number < len(body):
            statement = body[number]
            body[number : number + 1] = found = self._split(statement) or [statement]
            rest = body[number + 1 :]
            if found != [statement]:
                continue
            if self._is_part(statement, counters, rest):
                assert isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
                body[number:] = put(rest, statement.targets[0].id, statement.value)
                continue
            inner = counters | (
                {n.id for n in ast.walk(statement.target) if isinstance(n, ast.Name)}
                if isinstance(statement, ast.For)
                else set()
            )
            for part in (getattr(statement, field, None) for field in ("body", "orelse")):
                if isinstance(part, list):
                    self.statements(part, inner)
            number += 1

    # ---- loops over constants ----------------------------------------------------------------------

    def _written_out(self, loop: ast.stmt) -> list[ast.stmt] | None:
        """The body of a loop over constants once for each of them; None for other statements."""
        listed = _listed(loop.iter) if isinstance(loop, ast.For) and not loop.orelse else None
        if not isinstance(loop, ast.For) or listed is None:
            return None
        known = [row for e in listed if (row := _constants(loop.target, e, self._stays))]
        if leaves(loop.body, ast.Break, ast.Continue) or not 0 < len(known) == len(listed) <= _MOST:
            return None
        if not all(self._is_alone(n, loop) for n in known[0]):
            return None
        found: list[ast.stmt] = []
        for row in known:
            part = loop.body
            for name, value in row.items():
                part = put(part, name, value)
            found += part if part is not loop.body else deepcopy(loop.body)
        inner = [
            n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        ]
        self.stored.update(inner * (len(known) - 1))
        return found

    def _stays(self, name: str) -> bool:
        """Whether a name is a parameter that nothing sets, or is set once, in no loop or branch."""
        return not self.stored[name] or name in self.fixed

    def _is_alone(self, name: str, loop: ast.For) -> bool:
        """Whether a loop is all that sets its name where it is read: other loops may count with it, too."""
        mine, everywhere = (
            [n for n in ast.walk(whole) if isinstance(n, ast.Name) and n.id == name] for whole in (loop, self.function)
        )
        counting = [f for f in ast.walk(self.function) if isinstance(f, ast.For) and sets(f.target, name)]
        known = {id(n) for f in counting if f is loop or loop not in [*ast.walk(f)] for n in ast.walk(f)}
        return sum(not isinstance(n.ctx, ast.Load) for n in mine) == 1 and all(id(n) in known for n in everywhere)

    def write_out(self, body: list[ast.stmt]) -> None:
        """Write out loops over constants in a list of statements: as long as it is one, their names are set once."""
        for number in reversed(range(len(body))):
            for part in (getattr(body[number], field, None) for field in ("body", "orelse")):
                if isinstance(part, list):
                    self.write_out(part)
            body[number : number + 1] = self._written_out(body[number]) or [body[number]]

    # ---- parts of arrays ---------------------------------------------------------------------------

    def _rank(self, name: str) -> int:
        """The dimensions of what is certainly an array; else 0."""
        return self.ranks.get(name, 0) or self.own.get(name, 0)

    def _made_rank(self, value: ast.expr) -> int:
        """The dimensions of an array that is new: as many as its shape has, or those of the array that it is like."""
        match value:
            case ast.Call(func=ast.Attribute(attr="copy", value=ast.Name(id=name)), args=[]):
                return self._rank(name)
            case ast.Call(args=[ast.Tuple(elts=shape), *_]) if is_new(value):
                return len(shape)
            case ast.Call(func=ast.Attribute(attr=made), args=[ast.Name(id=name), *_]) if is_new(value):
                return self._rank(name) if made.endswith("_like") or made == "copy" else 0
            case ast.Call(func=ast.Attribute(attr="_array", value=ast.Name(id="numpy")), args=[ast.Name(id=name)]):
                return self._rank(name)
        return 0

    def _split(self, statement: ast.stmt) -> list[ast.stmt] | None:
        """Several values that are named at once, one after the other, where none of them reads one of the names."""
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        target, value = statement.targets[0], statement.value
        if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or len(target.elts) != len(value.elts):
            return None
        names = _names(target)
        read = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        starred = any(isinstance(e, ast.Starred) for e in value.elts)
        if not names or len({*names}) != len(names) or read & {*names} or starred:
            return None
        pairs = zip(target.elts, value.elts, strict=True)
        return [ast.copy_location(ast.Assign([t], v), statement) for t, v in pairs]

    def _is_part(self, statement: ast.stmt, counters: frozenset[str], rest: Sequence[ast.stmt]) -> bool:
        """Whether a name is given to a part of an array that nothing changes, and is used behind that only."""
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return False
        target, value = statement.targets[0], statement.value
        if not isinstance(target, ast.Name) or target.id in self.ranks:
            return False
        if self.stored[target.id] - self.updated[target.id] != 1:
            return False
        both = self.updated[target.id] + self.updated[_base(value)] == 0  # they are one, whatever it is
        if not self._names_memory(value) and not (isinstance(value, ast.Name) and both):
            return False
        uses = [n for n in ast.walk(self.function) if isinstance(n, ast.Name) and n.id == target.id]
        behind = [n for s in rest for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == target.id]
        return len(uses) == len(behind) + 1 and all(
            self.stored[n.id] == 0
            or n.id in self.fixed
            or n.id in counters
            and not any(sets(s, n.id) for s in rest)
            or n.id == _base(value)
            and self._is_one_array(n.id)
            for n in ast.walk(value)
            if isinstance(n, ast.Name)
        )

    def _is_one_array(self, name: str) -> bool:
        """Whether a name that is set once is one array all the time: a parameter is if that happens in place."""
        return self.stored[name] == 1 and (name not in self.ranks or self.updated[name] == 1)

    def _names_memory(self, value: ast.expr) -> bool:
        """Whether an expression is certainly an array, a part of one, or a shape, and no element."""
        if isinstance(value, ast.Name):
            return self._rank(value.id) > 0
        if isinstance(value, ast.Attribute):
            return value.attr in ("T", "shape") and (
                isinstance(value.value, ast.Name) or self._names_memory(value.value)
            )
        if isinstance(value, ast.Call):
            return self._is_view(value)
        if not isinstance(value, ast.Subscript):
            return False
        if self._rank_of_part(value):
            return True
        parts = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        sliced = any(isinstance(p, ast.Slice) for p in parts)
        known = all(isinstance(p, ast.Slice | ast.Constant | ast.Name) for p in parts)
        return sliced and known and (isinstance(value.value, ast.Name) or self._names_memory(value.value))

    def _rank_of_part(self, value: ast.expr) -> int:
        """The dimensions of a part of what is certainly an array; 0 where that is not known."""
        match value:
            case ast.Name(id=name):
                return self._rank(name)
            case ast.Attribute(value=whole, attr="T"):
                return self._rank_of_part(whole)
            case ast.Subscript(value=whole, slice=place):
                parts = place.elts if isinstance(place, ast.Tuple) else [place]
                plain = all(isinstance(p, ast.Slice) or _is_index(p) for p in parts)
                return max(self._rank_of_part(whole) - sum(map(_is_index, parts)), 0) if plain else 0
        return 0

    def _is_view(self, call: ast.Call) -> bool:
        """Whether a call of NumPy's names a part of a parameter of at least two dimensions."""
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name), args=[ast.Name(id=array), *_]
            ):
                return name in _VIEWS and self.ranks.get(array, 0) >= 2
        return False


def put(body: Sequence[ast.stmt], name: str, value: ast.expr) -> list[ast.stmt]:
    """Copies of statements with a value in the places of a name."""
    replaced = _Replaced(name, lambda: deepcopy(value))
    return [replaced.visit(deepcopy(s)) for s in body]


class _Replaced(ast.NodeTransformer):
    def __init__(self, name: str, make: Callable[[], ast.expr]) -> None:
        self.name, self.make = name, make

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self.name:
            return node
        made = self.make()
        if isinstance(made, ast.Subscript | ast.Attribute):
            made.ctx = node.ctx
        return made


def _names(target: ast.expr) -> list[str]:
    """The names of a target; none if there is something else in it."""
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [p.id for p in parts if isinstance(p, ast.Name)]
    return names if len(names) == len(parts) else []


def _is_index(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or isinstance(node, ast.Constant) and isinstance(node.value, int)


def _base(value: ast.expr) -> str:
    while isinstance(value, ast.Subscript | ast.Attribute):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ""


def _listed(node: ast.expr) -> list[ast.expr] | None:
    """What a loop goes through that is written out, also by `enumerate` and `zip`; None for other loops."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return parts
        case ast.Call(func=ast.Name(id="enumerate"), args=[source], keywords=[]):
            found = _listed(source)
            pairs = [ast.Tuple([ast.Constant(k), e], ast.Load()) for k, e in enumerate(found or [])]
            return None if found is None else [placed(pair, node) for pair in pairs]
        case ast.Call(func=ast.Name(id="zip"), args=[_, *_] as sources, keywords=options):
            each = [part for source in sources if (part := _listed(source)) is not None]
            rows = [ast.Tuple([*row], ast.Load()) for row in zip(*each, strict=False)]
            fits = not options or all(len(part) == len(rows) for part in each)
            return [placed(row, node) for row in rows] if len(each) == len(sources) and fits else None
    return None


def _constants(target: ast.expr, value: ast.expr, stays: Callable[[str], bool]) -> dict[str, ast.expr]:
    """The constants that one round of a loop sets its names to; none where something else is set, or to others.

    A name that stays what it is is one, too.
    """
    match target, value:
        case ast.Name(id=name), ast.Constant(value=number) if type(number) in (int, float):
            return {name: value}
        case ast.Name(id=name), ast.Name(id=other) if stays(other):
            return {name: value}
        case ast.Name(id=name), ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return {name: value}
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) | ast.List(elts=values) if len(targets) == len(values):
            each = [_constants(t, v, stays) for t, v in zip(targets, values, strict=True)]
            return {n: v for part in each for n, v in part.items()} if all(each) else {}
    return {}
