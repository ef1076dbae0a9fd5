"""The order of a program's operations where tensors are updated in place.

Bufferization lets an insertion, or a loop, take over the memory of the tensor that it starts from if nobody reads
that tensor afterwards. So whatever reads comes before what writes.
"""

from __future__ import annotations

from collections import defaultdict

from grammar.fuse import is_inlined
from grammar.term import Apply, Insert, Recur, Reshape, Term, Window


def leaves(term: Term) -> list[Term]:
    """The operands a node takes as values, seen through those inlined into it."""
    found: list[Term] = []
    for operand in term.operands:
        found += leaves(operand) if is_inlined(operand) and isinstance(term, Apply) else [operand]
    return found


def writes_last(order: list[Term]) -> list[Term]:
    """The nodes of `order` with each write as late as what needs it allows, after those who read what it changes."""
    users: dict[bytes, list[Term]] = defaultdict(list)
    for node in order:
        for operand in leaves(node):
            users[operand.digest].append(node)
    result: list[Term] = []
    waiting = {n.digest for n in order}

    def ready(node: Term) -> bool:
        return not any(o.digest in waiting for o in leaves(node))

    def readers(tensor: Term, write: Term) -> int:
        """How many that wait read a tensor, or a view of it, besides a write."""
        found = [u for u in users[tensor.digest] if u != write]
        views = sum(readers(u, write) for u in found if isinstance(u, Window | Reshape))
        return views + sum(u.digest in waiting for u in found)

    while order:
        left: list[Term] = []
        for node in order:
            if isinstance(node, Insert | Recur) or not ready(node):
                left.append(node)
            else:
                result.append(node)
                waiting.discard(node.digest)
        writes = [n for n in left if ready(n)]
        if writes:
            next_ = min(writes, key=lambda w: sum(readers(t, w) for t in _changed(w)))
            result.append(next_)
            waiting.discard(next_.digest)
            left.remove(next_)
        order = left
    return result


def _changed(write: Term) -> tuple[Term, ...]:
    """The tensors that a write may take over."""
    if isinstance(write, Insert):
        return (write.into,)
    return write.inits if isinstance(write, Recur) else ()
