"""Results of searches, kept on disk: a term for a part, or why there is none, with what was counted.

A term that comes back is compared with the part's specification again before it is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from raising.affine.ir.program import Guard, Loop, Node, Store
from raising.grammar.terms.serialise import restored, saved
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
    if found.term is None and "time limit" in found.reason:
        return
    term = saved(found.term) if found.term is not None else None
    rest = {"framing": found.framing, "operations": found.operations, "reason": found.reason}
    cache.write(file, json.dumps({"term": term, **rest, "stats": asdict(found.stats)}))


def recalled(file: Path, meets: Callable[[int, Term], bool], framings: int) -> Found | None:
    """The entry of an earlier process, if it holds no term, or a term of which `meets(framing, term)` is true."""
    text = cache.read(file)
    if text is None:
        return None
    try:
        found = _found(json.loads(text))
        whole = 0 <= found.framing < framings and (found.term is None or meets(found.framing, found.term))
    except Exception:  # whatever an entry holds, the worst that it may do is to be searched for again
        return None
    return found if whole else None


def _found(data: dict[str, Any]) -> Found:
    names = {f.name for f in fields(Statistics)}
    stats = Statistics(**{k: v for k, v in data["stats"].items() if k in names})
    stats.recalled = 1
    term = restored(data["term"]) if data["term"] is not None else None
    return Found(term, int(data["framing"]), int(data["operations"]), str(data["reason"]), stats)


def placeless(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Nodes without their places in the source and the labels that come of them."""
    return tuple(_placeless(node) for node in nodes)


def _placeless(node: Node) -> Node:
    match node:
        case Loop() | Guard():
            return replace(node, loc=Loc(), body=placeless(node.body))
        case Store():
            return replace(node, loc=Loc(), label="")
    return replace(node, loc=Loc())
