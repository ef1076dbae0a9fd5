"""Stop flags: variables that the condition of a loop asks for, and that the loop sets in order to end.

In `for (i = 0; i < n && !found; i++) if (x[i] < 0) found = 1;` the variable `found` is one: the loop gives it no value
with which `!found` holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import Body, statements, with_operands
from raising.frontend.core.types import BOOL, Bool, Int
from raising.frontend.core.variable_uses import names_in, written_by, written_names
from raising.frontend.lower.jumps.counted_exits import is_load_of
from raising.frontend.lower.jumps.exit_conditions import reads_memory, spelled
from raising.support.record import dataclass


@dataclass(frozen=True)
class Flag:
    """A stop flag of a loop, which goes on while the condition `goes_on` on the variable `name` holds.

    `value` is a value with which the loop goes on, if one is known. The condition holds in front of the loop if
    `entered`; else that is not known.
    """

    name: str
    goes_on: ex.Expr
    value: int | None
    entered: bool


def flag_of(asked: ex.Expr, loop: st.Loop, before: Body, outer: Iterable[Flag]) -> Flag | None:
    """The stop flag that a part of a loop's condition asks for; None if there is none.

    `before` are the statements in front of the loop in its block. `outer` are stop flags of loops around it that are
    not set at the beginning of the block.
    """
    names = names_in(asked)
    if len(names) != 1 or reads_memory(asked):
        return None
    (name,) = names
    value, entered = last_constant(before, name), False
    for flag in outer if name not in written_names(before) else ():
        if flag.name == name and spelled(flag.goes_on) == spelled(asked):
            value, entered = flag.value, True
    if value is not None:
        entered = holds(asked, name, value) is True
        if not entered:
            return None
    if [holds(asked, name, v) for v in (0, 1, -1, 2)] == [True, False, False, False]:
        value = 0  # the only one with which the loop goes on
    flag = Flag(name, asked, value, entered)
    sets = [s for s in statements(loop.body) if name in written_by(s)]
    stepped = name in written_names(loop.step)
    return flag if sets and not stepped and all(_ends_loop(s, flag) for s in sets) else None


def _ends_loop(s: st.Stmt, flag: Flag) -> bool:
    """Whether a statement sets a flag to a value that ends the loop, or to a truth value that ends it or is the old."""
    if not isinstance(s, st.Assign):
        return False
    if isinstance(s.value, ex.Literal):
        return holds(flag.goes_on, flag.name, int(s.value.value)) is False
    other = {0: 1, 1: 0}.get(-1 if flag.value is None else flag.value)
    return truth_value(s.value) is not None and other is not None and holds(flag.goes_on, flag.name, other) is False


def truth_value(value: ex.Expr) -> ex.Expr | None:
    """The condition that a value computes, perhaps as an integer; None for a constant, a variable or a number."""
    if isinstance(value, ex.Convert) and isinstance(value.type, Int):
        value = value.operand
    return value if isinstance(value.type, Bool) and not isinstance(value, ex.Load | ex.Literal) else None


def last_constant(before: Body, name: str) -> int | None:
    """The constant that a variable holds behind statements; None if it may hold another value."""
    for s in reversed(before):
        if isinstance(s, st.Label):
            return None
        if name in written_names((s,)):
            value = s.initial if isinstance(s, st.Declare) else s.value if isinstance(s, st.Assign) else None
            return int(value.value) if isinstance(value, ex.Literal) else None
    return None


# ---- conditions on constants ------------------------------------------------------------------------


def holds(condition: ex.Expr, name: str, value: int) -> bool | None:
    """Whether a condition holds where a variable has a value; None if the value does not decide it."""
    decided = with_value(condition, name, value)
    return bool(decided.value) if isinstance(decided, ex.Literal) and not isinstance(decided.value, float) else None


def with_value(node: Any, name: str, value: int) -> Any:
    """An expression with a constant in place of a variable, and without the conditions that this decides."""
    if is_load_of(node, name):
        return ex.Literal(bool(value) if node.type == BOOL else value, node.type, node.loc)
    return _decided(with_operands(node, lambda part: with_value(part, name, value)))


def _decided(node: Any) -> Any:
    """A condition on constants as a constant, or as the operand that it depends on; any other expression as it is."""
    match node:
        case ex.Not(operand=ex.Literal() as operand):
            return build.negated(operand, node.loc)
        case ex.Convert(operand=ex.Literal() as operand) if isinstance(operand.type, Bool):
            return build.convert(operand, node.type, node.loc)
        case ex.Compare(op="eq" | "ne", left=ex.Literal() as left, right=ex.Literal() as right):
            return build.truth((left.value == right.value) == (node.op == "eq"), node.loc)
        case ex.Logical(left=ex.Literal() as known, right=other) | ex.Logical(left=other, right=ex.Literal() as known):
            if bool(known.value) is (node.op == "and"):
                return other
            return known if known is node.left else node
    return node
