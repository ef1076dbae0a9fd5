"""One function saturated, and written back: the cheapest program, its e-graph in the IR, or a picture of that."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from raising.eqsat.egraph.purity import walk
from raising.eqsat.extract.greedy import NoProgram, cost_of, shared, tree, tree_costs, used
from raising.eqsat.extract.ilp import SMALL, exact
from raising.eqsat.extract.node_cost import as_it_was, cost_before, node_costs, preferring_originals
from raising.eqsat.persist.picture import PICTURES, drawn
from raising.eqsat.persist.read_egraph import NoOrder
from raising.eqsat.persist.write_egraph import write_graph
from raising.eqsat.rebuild.rebuild import Rebuilder
from raising.eqsat.ruleset.algebra import summing
from raising.eqsat.ruleset.to_egglog import BILINEAR
from raising.eqsat.saturate import Job, Settings, State, saturated
from raising.support.record import dataclass

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


def check(settings: Settings) -> None:
    """ValueError unless the settings name an extraction and a form that there are."""
    if settings.emit not in EMITS:
        raise ValueError(f"unknown form '{settings.emit}' (known: {', '.join(EMITS)})")
    if settings.macros and settings.pricing is None:
        raise ValueError("macro rules need a cost that is counted from shapes")
    if settings.extraction not in EXTRACTIONS:
        raise ValueError(f"unknown extraction '{settings.extraction}' (known: {', '.join(EXTRACTIONS)})")


def rewritten(op: Any, job: Job) -> Optimised:
    """Write a function anew in the form that is wanted; `NoOrder` if rules leave a value without a program."""
    state, emit = saturated(op, job), job.settings.emit
    if emit == PROGRAM:
        return _extract(state, job)
    began = time.monotonic()
    picture = "" if emit == EQUIVALENCE else PICTURES[emit](drawn(state.graph, state.tables))
    notes = _persist(op, state) if emit == EQUIVALENCE else ()
    times = state.times | {"export": time.monotonic() - began}
    return _report(state, times=times, picture=picture, notes=notes)


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


# ---- the e-graph in the IR -----------------------------------------------------------------------


def _persist(op: Any, state: State) -> tuple[str, ...]:
    """Put its e-graph into a function; notes on what is lost. Where that is not valid, the function is as before."""
    if why := _stays(op):
        return (f"{why}; it stays as it was",)
    before = op.clone(ip=False)
    try:
        dropped = write_graph(op, state.graph, state.tables, state.encoded, state.vocabulary)
    except state.vocabulary.ir.MLIRError as error:
        _exchange(op.regions[0], before.regions[0])
        told = error.error_diagnostics[0].message if error.error_diagnostics else str(error)
        return (f"an equivalence.graph cannot hold its operations ({told}); it stays as it was",)
    why = "they are the algebra between operations, which has no form in the IR, or of another block"
    return (f"{dropped} nodes of the e-graph are not in the module: {why}",) if dropped else ()


def _stays(op: Any) -> str:
    """Why a function cannot have its e-graph in place; empty if it may."""
    inner = [op, *(inner for inner, _ in walk(op))]
    if any(str(o.attributes[name]).startswith("@") for o in inner[1:] for name in o.attributes):
        # MLIR finds no symbol from inside of an unregistered operation
        return "it refers to symbols, which an equivalence.graph around them would hide"
    jumps = any(len(region.blocks) > 1 for o in inner for region in o.regions)
    return "it has jumps, which cannot leave an equivalence.graph" if jumps else ""


def _exchange(one: Any, other: Any) -> None:
    """Give each of two regions the blocks of the other."""
    blocks = list(one.blocks), list(other.blocks)
    for moved, region in zip(blocks, (other, one), strict=True):
        for block in moved:
            block.append_to(region)


# ---- the cheapest program ------------------------------------------------------------------------


def _extract(state: State, job: Job) -> Optimised:
    """Write the cheapest program in place of the one that is there."""
    began = time.monotonic()
    graph, tables, encoded = state.graph, state.tables, state.encoded
    costs, shown = costs_of(state, job)
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


def costs_of(state: State, job: Job) -> tuple[list[float], list[float]]:
    """The costs of nodes to choose by, and those to report: what is in a region was counted with its operation."""
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
    gap = float("nan")
    if job.settings.extraction == "ilp":
        proved = exact(graph, biased, job.settings.limits.seconds, SMALL if _one_loop(state, job) else 1.0)
        choice, gap = proved.choice, proved.gap
    else:
        choice = (tree if job.settings.extraction == "tree" else shared)(graph, biased)
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
