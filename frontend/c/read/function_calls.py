"""Calls: of functions without effects that the core knows, of builtins, of functions by name, and through pointers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from raising.affine.ir.integer_functions import COUNTS_BY_C
from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.clang.libclang import RawType
from raising.frontend.c.read.by_reference import passed
from raising.frontend.c.read.conversions import converted
from raising.frontend.c.read.operators import condition, constant, returns_reference
from raising.frontend.c.read.reader_state import EFFECTS, LVALUES, OBJECTS, VALUES, Context
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.intrinsics import INTRINSICS
from raising.frontend.core.types import F32, F64, VOID, Complex, Float, Int, Pointer, Routine, Type

_INTEGERS = {"abs": 32, "labs": 64, "llabs": 64, "imaxabs": 64}
_PARTS = {"creal": 0, "cimag": 1}
_ROUNDED = {f"{prefix}{name}": name for name in ("rint", "round") for prefix in ("l", "ll")}
_BITS = {
    f"{name}{suffix}": (name, width) for name in COUNTS_BY_C for suffix, width in (("", 32), ("l", 64), ("ll", 64))
} | {f"bswap{width}": ("bswap", width) for width in (16, 32, 64)}
_CLASSES = {"isinf_sign": "isinf", "isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite", "isnormal": "isnormal"}
_CLASSES |= {"signbit": "signbit", "finite": "isfinite"}
_COMPARED = {"isgreater": "gt", "isgreaterequal": "ge", "isless": "lt", "islessequal": "le"}
_COPIES = ("__builtin_memcpy", "__builtin_memmove", "__builtin_memset")
_TWICE = ("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork")


def _called(ctx: Context, node: Node, asked: bool) -> ex.Expr | None:
    """A call; its value is a hidden variable."""
    for objects in OBJECTS if ctx.types.source.plus else ():
        found = objects(ctx, node, asked)
        if found is not None:
            return found[0]  # type: ignore[no-any-return]
    target = called(ctx, node, asked)
    if isinstance(target, ex.Name | ex.Deref | ex.Member | ex.Half | ex.Bytes):
        return build.load(target, node.loc)
    return target


def called(ctx: Context, node: Node, asked: bool) -> ex.Expr | ex.Lvalue | None:
    """A call of a function: its value, or what the reference that it returns designates."""
    callee, *arguments = node.expressions
    direct = _named_function(ctx, callee)
    if direct is not None:
        name = direct.spelling
        known = _known(ctx, name, direct, arguments, node)
        if known is not None:
            return known[0]
        if name in _TWICE:
            raise ctx.refused(node, f"it calls '{name}', which may return more than once")
        if name.startswith(("__builtin_", "__atomic_", "__sync_", "__c11_")) and name not in _COPIES:
            raise ctx.refused(node, f"it calls '{name}'")
    function = _callee(ctx, callee)
    values = tuple(passed(ctx, a, p) for a, p in zip_longest(arguments, _parameters(node, len(arguments))))
    reference = ctx.types.source.plus and returns_reference(node)
    t = Pointer(ctx.types.node(node)) if reference else ctx.types.node(node)
    for value in values:
        ctx.look_into(value.type)
    ctx.look_into(t)
    result = ctx.temporary(t, node.loc) if asked and t != VOID else None
    target = function.name if isinstance(function, ex.RoutineName) else function
    ctx.add(st.Call(result, target, _fitted(function, values, node), node.loc))
    if result is None:
        return None
    value = build.read(result, node.loc)
    return build.deref(value, node.loc) if reference else value


def _parameters(node: Node, count: int) -> list[RawType | None]:
    """The types of parameters as C++ declares them, which may be references; as many as there are arguments."""
    lib = node.source.lib
    if not node.source.plus or node.referenced.kind != kinds.FUNCTION:
        return [None] * count
    t = lib.getCursorType(node.referenced.raw)
    return [lib.getArgType(t, k) if k < lib.getNumArgTypes(t) else None for k in range(count)]


def _fitted(function: ex.Expr, values: tuple[ex.Expr, ...], node: Node) -> tuple[ex.Expr, ...]:
    """Arguments with the types of parameters; without a prototype they are what they are."""
    t = function.type.to if isinstance(function.type, Pointer) else None
    if not isinstance(t, Routine):
        return values
    pairs = zip(values, t.parameters, strict=False)
    fitted = [_argument(value, parameter, node) for value, parameter in pairs]
    return (*fitted, *values[len(fitted) :])


def _argument(value: ex.Expr, t: Type, node: Node) -> ex.Expr:
    if isinstance(value, ex.Literal) and isinstance(t, Pointer):
        return build.convert(value, t, node.loc)
    return value


def _named_function(ctx: Context, callee: Node) -> Node | None:
    """The name of a function that is called directly, perhaps as the case of a `_Generic`."""
    node = callee.bare()
    while True:
        inside = node.expressions
        if node.kind == kinds.GENERIC:
            t = ctx.types.node(node)
            inside = [c for c in inside[1:] if build.same(ctx.types.node(c), t)]
        elif node.kind != kinds.UNEXPOSED:
            break
        if len(inside) != 1:
            break
        node = inside[0].bare()
    return node if node.kind == kinds.DECL_REF and node.referenced.kind == kinds.FUNCTION else None


def _callee(ctx: Context, callee: Node) -> ex.Expr:
    value = ctx.value(callee)
    if not isinstance(value.type, Pointer) or not isinstance(value.type.to, Routine):
        raise ctx.refused(callee, "a call of what is no known function")
    return value


# ---- functions that are known -----------------------------------------------------------------------


def _known(ctx: Context, name: str, callee: Node, arguments: list[Node], node: Node) -> tuple[ex.Expr | None] | None:
    """The value of a call of a known function in a tuple; None if it is not known."""
    builtin = name.startswith("__builtin_")
    name = name.removeprefix("__builtin_")
    if builtin and name in _BUILTINS:
        return (_BUILTINS[name](ctx, arguments, node),)
    if not builtin and (ctx.unit.is_defined(callee) or name == "isinf_sign"):
        return None
    if builtin and f"__builtin_{name}" in _COPIES:
        return None
    if builtin and name in _BITS:
        base, width = _BITS[name]
        bits = build.convert(ctx.value(arguments[0]), Int(width, signed=False), node.loc)
        return (build.convert(build.intrinsic(base, (bits,), node.loc), ctx.types.node(node), node.loc),)
    value = node.evaluated() if builtin and name in _EVALUATED else None
    if value is not None:
        return (constant(ctx, value, ctx.types.node(node), node),)
    found = mathematical(ctx, name, arguments, node)
    return None if found is None else (found,)


_EVALUATED = {
    f"{name}{suffix}" for name in ("inf", "huge_val", "nan", "nans") for suffix in ("", "f", "l", "f128", "f16")
} | {"constant_p", "object_size", "types_compatible_p", "classify_type", "choose_expr", "offsetof", "flt_rounds"}


def mathematical(ctx: Context, name: str, arguments: list[Node], node: Node) -> ex.Expr | None:
    """A function of `math.h`, `complex.h` or `stdlib.h` without effects; None for any other."""
    loc = node.loc
    if name in _CLASSES and len(arguments) == 1:
        value, t = ctx.value(arguments[0]), ctx.types.node(node)
        if not isinstance(value.type, Float):
            return None
        found = build.intrinsic(_CLASSES[name], (value,), loc)
        if name != "isinf_sign":
            return build.convert(found, t, loc)
        minus, one, zero = (build.integer(k, t, loc) for k in (-1, 1, 0))
        signed = ex.Select(build.intrinsic("signbit", (value,), loc), minus, one, t, loc)
        return ex.Select(found, signed, zero, t, loc)
    if name in _COMPARED and len(arguments) == 2:
        return _quiet_comparison(ctx, name, arguments, node)
    if name in _INTEGERS and len(arguments) == 1:
        value = build.convert(ctx.value(arguments[0]), Int(_INTEGERS[name]), loc)
        return build.intrinsic("abs", (value,), loc)
    return _floating(ctx, name, arguments, node)


def _quiet_comparison(ctx: Context, name: str, arguments: list[Node], node: Node) -> ex.Expr:
    left, right = (ctx.value(a) for a in arguments)
    compared = build.compare(_COMPARED[name], left, right, node.loc)  # type: ignore[arg-type]
    return build.convert(compared, ctx.types.node(node), node.loc)


def _floating(ctx: Context, name: str, arguments: list[Node], node: Node) -> ex.Expr | None:
    base, t = _base(name)
    rounding = _ROUNDED.get(base)
    known = INTRINSICS.get(rounding or base)
    if base in _PARTS and len(arguments) == 1:
        return converted(ctx, build.part(ctx.value(arguments[0]), _PARTS[base], node.loc), t, node)
    if known is None or base in _NOT_C or known.of == "int" or known.arity != len(arguments):
        return None
    if not isinstance(ctx.types.node(node), Float | Complex | Int):
        return None
    of: Type = Complex(t) if known.of == "complex" else t
    values = tuple(converted(ctx, ctx.value(a), of, node) for a in arguments)
    result = build.intrinsic(rounding or base, values, node.loc)
    return converted(ctx, result, ctx.types.node(node), node)


_NOT_C = {"maximum", "minimum", "isnan", "isinf", "isfinite", "isnormal", "signbit", "imax", "imin", "bswap"}


def _base(name: str) -> tuple[str, Float]:
    """The name of a function of `math.h` for doubles, and the type that the suffix says."""
    names = INTRINSICS.keys() | _PARTS.keys() | _ROUNDED.keys()
    for suffix, t in (("f", F32), ("l", Float(80))):
        if name.endswith(suffix) and name not in names and name[:-1] in names:
            return name[:-1], t
    return name, F64


# ---- builtins of compilers ----------------------------------------------------------------------------


def _first(ctx: Context, arguments: list[Node], node: Node) -> ex.Expr:
    """`__builtin_expect(x, ...)`, `__builtin_assume_aligned(p, ...)`: its first argument."""
    return converted(ctx, ctx.value(arguments[0]), ctx.types.node(node), node)


def _assume(ctx: Context, arguments: list[Node], node: Node) -> None:
    with ctx.block() as effects:
        test = condition(ctx, arguments[0])
    if not effects:
        ctx.add(st.Assume(test, node.loc))


def _unreachable(ctx: Context, arguments: list[Node], node: Node) -> None:
    ctx.add(st.Assume(build.truth(False, node.loc), node.loc))


def _nothing(ctx: Context, arguments: list[Node], node: Node) -> None:
    """A hint to the processor."""


_BUILTINS: dict[str, Callable[[Context, list[Node], Node], ex.Expr | None]] = {
    "expect": _first,
    "expect_with_probability": _first,
    "assume_aligned": _first,
    "assume": _assume,
    "unreachable": _unreachable,
    "prefetch": _nothing,
}


def _call_value(ctx: Context, node: Node) -> ex.Expr:
    value = _called(ctx, node, True)
    if value is None:
        raise ctx.refused(node, "the value of a call that has none")
    return value


def _call_lvalue(ctx: Context, node: Node) -> ex.Lvalue:
    """What a reference designates that a call returns."""
    for objects in OBJECTS if ctx.types.source.plus else ():
        found = objects(ctx, node, True)
        if found is not None and found[0] is not None:
            value = found[0] if isinstance(found[0], ex.Load) else ctx.keep(found[0], node.loc)
            assert isinstance(value, ex.Load)
            return value.source
    target = called(ctx, node, True)
    if not isinstance(target, ex.Deref):
        raise ctx.refused(node, "a value that has no place in memory is not an lvalue")
    return target


VALUES[kinds.CALL] = _call_value
LVALUES[kinds.CALL] = _call_lvalue
EFFECTS[kinds.CALL] = lambda ctx, node: _called(ctx, node, False)
