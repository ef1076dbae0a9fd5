"""The rules of our tables on one function: its terms in the tensor algebra, the rules its floats allow, and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from raising.eqsat.egraph.encode import Encoded
from raising.eqsat.egraph.purity import walk
from raising.eqsat.egraph.vocabulary import Vocabulary
from raising.eqsat.ruleset.algebra import operation
from raising.eqsat.ruleset.expression import Node, Var
from raising.eqsat.ruleset.table import FP, Directed, Rule
from raising.eqsat.ruleset.to_egglog import needed_by, program
from raising.support.mlir.permission import PERMISSION
from raising.support.record import dataclass

if TYPE_CHECKING:  # what a function without tensors does not need, a quarter of what a short run would import
    from raising.eqsat.lift.algebra_terms import Lifted
    from raising.eqsat.lift.meaning import Meanings
    from raising.eqsat.rebuild.write_term import Dialect
    from raising.grammar.select.selector import Selector

_FLOAT = re.compile(r"[\dx?<](b?f\d|tf32|complex)")  # elements of a tensor that round
_REASSOCIATES = "reassoc"
_ALL = "fast"


@dataclass(frozen=True)
class TensorRules:
    """Checked rules, and what is known of the dialects of one MLIR: meanings and spellers, the preferred one first.

    They are looked up when there is an operation to lift, and a speller is made when something is written.

    `fp` is `strict`, `reassoc` or `fast`, or nothing: as each function says.
    """

    rules: tuple[Rule, ...]
    dialects: Callable[[], tuple[tuple[Meanings, Callable[[], Selector]], ...]]
    fp: str = ""


def associating(op: Any, own: TensorRules) -> tuple[Rule, ...]:
    """The rules that associate products of matrices, if a function allows it for all of its elements."""
    fp = (
        "fast"
        if not any(_FLOAT.search(str(r.type)) for o, _ in walk(op) for r in o.results)
        else own.fp or permitted(op)
    )
    return tuple(rule for rule in own.rules if rule.associates and all(d.klass in FP[fp] for d in rule.directed()))


@dataclass(frozen=True)
class Prepared:
    """The terms and rules that saturation needs for one function, and the writer of its result.

    Rules and terms are empty, and there is no writer, if no rule can lead to a cheaper program.
    """

    rules: str
    terms: str
    dialect: Dialect | None


_NO_GAIN = Prepared("", "", None)


def prepare(op: Any, encoded: Encoded, vocabulary: Vocabulary, own: TensorRules) -> Prepared:
    """The rules as text, the terms of a function, and the dialect in which it is written."""
    if not encoded.originals:
        return _NO_GAIN
    from raising.eqsat.lift.lift import lift
    from raising.eqsat.rebuild.write_term import Dialect

    fp = own.fp or permitted(op)
    meanings, selector = _dialect(encoded, own)
    lifted = lift(encoded, vocabulary, meanings, fp != "strict")
    allowed = _useful([d for rule in own.rules for d in rule.directed() if d.klass in FP[fp]], lifted)
    if not any(_may_gain(rule, lifted) for rule in allowed):
        return _NO_GAIN
    rules = program(allowed, lifted.operations.items())
    return Prepared(rules, "\n".join(lifted.lines), Dialect(selector, lifted.instrs))


def _useful(rules: list[Directed], lifted: Lifted) -> list[Directed]:
    """The rules that can ever match: all that they look for is in the program, or made by one of them."""
    there = {*lifted.times, *lifted.literals}
    left = [(r, needed_by(r.left, r.kind)) for r in rules if r.kind in lifted.kinds]
    found: list[Directed] = []
    while new := [r for r, needed in left if needed <= there]:
        found += new
        left = [(r, needed) for r, needed in left if not needed <= there]
        there |= {name for r in new for name in needed_by(r.right, r.kind)}
    return found


def _may_gain(rule: Directed, lifted: Lifted) -> bool:
    """Whether a rule does more than to exchange the operands of an operation that is in the program once.

    Two that are there may become one.
    """
    left, right = rule.left, rule.right
    if not (isinstance(left, Node) and isinstance(right, Node) and left.op == right.op):
        return True
    exchanges = set(left.args) == set(right.args) and all(isinstance(a, Var) for a in left.args)
    return not exchanges or lifted.times[operation(left.op, rule.kind).name] > 1


def _dialect(encoded: Encoded, own: TensorRules) -> tuple[Meanings, Callable[[], Selector]]:
    """The dialect that most operations are of."""
    return max(own.dialects(), key=lambda d: sum(d[0].knows(op) for op in encoded.originals))


def permitted(op: Any) -> str:
    """The `--fp` setting that a function allows: its attribute, or the flags of all its floating-point operations."""
    if PERMISSION in op.attributes:
        said = str(op.attributes[PERMISSION]).strip('"')
        return said if said in FP else "strict"
    flags = [str(inner.attributes["fastmath"]) for inner, _ in walk(op) if "fastmath" in inner.attributes]
    sets = [set(text.partition("<")[2].strip("<>").split(",")) for text in flags]
    if sets and all(_ALL in s for s in sets):
        return _ALL
    return _REASSOCIATES if sets and all(s & {_REASSOCIATES, _ALL} for s in sets) else "strict"
