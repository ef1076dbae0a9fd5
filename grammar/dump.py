"""Grammars as JSON, one entry a line and in a fixed order, so that differences can be read.

Productions that differ only in element types and scalar function stand on one line; bodies and regions are numbered
tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib import metadata
from typing import Any

from raising.grammar.dialects.op_signature import Op, ScalarOp
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.terms.structured_op import Body, Excluded, Production


def versions(target: Target) -> dict[str, str]:
    """The wheels that a target's definitions come from."""
    return {package: metadata.version(package) for package in target.packages}


def document(
    head: dict[str, Any], ops: Iterable[Op], productions: Sequence[Production], excluded: Sequence[Excluded]
) -> str:
    """A target's grammar as the text of its data file."""
    bodies = sorted({json.dumps(_body(p.meaning.body)) for p in productions})
    regions = sorted({p.region for p in productions if p.region})
    lists: dict[str, Sequence[Any]] = {
        "operations": [_signature(op) for op in sorted(ops, key=lambda o: o.full_name)],
        "bodies": [json.loads(b) for b in bodies],
        "regions": regions,
        "productions": _grouped(productions, bodies, regions),
        "excluded": _reasons(excluded),
    }
    return _text(head, lists)


def scalar_document(head: dict[str, Any], scalars: list[ScalarOp], excluded: list[Excluded]) -> str:
    """The scalar signatures as the text of their data file."""
    listed = [
        {**_signature(s.op), "rule": s.rule, "types": [" ".join(t) for t in s.types]}
        for s in sorted(scalars, key=lambda s: s.op.full_name)
    ]
    return _text(head, {"operations": listed, "excluded": _reasons(excluded)})


def _reasons(excluded: Sequence[Excluded]) -> list[dict[str, Any]]:
    return [{"operation": e.operation, "why": e.why} for e in sorted(excluded, key=lambda e: e.operation)]


def _text(head: dict[str, Any], lists: dict[str, Sequence[Any]]) -> str:
    """One entry of each list per line."""
    parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, entries in lists.items():
        lines = ",\n".join(json.dumps(entry, separators=(",", ":"), ensure_ascii=False) for entry in entries)
        parts.append(f"{json.dumps(key)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _signature(op: Op) -> dict[str, Any]:
    return {
        "dialect": op.dialect,
        "name": op.name,
        "operands": [[o.name, o.constraint, o.arity] for o in op.operands],
        "attrs": [[a.name, a.kind, a.optional, a.default, a.cases, a.values] for a in op.attrs],
        "results": [[r.name, r.constraint, r.arity] for r in op.results],
        "regions": op.regions,
        "traits": op.traits,
        "summary": op.summary,
    }


def _body(body: Body) -> list[Any]:
    """The JSON of a body; an operation's type is written only where it is given."""
    steps = [[i.op, i.args, i.attrs, i.type] if i.type else [i.op, i.args, i.attrs] for i in body.instrs]
    return [body.arity, steps, body.result]


def _grouped(productions: Sequence[Production], bodies: list[str], regions: list[str]) -> list[dict[str, Any]]:
    """One entry per operation, attributes and maps; `says` has element types, body and region for each case."""
    body_number = {text: k for k, text in enumerate(bodies)}
    region_number = {text: k for k, text in enumerate(regions)}
    groups: dict[str, list[list[Any]]] = {}
    for p in productions:
        says: list[Any] = [" ".join(p.elements), body_number[json.dumps(_body(p.meaning.body))]]
        if p.region:
            says.append(region_number[p.region])
        groups.setdefault(json.dumps(_head(p)), []).append(says)
    entries = [{**json.loads(head), "says": sorted(says)} for head, says in groups.items()]
    return sorted(entries, key=_order)


def _head(p: Production) -> dict[str, Any]:
    entry: dict[str, Any] = {"op": p.op, "attrs": p.attrs, "maps": p.meaning.maps}
    optional = {
        "free": p.free_maps,
        "zero_rank": p.zero_rank,
        "operands": p.operands,
        "family": p.family,
        "roles": p.roles,
        "units": p.units,
        "factors": p.factors,
    }
    return entry | {key: value for key, value in optional.items() if value}


def _order(entry: dict[str, Any]) -> tuple[Any, ...]:
    return entry["op"], sum(map(len, entry["maps"])), json.dumps(entry)
