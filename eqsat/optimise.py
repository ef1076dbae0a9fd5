"""Equality saturation on a module: every function encoded, saturated, extracted, written back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from raising.eqsat.egraph.encode import isolated
from raising.eqsat.egraph.graph import EGraph
from raising.eqsat.egraph.held import held
from raising.eqsat.egraph.purity import pure_operations, walk
from raising.eqsat.extents.open_costs import Polynomial, cheaper_from, sizes
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
from raising.eqsat.saturate import Job, Settings, State, saturated
from raising.eqsat.tensor_rules import associating
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


def optimise(module: Any, ir: Any, passes: Any, settings: Settings) -> list[Optimised]:
    """Optimise every function of a module in place; the result never costs more than what was there.

        before  %0 = linalg.add(%x, %zero); %1 = linalg.matmul(%0, %y)        after   %1 = linalg.matmul(%x, %y)

    The seconds of the limits are for all functions together, first for saturation and again for extraction; each gets
    at least one.

    A module may hold e-graphs that were written before; saturation goes on with them, and `NoOrder` is raised if one
    has no finite program.

    Raises `EngineError` if the rules are wrong, and `NoOrder` if they leave a value that no finite program computes.
    """
    _check(settings)
    persisted = read_graphs(module, ir, passes, settings.declared)
    pure = _values(module, ir, passes, settings.declared)
    reports: list[Optimised] = []
    with held(module, ir, pure, settings.emit != PROGRAM) as changed, module.context, ir.Location.unknown():
        pure = _values(module, ir, passes, settings.declared) if changed else pure
        functions = _functions(module.operation)
        known = [persisted.within(op) for op in functions]  # before any of it is rewritten, and erased
        left = settings.limits.seconds
        for number, (op, graphs) in enumerate(zip(functions, known, strict=True), start=1):
            seconds = left if number == len(functions) else left / 2  # half of what is left: later ones need some too
            job = Job(module, ir, passes, settings, pure, graphs)
            job = job.but(limits=replace(settings.limits, seconds=max(_LEAST, seconds)))
            reports.append(_chains_first(op, job) if _is_priced(job) else _function(op, job))
            left -= min(left, reports[-1].times.get("saturate", 0.0))
    return reports


def _check(settings: Settings) -> None:
    if settings.emit not in EMITS:
        raise ValueError(f"unknown form '{settings.emit}' (known: {', '.join(EMITS)})")
    if settings.macros and settings.pricing is None:
        raise ValueError("macro rules need a cost that is counted from shapes")
    if settings.extraction not in EXTRACTIONS:
        raise ValueError(f"unknown extraction '{settings.extraction}' (known: {', '.join(EXTRACTIONS)})")


def _is_priced(job: Job) -> bool:
    """Whether the program that is written is priced as the one that was there, operation by operation."""
    settings, pricing = job.settings, job.settings.pricing
    priced = pricing is not None and (settings.own is not None or bool(pricing.extents))
    return settings.emit == PROGRAM and priced and not job.persisted.nodes


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
    if job.settings.emit == PROGRAM:
        return _extract(state, job)
    notes: tuple[str, ...] = ()
    picture = ""
    began = time.monotonic()
    if job.settings.emit == EQUIVALENCE and (why := _stays(op)):
        notes = (f"{why}; it stays as it was",)
    elif job.settings.emit == EQUIVALENCE:
        notes = _written(op, state)
    else:
        picture = PICTURES[job.settings.emit](drawn(state.graph, state.tables))
    times = state.times | {"export": time.monotonic() - began}
    return _report(state, times=times, picture=picture, notes=notes)


def _stays(op: Any) -> str:
    """Why a function cannot have its e-graph in place; empty if it may."""
    if _names_symbols(op):
        return "it refers to symbols, which an equivalence.graph around them would hide"
    jumps = any(len(region.blocks) > 1 for inner in (op, *(inner for inner, _ in walk(op))) for region in inner.regions)
    return "it has jumps, which cannot leave an equivalence.graph" if jumps else ""


def _written(op: Any, state: State) -> tuple[str, ...]:
    """Notes on the e-graph that was put into a function; where that is not valid, the function is as before."""
    before = op.clone(ip=False)
    try:
        dropped = write_graph(op, state.graph, state.tables, state.encoded, state.vocabulary)
    except state.vocabulary.ir.MLIRError as error:
        _exchange(op.regions[0], before.regions[0])
        told = error.error_diagnostics[0].message if error.error_diagnostics else str(error)
        return (f"an equivalence.graph cannot hold its operations ({told}); it stays as it was",)
    why = "they are the algebra between operations, which has no form in the IR, or of another block"
    return (f"{dropped} nodes of the e-graph are not in the module: {why}",) if dropped else ()


def _exchange(one: Any, other: Any) -> None:
    """Give each of two regions the blocks of the other."""
    blocks = list(one.blocks), list(other.blocks)
    for moved, region in zip(blocks, (other, one), strict=True):
        for block in moved:
            block.append_to(region)


def _chains_first(op: Any, job: Job) -> Optimised:
    """The function optimised; long chains of products as a whole first, where rules may associate them.

    Of n factors, rules of associativity would find n³/6 products one after the other. Where there is nothing but one
    chain of different factors, no other rule finds more.
    """
    alone, own = _single_chain(op), job.settings.own
    long = alone > 1 or _products(op) >= _LONG
    rules = associating(op, own) if own is not None and not job.settings.macros and long else ()
    if own is None or not rules:
        return _kept_if_cheaper(op, job)
    first = _kept_if_cheaper(op, job.but(own=None, macros=True))
    if first.chains == (alone + 1,):
        return first
    if max(first.chains, default=0) >= _LONG:
        own = replace(own, rules=tuple(rule for rule in own.rules if rule not in rules))
    second = _kept_if_cheaper(first.op, _read_again(job.but(own=own)))
    return replace(
        second,
        before=first.before,
        chains=first.chains,
        times={stage: first.times.get(stage, 0.0) + seconds for stage, seconds in second.times.items()},
        notes=(*first.notes, *second.notes),
        assumed=(*first.assumed, *second.assumed),
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
    used: list[Any] = []  # tensors, one after the other
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


def _read_again(job: Job) -> Job:
    """The same for a module that was rewritten."""
    return replace(job, pure=_values(job.module, job.ir, job.passes, job.settings.declared))


def _kept_if_cheaper(op: Any, job: Job) -> Optimised:
    """The function optimised, or as it was unless what was written costs less.

    What was chosen has a price as the algebra sees it; what is written is
    priced once more, operation by operation, as what was there is.
    """
    before, source = _priced(op, job), op.clone(ip=False)
    report = _function(op, job)
    if str(op) == str(source):
        return replace(report, before=float(before), after=float(before))
    after = _priced(op, _read_again(job))
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
    pricing = job.settings.pricing
    if pricing is not None and pricing.extents:
        named = sizes({number: str(number) for number in pricing.extents}, OPEN_EXTENT)
        job = job.but(pricing=replace(pricing, extents=named))
    state = saturated(op, job.but(own=None, macros=False, limits=replace(job.settings.limits, iterations=0)))
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
    if job.settings.pricing is None:
        costs = node_costs(state.graph, state.tables, job.settings.rules)
        return costs, costs
    meter = state.meter(job.settings.pricing)
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
    return state.own is not None and not job.settings.rules.texts and not sums


def _extracted(graph: EGraph, costs: Sequence[float], job: Job, share: float) -> tuple[dict[int, int], float]:
    if job.settings.extraction == "ilp":
        proved = exact(graph, costs, job.settings.limits.seconds, share)
        return proved.choice, proved.gap
    return (tree if job.settings.extraction == "tree" else shared)(graph, costs), float("nan")
