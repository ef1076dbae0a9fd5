"""Loads a committed grammar."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from raising.grammar.dialects.committed import DATA, SCALARS, known
from raising.grammar.dialects.op_signature import Attr, Op, Operand, ScalarOp
from raising.grammar.terms.structured_op import Body, Excluded, Instr, Map, Meaning, Production
from raising.support.record import dataclass


class UnknownTarget(ValueError):
    """There is no such target; the message names those there are."""


@dataclass(frozen=True)
class Grammar:
    """The grammar of a target: its operations, the productions found, and the operations left out with reasons."""

    target: str
    operations: tuple[Op, ...]
    productions: tuple[Production, ...]
    excluded: tuple[Excluded, ...]

    def __hash__(self) -> int:  # what is made of a grammar is kept by it: no need to hash thousands of productions
        return hash((self.target, len(self.operations), len(self.productions)))


@cache
def load(target: str) -> Grammar:
    """The committed grammar of a target, read once."""
    if target not in known():
        raise UnknownTarget(f"unknown target '{target}' (known: {', '.join(known())}; or the path of a .toml file)")
    return _grammar(target, _read(target))


@cache
def operation_names(target: str) -> frozenset[str]:
    """The full names of the operations of a committed grammar, which are read in a fifth of the time."""
    return frozenset(f"{entry['dialect']}.{entry['name']}" for entry in _read(target)["operations"])


def parse(target: str, text: str) -> Grammar:
    """The grammar in the text of a data file."""
    return _grammar(target, json.loads(text))


def _grammar(target: str, data: dict[str, Any]) -> Grammar:
    return Grammar(
        target=target,
        operations=tuple(_op(entry) for entry in data["operations"]),
        productions=_productions(data),
        excluded=_excluded(data),
    )


def load_scalars() -> tuple[dict[str, ScalarOp], tuple[Excluded, ...]]:
    """The scalar operations by name, and those that are left out."""
    data = _read(SCALARS)
    scalars = [ScalarOp(_op(entry), tuple(tuple(t.split()) for t in entry["types"])) for entry in data["operations"]]
    return {s.op.full_name: s for s in scalars}, _excluded(data)


@cache
def _read(name: str) -> dict[str, Any]:
    text = (DATA / f"{name}.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def _excluded(data: dict[str, Any]) -> tuple[Excluded, ...]:
    return tuple(Excluded(entry["operation"], entry["why"]) for entry in data["excluded"])


def _productions(data: dict[str, Any]) -> tuple[Production, ...]:
    bodies = [_body(*entry) for entry in data["bodies"]]
    found = []
    for entry in data["productions"]:
        maps = tuple(map(_map, entry["maps"]))
        attrs, operands = _pairs(entry["attrs"]), tuple(entry.get("operands", ()))
        roles = tuple(map(tuple, entry.get("roles", ())))
        units = tuple(map(tuple, entry.get("units", ())))
        factors = tuple((name, tuple(values), form) for name, values, form in entry.get("factors", ()))
        for elements, number, *region in entry["says"]:
            found.append(
                Production(
                    op=entry["op"],
                    attrs=attrs,
                    elements=tuple(elements.split()),
                    meaning=Meaning(maps, bodies[number]),
                    free_maps=entry.get("free", False),
                    zero_rank=entry.get("zero_rank", ""),
                    operands=operands,
                    region=data["regions"][region[0]] if region else "",
                    family=entry.get("family", ""),
                    roles=roles,
                    units=units,
                    factors=factors,
                )
            )
    return tuple(found)


def _body(arity: int, steps: list[Any], result: int) -> Body:
    instrs = (Instr(op, tuple(args), _pairs(attrs), *kind) for op, args, attrs, *kind in steps)
    return Body(arity, tuple(instrs), result)


def _map(entries: list[Any]) -> Map:
    return tuple(e if isinstance(e, int) else tuple((d, c) for d, c in e) for e in entries)


def _pairs(attrs: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, text) for name, text in attrs)


def _op(entry: dict[str, Any]) -> Op:
    return Op(
        dialect=entry["dialect"],
        name=entry["name"],
        operands=tuple(Operand(*o) for o in entry["operands"]),
        attrs=tuple(Attr(n, k, o, d, tuple(c), tuple(v)) for n, k, o, d, c, v in entry["attrs"]),
        results=tuple(Operand(*r) for r in entry["results"]),
        regions=tuple(entry["regions"]),
        traits=tuple(entry["traits"]),
        summary=entry["summary"],
    )
