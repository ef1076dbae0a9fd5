"""Arrays that one expression of NumPy's gives at once, where each gets a name: `X, Y = np.meshgrid(x, y)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy

from raising.frontend.python.module import Module
from raising.frontend.python.numpy_library.made_syntax import builtin_call, numpy_call, written

_SPLIT = "numpy.split"
_UNEQUAL = 'if len(array) % pieces != 0: raise ValueError("array split does not result in an equal division")'


def one_by_one(module: Module, node: ast.Assign) -> list[ast.stmt]:
    """Assignments of each of the arrays that a statement names, and what these need; none for other statements."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
            before = _named(module, node)
            made = _each_of(module, value, len(targets))
            each = [ast.Assign([t], v) for t, v in zip(targets, made, strict=False)]
            return [*before, *_needed(module, node), *each] if made else []
    return []


def _named(module: Module, node: ast.Assign) -> list[ast.stmt]:
    """A name for an array that is split, whose length is asked; in place."""
    match node.value:
        case ast.Call(func=function, args=[ast.Call() as array, _] as args) if module.dotted(function) == _SPLIT:
            name = f"split_{node.value.lineno}_{node.value.col_offset}"
            args[0] = ast.Name(name, ast.Load())
            return written("name = array", node, name=name, array=array)
    return []


def _needed(module: Module, node: ast.Assign) -> list[ast.stmt]:
    """An error where an array cannot be split into so many pieces of one length."""
    match node.value:
        case ast.Call(func=function, args=[array, ast.Constant() as n]) if module.dotted(function) == _SPLIT:
            return written(_UNEQUAL, node, array=array, pieces=n)
    return []


def _each_of(module: Module, value: ast.expr, count: int) -> list[ast.expr]:
    """What makes each of so many arrays, one after the other; none for other expressions."""
    match value:
        case ast.Subscript(value=array, slice=ast.Tuple(elts=parts)) if module.dotted(array) == "numpy.mgrid":
            vectors = [_range(p) for p in parts if isinstance(p, ast.Slice) and p.upper is not None]
            return _grids(vectors, [*range(count)]) if len(vectors) == len(parts) == count else []
        case ast.Call(args=given, keywords=options):
            options_ = {k.arg: getattr(k.value, "value", None) for k in options}
            return _called(module.dotted(value.func), given, options_, count)
    return []


def _called(name: str, given: list[ast.expr], options: dict[str | None, object], count: int) -> list[ast.expr]:
    match name.removeprefix("numpy."), given:
        case "gradient", [f] if not options:
            return [_along(numpy_call("gradient", [deepcopy(f)]), axis) for axis in range(count)]
        case "meshgrid", [_, _, *_] if len(given) == count and options.keys() <= {"indexing"}:
            turned = options.get("indexing", "xy") == "xy"  # the first two are in the other order
            order = [1, 0, *range(2, count)] if turned else [*range(count)]
            return _grids([given[k] for k in order], order)
        case "indices", [shape] if not options:
            parts = shape.elts if isinstance(shape, ast.Tuple | ast.List) else [_part(shape, k) for k in range(count)]
            return _grids([numpy_call("arange", [p]) for p in parts], [*range(count)]) if len(parts) == count else []
        case "split", [array, pieces] if not options:
            return _pieces(array, pieces, count)
    return []


def _along(call: ast.Call, axis: int) -> ast.Call:
    call.keywords.append(ast.keyword("axis", ast.Constant(axis)))
    return call


def _part(whole: ast.expr, number: int) -> ast.expr:
    return ast.Subscript(deepcopy(whole), ast.Constant(number), ast.Load())


def _range(part: ast.Slice) -> ast.expr:
    """The numbers that a slice means."""
    assert part.upper is not None
    return numpy_call("arange", [part.lower or ast.Constant(0), part.upper, *([part.step] if part.step else [])])


def _grids(vectors: Sequence[ast.expr], order: Sequence[int]) -> list[ast.expr]:
    """For each place in an order the vector there, spread along the axes of the others."""
    return [_along(numpy_call("_grid", deepcopy([*vectors])), axis) for axis in order]


def _pieces(array: ast.expr, pieces: ast.expr, count: int) -> list[ast.expr]:
    """The pieces of a vector: so many of one length, or what lies between some places."""
    ends: list[ast.expr | None]
    if isinstance(pieces, ast.List | ast.Tuple):
        ends = [None, *pieces.elts, None]
    elif isinstance(pieces, ast.Constant) and pieces.value == count:
        length = ast.BinOp(builtin_call("len", array), ast.FloorDiv(), pieces)
        ends = [None, *[ast.BinOp(ast.Constant(k), ast.Mult(), length) for k in range(1, count)], None]
    else:
        return []
    slices = [ast.Slice(low, high) for low, high in zip(ends, ends[1:], strict=False)]
    made = [ast.Subscript(deepcopy(array), deepcopy(part), ast.Load()) for part in slices]
    return [*made] if len(made) == count else []
