"""Statements of C."""

from __future__ import annotations

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.clang.for_headers import loop_header
from raising.frontend.c.read.by_reference import address_of
from raising.frontend.c.read.conversions import converted
from raising.frontend.c.read.local_variables import declaration
from raising.frontend.c.read.operators import condition
from raising.frontend.c.read.reader_state import EFFECTS, MAX_DEPTH, STATEMENTS, VALUES, Context, Refusal
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import statements
from raising.frontend.core.types import VOID


def _compound(ctx: Context, node: Node) -> None:
    sequence(ctx, node.children, node)


def sequence(ctx: Context, items: list[Node], around: Node) -> None:
    """Statements in order; those between the pragmas of a region go into it."""
    regions = ctx.unit.regions_in(around.span) if ctx.unit.has_regions else []
    at = 0
    for region in regions:
        before = [k for k in range(at, len(items)) if items[k].span.start < region.start]
        at += len(before)
        for k in before:
            ctx.statement(items[k])
        if items[at - 1 : at] and at and items[at - 1].span.end > region.start:
            continue  # it lies inside of this statement
        inside = [item for item in items[at:] if item.span.start < region.end]
        with ctx.block() as body:
            for item in inside:
                ctx.statement(item)
        at += len(inside)
        if inside and inside[-1].span.end > region.end:
            ctx.out += body  # the end is inside of the last statement: no region
            continue
        ctx.add(st.Region(tuple(body), region.loc, region.span))
        ctx.unit.seen_regions.add(region)
    for item in items[at:]:
        ctx.statement(item)


def _body(ctx: Context, node: Node) -> list[st.Stmt]:
    """A statement as a list."""
    with ctx.block() as found:
        ctx.statement(node)
    return found


def _if(ctx: Context, node: Node) -> None:
    """A branch; chains of `else if` are read without nesting deeper."""
    chain: list[tuple[list[st.Stmt], ex.Expr, list[st.Stmt], Node]] = []
    rest: list[st.Stmt] = []
    current: Node | None = node
    while current is not None:
        test_node, then_node, *other = current.children
        with ctx.block() as effects:
            test = condition(ctx, test_node)
        chain.append((effects, test, _body(ctx, then_node), current))
        if len(chain) > MAX_DEPTH:
            raise ctx.refused(node, "it is nested too deeply")
        current = other[0] if other else None
        if current is not None and current.kind != kinds.IF:
            rest, current = _body(ctx, current), None
    for effects, test, then, part in reversed(chain):
        rest = [*effects, st.If(test, tuple(then), tuple(rest), part.loc, part.span)]
    ctx.out += rest


# ---- statements as expressions ----------------------------------------------------------------------


def _statement_value(ctx: Context, node: Node) -> ex.Expr:
    """`({ ...; value; })`."""
    items = node.children[0].children
    for item in items[:-1]:
        ctx.statement(item)
    if not items or not kinds.FIRST_EXPR <= items[-1].kind <= kinds.LAST_EXPR:
        raise ctx.refused(node, "a statement expression without a value")
    value = ctx.value(items[-1])
    return value if isinstance(value, ex.Literal) else ctx.keep(value, node.loc)


def _statement_effect(ctx: Context, node: Node) -> None:
    ctx.statement(node.children[0])


# ---- loops ------------------------------------------------------------------------------------------


def _loop(
    ctx: Context, node: Node, test: Node | None, body: Node, step: Node | None, tests_first: bool, keyword: str
) -> None:
    loc = node.loc
    with ctx.block() as tested:
        holds = build.truth(True, loc) if test is None else condition(ctx, test)
    inside = _body(ctx, body)
    with ctx.block() as stepped:
        if step is not None:
            ctx.effect(step)
    loop = st.Loop(tuple(tested), holds, tuple(inside), tuple(stepped), tests_first, keyword, loc, node.span)
    ctx.add(loop)


def _for(ctx: Context, node: Node) -> None:
    header = loop_header(node)
    if header is None:
        raise ctx.refused(node, "a for in a macro, with a part left out")
    first, test, step, body = header
    if first is not None:
        mark, known = len(ctx.refusals), len(ctx.out)
        ctx.statement(first)
        if len(ctx.refusals) > mark:
            refused = ctx.refusals.pop()
            del ctx.out[known:]
            raise Refusal(refused.loc, refused.reason)
    _loop(ctx, node, test, body, step, True, "for")


def _while(ctx: Context, node: Node) -> None:
    if len(node.children) != 2:
        raise ctx.refused(node, "a while that declares a variable")
    test, body = node.children
    _loop(ctx, node, test, body, None, True, "while")


def _do(ctx: Context, node: Node) -> None:
    body, test = node.children
    if test.bare().kind == kinds.INTEGER and test.evaluated() == 0 and not _jumps_out(body):
        ctx.statement(body)  # it runs once, as the macros that need it to be one statement
        return
    _loop(ctx, node, test, body, None, False, "do")


def _jumps_out(node: Node) -> bool:
    """Whether there is a `break` or `continue` in a statement that no loop in it holds."""
    if node.kind in (kinds.FOR, kinds.WHILE, kinds.DO):
        return False
    return node.kind in (kinds.BREAK, kinds.CONTINUE) or any(map(_jumps_out, node.children))


# ---- jumps ------------------------------------------------------------------------------------------


def _return(ctx: Context, node: Node) -> None:
    value = None
    if node.expressions and ctx.by_reference:
        value = converted(ctx, address_of(ctx, node.expressions[0]), ctx.result, node)
    elif node.expressions and ctx.result != VOID:
        value = converted(ctx, ctx.value(node.expressions[0]), ctx.result, node)
    elif node.expressions:
        ctx.effect(node.expressions[0])
    ctx.add(st.Return(value, node.loc))


def _goto(ctx: Context, node: Node) -> None:
    label = next((c for c in node.children if c.kind == kinds.LABEL_REF), None)
    if label is None:
        raise ctx.refused(node, "a goto to a label that is not known")
    ctx.add(st.Goto(label.spelling, node.loc))


def _label(ctx: Context, node: Node) -> None:
    ctx.add(st.Label(node.spelling, node.loc))
    for child in node.children:
        ctx.statement(child)


def _declarations(ctx: Context, node: Node) -> None:
    for child in node.children:
        declaration(ctx, child)


def _attributed(ctx: Context, node: Node) -> None:
    """A statement with an attribute, or a hint for a loop, in front."""
    inside = [c for c in node.children if kinds.FIRST_EXPR <= c.kind <= kinds.LAST_STMT]
    if len(inside) != 1 or len(node.children) != 1:
        raise ctx.refused(node, "a statement of this kind is not read")
    ctx.statement(inside[0])


def _case(ctx: Context, node: Node) -> None:
    raise ctx.refused(node, "a case of a switch inside of another statement")


VALUES[kinds.STATEMENT_EXPR] = _statement_value
EFFECTS[kinds.STATEMENT_EXPR] = _statement_effect
STATEMENTS.update(
    {
        kinds.COMPOUND: _compound,
        kinds.IF: _if,
        kinds.FOR: _for,
        kinds.WHILE: _while,
        kinds.DO: _do,
        kinds.RETURN: _return,
        kinds.BREAK: lambda ctx, node: ctx.add(st.Break(node.loc)),
        kinds.CONTINUE: lambda ctx, node: ctx.add(st.Continue(node.loc)),
        kinds.GOTO: _goto,
        kinds.LABEL: _label,
        kinds.NULL: lambda ctx, node: None,
        kinds.DECL_STMT: _declarations,
        kinds.UNEXPOSED_STMT: _attributed,
        kinds.CASE: _case,
        kinds.DEFAULT: _case,
    }
)


def refusals(body: tuple[st.Stmt, ...]) -> tuple[st.Refused, ...]:
    """The refused statements of a body, in the order of the text."""
    return tuple(s for s in statements(body) if isinstance(s, st.Refused))
