"""Forms that lose accuracy where the loops do not: large sums whose difference is small.

Loops that add squares of differences, `(a - b) (a - b)`, have small terms where `a` is near `b`. Multiplied out, the
same number is the difference of sums as large as those of `a a` and `b b`, whose digits cancel (Higham 2002, 1.7).
"""

from __future__ import annotations

from raising.affine.ir.program import Compute, Program, walk
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import Instr
from raising.grammar.terms.term import Apply, Term, nodes

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
