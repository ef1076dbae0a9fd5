"""Forms that lose accuracy where the loops do not: what is small is computed from what is large.

Loops that add squares of differences, `(a - b) (a - b)`, have small terms where `a` is near `b`. Multiplied out, the
same number is the difference of sums as large as those of `a a` and `b b`, whose digits cancel (Higham 2002, 1.7).
And `1 - p + e` keeps a small `e` where `p` is near 1, which `(1 + e) - p` rounds off.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

import numpy as np

from raising.affine.ir.program import Compute, Program, walk
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import Instr
from raising.grammar.terms.term import Apply, Input, Literal, Term, nodes
from raising.support.element_types import NUMPY

_LINEAR = ("add", "sub", "neg", "same")


def multiplies_differences(program: Program) -> bool:
    """Whether a program multiplies differences of floats with each other."""
    differences: set[str] = set()
    for node in walk(program.body):
        if not isinstance(node, Compute) or node.op not in SCALARS or node.element.startswith(("i", "index")):
            continue
        kind, used = SCALARS[node.op].residue, [arg for arg in node.args if arg in differences]
        if kind == "mul" and len(used) > 1:
            return True
        if kind == "sub" or (used and kind in (*_LINEAR, "mul")):
            differences.add(node.dst)
    return False


def cancels(term: Term) -> bool:
    """Whether a term has a difference of two sums of floats."""
    return any(isinstance(node, Apply) and _is_difference_of_sums(node) for node in nodes((term,)))


def _is_difference_of_sums(node: Apply) -> bool:
    if not any(map(_subtracts, node.body.instrs)):
        return False
    given = [*node.inputs, *([] if node.init is None else [node.init])]
    return sum(any(map(_sums, nodes((each,)))) for each in given) + _sums(node) > 1


def _subtracts(instr: Instr) -> bool:
    return instr.op in ("arith.subf", "arith.negf")


def _sums(node: Term) -> bool:
    """Whether a node adds along dimensions that its result does not have."""
    return isinstance(node, Apply) and node.body.reads_output and len(node.extents()) > node.type.rank


def adds_scalars(program: Program) -> bool:
    """Whether a program adds floats that all are made outside of its loops."""
    known = set(program.scalars)
    for node in walk(program.body):
        if isinstance(node, Compute) and known.issuperset(node.args):
            known.add(node.dst)
            if node.op in SCALARS and SCALARS[node.op].residue in ("add", "sub") and node.element in _FLOATS:
                return True
    return False


def joins_scalars(term: Term, scalars: Collection[str]) -> bool:
    """Whether a term adds scalars of a program to each other, and the result may be rounded."""
    return any(
        isinstance(node, Apply) and node.type.element in _FLOATS and any(map(_adds, node.body.instrs))
        and _of_scalars(node, scalars) and not _is_exact(node) for node in nodes((term,))
    )  # fmt: skip


_FLOATS = ("f16", "bf16", "f32", "f64")


def _adds(instr: Instr) -> bool:
    return instr.op in ("arith.addf", "arith.subf")


def _of_scalars(term: Term, scalars: Collection[str]) -> bool:
    if isinstance(term, Apply):
        return term.type.rank == 0 and term.init is None and all(_of_scalars(each, scalars) for each in term.inputs)
    return isinstance(term, Literal) or (isinstance(term, Input) and term.name in scalars)


def _is_exact(node: Apply) -> bool:
    """Whether two numbers are added or subtracted, and the result is a float of their type."""
    numbers = [Fraction(each.text) for each in node.inputs if isinstance(each, Literal) and _is_finite(each.text)]
    if len(numbers) != 2 or len(node.body.instrs) != 1 or node.type.element not in NUMPY:
        return False
    (instr,) = node.body.instrs
    one, other = (numbers[k] for k in instr.args)
    wanted = one + other if instr.op == "arith.addf" else one - other
    try:
        with np.errstate(over="ignore"):
            return Fraction(float(NUMPY[node.type.element](wanted))) == wanted
    except OverflowError:
        return False


def _is_finite(text: str) -> bool:
    return text.lstrip("+-")[:1].isdigit()
