"""Equality saturation on a module: every function encoded, saturated, extracted, written back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eqsat.egraph import EGraph, Node
from eqsat.encode import Encoded, Encoder, Original, isolated
from eqsat.engine import Limits, Ref, Saturated, saturate
from eqsat.exact import exact
from eqsat.extract import NoProgram, cost_of, shared, tree
from eqsat.purity import pure_operations, walk
from eqsat.rebuild import Rebuilder, used
from eqsat.rulefile import RuleFile
from eqsat.tables import STRUCTURE, Tables
from eqsat.vocabulary import PRELUDE, Vocabulary

EXTRACTIONS = ("tree", "dag", "ilp")
_NEW = 1e-3  # what a node costs more than an equal one that is there already


@dataclass(frozen=True)
class Optimised:
    """What became of one function: costs before and after, how far saturation came, what could not be written."""

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
    module: Any, ir: Any, passes: Any, rules: RuleFile, limits: Limits, extraction: str = "tree"
) -> list[Optimised]:
    """Optimise every function of a module in place. `EngineError` if the rules are wrong."""
    if extraction not in EXTRACTIONS:
        raise ValueError(f"unknown extraction '{extraction}' (known: {', '.join(EXTRACTIONS)})")
    pure = pure_operations(module, ir, passes)
    values = frozenset(op for n, (op, _) in enumerate(walk(module.operation)) if n in pure)
    with module.context, ir.Location.unknown():
        return [_function(op, values, ir, rules, limits, extraction) for op in list(_functions(module.operation))]


def _functions(op: Any) -> Iterator[Any]:
    """The innermost symbols with a body, and the module itself if it has operations of its own."""
    inner = [child for child, _ in walk(op) if isolated(child) and any(len(r.blocks) for r in child.regions)]
    holding = {p for child in inner for p in _parents(child)}
    yield from (child for child in inner if child not in holding)


def _parents(op: Any) -> Iterator[Any]:
    while (op := op.parent) is not None:
        op = op.operation
        yield op


def _function(op: Any, pure: frozenset[Any], ir: Any, rules: RuleFile, limits: Limits, extraction: str) -> Optimised:
    vocabulary = Vocabulary(ir, rules.enums)
    encoded = Encoder(vocabulary, rules.operations, pure).encode(op)
    program = [(PRELUDE, "prelude"), (rules.text, rules.filename)]
    program.append(("\n".join([*encoded.declarations, *encoded.lets]), "operations"))
    saturated = saturate(program, rules.schedule, limits)
    tables = Tables(saturated.rows, rules.hidden)
    graph = tables.graph(_roots(encoded, tables))
    costs = _costs(graph, tables, encoded, rules)
    name = str(op.attributes["sym_name"]).strip('"')
    try:
        choice, gap = _extracted(graph, costs, extraction, limits.seconds)
    except NoProgram as error:
        return _report(name, 0.0, 0.0, 0.0, saturated, graph, (str(error),))
    before = _before(graph, tables, encoded, costs)
    notes = Rebuilder(vocabulary, encoded, tables, graph, choice).rebuild(op)
    op.verify()
    return _report(name, before, cost_of(graph, choice, costs), gap, saturated, graph, tuple(dict.fromkeys(notes)))


def _report(
    name: str, before: float, after: float, gap: float, saturated: Saturated, graph: EGraph, notes: tuple[str, ...]
) -> Optimised:
    return Optimised(
        name, round(before, 2), round(after, 2), gap, saturated.stopped, saturated.iterations,
        len(graph.nodes), len(graph.members), saturated.matches, notes,
    )  # fmt: skip


def _roots(encoded: Encoded, tables: Tables) -> list[Ref]:
    """The classes that the operations which stay need."""
    return list(dict.fromkeys(tables.names[name] for name in encoded.needed))


def _costs(graph: EGraph, tables: Tables, encoded: Encoded, rules: RuleFile) -> list[float]:
    """The cost of each node: what a rule computed, what its declaration says, or 1; structure is free."""
    originals = {_original(o, tables) for o in encoded.originals.values()}
    costs = []
    for node in graph.nodes:
        row = tables.row(node)
        cost = 0.0 if node.op in STRUCTURE else rules.costs.get(node.op, 1.0)
        cost = tables.dynamic_costs.get((node.op, row.inputs), cost)
        costs.append(max(cost, 0.0) + (0.0 if node.op in STRUCTURE or _key(node) in originals else _NEW))
    return costs


Key = tuple[str, int, tuple[int, ...]]


def _key(node: Node) -> Key:
    return node.op, node.klass, node.children


def _original(original: Original, tables: Tables) -> Key | None:
    """The node of an operation that is there, without looking at its regions."""
    if not all(o in tables.names for o in original.operands):
        return None
    children = tuple(tables.names[o].number for o in original.operands)
    return original.constructor, tables.names[original.name].number, children


def _before(graph: EGraph, tables: Tables, encoded: Encoded, costs: Sequence[float]) -> float:
    """The cost of the operations that are there and used, each counted."""
    by_key = {_key(node): cost for node, cost in zip(graph.nodes, costs, strict=True)}
    keys = (_original(o, tables) for op, o in encoded.originals.items() if used(op))
    return sum(by_key.get(key, 0.0) for key in keys if key is not None)


def _extracted(graph: EGraph, costs: Sequence[float], extraction: str, seconds: float) -> tuple[dict[int, int], float]:
    """A choice, and how much cheaper another could be at most."""
    if extraction == "ilp":
        proved = exact(graph, costs, seconds)
        return proved.choice, proved.gap
    by_name: dict[str, Callable[[EGraph, Sequence[float]], dict[int, int]]] = {"tree": tree, "dag": shared}
    return by_name[extraction](graph, costs), float("nan")
