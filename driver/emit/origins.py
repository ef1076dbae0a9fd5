"""Where the operations of a raised segment come from: the statements whose part they compute, as MLIR's locations.

Terms know no places, because equal terms are one. So each part's term is looked for in the terms of the segment: the
nodes that it covers come from the part's statements. What no part covers comes from the segment's loops.

    before  %r = linalg.mul ins(%t, %x) outs(%new)
    after   %r = linalg.mul ins(%t, %x) outs(%new) loc(fused["-":15:7, "-":16:7, ...])
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mlir import ir

from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store
from raising.grammar.terms.term import Apply, Call, Input, Recur, Term, nodes, within
from raising.segment.segment_result import SegmentResult
from raising.support.mlir.walk import blocks_of
from raising.support.source import Loc

_NAMED = re.compile(r"\s*(%r\d+)(?::\d+)? =")
_MOST = 64  # places of one operation


def origins(result: SegmentResult) -> dict[bytes, tuple[Loc, ...]]:
    """The places that each computation of a segment's terms comes from, by digest; those that no part covers lack."""
    lines = {where: places for where, places in _statements(result.program)}
    found: dict[bytes, dict[Loc, None]] = defaultdict(dict)
    computed = [n for n in within(tuple(result.terms.values())) if isinstance(n, Apply | Call | Recur)]
    for report in result.reports:
        if report.found is not None:
            for node in computed:
                for digest in _covered(report.found, node) or ():
                    found[digest].update(dict.fromkeys(lines.get(report.where, (report.where,))))
    return {digest: tuple(places) for digest, places in found.items()}


def _covered(part: Term, node: Term) -> list[bytes] | None:
    """The computations below `node` that are those of a part's term; None if it is not that term."""
    if isinstance(part, Input):
        return []
    if type(part) is not type(node) or _shape(part) != _shape(node) or len(part.operands) != len(node.operands):
        return None
    found = [node.digest] if isinstance(node, Apply | Call | Recur) else []
    for one, other in zip(part.operands, node.operands, strict=True):
        below = _covered(one, other)
        if below is None:
            return None
        found += below
    if isinstance(node, Recur):
        found += [n.digest for n in nodes(node.step.results) if isinstance(n, Apply | Call)]
    return found


def _shape(term: Term) -> object:
    """The operation of a term without its sizes."""
    match term:
        case Apply():
            return term.body, term.maps, term.init is None
        case Call():
            return term.procedure
        case Recur():
            return term.number, len(term.step.results)
    return None


def _statements(program: Program) -> Iterator[tuple[Loc, tuple[Loc, ...]]]:
    """Each store's place with those of its loops and of what it computes; those of equal places together."""
    found: dict[Loc, dict[Loc, None]] = defaultdict(dict)

    def visit(body: Iterable[Node], around: tuple[Loc, ...]) -> None:
        own: list[Loc] = []
        for node in body:
            match node:
                case Loop():
                    visit(node.body, (*around, node.loc))
                case Guard():
                    visit(node.body, (*around, node.loc))
                case Load() | Compute() | IndexValue():
                    own.append(node.loc)
                case Store():
                    found[node.loc].update(dict.fromkeys((node.loc, *own, *around)))
                    own = []

    visit(program.body, ())
    yield from ((where, tuple(places)) for where, places in found.items())


def place(moved: Iterable[Any], text: str, made: Mapping[str, bytes], result: SegmentResult, nests: list[Any]) -> None:
    """Give the operations that were parsed from `text` their locations; `made` are the terms of its SSA names."""
    known, context = origins(result), nests[0].context
    whole = _fused([nest.location for nest in nests], context)
    places: dict[int, Any] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name = _NAMED.match(line)
        found = known.get(made.get(name[1], b""), ()) if name else ()
        if found:
            files = [ir.Location.file(p.file, p.line, p.col, context) for p in found[:_MOST]]
            places[number] = _fused(files, context)
    for operation in moved:
        _set(operation, places, whole)


def _set(operation: Any, places: Mapping[int, Any], around: Any) -> None:
    """Set the location of an operation by its line, and of those in it that have none of their own to the same."""
    here = operation.location
    own = places.get(here.start_line, around) if here.is_a_file() else around
    operation.location = own
    for block in blocks_of(operation):
        for inner in block.operations:
            _set(inner.operation, places, own)


def _fused(locations: list[Any], context: Any) -> Any:
    return locations[0] if len(locations) == 1 else ir.Location.fused(locations, None, context)
