"""Conditions: over loop variables and sizes they are domains, over data truth values; branches on them."""

from __future__ import annotations

from functools import partial

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import Bool, Complex, Float, Int, Pointer
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Alternatives, Assumption, Cond
from raising.frontend.lower.ir.polynomial import const
from raising.frontend.lower.ir.types import BOOL, LONG
from raising.frontend.lower.known.followed_integers import converted
from raising.frontend.lower.known.integer_domains import (
    cases_of,
    combined,
    conjunction,
    known_in,
    negation,
    relation,
    simplified,
)
from raising.frontend.lower.known.numbers_as_data import (
    TRUTH,
    Numeric,
    comparison,
    constant,
    data,
    distance,
    number_of,
    truth_id,
)
from raising.frontend.lower.known.pointers import difference, given_address, pointer
from raising.frontend.lower.known.selections import Action, affine_branch, choose, chosen_by
from raising.frontend.lower.known.state import STATEMENTS, VALUES, State
from raising.frontend.lower.known.typed_values import (
    Cases,
    Data,
    Extremum,
    Formula,
    Places,
    Ptr,
    Sym,
    Truth,
    Value,
)
from raising.support.source import Loc

MAX_ALTERNATIVES = 16
MAX_CHAINED = 2  # branches of one condition inside each other


# ---- domains ----------------------------------------------------------------------------------------


def formula(state: State, node: ex.Expr) -> Alternatives | None:
    """A condition over loop variables and sizes; None (and no effect) for any other."""
    point, found = state.point(), alternatives(state, node)
    if found is None or len(found) > MAX_ALTERNATIVES or not is_affine(state, found):
        state.forget(point)
        return None
    return simplified(found, state.facts)


def alternatives(state: State, node: ex.Expr, negated: bool = False) -> Alternatives | None:
    """The same, also if it is not affine and where it is known; what is evaluated on the way stays."""
    if isinstance(node, ex.Not):
        return alternatives(state, node.operand, not negated)
    if isinstance(node, ex.Logical):
        left = alternatives(state, node.left, negated)
        right = alternatives(state, node.right, negated) if left is not None else None
        if left is None or right is None or len(left) * len(right) > MAX_ALTERNATIVES:
            return None
        return conjunction(left, right) if (node.op == "and") != negated else left + right
    if isinstance(node, ex.Compare):
        asked = _truth_asked(node)
        if asked is not None:
            return alternatives(state, asked, negated != (node.op == "eq"))
        op = ex.OPPOSITE[node.op] if negated else node.op
        if isinstance(node.left.type, Float | Complex):
            return None
        if _asks_for_null(node):
            return _against_null(state, op, state.value(node.left), node.loc)
        return _related(state, op, state.value(node.left), state.value(node.right), node.loc)
    if not isinstance(node, ex.Literal | ex.Load):
        return None
    value = state.value(node)
    if not isinstance(value, Formula):
        return None
    return negation(value.when) if negated else value.when


def _truth_asked(node: ex.Compare) -> ex.Expr | None:
    """The truth value that a comparison of it as a number with 0 asks for."""
    if node.op not in ("eq", "ne") or not isinstance(node.right, ex.Literal) or node.right.value != 0:
        return None
    left = node.left
    while isinstance(left, ex.Convert) and isinstance(left.type, Int):
        left = left.operand
    return left if left is not node.left and isinstance(left.type, Bool) else None


def is_affine(state: State, found: Alternatives) -> bool:
    """True if every condition is affine."""
    return all(c.form.is_affine(state.facts.free) for conds in found for c in conds)


def _related(state: State, op: ex.CompareOp, a: Value, b: Value, loc: Loc) -> Alternatives | None:
    if isinstance(a, Ptr) and isinstance(b, Ptr):
        gap = difference(a, b, loc)
        return None if state.choices.literal and gap.constant is None else relation(ex.SIGNS[op], gap, const(0))
    if not isinstance(a, Sym | Extremum | Cases) or not isinstance(b, Sym | Extremum | Cases):
        return None
    if isinstance(a, Cases) or isinstance(b, Cases):
        pairs = combined([cases_of(x) for x in (a, b)])
        return tuple((*conds, *extra) for conds, (x, y) in pairs for extra in relation(ex.SIGNS[op], x, y))
    if isinstance(a, Sym) and isinstance(b, Sym):
        return relation(ex.SIGNS[op], a.form, b.form)
    if isinstance(a, Sym):
        a, b, op = b, a, ex.MIRRORED[op]
    return _extremum_related(op, a, b)


def _asks_for_null(node: ex.Compare) -> bool:
    return isinstance(node.left.type, Pointer) and isinstance(node.right, ex.Literal) and node.right.value == 0


def _against_null(state: State, op: ex.CompareOp, value: Value, loc: Loc) -> Alternatives | None:
    """A pointer compared with a null pointer: it is none, which of a caller's is assumed."""
    if state.choices.literal or op not in ("eq", "ne") or not isinstance(value, Ptr):
        return None
    address = given_address(state, value, loc)
    if address is not None:
        text = f"'{value.array.removeprefix('@')}' is not a null pointer"
        state.assumptions.append(Assumption(loc, text, (Cond(address - 1),)))
    return ((),) if op == "ne" else ()


def _asked_of_null(state: State, node: ex.Compare) -> Value:
    """The same where nothing is assumed: the address is compared."""
    address = given_address(state, pointer(state.value(node.left), node.loc), node.loc)
    if address is None:
        return Formula(((),) if node.op == "ne" else ())
    sides = (state.index_of(address, LONG.mlir, node.loc), constant(state, 0, LONG, node.loc))
    return Truth(comparison(state, node.op, *sides, LONG, node.loc))


def _extremum_related(op: ex.CompareOp, a: Numeric, b: Numeric) -> Alternatives | None:
    if not isinstance(a, Extremum) or not isinstance(b, Sym) or op in ("eq", "ne"):
        return None
    parts = [relation(ex.SIGNS[op], f, b.form) for f in a.forms]
    every = (a.kind == "max") == (op in ("lt", "le"))
    if not every:
        return tuple(x for part in parts for x in part)
    result: Alternatives = ((),)
    for part in parts:
        result = conjunction(result, part)
    return result


# ---- truth values -----------------------------------------------------------------------------------


def _compare(state: State, node: ex.Compare) -> Value:
    found = formula(state, node) if not isinstance(node.left.type, Float) else None
    if found is not None:
        return Formula(found)
    if _asks_for_null(node):
        return _asked_of_null(state, node)
    a, b = (state.value(side) for side in (node.left, node.right))
    if isinstance(a, Ptr) and isinstance(b, Ptr):
        gap = data(state, distance(state, difference(a, b, node.loc), node.loc), node.loc).id
        return Truth(comparison(state, node.op, gap, constant(state, 0, LONG, node.loc), LONG, node.loc))
    if isinstance(node.left.type, Pointer | Complex):
        raise Refused(node.loc, "a comparison of pointers or complex numbers is not supported")
    if isinstance(node.left.type, Bool):
        t, x, y = TRUTH, truth_id(state, a, node.loc), truth_id(state, b, node.loc)
    else:
        t = number_of(node.left.type, node.loc)
        x, y = (data(state, converted(state, v, t, node.loc), node.loc).id for v in (a, b))
    return Truth(comparison(state, node.op, x, y, t, node.loc))


def _connective(state: State, node: ex.Not | ex.Logical) -> Value:
    """A domain, or a truth value that a branch writes."""
    found, loc = formula(state, node), node.loc
    if found is not None:
        return Formula(found)
    cell = state.cell("t", TRUTH, loc)
    yes, no = (partial(_write_truth, state, cell, known, loc) for known in (1, 0))
    branch(state, node, yes, no)
    return Truth(state.read(cell, (), loc))


def _write_truth(state: State, cell: str, known: int, loc: Loc) -> None:
    state.write(cell, (), constant(state, known, TRUTH, loc), loc)


def truth_of(state: State, node: ex.Expr) -> int:
    """The number of an i1 of a condition; the right side of && and || only where C evaluates it."""
    if not isinstance(node, ex.Logical) or formula(state, node) is not None:
        return truth_id(state, state.value(node), node.loc)
    loc = node.loc
    cell = state.cell("t", TRUTH, loc)

    def right() -> None:
        state.write(cell, (), truth_of(state, node.right), loc)

    decided = partial(_write_truth, state, cell, int(node.op == "or"), loc)
    first = (right, decided) if node.op == "and" else (decided, right)
    branch(state, node.left, *first)
    return state.read(cell, (), loc)


# ---- branches ---------------------------------------------------------------------------------------


def branch(state: State, node: ex.Expr, then: Action, orelse: Action | None) -> None:
    """`then` where a condition holds, else `orelse`."""
    loc = node.loc
    found = formula(state, node)
    if found is not None:
        affine_branch(state, found, then, orelse, loc)
    elif isinstance(node, ex.Not):
        branch(state, node.operand, orelse or (lambda: None), then)
    elif isinstance(node, ex.Logical) and (mixed := _mixed(state, node)) is not None:
        _mixed_branch(state, node.op, *mixed, then, orelse)
    elif isinstance(node, ex.Logical) and node.op == "and" and orelse is None:
        branch(state, node.left, lambda: branch(state, node.right, then, None), None)
    else:
        choose(state, truth_of(state, node), then, orelse, loc)


def _mixed(state: State, node: ex.Logical) -> tuple[Alternatives, ex.Expr] | None:
    """The operands of `a && b && …` or `a || b || …` on loop variables and sizes, and the other ones, on data."""
    if state.chained >= MAX_CHAINED:
        return None
    known: ex.Expr | None = None
    rest: ex.Expr | None = None
    for part in _flat(node, node.op):
        if formula(state, part) is not None:
            known = part if known is None else _joined(node, known, part)
        else:
            rest = part if rest is None else _joined(node, rest, part)
    if known is None or rest is None:
        return None
    found = formula(state, known)
    return None if found is None else (found, rest)


def _joined(node: ex.Logical, left: ex.Expr, right: ex.Expr) -> ex.Expr:
    return ex.Logical(node.op, left, right, node.type, right.loc)


def _flat(node: ex.Expr, op: str) -> list[ex.Expr]:
    """The operands of a chain of one operator."""
    if isinstance(node, ex.Logical) and node.op == op:
        return _flat(node.left, op) + _flat(node.right, op)
    return [node]


def _mixed_branch(
    state: State, op: str, known: Alternatives, rest: ex.Expr, then: Action, orelse: Action | None
) -> None:
    """The part over loop variables and sizes becomes a domain; the data is asked inside of it."""
    state.chained += 1
    try:
        inside = partial(branch, state, rest, then, orelse)
        sides = (inside, orelse) if op == "and" else (then, inside)
        affine_branch(state, known, sides[0], sides[1], rest.loc)
    finally:
        state.chained -= 1


# ---- choices ----------------------------------------------------------------------------------------


def _select(state: State, node: ex.Select) -> Value:
    """`c ? a : b`: symbolic where the condition and both arms are, else through a variable."""
    if isinstance(node.type, Bool):
        both = build.both(node.condition, node.then, node.loc)
        other = build.both(build.negated(node.condition, node.loc), node.otherwise, node.loc)
        if formula(state, either := build.either(both, other, node.loc)) is not None:
            return state.value(either)
    known = formula(state, node.condition)
    if known == () or (known is not None and () in known):
        return state.value(node.then if known else node.otherwise)
    if known is not None and not isinstance(node.type, Float):
        found = _chosen(state, node, known)
        if found is not None:
            return found
    if isinstance(node.type, Pointer):
        raise Refused(node.loc, "a choice between pointers")
    t = number_of(node.type, node.loc)
    cell = state.cell("choice", TRUTH if t == BOOL else t, node.loc)
    branch(state, node.condition, partial(_arm, state, cell, node.then), partial(_arm, state, cell, node.otherwise))
    number = state.read(cell, (), node.loc)
    return Truth(number) if t == BOOL else Data(number, t)


def _arm(state: State, cell: str, node: ex.Expr) -> None:
    t = state.arrays[cell].element
    if t == TRUTH:
        state.write(cell, (), truth_of(state, node), node.loc)
    else:
        state.write(cell, (), data(state, converted(state, state.value(node), t, node.loc), node.loc).id, node.loc)


def _chosen(state: State, node: ex.Select, known: Alternatives) -> Value | None:
    """One of two integers or pointers that are both known."""
    point = state.point()
    then = _under(state, known, node.then)
    orelse = _under(state, negation(known), node.otherwise)
    found: Value | None = None
    if isinstance(then, Ptr | Places) and isinstance(orelse, Ptr | Places):
        found = _places(known, then, orelse)
    elif isinstance(then, Sym | Extremum | Cases) and isinstance(orelse, Sym | Extremum | Cases):
        held = chosen_by(state, known, then, orelse)
        found = held if isinstance(held, Sym | Extremum | Cases) else None
    if found is None:
        state.forget(point)
    return found


def _under(state: State, known: Alternatives, node: ex.Expr) -> Value:
    with state.knowing(known_in(known)):
        return state.value(node)


def _places(known: Alternatives, then: Ptr | Places, orelse: Ptr | Places) -> Places | None:
    if len(known) != 1:
        return None
    first = then.cases if isinstance(then, Places) else (((), then),)
    second = orelse.cases if isinstance(orelse, Places) else (((), orelse),)
    found = [((*known[0], *inner), p) for inner, p in first]
    for k, cond in enumerate(known[0]):
        for no in cond.negated():
            found += [((*known[0][:k], no, *inner), p) for inner, p in second]
    return Places(tuple(found))


def _assume(state: State, node: st.Assume) -> None:
    """What the source promises is known from here on."""
    found = formula(state, node.condition)
    if node.why and (found is None or not _known(state, found, node)):
        if not node.needed and found != ():
            return
        raise Refused(node.loc, f"it is not known that {node.why}")
    if found is not None:
        state.facts = state.facts.with_forms(known_in(found))


def _known(state: State, found: Alternatives, node: st.Assume) -> bool:
    """Whether a condition is known or assumed; an integer that sizes tell is not 0 if its square is not."""
    if len(found) == 2 and all(len(conds) == 1 and not conds[0].equality for conds in found):
        (above,), (below,) = found
        square = (above.form + 1) * (above.form + 1) - 1
        if above.form + below.form != const(-2) or not square.names() <= state.facts.free:
            return False
        if not state.trial:
            state.assumptions.append(Assumption(node.loc, f"{square.at_least_zero}: {node.why}", (Cond(square),)))
        return True
    return len(found) == 1 and all(_holds(state, c, node) for c in found[0])


def _holds(state: State, cond: Cond, node: st.Assume) -> bool:
    sides = (cond.form, -cond.form) if cond.equality else (cond.form,)
    return all(state.holds(side, node.why, node.loc) for side in sides)


VALUES.update({ex.Compare: _compare, ex.Not: _connective, ex.Logical: _connective, ex.Select: _select})
STATEMENTS[st.Assume] = _assume
