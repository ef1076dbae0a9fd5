"""Names and copies that let each name stand for one array: a copy is made where nobody can tell it from the array.

y = np.stack((a, b))               ->  y_ = np.stack((a, b))
y = y.sum(axis=0)                      y = y_.sum(axis=0)

def f(A):                          ->  A_ = A.copy()
    for t in range(steps):             for t in range(steps):
        A = B @ A                          A_ = B @ A_     (nothing writes the memory of A)

for t in range(steps):             ->  for t in range(steps):
    y = np.zeros(n)                        y = np.zeros(n)
    ...                                    ...
    x = y                                  x = y.copy()    (nobody asks for y again)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from raising.frontend.python.numpy_library.made_syntax import placed
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
        copied = ast.Call(ast.Attribute(ast.Name(name, ast.Load()), "copy", ast.Load()), [], [])
        made = ast.Assign([ast.Name(new, ast.Store())], copied)
        function.body.insert(0, placed(made, first))


def handed_over(function: ast.FunctionDef) -> None:
    """Copy an array that a round of a loop makes, and gives to another name at last: as none asks for it again, the
    copy is the same.
    """
    names = Counter(n.id for n in ast.walk(function) if isinstance(n, ast.Name))
    for loop in (n for n in ast.walk(function) if isinstance(n, ast.For | ast.While)):
        for number, statement in enumerate(loop.body):
            match statement:
                case ast.Assign(targets=[ast.Name(id=to)], value=ast.Name(id=name) as value) if to != name:
                    first = next(k for k, s in enumerate(loop.body) if mentions(s, name))
                    inside = [n for s in loop.body[first : number + 1] for n in ast.walk(s)]
                    uses = sum(isinstance(n, ast.Name) and n.id == name for n in inside)
                    if uses == names[name] and _makes(loop.body[first], name):
                        copied = ast.Call(ast.Attribute(value, "copy", ast.Load()), [], [])
                        statement.value = placed(copied, value)


def _makes(statement: ast.stmt, name: str) -> bool:
    """Whether a statement names an array of its own."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=to)], value=value):
            return to == name and is_new(value) and not mentions(value, name)
    return False


def rank_of(annotation: ast.expr | None) -> int:
    """The dimensions of a parameter whose annotation has one for each, else 0."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        with suppress(SyntaxError):
            annotation = ast.parse(annotation.value, mode="eval").body
    if not isinstance(annotation, ast.Subscript):
        return 0
    return len(annotation.slice.elts) if isinstance(annotation.slice, ast.Tuple) else 1
