"""A function optimised only where that makes it cheaper, long chains of products as a whole first.

A choice has a price as the algebra sees it. What is written is priced once more, operation by operation, as what was
there is, and dropped if it does not cost less.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from raising.eqsat.egraph.purity import walk
from raising.eqsat.extents.open_costs import Polynomial, cheaper_from, sizes
from raising.eqsat.extract.node_cost import cost_before
from raising.eqsat.extract.op_work import OPEN_EXTENT
from raising.eqsat.one_function import Optimised, costs_of, rewritten
from raising.eqsat.saturate import Job, saturated
from raising.eqsat.tensor_rules import associating

_MARGIN = 0.01  # what a program has to be cheaper by: no model of costs is more exact
_LONG = 10  # factors of a chain, from which on it is associated as a whole


def optimised_where_cheaper(op: Any, job: Job) -> Optimised:
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
    second = _kept_if_cheaper(first.op, _read_again(first.op, job.but(own=own)))
    return replace(
        second,
        before=first.before,
        chains=first.chains,
        times={stage: first.times.get(stage, 0.0) + seconds for stage, seconds in second.times.items()},
        notes=(*first.notes, *second.notes),
        assumed=(*first.assumed, *second.assumed),
    )


def _is_tensor(value: Any) -> bool:
    return "tensor<" in str(value.type)


def _products(op: Any) -> int:
    """How many operations compute a tensor from two or more."""
    return sum(any(map(_is_tensor, o.results)) and sum(map(_is_tensor, o.operands)) > 1 for o, _ in walk(op))


def _single_chain(op: Any) -> int:
    """How many operations a function has, if each computes a tensor from two or more, and it uses no tensor twice.

    Those that only make a tensor to begin with, of no other one, are not counted. 0 for any other function.
    """
    used: list[Any] = []  # tensors, one after the other
    begun: set[Any] = set()
    count = 0
    for inner in (inner for inner, depth in walk(op) if depth == 0 and len(inner.results)):
        given = [v for v in inner.operands if _is_tensor(v) and v not in begun]
        if not given:
            begun |= set(inner.results)
            continue
        if len(given) < 2:
            return 0
        count += 1
        used += given
    return count if len(set(used)) == len(used) else 0


def _read_again(op: Any, job: Job) -> Job:
    """The same for a function that was rewritten."""
    return replace(job, pure=job.purity.values(op))


def _kept_if_cheaper(op: Any, job: Job) -> Optimised:
    """The function optimised, or as it was unless what was written costs less."""
    before, source = _priced(op, job), op.clone(ip=False)
    report = replace(rewritten(op, job), before=float(before), after=float(before))
    if str(op) == str(source):
        return report
    after = _priced(op, _read_again(op, job))
    if float(after) < float(before) * (1 - _MARGIN):
        return replace(report, after=float(after), assumed=_at_which_sizes(before, after))
    job.purity.ir.InsertionPoint(op).insert(source)
    op.erase()
    return replace(report, op=source)


def _priced(op: Any, job: Job) -> Any:
    """The cost of a function as it stands: a polynomial of its extents where these are open."""
    pricing = job.settings.pricing
    if pricing is not None and pricing.extents:
        named = sizes({number: str(number) for number in pricing.extents}, OPEN_EXTENT)
        job = job.but(pricing=replace(pricing, extents=named))
    state = saturated(op, job.but(own=None, macros=False, limits=replace(job.settings.limits, iterations=0)))
    return cost_before(state.graph, state.tables, state.encoded, costs_of(state, job)[1])


def _at_which_sizes(before: Any, after: Any) -> tuple[str, ...]:
    """What a gain holds for, if it depends on extents that are known at run time only."""
    open_extents = [c for c in (before, after) if isinstance(c, Polynomial)]
    size = cheaper_from(after, before) if open_extents else 1
    if size == 1:
        return ()
    if size is not None:
        return (f"assumed for the gain: each extent that is known at run time only is at least {size}",)
    return (f"assumed for the gain: each extent that is known at run time only is about {open_extents[0].size:g}",)
