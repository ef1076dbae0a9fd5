"""Names and copies that let each name stand for one array: a copy is made where nobody can tell it from the array.

y = np.stack((a, b))               ->  y_ = np.stack((a, b))
y = y.sum(axis=0)                      y = y_.sum(axis=0)

def f(A):                          ->  A_ = A.copy()
    for t in range(steps):             for t in range(steps):
        A = B @ A                          A_ = B @ A_     (nothing writes the memory of A)

for t in range(steps):             ->  for t in range(steps):
    y = np.zeros(n)                        y = np.zeros(n)
    ...                                    ...
    old, x = x, y                          old = x.copy();  x = y.copy()    (nobody asks for y again)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from raising.frontend.python.numpy_library.made_syntax import placed, written
from raising.frontend.python.whole_arrays.written_memory import Functions, is_new, may_be_written, mentions, sets
from raising.support.source import unused_name


def renewed(function: ast.FunctionDef) -> None:
    """A name of its own for what a variable was, where a statement in no loop or branch sets it again; and for what
    a parameter that is an array becomes there.
    """
    taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} | {
        a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)
    }
    given = {a.arg: rank_of(a.annotation) for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    for number, statement in enumerate(function.body):
        statement = function.body[number] = _of_number(statement, function.body[:number])  # noqa: PLW2901
        if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
            continue
        before, rest = function.body[:number], function.body[number + 1 :]
        for target in _names_of(statement.targets[0]):
            name, again = target.id, any(sets(s, target.id) for s in before)
            renamed: Sequence[ast.AST] = (*before, statement.value) if again else ()
            if name in given:
                renamed = (target, *rest) if given[name] and not again else ()
            taken.add(own := unused_name(name, taken))
            for node in (n for part in renamed for n in ast.walk(part)):
                if isinstance(node, ast.Name) and node.id == name:
                    node.id = own


def _of_number(statement: ast.stmt, before: Sequence[ast.stmt]) -> ast.stmt:
    """`s += x` as `s = s + x` where `s` is a constant number, which nothing changes in place."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            last = next((s for s in reversed(before) if sets(s, name)), None)
            if isinstance(last, ast.Assign) and isinstance(_set_to(last, name), ast.Constant):
                sum_ = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                return placed(ast.Assign([ast.Name(name, ast.Store())], sum_), statement)
    return statement


def _set_to(statement: ast.Assign, name: str) -> ast.expr | None:
    """The value that an assignment gives to a name, alone or beside others; None where it is a part of one."""
    values = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
    targets = statement.targets[0].elts if isinstance(statement.targets[0], ast.Tuple) else statement.targets[:1]
    pairs = zip(targets, values, strict=False) if len(targets) == len(values) else ()
    return next((v for t, v in pairs if isinstance(t, ast.Name) and t.id == name), None)


def _names_of(target: ast.expr) -> list[ast.Name]:
    """The variables that an assignment sets."""
    return [n for n in (target.elts if isinstance(target, ast.Tuple) else [target]) if isinstance(n, ast.Name)]


def copied_first(function: ast.FunctionDef, functions: Functions) -> None:
    """A parameter that becomes another array in a loop or a branch, and is never written, is a copy of its own."""
    arguments = function.args
    for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        name = parameter.arg
        first = next((s for s in function.body if sets(s, name)), None)
        if not rank_of(parameter.annotation) or first is None or isinstance(first, ast.Assign | ast.AugAssign):
            continue
        if may_be_written(function, name, functions):
            continue
        new = unused_name(name, {n.id for n in ast.walk(function) if isinstance(n, ast.Name)})
        for node in ast.walk(ast.Module(function.body, [])):
            if isinstance(node, ast.Name) and node.id == name:
                node.id = new
        function.body[:0] = written("new = given.copy()", first, new=new, given=name)


def handed_over(function: ast.FunctionDef) -> None:
    """Copy an array that a round of a loop makes, and gives to another name at last, and what that name was to a third:
    as none asks for it again, the copy is the same.
    """
    names = Counter(n.id for n in ast.walk(function) if isinstance(n, ast.Name))
    for loop in (n for n in ast.walk(function) if isinstance(n, ast.For | ast.While)):
        found: list[ast.stmt] = []
        for number, statement in enumerate(loop.body):
            chain = _chain(statement)
            if chain and _is_made_for(loop.body[: number + 1], chain[-1][1].id, names):
                for target, value in chain:
                    found += written("target = value.copy()", statement, target=target, value=value)
            else:
                found.append(statement)
        loop.body = found


def _chain(statement: ast.stmt) -> list[tuple[ast.Name, ast.Name]]:
    """The names that get the values of others, each before its own value is another; none for other statements."""
    match statement:
        case ast.Assign(targets=[ast.Name() as target], value=ast.Name() as value):
            pairs = [(target, value)]
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            both = list(zip(targets, values, strict=False))
            pairs = [(t, v) for t, v in both if isinstance(t, ast.Name) and isinstance(v, ast.Name)]
            if len(pairs) != max(len(targets), len(values)):
                return []
        case _:
            return []
    left, found = {v.id: (t, v) for t, v in pairs}, list[tuple[ast.Name, ast.Name]]()
    first = next((v for v in left if v not in {t.id for t, _ in pairs}), "")
    while first in left:
        found.insert(0, left.pop(first))
        first = found[0][0].id
    return found if len(found) == len(pairs) else []


def given_away(function: ast.FunctionDef, value: ast.expr) -> bool:
    """Whether a name is given to another one after operators made its array, and nobody asks for it again."""
    names = Counter(n.id for n in ast.walk(function) if isinstance(n, ast.Name))
    for block in (n.body for n in ast.walk(function) if isinstance(n, ast.For | ast.While | ast.FunctionDef)):
        for number, statement in enumerate(block):
            if isinstance(statement, ast.Assign) and statement.value is value and isinstance(value, ast.Name):
                return _is_made_for(block[: number + 1], value.id, names, (ast.BinOp, ast.UnaryOp))
    return False


def _is_made_for(
    body: Sequence[ast.stmt], name: str, names: Counter[str], operators: tuple[type[ast.expr], ...] = ()
) -> bool:
    """Whether statements make an array, and nobody asks for it but they."""
    first = next(k for k, s in enumerate(body) if mentions(s, name))
    inside = [n.id for s in body[first:] for n in ast.walk(s) if isinstance(n, ast.Name)]
    return inside.count(name) == names[name] and _makes(body[first], name, operators)


def _makes(statement: ast.stmt, name: str, operators: tuple[type[ast.expr], ...]) -> bool:
    """Whether a statement names an array of its own; what these operators give is one."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=to)], value=value):
            return to == name and (is_new(value) or isinstance(value, operators)) and not mentions(value, name)
    return False


def rank_of(annotation: ast.expr | None) -> int:
    """The dimensions of a parameter whose annotation has one for each, else 0."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        with suppress(SyntaxError):
            annotation = ast.parse(annotation.value, mode="eval").body
    if not isinstance(annotation, ast.Subscript):
        return 0
    return len(annotation.slice.elts) if isinstance(annotation.slice, ast.Tuple) else 1
