"""A function in an e-graph: encoded, saturated, and not yet extracted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from raising.eqsat.egraph.dialegg import Rules
from raising.eqsat.egraph.encode import Encoded, Encoder
from raising.eqsat.egraph.engine import Limits, Saturated, saturate
from raising.eqsat.egraph.graph import EGraph, Tables
from raising.eqsat.egraph.purity import Purity
from raising.eqsat.egraph.unsaturated import unsaturated
from raising.eqsat.egraph.vocabulary import PRELUDE, Vocabulary
from raising.eqsat.extract.cost_model import Meter
from raising.eqsat.extract.prices import Pricing
from raising.eqsat.persist.read_egraph import Persisted
from raising.eqsat.ruleset.to_egglog import SCHEDULE
from raising.eqsat.tensor_rules import Prepared, TensorRules, prepare
from raising.support.record import dataclass

_SAME, _JOIN = "raise.same", "raise.join"
_SAME_RULE = f"""(constructor {_SAME} (Op Op Op) Op) (ruleset {_JOIN})
(rule (({_SAME} one other rest)) ((union one other)) :ruleset {_JOIN})"""
_CHAINED = 12  # pairs in one term


@dataclass(frozen=True)
class Settings:
    """How functions are optimised; without `pricing`, costs are those that the rules declare.

    With `macros`, chains of products are associated as a whole, which reassociates sums. `own` are rules for tensors.
    With another `emit` than `mlir`, nothing is extracted: the e-graph is written in place (`equivalence`), or drawn.
    `declared` are names of operations of which MLIR does not know that they have no effects.
    """

    rules: Rules
    limits: Limits = Limits()
    extraction: str = "tree"
    pricing: Pricing | None = None
    macros: bool = False
    emit: str = "mlir"
    own: TensorRules | None = None
    declared: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Job:
    """A function of a module to be optimised: which of its operations are pure, and what was known before."""

    purity: Purity
    settings: Settings
    pure: frozenset[Any]
    persisted: Persisted

    def but(self, **settings: Any) -> Job:
        """The same job with other settings."""
        return replace(self, settings=replace(self.settings, **settings))


@dataclass(frozen=True)
class State:
    """The e-graph of a function with what its nodes mean; `times` are the seconds of each stage so far."""

    op: Any
    vocabulary: Vocabulary
    encoded: Encoded
    tables: Tables
    graph: EGraph
    engine: Saturated
    chains: tuple[int, ...]
    times: dict[str, float]
    own: Prepared | None

    def meter(self, pricing: Pricing) -> Meter:
        """The meter that counts costs from shapes."""
        return Meter(self.graph, self.tables, self.encoded, self.vocabulary, pricing)


def saturated(op: Any, job: Job) -> State:
    """The e-graph of a function after all rules; `EngineError` if these are wrong."""
    began = time.monotonic()
    settings, rules = job.settings, job.settings.rules
    vocabulary = Vocabulary(job.purity.ir, rules.enums)
    same = {value: values[0] for values in job.persisted.equal for value in values[1:]}
    encoded = Encoder(vocabulary, rules.operations, job.pure, same).encode(op)
    encoded.spare |= set(job.persisted.nodes) & encoded.originals.keys()
    own = None if settings.own is None else prepare(op, encoded, vocabulary, settings.own)
    translated = time.monotonic()
    engine = _engine(encoded, own, job)
    tables = Tables(engine.rows, rules.hidden | {_SAME})
    graph = tables.graph(list(dict.fromkeys(tables.names[name] for name in encoded.needed)))
    done = time.monotonic()
    times = {"translate": translated - began, "saturate": done - translated}
    state = State(op, vocabulary, encoded, tables, graph, engine, (), times, own)
    return _with_chains(state, settings.pricing) if settings.macros and settings.pricing is not None else state


def _engine(encoded: Encoded, own: Prepared | None, job: Job) -> Saturated:
    """The tables after all rules; where there are none, and no unions, the engine is not started."""
    unions = list(_unions(encoded, job.persisted))
    rules = own.rules if own is not None else ""
    if not (unions or rules or job.settings.rules.texts):
        return unsaturated(encoded.declarations, encoded.lets)
    # one command at a time: a text with many takes time and memory that grow with their number squared
    operations = [(c, "operations") for c in (*encoded.declarations, *encoded.lets, *unions)]
    program = [(PRELUDE, "prelude"), *job.settings.rules.texts, *operations]
    schedule = job.settings.rules.schedule
    if own is not None and rules:
        program = [program[0], (rules, "rules"), *program[1:], (own.terms, "terms")]
        schedule = ("saturate", ("seq", schedule, SCHEDULE)) if job.settings.rules.texts else SCHEDULE
    return saturate(program, schedule, job.settings.limits)


def _unions(encoded: Encoded, persisted: Persisted) -> Iterator[str]:
    """The values known to be equal in this function: a rule joins pairs that are chained to few terms.

    The engine takes its time, and memory, for each command.
    """
    groups = [[encoded.term[v] for v in values if v in encoded.term] for values in persisted.equal]
    named = [(terms[0], other) for terms in groups for other in terms[1:] if other != terms[0]]
    pairs = [*encoded.equal, *named]
    if pairs:
        yield _SAME_RULE
    for start in range(0, len(pairs), _CHAINED):
        term = pairs[start][0]
        for one, other in pairs[start : start + _CHAINED]:
            term = f"({_SAME} {one} {other} {term})"
        yield term
    if pairs:
        yield f"(run {_JOIN} 1)"


def _with_chains(state: State, pricing: Pricing) -> State:
    """The e-graph with the best associations of its products."""
    from raising.eqsat.chains.chain_dp import add_chains

    began = time.monotonic()
    added = add_chains(state.graph, state.tables, state.meter(pricing))
    graph = EGraph(added.tables.nodes, state.graph.roots)
    times = state.times | {"macros": time.monotonic() - began}
    return replace(state, tables=added.tables, graph=graph, chains=added.lengths, times=times)
