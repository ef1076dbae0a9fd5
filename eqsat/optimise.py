"""Equality saturation on a module: every function encoded, saturated, extracted, written back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eqsat.cost import as_it_was, cost_before, node_costs, preferring_originals
from eqsat.egraph import EGraph
from eqsat.encode import Encoded, Encoder, isolated
from eqsat.engine import Limits, saturate
from eqsat.exact import exact
from eqsat.extract import cost_of, shared, tree, used
from eqsat.meter import Meter, Pricing
from eqsat.own import Own, prepare
from eqsat.purity import pure_operations, walk
from eqsat.rebuild import Rebuilder
from eqsat.rulefile import Rules
from eqsat.ruletext import SCHEDULE
from eqsat.segments import add_chains
from eqsat.tables import Tables
from eqsat.vocabulary import PRELUDE, Vocabulary

EXTRACTIONS = ("tree", "dag", "ilp")


@dataclass(frozen=True)
class Optimised:
    """What became of one function.

    `before` and `after` are the costs, a value that is used twice counted
    once; `gap` is how much cheaper the best program could be (NaN: not known);
    `matches` counts for each rule; `chains` are the lengths of the chains that
    the macro rule found; `notes` say what could not be written.
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
    chains: tuple[int, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Job:
    """What every function of a module is optimised with."""

    ir: Any
    pure: frozenset[Any]
    rules: Rules
    limits: Limits
    extraction: str
    pricing: Pricing | None
    macros: bool
    own: Own | None = None


def optimise(
    module: Any,
    ir: Any,
    passes: Any,
    rules: Rules,
    limits: Limits,
    extraction: str = "tree",
    pricing: Pricing | None = None,
    macros: bool = False,
    own: Own | None = None,
) -> list[Optimised]:
    """Optimise every function of a module in place; without `pricing`, costs are those that the rules declare.

    The result never costs more than what was there. With `macros`, chains of
    products are associated as a whole, which reassociates sums.

    Raises `EngineError` if the rules are wrong, and `NoProgram` if they leave
    a value that no finite program computes.
    """
    if macros and pricing is None:
        raise ValueError("macro rules need a cost that is counted from shapes")
    if extraction not in EXTRACTIONS:
        raise ValueError(f"unknown extraction '{extraction}' (known: {', '.join(EXTRACTIONS)})")
    pure = pure_operations(module, ir, passes)
    values = frozenset(op for n, (op, _) in enumerate(walk(module.operation)) if n in pure)
    with module.context, ir.Location.unknown():
        job = Job(ir, values, rules, limits, extraction, pricing, macros, own)
        return [_function(op, job) for op in _functions(module.operation)]


def _functions(op: Any) -> list[Any]:
    """The innermost symbols with a body: functions, also those of nested modules."""
    symbols = [child for child, _ in walk(op) if isolated(child) and any(len(r.blocks) for r in child.regions)]
    holders = {parent for child in symbols for parent in _parents(child)}
    return [child for child in symbols if child not in holders]


def _parents(op: Any) -> Iterator[Any]:
    while op.parent is not None:
        op = op.parent.operation
        yield op


def _function(op: Any, job: Job) -> Optimised:
    vocabulary = Vocabulary(job.ir, job.rules.enums)
    encoded = Encoder(vocabulary, job.rules.operations, job.pure).encode(op)
    operations = "\n".join([*encoded.declarations, *encoded.lets])
    own = None if job.own is None else prepare(op, encoded, vocabulary, job.own)
    program = [(PRELUDE, "prelude"), *job.rules.texts, (operations, "operations")]
    schedule = job.rules.schedule
    if own is not None:
        program = [program[0], (own.rules, "rules"), *program[1:], (own.terms, "terms")]
        schedule = ("saturate", ("seq", schedule, SCHEDULE)) if job.rules.texts else SCHEDULE
    saturated = saturate(program, schedule, job.limits)
    tables = Tables(saturated.rows, job.rules.hidden)
    graph = tables.graph(list(dict.fromkeys(tables.names[name] for name in encoded.needed)))
    chains: tuple[int, ...] = ()
    if job.macros:
        graph, tables, chains = _with_chains(graph, tables, encoded, vocabulary, job)
    costs, shown = _costs(graph, tables, encoded, vocabulary, job)
    before = cost_before(graph, tables, encoded, shown)
    choice, gap = _cheapest(graph, tables, encoded, costs, job)
    notes = Rebuilder(vocabulary, encoded, tables, graph, choice, own.dialect if own else None).rebuild(op)
    op.verify()
    return Optimised(
        op=op,
        name=str(op.attributes["sym_name"]).strip('"'),
        before=before,
        after=cost_of(graph, choice, shown),
        gap=gap,
        stopped=saturated.stopped,
        iterations=saturated.iterations,
        nodes=len(graph.nodes),
        classes=len(graph.members),
        matches=saturated.matches,
        chains=chains,
        notes=tuple(dict.fromkeys(notes)),
    )


def _costs(
    graph: EGraph, tables: Tables, encoded: Encoded, vocabulary: Vocabulary, job: Job
) -> tuple[list[float], list[float]]:
    """The costs to choose by, and those to report: what is in a region was counted with its operation."""
    if job.pricing is None:
        costs = node_costs(graph, tables, job.rules)
        return costs, costs
    meter = Meter(graph, tables, encoded, vocabulary, job.pricing)
    costs = meter.costs()
    return costs, [0.0 if n.klass in meter.bound else c for n, c in zip(graph.nodes, costs, strict=True)]


def _with_chains(
    graph: EGraph, tables: Tables, encoded: Encoded, vocabulary: Vocabulary, job: Job
) -> tuple[EGraph, Tables, tuple[int, ...]]:
    """The e-graph with the best associations of its products, and how long the chains are."""
    assert job.pricing is not None
    added = add_chains(graph, tables, Meter(graph, tables, encoded, vocabulary, job.pricing))
    return EGraph(added.tables.nodes, graph.roots), added.tables, added.lengths


def _cheapest(
    graph: EGraph, tables: Tables, encoded: Encoded, costs: Sequence[float], job: Job
) -> tuple[dict[int, int], float]:
    """A choice for the classes that are needed, and how much cheaper another could be at most."""
    biased = preferring_originals(graph, tables, encoded, costs)
    choice, gap = _extracted(graph, biased, job.extraction, job.limits.seconds)
    source = as_it_was(graph, tables, encoded, costs)
    if source is not None and cost_of(graph, source, biased) <= cost_of(graph, choice, biased):
        choice = source
    return {k: choice[k] for k in used(graph, choice)}, gap


def _extracted(graph: EGraph, costs: Sequence[float], extraction: str, seconds: float) -> tuple[dict[int, int], float]:
    if extraction == "ilp":
        proved = exact(graph, costs, seconds)
        return proved.choice, proved.gap
    return (tree if extraction == "tree" else shared)(graph, costs), float("nan")
