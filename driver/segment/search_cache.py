"""Results of searches, kept on disk: a term for a part, or why there is none, with what was counted.

A term that comes back is compared with the part's specification again before it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from raising.affine.ir.program import Node, Store
from raising.affine.ir.rewriting import rewritten
from raising.grammar.terms.term import Term
from raising.support import cache
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.synth.enumerate.limits import Statistics


@dataclass(frozen=True)
class Found:
    """A term that meets the specification number `framing`, or no term and the reason."""

    term: Term | None
    framing: int
    operations: int
    reason: str
    stats: Statistics


def keep(file: Path, found: Found) -> None:
    """Keep what was found, unless it was for want of time that nothing was."""
    if found.term is not None or "time limit" not in found.reason:
        cache.keep(file, found)


def recalled(file: Path, meets: Callable[[int, Term], bool], framings: int) -> Found | None:
    """The entry of an earlier process, if it holds no term, or a term of which `meets(framing, term)` is true."""
    found = cache.kept(file)
    try:
        if not holds(found, meets, framings):
            return None
    except Exception:  # whatever an entry holds, the worst that it may do is to be searched for again
        return None
    found.stats.recalled = 1
    return found  # type: ignore[no-any-return]


def holds(found: Found, meets: Callable[[int, Term], bool], framings: int) -> bool:
    """Whether a result is one of so many specifications: no term, or one of which `meets(framing, term)` is true.

    Where more samples are to be met than those that it was found at, no term stays none.
    """
    return 0 <= found.framing < framings and (found.term is None or meets(found.framing, found.term))


def placeless(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Nodes without their places in the source and the labels that come of them."""

    def change(node: Node) -> tuple[Node, ...]:
        return (replace(node, loc=Loc(), label="") if isinstance(node, Store) else replace(node, loc=Loc()),)

    return rewritten(nodes, change)
