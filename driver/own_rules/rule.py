"""`raising.rule`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from raising.decorator.sources import collect, place_of, plain
from raising.eqsat.egraph.sexpr import RuleError
from raising.eqsat.ruleset.algebra import FLOAT, INT, KINDS, BadShape, Shape, UnknownOperation
from raising.eqsat.ruleset.evaluate import shape_of
from raising.eqsat.ruleset.expression import BadExpression, Expr, Node, Var, operations_in, variables
from raising.eqsat.ruleset.rule_check import Counterexample, check, holds
from raising.eqsat.ruleset.rule_sets import RuleSet
from raising.eqsat.ruleset.table import CLASSES, Rule, check_form
from raising.own_rules.real_points import at_points
from raising.own_rules.rule_syntax import read_rule
from raising.support.errors import InputError
from raising.support.source import Loc

_OWN = "own"  # the family of rules that a user wrote
_SIZES = (1, 2, 3)
_EXACT = CLASSES[0]


def rule(function: Callable[..., Any] | None = None, /, *, exact: bool = False, both: bool = False) -> Any:
    """Make a rule of a function that returns both sides: `return np.sin(x)**2 + np.cos(x)**2, 1`.

    Parameters stand for any arrays, or elements of them; those annotated as `float` or `int` for constants.
    Conditions are equations of extents, as `if A.shape[0] == 1:` around the return, or `assert`. The function is read
    and never run. With `both`, the rule is used from right to left too; with `exact`, it has to give the same bits,
    and is used under `fp="strict"` too.

    What comes out is a `RuleSet`, for `jit(rules=...)`, `vectorize(rules=...)` and `raise_module(rules=...)`. It was
    checked, for floats and for integers where it can be; `str()` of it says how. Raises
    `raising.eqsat.egraph.sexpr.RuleError` with a counterexample where the sides differ, and
    `raising.support.errors.InputError` at what no rule can say.
    """
    if function is None:
        return lambda given: rule(given, exact=exact, both=both)
    written = plain(function)
    place = place_of(written)
    read = read_rule(collect(written))
    row = Rule(
        name=written.__name__,
        family=_OWN,
        left=read.left,
        right=read.right,
        both=both,
        klass=_EXACT if exact else CLASSES[1],
        kinds=(FLOAT,),
        when=read.when,
        source="",
        place=(place.file, place.line),
    )
    row = _same_shape(_kinds(row))
    found, how = _checked(row)
    return RuleSet(((found,),), ((found.name, how),), written)


def _kinds(row: Rule) -> Rule:
    """The rule for floats and integers, as far as its operations are there; `InputError` if for neither.

    A quotient is no operation of integers: `/` gives floats in Python.
    """
    kinds, why = [], ""
    nodes = operations_in(row.left, row.right)
    for kind in KINDS:
        if kind == INT and any(n.op == "div" for n in nodes):
            continue
        try:
            for directed in replace(row, kinds=(kind,)).directed():
                check_form(directed)
        except (BadExpression, UnknownOperation) as error:
            why = why or str(error)
        else:
            kinds.append(kind)
    if not kinds:
        file, line = row.place
        raise InputError(Loc(file, line, 1), f"rule '{row.name}': {why}")
    return replace(row, kinds=tuple(kinds))


def _same_shape(row: Rule) -> Rule:
    """The rule with its right side repeated to the shape of the left one, where broadcasting makes that larger."""
    if not isinstance(row.left, Node):
        return row
    wider = False
    for shapes in _shapes(row):
        try:
            left, right = shape_of(row.left, shapes), shape_of(row.right, shapes)
        except BadShape:
            return row
        wider |= left != right
    names = variables(row.left)
    alone = len(names) == 1 and all(shape_of(row.left, s) == s[names[0]] for s in _shapes(row))
    shape: Expr = Var(names[0]) if alone else row.left
    return replace(row, right=Node("like", (row.right, shape))) if wider else row


def _shapes(row: Rule) -> Iterator[dict[str, Shape]]:
    names = variables(row.left)
    for extents in itertools.product(itertools.product(_SIZES[: 4 - min(len(names), 2)], repeat=2), repeat=len(names)):
        shapes: dict[str, Shape] = dict(zip(names, extents, strict=True))
        try:
            shape_of(row.left, shapes)
        except BadShape:
            continue
        if all(holds(c, shapes) for c in row.when):
            yield shapes


def _checked(row: Rule) -> tuple[Rule, str]:
    """The rule in the strongest class that it has, with the evidence; `RuleError` with a counterexample.

    Integers are left out where only they have one: what holds for floats may divide, or round down.
    """
    if FLOAT not in row.kinds:
        return replace(row, klass=_EXACT), "; ".join(check(replace(row, klass=_EXACT)).how)
    floats = replace(row, kinds=(FLOAT,))
    said = ""
    for one in (floats, replace(floats, left=floats.right, right=floats.left))[: 1 + row.both]:
        at = at_points(one)
        if isinstance(at, Counterexample):
            raise RuleError(*row.place, str(at))
        said = at
    found, how = _class(floats)
    if INT in row.kinds:
        try:
            how = (*how, *check(replace(found, kinds=(INT,))).how)
        except RuleError as error:
            return found, "; ".join((*how, said, f"not of integers: {str(error).partition(': ')[2]}"))
        found = replace(found, kinds=row.kinds)
    return found, "; ".join(part for part in (*how, said) if part)


def _class(floats: Rule) -> tuple[Rule, tuple[str, ...]]:
    if floats.klass == _EXACT:
        return floats, check(floats).how
    try:
        return floats, check(floats).how
    except RuleError:
        weaker = replace(floats, klass=CLASSES[-1])
        return weaker, check(weaker).how
