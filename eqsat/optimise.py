"""Equality saturation on a module: every function encoded, saturated, extracted, written back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from raising.eqsat.egraph.dialegg import Rules
from raising.eqsat.egraph.encode import isolated
from raising.eqsat.egraph.engine import Limits
from raising.eqsat.egraph.graph import EGraph
from raising.eqsat.egraph.held import held
from raising.eqsat.egraph.purity import pure_operations, walk
from raising.eqsat.extents.open_costs import Polynomial, cheaper_from, sizes
from raising.eqsat.extract.cost_model import Pricing
from raising.eqsat.extract.greedy import NoProgram, cost_of, shared, tree, tree_costs, used
from raising.eqsat.extract.ilp import SMALL, exact
from raising.eqsat.extract.node_cost import as_it_was, cost_before, node_costs, preferring_originals
from raising.eqsat.extract.op_work import OPEN_EXTENT
from raising.eqsat.persist.picture import PICTURES, drawn
from raising.eqsat.persist.read_egraph import NoOrder, read_graphs
from raising.eqsat.persist.write_egraph import write_graph
from raising.eqsat.rebuild.rebuild import Rebuilder
from raising.eqsat.ruleset.algebra import summing
from raising.eqsat.ruleset.to_egglog import BILINEAR
from raising.eqsat.saturate import Job, State, saturated
from raising.eqsat.tensor_rules import TensorRules, associating
from raising.support.record import dataclass

_LEAST = 1.0  # second for any function
_MARGIN = 0.01  # what a program has to be cheaper by: no model of costs is more exact

_LONG = 10  # factors of a chain, from which on it is associated as a whole

EXTRACTIONS = ("tree", "dag", "ilp")
PROGRAM, EQUIVALENCE = "mlir", "equivalence"
EMITS = (PROGRAM, EQUIVALENCE, *PICTURES)


@dataclass(frozen=True)
class Optimised:
    """The result for one function.

    `before` and `after` are the costs, a value that is used twice counted
    once; `gap` is how much cheaper the best program could be (NaN: not known);
    `matches` counts for each rule; `chains` are the lengths of the chains that
    the macro rule found; `notes` say what could not be written, `assumed` what
    the gain depends on; `picture` is the e-graph, if that was asked for; `times` are the seconds of each stage.
    """

    op: Any
    name: str
    stopped: str
    iterations: int
    nodes: int
    classes: int
    matches: dict[str, int]
    chains: tuple[int, ...]
    times: dict[str, float]
    before: float = 0.0
    after: float = 0.0
    gap: float = float("nan")
    notes: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    picture: str = ""


def optimise(
    module: Any,
    ir: Any,
    passes: Any,
    rules: Rules,
    limits: Limits,
    extraction: str = "tree",
    pricing: Pricing | None = None,
    macros: bool = False,
    emit: str = PROGRAM,
    own: TensorRules | None = None,
    declared: frozenset[str] = frozenset(),
) -> list[Optimised]:
    """Optimise every function of a module in place; without `pricing`, costs are those that the rules declare.

    The result never costs more than what was there. With `macros`, chains of
    products are associated as a whole, which reassociates sums. With another
    `emit` than `mlir`, nothing is extracted: the e-graph is written in place
    (`equivalence`), or drawn.

    The seconds of `limits` are for all functions together, first for saturation
    and again for extraction; each gets at least one.

    `declared` are names of operations of which MLIR does not know that they have no effects.

    A module may hold e-graphs that were written before; saturation goes on
    with them, and `NoOrder` is raised if one has no finite program.

    Raises `EngineError` if the rules are wrong, and `NoOrder` if they leave
    a value that no finite program computes.
    """
    if emit not in EMITS:
        raise ValueError(f"unknown form '{emit}' (known: {', '.join(EMITS)})")
    if macros and pricing is None:
        raise ValueError("macro rules need a cost that is counted from shapes")
    if extraction not in EXTRACTIONS:
        raise ValueError(f"unknown extraction '{extraction}' (known: {', '.join(EXTRACTIONS)})")
    persisted = read_graphs(module, ir, passes, declared)
    values = _values(module, ir, passes, declared)
    reports: list[Optimised] = []
    with held(module, ir, values, emit != PROGRAM) as changed, module.context, ir.Location.unknown():
        values = _values(module, ir, passes, declared) if changed else values
        functions = _functions(module.operation)
        owned = [persisted.within(op) for op in functions]  # before any of it is rewritten, and erased
        left = limits.seconds
        for number, op in enumerate(functions, start=1):
            seconds = left if number == len(functions) else left / 2  # half of what is left: later ones need some too
            bounds = replace(limits, seconds=max(_LEAST, seconds))
            graphs = owned[number - 1]
            job = Job(ir, values, rules, bounds, extraction, pricing, macros, emit, graphs, own, declared)
            priced = pricing is not None and (own is not None or bool(pricing.extents))
            honest = emit == PROGRAM and priced and not graphs.nodes
            reports.append(_chains_first(op, job, module, passes) if honest else _function(op, job))
            left -= min(left, reports[-1].times.get("saturate", 0.0))
    return reports


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
    state = saturated(op, job)
    if job.emit == PROGRAM:
        return _extract(state, job)
    notes: tuple[str, ...] = ()
    picture = ""
    began = time.monotonic()
    if job.emit == EQUIVALENCE and _names_symbols(op):
        notes = ("it refers to symbols, which an equivalence.graph around them would hide; it stays as it was",)
    elif job.emit == EQUIVALENCE:
        dropped = write_graph(op, state.graph, state.tables, state.encoded, state.vocabulary)
        why = "they are the algebra between operations, which has no form in the IR, or of another block"
        notes = (f"{dropped} nodes of the e-graph are not in the module: {why}",) if dropped else ()
    else:
        picture = PICTURES[job.emit](drawn(state.graph, state.tables))
    times = state.times | {"export": time.monotonic() - began}
    return _report(state, times=times, picture=picture, notes=notes)


def _chains_first(op: Any, job: Job, module: Any, passes: Any) -> Optimised:
    """The function optimised; long chains of products as a whole first, where rules may associate them.

    Of n factors, rules of associativity would find n³/6 products one after the other. Where there is nothing but one
    chain of different factors, no other rule finds more.
    """
    alone = _single_chain(op)
    long = alone > 1 or _products(op) >= _LONG
    rules = associating(op, job.own) if job.own is not None and not job.macros and long else ()
    if job.own is None or not rules:
        return _kept_if_cheaper(op, job, module, passes)
    first = _kept_if_cheaper(op, replace(job, own=None, macros=True), module, passes)
    if first.chains == (alone + 1,):
        return first
    own = job.own
    if max(first.chains, default=0) >= _LONG:
        own = replace(own, rules=tuple(rule for rule in own.rules if rule not in rules))
    values = _values(module, job.ir, passes, job.declared)
    found = _kept_if_cheaper(first.op, replace(job, own=own, pure=values), module, passes)
    return replace(
        found,
        before=first.before,
        chains=first.chains,
        times={stage: first.times.get(stage, 0.0) + seconds for stage, seconds in found.times.items()},
        notes=(*first.notes, *found.notes),
        assumed=(*first.assumed, *found.assumed),
    )


def _products(op: Any) -> int:
    """How many operations compute a tensor from two or more."""
    return sum(
        any("tensor<" in str(r.type) for r in o.results) and sum("tensor<" in str(v.type) for v in o.operands) > 1
        for o, _ in walk(op)
    )


def _single_chain(op: Any) -> int:
    """How many operations a function has, if each computes a tensor from two or more, and it uses no tensor twice.

    Those that only make a tensor to begin with, of no other one, are not counted. 0 for any other function.
    """
    used: list[Any] = []
    begun: set[Any] = set()
    count = 0
    for inner in (inner for inner, depth in walk(op) if depth == 0 and len(inner.results)):
        tensors = [v for v in inner.operands if "tensor<" in str(v.type)]
        given = [v for v in tensors if v not in begun]
        if not given:
            begun |= set(inner.results)
            continue
        count += 1
        used += given
        if len(given) < 2:
            return 0
    return count if len(set(used)) == len(used) else 0


def _values(module: Any, ir: Any, passes: Any, declared: frozenset[str]) -> frozenset[Any]:
    """The operations of a module that only compute values."""
    pure = pure_operations(module, ir, passes, declared)
    return frozenset(op for n, (op, _) in enumerate(walk(module.operation)) if n in pure)


def _kept_if_cheaper(op: Any, job: Job, module: Any, passes: Any) -> Optimised:
    """The function optimised, or as it was unless what was written costs less.

    What was chosen has a price as the algebra sees it; what is written is
    priced once more, operation by operation, as what was there is.
    """
    before, source = _priced(op, job), op.clone(ip=False)
    report = _function(op, job)
    if str(op) == str(source):
        return replace(report, before=float(before), after=float(before))
    after = _priced(op, replace(job, pure=_values(module, job.ir, passes, job.declared)))
    if float(after) < float(before) * (1 - _MARGIN):
        sizes = _at_which_sizes(before, after)
        return replace(report, before=float(before), after=float(after), assumed=sizes)
    job.ir.InsertionPoint(op).insert(source)
    op.erase()
    return replace(report, op=source, before=float(before), after=float(before))


def _at_which_sizes(before: Any, after: Any) -> tuple[str, ...]:
    """What a gain holds for, if it depends on extents that are known at run time only."""
    open_extents = [c for c in (before, after) if isinstance(c, Polynomial)]
    size = cheaper_from(after, before) if open_extents else 1
    if size == 1:
        return ()
    if size is not None:
        return (f"assumed for the gain: each extent that is known at run time only is at least {size}",)
    return (f"assumed for the gain: each extent that is known at run time only is about {open_extents[0].size:g}",)


def _priced(op: Any, job: Job) -> Any:
    """The cost of a function as it stands: a polynomial of its extents where these are open."""
    if job.pricing is not None and job.pricing.extents:
        named = sizes({number: str(number) for number in job.pricing.extents}, OPEN_EXTENT)
        job = replace(job, pricing=replace(job.pricing, extents=named))
    state = saturated(op, replace(job, own=None, macros=False, limits=replace(job.limits, iterations=0)))
    return cost_before(state.graph, state.tables, state.encoded, _costs(state, job)[1])


def _names_symbols(op: Any) -> bool:
    """Whether a function refers to others, or to globals: MLIR finds none from inside of an unregistered operation."""
    return any(str(o.attributes[name]).startswith("@") for o, _ in walk(op) for name in o.attributes)


def _extract(state: State, job: Job) -> Optimised:
    """Write the cheapest program in place of the one that is there."""
    began = time.monotonic()
    graph, tables, encoded = state.graph, state.tables, state.encoded
    costs, shown = _costs(state, job)
    before = cost_before(graph, tables, encoded, shown)
    try:
        choice, gap = _cheapest(state, costs, job)
    except NoProgram:
        raise NoOrder(_lost(state, costs)) from None
    chosen = time.monotonic()
    dialect = state.own.dialect if state.own else None
    notes = Rebuilder(state.vocabulary, encoded, tables, graph, choice, dialect).rebuild(state.op)
    state.op.verify()
    times = state.times | {"extract": chosen - began, "back": time.monotonic() - chosen}
    after = cost_of(graph, choice, shown)
    return _report(state, times=times, before=before, after=after, gap=gap, notes=tuple(dict.fromkeys(notes)))


def _lost(state: State, costs: Sequence[float]) -> Any:
    """The first operation of which rules left no finite program."""
    known = tree_costs(state.graph, costs)[1]
    names = state.tables.names
    return next(
        (op for op, original in state.encoded.originals.items() if names[original.name].number not in known), state.op
    )


def _report(state: State, **found: Any) -> Optimised:
    return Optimised(
        op=state.op,
        name=str(state.op.attributes["sym_name"]).strip('"'),
        stopped=state.engine.stopped,
        iterations=state.engine.iterations,
        nodes=len(state.graph.nodes),
        classes=len(state.graph.members),
        matches=state.engine.matches,
        chains=state.chains,
        **found,
    )


def _costs(state: State, job: Job) -> tuple[list[float], list[float]]:
    """The costs to choose by, and those to report: what is in a region was counted with its operation."""
    if job.pricing is None:
        costs = node_costs(state.graph, state.tables, job.rules)
        return costs, costs
    meter = state.meter(job.pricing)
    costs = meter.costs()
    return costs, [0.0 if n.klass in meter.bound else c for n, c in zip(state.graph.nodes, costs, strict=True)]


def _cheapest(state: State, costs: Sequence[float], job: Job) -> tuple[dict[int, int], float]:
    """A choice for the classes that are needed, and how much cheaper another could be at most."""
    graph, tables, encoded = state.graph, state.tables, state.encoded
    biased = preferring_originals(graph, tables, encoded, costs)
    share = SMALL if _one_loop(state, job) else 1.0
    choice, gap = _extracted(graph, biased, job, share)
    source = as_it_was(graph, tables, encoded, costs)
    if source is not None and cost_of(graph, source, biased) <= cost_of(graph, choice, biased):
        choice = source
    return {k: choice[k] for k in used(graph, choice)}, gap


def _one_loop(state: State, job: Job) -> bool:
    """Whether all that the rules of the algebra find is element by element: no sum, so nothing but scalar work to gain.

    Rules of files may mean anything, so with them it is not known.
    """
    sums = any(summing(node.op.removeprefix("t.")) or node.op == BILINEAR for node in state.graph.nodes)
    return state.own is not None and not job.rules.texts and not sums


def _extracted(graph: EGraph, costs: Sequence[float], job: Job, share: float) -> tuple[dict[int, int], float]:
    if job.extraction == "ilp":
        proved = exact(graph, costs, job.limits.seconds, share)
        return proved.choice, proved.gap
    return (tree if job.extraction == "tree" else shared)(graph, costs), float("nan")
