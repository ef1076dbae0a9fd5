"""Initial values: braces, designators and strings, as C11 6.7.9 has them.

Clang shows the lists as they are written, so what belongs to which element is found here. Values in braces are
converted to the type of what they initialise.
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.clang.string_literals import characters
from raising.frontend.c.read.conversions import converted
from raising.frontend.c.read.operators import value_of
from raising.frontend.c.read.reader_state import LVALUES, VALUES, Context
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import Array, Complex, Float, Int, Record, Type
from raising.support.source import Loc

MAX_ITEMS = 20_000  # of one variable: a table that is longer is memory like any other


def initial(ctx: Context, node: Node, t: Type) -> ex.Initial:
    """The initial value of an object of a type."""
    text = _string_of(node)
    if text is not None and isinstance(t, Array) and isinstance(t.element, Int):
        return _characters(ctx, text, t)
    if node.kind != kinds.INIT_LIST:
        value = ctx.value(node)
        ctx.look_into(t)
        return converted(ctx, value, t, node)
    if isinstance(t, Array | Record):
        return _List(ctx, node.children).whole(t, node.loc)
    if isinstance(t, Complex) and len(node.children) == 2:
        parts = [converted(ctx, ctx.value(c), t.part, node) for c in node.children]
        return ex.MakeComplex(parts[0], parts[1], t, node.loc)
    if len(node.children) != 1:
        return zero(t, node.loc)
    return initial(ctx, node.children[0], t)


def zero(t: Type, loc: Loc) -> ex.Initial:
    """The initial value of a variable without an initialiser that lives as long as the program: zeros."""
    if isinstance(t, Array | Record):
        return ex.Aggregate((), t, loc)
    if isinstance(t, Complex):
        return ex.MakeComplex(ex.Literal(0.0, t.part, loc), ex.Literal(0.0, t.part, loc), t, loc)
    return ex.Literal(0.0 if isinstance(t, Float) else 0, t, loc)


def _string_of(node: Node) -> Node | None:
    """A string literal, also one in braces."""
    bare = node.bare()
    if bare.kind == kinds.INIT_LIST and len(bare.children) == 1:
        bare = bare.children[0].bare()
    while bare.kind == kinds.UNEXPOSED and len(bare.children) == 1:
        bare = bare.children[0].bare()
    return bare if bare.kind == kinds.STRING else None


def _characters(ctx: Context, node: Node, t: Array) -> ex.Aggregate:
    values = characters(node.spelling)
    assert isinstance(t.element, Int)
    if values is None:
        raise ctx.refused(node, "a string that is not read")
    if isinstance(t.extent, int):
        values = values[: t.extent]
    items = [(k, ex.Literal(build.wrapped(v, t.element), t.element, node.loc)) for k, v in enumerate(values) if v]
    return ex.Aggregate(tuple(items), t, node.loc)


class _List:
    """The items between two braces, which are taken one by one from the left."""

    def __init__(self, ctx: Context, items: list[Node]) -> None:
        self.ctx = ctx
        self.items = items
        self.at = 0
        ctx.items += len(items)
        if ctx.items > MAX_ITEMS:
            raise ctx.refused(items[0], f"an initialiser of more than {MAX_ITEMS} values")

    def whole(self, t: Array | Record, loc: Loc) -> ex.Aggregate:
        """The list as all of an object; designators may name any part of it, the last one counts."""
        found: dict[int, ex.Initial] = {}
        position = 0
        while self.at < len(self.items):
            node = self.items[self.at]
            if _is_designated(node):
                self.at += 1
                position = self._designated(found, t, node)
            else:
                if self._part(t, position) is None:
                    break  # more values than elements: a constraint that clang only warns of
                found[position] = self._next(self._part_type(t, position))
            position += 1
            if isinstance(t, Record) and self._is_union(t):
                found = {position - 1: found[position - 1]}
        return ex.Aggregate(tuple(sorted(found.items(), key=lambda item: item[0])), t, loc)

    def _next(self, t: Type) -> ex.Initial:
        """A value for the next part: with its own braces, or as much of this list as the part has elements."""
        node = self.items[self.at]
        text = _string_of(node) if isinstance(t, Array) and isinstance(t.element, Int) else None
        if node.kind == kinds.INIT_LIST or text is not None or not isinstance(t, Array | Record):
            self.at += 1
            return initial(self.ctx, node, t)
        if isinstance(t, Record) and self._is_record(node, t):
            self.at += 1
            return initial(self.ctx, node, t)
        found: dict[int, ex.Initial] = {}
        position = 0
        while self.at < len(self.items) and self._part(t, position) is not None:
            if _is_designated(self.items[self.at]):
                break
            found[position] = self._next(self._part_type(t, position))
            position += 1
            if isinstance(t, Record) and self._is_union(t):
                break
        return ex.Aggregate(tuple(found.items()), t, node.loc)

    def _is_record(self, node: Node, t: Record) -> bool:
        return build.same(self.ctx.types.node(node), t)

    # ---- designators -------------------------------------------------------------------------------

    def _designated(self, found: dict[int, ex.Initial], t: Array | Record, node: Node) -> int:
        """`[k] = v`, `.f = v`, or several of these; gives the position of the last element that got a value."""
        *steps, value = node.children
        first, inner, rest = self._step(t, steps)
        last = first
        if rest and isinstance(t, Array) and rest[0].kind != kinds.MEMBER_REF and not isinstance(inner, Array):
            last, rest = self._index(rest[0]), rest[1:]  # `[first ... last]` of GNU C
        if last - first > MAX_ITEMS:
            raise self.ctx.refused(node, f"an initialiser of more than {MAX_ITEMS} values")
        one = self._merged(found.get(first), inner, rest, value)
        found.update(dict.fromkeys(range(first, last + 1), one))
        return last

    def _merged(self, before: ex.Initial | None, t: Type, steps: list[Node], value: Node) -> ex.Initial:
        """A part with a value at what the remaining designators say."""
        if not steps:
            return initial(self.ctx, value, t)
        if not isinstance(t, Array | Record):
            raise self.ctx.refused(value, "a designator of a part that is not known")
        found = dict(before.items) if isinstance(before, ex.Aggregate) else {}
        position, inner, rest = self._step(t, steps)
        found[position] = self._merged(found.get(position), inner, rest, value)
        if isinstance(t, Record) and self._is_union(t):
            found = {position: found[position]}
        return ex.Aggregate(tuple(sorted(found.items(), key=lambda item: item[0])), t, value.loc)

    def _step(self, t: Type, steps: list[Node]) -> tuple[int, Type, list[Node]]:
        """The position that the first designator says, the type there, and the designators that are left."""
        if isinstance(t, Array):
            position = self._index(steps[0])
            return position, self._part_type(t, position), steps[1:]
        assert isinstance(t, Record)
        name = self.ctx.types.field_name(steps[0].referenced)
        path = self.ctx.types.path(t.name, name)
        if not path:
            raise self.ctx.refused(steps[0], "a designator of a part that is not known")
        position = (self.ctx.types.layout(t.name).fields or ()).index(path[0])
        return position, path[0].type, steps[1:] if len(path) == 1 else steps

    def _index(self, step: Node) -> int:
        value = step.evaluated()
        if not isinstance(value, int) or value < 0:
            raise self.ctx.refused(step, "a designator that is not known")
        return value

    # ---- parts of types ----------------------------------------------------------------------------

    def _part(self, t: Type, position: int) -> Type | None:
        """The type of an element or field; None behind the last."""
        if isinstance(t, Array):
            return t.element if not isinstance(t.extent, int) or position < t.extent else None
        assert isinstance(t, Record)
        fields = self.ctx.types.layout(t.name).fields or ()
        return fields[position].type if position < len(fields) else None

    def _part_type(self, t: Type, position: int) -> Type:
        found = self._part(t, position)
        if found is None:
            raise self.ctx.refused(self.items[0], "a designator of a part that is not known")
        return found

    def _is_union(self, t: Record) -> bool:
        return self.ctx.types.layout(t.name).union


def _is_designated(node: Node) -> bool:
    """`void` is the type that clang gives to a value with a designator."""
    return node.kind == kinds.UNEXPOSED and node.type.kind == kinds.T_VOID


# ---- compound literals --------------------------------------------------------------------------------


def _compound(ctx: Context, node: Node) -> ex.Lvalue:
    """`(type){...}`: a variable that is initialised where the expression stands."""
    t = ctx.types.node(node)
    value = initial(ctx, node.expressions[-1], t)
    variable = replace(ctx.temporary(t, node.loc), storage="local")
    ctx.declare(variable, value, node.loc)
    return build.name(variable, node.loc)


def _compound_value(ctx: Context, node: Node) -> ex.Expr:
    return value_of(ctx, _compound(ctx, node), node)


LVALUES[kinds.COMPOUND_LITERAL] = _compound
VALUES[kinds.COMPOUND_LITERAL] = _compound_value
