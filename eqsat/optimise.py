"""Equality saturation on a module: every function encoded, saturated, extracted, written back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eqsat.cost import cost_before, node_costs, preferring_originals
from eqsat.egraph import EGraph
from eqsat.encode import Encoder, isolated
from eqsat.engine import Limits, saturate
from eqsat.exact import exact
from eqsat.extract import cost_of, shared, tree, used
from eqsat.purity import pure_operations, walk
from eqsat.rebuild import Rebuilder
from eqsat.rulefile import Rules
from eqsat.tables import Tables
from eqsat.vocabulary import PRELUDE, Vocabulary

EXTRACTIONS = ("tree", "dag", "ilp")


@dataclass(frozen=True)
class Optimised:
    """What became of one function.

    `before` and `after` are the costs, a value that is used twice counted
    once; `gap` is how much cheaper the best program could be (NaN: not known);
    `matches` counts for each rule; `notes` say what could not be written.
    """

    op: Any
    name: str
    before: float
    after: float
    gap: float
    stopped: str
    iterations: int
    nodes: int
    classes: int
    matches: dict[str, int]
    notes: tuple[str, ...]


def optimise(
    module: Any, ir: Any, passes: Any, rules: Rules, limits: Limits, extraction: str = "tree"
) -> list[Optimised]:
    """Optimise every function of a module in place.

    Raises `EngineError` if the rules are wrong, and `NoProgram` if they leave
    a value that no finite program computes.
    """
    if extraction not in EXTRACTIONS:
        raise ValueError(f"unknown extraction '{extraction}' (known: {', '.join(EXTRACTIONS)})")
    pure = pure_operations(module, ir, passes)
    values = frozenset(op for n, (op, _) in enumerate(walk(module.operation)) if n in pure)
    with module.context, ir.Location.unknown():
        return [_function(op, values, ir, rules, limits, extraction) for op in _functions(module.operation)]


def _functions(op: Any) -> list[Any]:
    """The innermost symbols with a body: functions, also those of nested modules."""
    symbols = [child for child, _ in walk(op) if isolated(child) and any(len(r.blocks) for r in child.regions)]
    holders = {parent for child in symbols for parent in _parents(child)}
    return [child for child in symbols if child not in holders]


def _parents(op: Any) -> Iterator[Any]:
    while op.parent is not None:
        op = op.parent.operation
        yield op


def _function(op: Any, pure: frozenset[Any], ir: Any, rules: Rules, limits: Limits, extraction: str) -> Optimised:
    vocabulary = Vocabulary(ir, rules.enums)
    encoded = Encoder(vocabulary, rules.operations, pure).encode(op)
    operations = "\n".join([*encoded.declarations, *encoded.lets])
    program = [(PRELUDE, "prelude"), *rules.texts, (operations, "operations")]
    saturated = saturate(program, rules.schedule, limits)
    tables = Tables(saturated.rows, rules.hidden)
    graph = tables.graph(list(dict.fromkeys(tables.names[name] for name in encoded.needed)))
    costs = node_costs(graph, tables, rules)
    before = cost_before(graph, tables, encoded, costs)
    choice, gap = _extracted(graph, preferring_originals(graph, tables, encoded, costs), extraction, limits.seconds)
    notes = Rebuilder(vocabulary, encoded, tables, graph, choice).rebuild(op)
    op.verify()
    return Optimised(
        op=op,
        name=str(op.attributes["sym_name"]).strip('"'),
        before=before,
        after=cost_of(graph, choice, costs),
        gap=gap,
        stopped=saturated.stopped,
        iterations=saturated.iterations,
        nodes=len(graph.nodes),
        classes=len(graph.members),
        matches=saturated.matches,
        notes=tuple(dict.fromkeys(notes)),
    )


def _extracted(graph: EGraph, costs: Sequence[float], extraction: str, seconds: float) -> tuple[dict[int, int], float]:
    """A choice for the classes that are needed, and how much cheaper another could be at most."""
    if extraction == "ilp":
        proved = exact(graph, costs, seconds)
        choice, gap = proved.choice, proved.gap
    else:
        choice, gap = (tree if extraction == "tree" else shared)(graph, costs), float("nan")
    return {k: choice[k] for k in used(graph, choice)}, gap
