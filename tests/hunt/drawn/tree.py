"""What the hunter draws: small functions as trees, which other files spell in C, Python and MLIR.

A tree is made of frozen values, so that it can be compared, pickled, and made smaller node by node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

FLOATS = ("f64", "f32")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
C_NAMES = {
    "f64": "double", "f32": "float", "i8": "signed char", "i16": "short", "i32": "int", "i64": "long",
    "u8": "unsigned char", "u16": "unsigned short", "u32": "unsigned", "u64": "unsigned long", "bool": "_Bool",
}  # fmt: skip
NUMPY = {"f64": "float64", "f32": "float32", "bool": "bool"} | {
    kind: f"{'u' * (kind[0] == 'u')}int{kind[1:]}" for kind in (*SIGNED, *UNSIGNED)
}


# ---- expressions ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Num:
    """A constant."""

    value: float
    type: str = "i32"


@dataclass(frozen=True)
class Var:
    """A loop's counter, a parameter, a local number or a global one."""

    name: str


@dataclass(frozen=True)
class Elem:
    """An element of an array."""

    array: str
    subs: tuple[Expr, ...]


@dataclass(frozen=True)
class Bin:
    """An operator of C between two values; a comparison gives an `int`, as in C."""

    op: str
    a: Expr
    b: Expr


@dataclass(frozen=True)
class Un:
    """`-`, `~` or `!`."""

    op: str
    a: Expr


@dataclass(frozen=True)
class Sel:
    """A conditional expression."""

    c: Expr
    a: Expr
    b: Expr


@dataclass(frozen=True)
class Cast:
    """A conversion that is written out."""

    type: str
    a: Expr


@dataclass(frozen=True)
class Fn:
    """A function of `math.h` on doubles."""

    name: str
    args: tuple[Expr, ...]


Expr = Num | Var | Elem | Bin | Un | Sel | Cast | Fn
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


# ---- statements ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Set:
    """An assignment; `op` is `=` or what stands before it."""

    target: Var | Elem
    op: str
    value: Expr


@dataclass(frozen=True)
class Decl:
    """A local number; or, with extents, a local array, which is cleared."""

    name: str
    type: str
    init: Expr
    dims: tuple[int, ...] = ()


@dataclass(frozen=True)
class For:
    """A loop that counts; `style` is how C spells it (`for` or `while`; `do` runs at least once).

    With `step`, the last thing that is done is part of the loop's step.
    """

    var: str
    type: str
    low: Expr
    cmp: str
    high: Expr
    step: int
    body: tuple[Stmt, ...]
    style: str = "for"


@dataclass(frozen=True)
class If:
    """A branch."""

    cond: Expr
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()


@dataclass(frozen=True)
class Jump:
    """`break`, `continue` or `return`."""

    word: str


Stmt = Set | Decl | For | If | Jump


# ---- functions -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Array:
    """An array parameter or global: extents, of which the first of a parameter may be unknown (None).

    `values` are what its elements always are, if that is known.
    """

    name: str
    type: str
    dims: tuple[Expr | None, ...]
    restrict: bool = True
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Scalar:
    """A number among the parameters, or a global; `size` says that loops and subscripts use it."""

    name: str
    type: str
    size: bool = False


Param = Array | Scalar


@dataclass(frozen=True)
class Global:
    """A variable of the file with its initial values; `linkage` is empty, `static` or `const`."""

    what: Param
    linkage: str
    init: tuple[float, ...] = ()


@dataclass(frozen=True)
class Function:
    """A function of the given parameters; `returns` is what it returns, if anything."""

    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    returns: Expr | None = None
    globals: tuple[Global, ...] = ()


# ---- walks ---------------------------------------------------------------------------------------

Node = Any  # of these classes, or a tuple of them


def is_node(value: object) -> bool:
    """Whether this is part of a tree (and not its name, type or number)."""
    return isinstance(value, tuple) or hasattr(value, "__dataclass_fields__")


def walk(node: Node) -> Iterator[Node]:
    """Every node, from the root down."""
    if isinstance(node, tuple):
        for one in node:
            yield from walk(one)
    elif is_node(node):
        yield node
        for f in fields(node):
            yield from walk(getattr(node, f.name))


def names(node: Node) -> set[str]:
    """The names of all numbers and arrays that a tree mentions."""
    found = {n.name for n in walk(node) if isinstance(n, Var)}
    return found | {n.array for n in walk(node) if isinstance(n, Elem)}


def mapped(node: Node, change: Callable[[Node], Node]) -> Node:
    """A tree with `change` applied to every node, from the leaves up."""
    if isinstance(node, tuple):
        return tuple(mapped(one, change) for one in node)
    if not is_node(node):
        return node
    parts = {f.name: mapped(getattr(node, f.name), change) for f in fields(node) if is_node(getattr(node, f.name))}
    return change(replace(node, **parts) if parts else node)


def renamed(node: Node, new: Mapping[str, Expr]) -> Node:
    """A tree with variables replaced by expressions."""
    return mapped(node, lambda n: new.get(n.name, n) if isinstance(n, Var) else n)


def is_scoped(function: Function) -> bool:
    """Whether everything is declared before it is mentioned, and nothing twice."""
    known = {p.name for p in (*function.params, *(g.what for g in function.globals))}
    result = function.returns is None or names(function.returns) <= known
    return result and names(function.params) <= known and _scoped(function.body, known)


def divides_by_zero(function: Function) -> bool:
    """Whether a quotient's divisor is the number 0, or a number that the caller may choose as 0."""
    given = {p.name for p in function.params if isinstance(p, Scalar) and p.type.startswith(("i", "u"))}
    divisors = [n.b for n in walk(function.body) if isinstance(n, Bin) and n.op in ("/", "%")]
    return any(not b.value if isinstance(b, Num) else isinstance(b, Var) and b.name in given for b in divisors)


def _scoped(body: tuple[Stmt, ...], known: set[str]) -> bool:
    known = set(known)
    for node in body:
        match node:
            case Jump():
                fine = True
            case Set():
                fine = names(node) <= known
            case Decl():
                fine = names(node.init) <= known and node.name not in known
                known.add(node.name)
            case For():
                inner = known | {node.var}
                fine = node.var not in known and names((node.low, node.high)) <= known and _scoped(node.body, inner)
            case If():
                fine = names(node.cond) <= known and _scoped(node.then, known) and _scoped(node.other, known)
        if not fine:
            return False
    return True


# ---- types ---------------------------------------------------------------------------------------

RANK = {"bool": 0, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 3, "u32": 3, "i64": 4, "u64": 4, "f32": 5, "f64": 6}


def promoted(kind: str) -> str:
    """C's integer promotion."""
    return "i32" if RANK[kind] < 3 else kind


def common(a: str, b: str) -> str:
    """C's usual arithmetic conversions."""
    a, b = promoted(a), promoted(b)
    if RANK[a] == RANK[b]:
        return a if a[0] == "u" else b
    return a if RANK[a] > RANK[b] else b


def type_of(expr: Expr, known: Mapping[str, str]) -> str:
    """The type that an expression has in C; `known` are those of variables and of arrays' elements."""
    match expr:
        case Num() | Cast():
            return expr.type
        case Var():
            return known[expr.name]
        case Elem():
            return known[expr.array]
        case Fn():
            return "f64"
        case Sel():
            return common(type_of(expr.a, known), type_of(expr.b, known))
        case Un():
            return "i32" if expr.op == "!" else promoted(type_of(expr.a, known))
    if expr.op in (*COMPARISONS, "&&", "||"):
        return "i32"
    if expr.op in ("<<", ">>"):
        return promoted(type_of(expr.a, known))
    return common(type_of(expr.a, known), type_of(expr.b, known))


def types(function: Function) -> dict[str, str]:
    """The types of all names of a function."""
    found = {p.name: p.type for p in (*function.params, *(g.what for g in function.globals))}
    for node in walk(function.body):
        if isinstance(node, Decl):
            found[node.name] = node.type
        elif isinstance(node, For):
            found[node.var] = node.type
    return found
