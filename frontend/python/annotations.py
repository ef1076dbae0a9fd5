"""What the annotations of a function say of its parameters.

An array is `float32[N, M]`, with or without quotation marks, `float32[:, :]`
as Numba has it, `Float32[Array, "N M"]` as jaxtyping has it, or
`NDArray[float32]`; then the subscripts tell how many dimensions it has. A
name among the extents that is neither a parameter nor a constant of the file
is a size, which the arrays tell.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import field

from raising.frontend.python.module import Module, refused
from raising.frontend.python.types import Kind, named
from raising.support.record import dataclass
from raising.support.source import unused_name

MAX_RANK = 16
_CONTAINERS = ("Array", "ndarray", "NDArray", "Tensor")


@dataclass(frozen=True)
class Shaped:
    """An array: the kind of its elements, and its extents over the integers of its function."""

    kind: Kind
    extents: tuple[ast.expr, ...]


@dataclass
class Signature:
    """A function's parameters in order; `sizes` are told by a dimension of an array.

    `results` are arrays of the function's own that it returns: they become
    parameters behind the others. `boxed` are those of one element that stand for a number of a tuple;
    `number` is what is returned, where that is a number. An `inner` function is only called by others of the file.
    """

    node: ast.FunctionDef
    order: list[str] = field(default_factory=list)
    scalars: dict[str, Kind] = field(default_factory=dict)
    arrays: dict[str, Shaped] = field(default_factory=dict)
    sizes: dict[str, tuple[str, int]] = field(default_factory=dict)
    results: dict[str, Shaped] = field(default_factory=dict)
    boxed: dict[str, Kind] = field(default_factory=dict)
    number: Kind | None = None
    inner: bool = False


Given = tuple[tuple[str, Kind, int], ...]
"""The parameters that have no annotation in a function that is called: the kind and the dimensions of the arguments."""


def parameters(node: ast.FunctionDef) -> list[ast.arg]:
    """The parameters of a function in order, but for those of which there may be any number."""
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def signature(module: Module, node: ast.FunctionDef, given: Given = ()) -> Signature:
    """The parameters of a function; `Refused` where one has no type that we know, and none is given."""
    arguments = node.args
    if arguments.vararg or arguments.kwarg:
        raise refused(module, node, "a variable number of parameters")
    found = Signature(node, inner=bool(given))
    types = {name: (kind, rank) for name, kind, rank in given}
    for argument in parameters(node):
        if argument.arg in types:
            _given(found, argument, *types[argument.arg])
        else:
            _parameter(module, found, argument)
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    for name in names:
        if not name.id.isascii():
            raise refused(module, name, f"'{name.id}': only names in ASCII are supported")
    taken = {n.id for n in names} | {*found.order}
    _set_apart(found, node, taken)
    for array_name, array in found.arrays.items():
        found.arrays[array_name] = _with_sizes(module, found, array_name, array, taken)
    _check_sizes(module, found)
    return found


def _set_apart(found: Signature, node: ast.FunctionDef, taken: set[str]) -> None:
    """Other names for sizes of annotations that are variables of the function, and more than lengths of arrays."""
    assigned = [n for n in ast.walk(node) if isinstance(n, ast.Assign | ast.AugAssign | ast.For)]
    lengths = [n for n in assigned if isinstance(n, ast.Assign) and _is_length(n.value)]
    targets = [n.targets if isinstance(n, ast.Assign) else [n.target] for n in assigned if n not in lengths]
    changed = {t.id for each in targets for part in each for t in ast.walk(part) if isinstance(t, ast.Name)}
    for array in found.arrays.values():
        for part in (p for extent in array.extents for p in ast.walk(extent) if isinstance(p, ast.Name)):
            if part.id in changed and part.id not in found.scalars:
                name = f"{part.id}_size"
                part.id = name if name not in taken else f"{name}_"


def _is_length(value: ast.expr) -> bool:
    """True for `len(…)` and `….shape[…]`."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "len"
    inner = value.value if isinstance(value, ast.Subscript) else value
    return isinstance(inner, ast.Attribute) and inner.attr == "shape"


def _given(found: Signature, argument: ast.arg, kind: Kind, rank: int) -> None:
    found.order.append(argument.arg)
    if rank == 0:
        found.scalars[argument.arg] = kind
    else:
        place = ast.copy_location(ast.Name(argument.arg, ast.Load()), argument)
        found.arrays[argument.arg] = Shaped(kind, (_open(place),) * rank)


def _parameter(module: Module, found: Signature, argument: ast.arg) -> None:
    name, annotation = argument.arg, argument.annotation
    if not name.isascii():
        raise refused(module, argument, f"parameter '{name}': only names in ASCII are supported")
    if annotation is None:
        raise refused(module, argument, f"parameter '{name}' has no type; write one, as in '{name}: float32[N, M]'")
    type_ = _annotation(module, found.node, name, annotation)
    found.order.append(name)
    if isinstance(type_, Kind):
        found.scalars[name] = type_
    elif type_ is not None:
        found.arrays[name] = type_
    else:
        raise refused(module, argument, f"the type of parameter '{name}' is not supported: {ast.unparse(annotation)}")


def _annotation(module: Module, function: ast.FunctionDef, name: str, node: ast.expr) -> Kind | Shaped | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            inner = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        for part in ast.walk(inner):
            ast.copy_location(part, node)
        return _annotation(module, function, name, inner)
    if not isinstance(node, ast.Subscript):
        return element_kind(module, node)
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    kind = element_kind(module, node.value)
    last = module.dotted(node.value).rpartition(".")[2]
    if kind is None and last in _CONTAINERS:
        kind = element_kind(module, parts[-1])
        rank = _rank(function, name)
        return None if kind is None or not rank else Shaped(Kind(kind.dtype), (_open(node),) * rank)
    if kind is None:
        return None
    texts = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]
    if len(parts) == 2 and len(texts) == 1 and module.dotted(parts[0]).rpartition(".")[2] in _CONTAINERS:
        parts = [_extent(text, node) for text in texts[0].replace(",", " ").split()]
    parts = [_extent(p.value, node) if isinstance(p, ast.Constant) and p.value in texts else p for p in parts]
    return Shaped(Kind(kind.dtype), tuple(parts)) if len(parts) <= MAX_RANK else None


def element_kind(module: Module, node: ast.expr) -> Kind | None:
    """The kind of number that a name such as `np.float32` means."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return named(node.value)
    return named(module.dotted(node).rpartition(".")[2])


def elements_of(module: Module, function: ast.FunctionDef, name: str) -> Kind | None:
    """The kind of the elements of a parameter that is an array, as its annotation says; None for other names."""
    for node in (a.annotation for a in parameters(function) if a.arg == name):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
        with suppress(SyntaxError, ValueError):
            whole = node if text is None else ast.parse(text.strip(), mode="eval").body
            return element_kind(module, whole.value) if isinstance(whole, ast.Subscript) else None
    return None


def _open(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Slice(), node)


def _extent(text: str, node: ast.expr) -> ast.expr:
    made: ast.expr = ast.Constant(int(text)) if text.isdecimal() else ast.Name(text, ast.Load())
    return ast.copy_location(made, node)


def _rank(function: ast.FunctionDef, name: str) -> int:
    """With how many subscripts a function uses an array."""
    found = 0
    for node in ast.walk(function):
        count, part = 0, node
        while isinstance(part, ast.Subscript):
            count += len(part.slice.elts) if isinstance(part.slice, ast.Tuple) else 1
            part = part.value
        if isinstance(part, ast.Name) and part.id == name:
            found = max(found, count)
    return found


def _with_sizes(module: Module, found: Signature, name: str, array: Shaped, taken: set[str]) -> Shaped:
    """The array with a name for each extent that is open; sizes that nothing else gives are noted."""
    extents: list[ast.expr] = []
    for position, extent in enumerate(array.extents):
        if isinstance(extent, ast.Slice):
            size = unused_name(f"{name}_{position}", taken)
            extent = ast.copy_location(ast.Name(size, ast.Load()), extent)  # noqa: PLW2901
        own = isinstance(extent, ast.Name) and extent.id not in (*found.scalars, *module.constants)
        if own and extent.id not in found.sizes:  # type: ignore[attr-defined]
            found.sizes[extent.id] = name, position  # type: ignore[attr-defined]
        extents.append(extent)
    return Shaped(array.kind, tuple(extents))


def _check_sizes(module: Module, found: Signature) -> None:
    for array in found.arrays.values():
        for part in (p for extent in array.extents for p in ast.walk(extent) if isinstance(p, ast.Name)):
            known = part.id in found.scalars or part.id in found.sizes or part.id in module.constants
            if not known or not part.id.isascii():
                raise refused(module, part, f"size '{part.id}' is no parameter, and no dimension of an array alone")
            kind = found.scalars.get(part.id)
            if kind is not None and (kind.is_float or kind.is_bool):
                raise refused(module, part, f"size '{part.id}' is not an integer")
