"""A tree as C++ that finds out whether C gives a call a meaning, and how far floats may be off.

Every subscript is compared with its extent and every overflow seen; each float carries a bound of what rounding and
reordering can do to it. The function is given each array with a capacity, and says how much of it was used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.hunt.drawn.tree import (
    C_NAMES,
    COMPARISONS,
    FLOATS,
    Array,
    Bin,
    Cast,
    Decl,
    Elem,
    Expr,
    Fn,
    For,
    Function,
    If,
    Jump,
    Num,
    Sel,
    Set,
    Stmt,
    Un,
    Var,
    common,
    type_of,
    types,
)
from tests.hunt.spell import c as spell_c

HEADER = (Path(__file__).parent / "checked.hpp").read_text()
FLAGS = ("-O0", "-w", "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero", "-ffp-contract=off")
_HELD = {"f64": "D", "f32": "S", "bool": "bool"}


def function(tree: Function, name: str, eager: bool = False) -> str:
    """The function `NAME`: its parameters, after each array its capacity; then the bounds and uses of each array.

    If it is `eager`, both sides of a conditional expression are computed, as a selection does.
    """
    return _Spelling(tree, eager).text(name)


class _Spelling:
    def __init__(self, tree: Function, eager: bool) -> None:
        self.tree, self.types, self.eager = tree, types(tree), eager
        self.arrays: dict[str, tuple[Expr | None, ...]] = {p.name: p.dims for p in tree.params if isinstance(p, Array)}

    def text(self, name: str) -> str:
        """The whole function."""
        arrays = [p for p in self.tree.params if isinstance(p, Array)]
        given = [
            f"const {C_NAMES[p.type].replace('_Bool', 'bool')} *{p.name}_raw, long {p.name}_n"
            if isinstance(p, Array)
            else f"{C_NAMES[p.type].replace('_Bool', 'bool')} {p.name}_raw"
            for p in self.tree.params
        ]
        lines = [f'extern "C" int {name}({", ".join([*given, "double **bounds", "long *used", "double *result"])}) {{']
        lines.append("  steps = operations = vague = overflown = 0;")
        for p in self.tree.params:
            kind = held(p.type)
            more = f", {p.name}_n" if isinstance(p, Array) else ""
            lines.append(f"  {f'Array<{kind}>' if isinstance(p, Array) else kind} {p.name}({p.name}_raw{more});")
        lines.append("  try {")
        lines += [f"    if (!({self.expression(d)} > 0)) undefined();" for a in arrays for d in a.dims if d is not None]
        lines += self.statements(self.tree.body, 2)
        if self.tree.returns is not None:
            value = self.converted(self.tree.returns, "f64")
            lines.append(f"    D value = {value}; result[0] = value.v; result[1] = value.bound();")
        lines.append("  } catch (Stop stop) { return stop.why; } catch (Returned) {}")
        lines += [f"  {a.name}.out(bounds[{k}], used + {k});" for k, a in enumerate(arrays)]
        return "\n".join([*lines, "  return overflown ? UNDEFINED : vague ? VAGUE : FINE;", "}", ""])

    # ---- statements ----

    def statements(self, nodes: Sequence[Stmt], depth: int) -> list[str]:
        return ["  " * depth + line for node in nodes for line in self._statement(node)]

    def _statement(self, node: Stmt) -> Iterator[str]:
        yield "tick();"
        match node:
            case Set():
                kind = type_of(node.target, self.types)
                value = node.value if node.op == "=" else Bin(node.op, node.target, node.value)
                yield f"{self.expression(node.target)} = {self.converted(value, kind)};"
            case Decl():
                yield from self._declaration(node)
            case For():
                kind, var = C_NAMES[node.type], node.var
                test = self.truth(Bin(node.cmp, Var(var), node.high))
                asked = f"once_{var} || ({test})" if node.style == "do" else test
                yield f"{{ bool once_{var} = true;"
                yield f"for ({kind} {var} = {self.converted(node.low, node.type)}; {asked}; {var} += {node.step}) {{"
                yield f"  once_{var} = false;"
                yield from self.statements(node.body, 1)
                yield "  tick();"
                yield "}}"
            case Jump():
                yield "throw Returned();" if node.word == "return" else f"{node.word};"
            case If():
                yield f"if ({self.truth(node.cond)}) {{"
                yield from self.statements(node.then, 1)
                yield "} else {"
                yield from self.statements(node.other, 1)
                yield "}"

    def _declaration(self, node: Decl) -> Iterator[str]:
        kind = held(node.type)
        if not node.dims:
            yield f"{kind} {node.name} = {self.converted(node.init, node.type)};"
            return
        self.arrays[node.name] = tuple(Num(d) for d in node.dims)
        size = " * ".join(map(str, node.dims))
        raw = "float" if node.type == "f32" else "double" if node.type == "f64" else kind
        yield f"{raw} {node.name}_raw[{size}] = {{}}; Array<{kind}> {node.name}({node.name}_raw, {size});"

    # ---- expressions ----

    def converted(self, node: Expr, kind: str) -> str:
        """An expression in a type."""
        return (
            f"{held(kind)}({self.expression(node)})"
            if " " not in held(kind)
            else f"({held(kind)})({self.expression(node)})"
        )

    def truth(self, node: Expr) -> str:
        """An expression as a condition."""
        kind = type_of(node, self.types)
        return f"({self.expression(node)}.v != 0)" if kind in FLOATS else f"({self.expression(node)})"

    def expression(self, node: Expr) -> str:
        """An expression of the type that it has in C."""
        match node:
            case Num():
                text = spell_c.number(node).replace("_Bool", "bool")
                return f"{held(node.type)}({text})" if node.type in FLOATS else text
            case Var():
                return node.name
            case Elem():
                return self._element(node)
            case Un():
                return f"(!{self.truth(node.a)})" if node.op == "!" else f"({node.op}{self.expression(node.a)})"
            case Sel():
                kind = type_of(node, self.types)
                a, b = self.converted(node.a, kind), self.converted(node.b, kind)
                return (
                    f"chosen({self.truth(node.c)}, {a}, {b})" if self.eager else f"({self.truth(node.c)} ? {a} : {b})"
                )
            case Cast():
                return self.converted(node.a, node.type)
            case Fn():
                return f"{node.name}({', '.join(self.converted(a, 'f64') for a in node.args)})"
        return self._binary(node)

    def _binary(self, node: Bin) -> str:
        if node.op in ("&&", "||"):
            return f"(int)({self.truth(node.a)} {node.op} {self.truth(node.b)})"
        if node.op in ("<<", ">>"):
            return f"({self.expression(node.a)} {node.op} {self.expression(node.b)})"
        kind = common(type_of(node.a, self.types), type_of(node.b, self.types))
        a, b = (self.converted(one, kind) for one in (node.a, node.b))
        if kind in FLOATS and node.op in COMPARISONS:
            return f"(int){_compared(node.op, a, b)}"
        return f"(int)({a} {node.op} {b})" if node.op in COMPARISONS else f"({a} {node.op} {b})"

    def _element(self, node: Elem) -> str:
        dims = self.arrays[node.array]
        place = ""
        for sub, extent in zip(node.subs, dims, strict=True):
            here = f"(long)({self.expression(sub)})"
            size = None if extent is None else f"(long)({self.expression(extent)})"
            here = here if size is None else f"inside({here}, {size})"
            place = f"({place}) * {size} + {here}" if place else here
        return f"{node.array}.at({place or '0'})"


def held(kind: str) -> str:
    """The type that a number of this type is held in."""
    return _HELD.get(kind) or C_NAMES[kind]


def _compared(op: str, a: str, b: str) -> str:
    match op:
        case "<":
            return f"below({a}, {b})"
        case ">":
            return f"below({b}, {a})"
        case "<=":
            return f"!below({b}, {a})"
        case ">=":
            return f"!below({a}, {b})"
        case "==":
            return f"same({a}, {b})"
    return f"!same({a}, {b})"
