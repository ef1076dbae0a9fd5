"""Grammars as text to read, and as JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from raising.grammar.dialects.load import Grammar
from raising.grammar.dialects.op_signature import Op
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.terms.structured_op import Body, Map, Production

_NAMES = "abcdefgh"
_REASON = 100  # characters of a reason in the listing


def as_json(grammar: Grammar) -> dict[str, Any]:
    """All of a grammar; a production's meaning is spelled out."""
    return {
        "target": grammar.target,
        "operations": [asdict(op) for op in grammar.operations],
        "productions": [{**asdict(p), "reads_as": formula(p)} for p in grammar.productions],
        "excluded": [asdict(e) for e in grammar.excluded],
    }


def origin(target: Target, td: Path | None = None) -> Iterator[str]:
    """Where the definitions of a target and their meaning come from."""
    own = target.irdl.file if target.irdl is not None else Path(target.td).name
    sources = [str(td)] if td is not None else [own] if own else [*target.operations, target.bindings_module]
    yield f"definitions: {', '.join(filter(None, sources))}"
    functions = f"the functions of {target.functions.file}, then " if target.functions else ""
    yield f"meaning: {functions}{target.pipeline}"
    yield f"compared with: {target.executor or 'compiled code'}"


def listing(grammar: Grammar) -> Iterator[str]:
    """Two lines per operation and one per reason to leave something out, then counts."""
    reasons: dict[str, list[str]] = {}
    for e in grammar.excluded:
        reasons.setdefault(e.operation, []).append(e.why)
    said: dict[str, list[Production]] = {}
    for p in grammar.productions:
        said.setdefault(p.op, []).append(p)
    width = max((len(op.full_name) for op in grammar.operations), default=0)
    for op in grammar.operations:
        found = said.get(op.full_name)
        yield f"{op.full_name:{width}}  {signature(op)}"
        why = reasons.get(op.full_name, [] if found else ["not probed"])
        for what in [*([_counted(found)] if found else []), *(f"left out: {_short(w)}" for w in why)]:
            yield f"{'':{width}}    {what}"
    yield ""
    yield from _coverage(grammar, set(said))


def _coverage(grammar: Grammar, said: set[str]) -> Iterator[str]:
    """The counts as a table, and as a sentence."""
    names = {op.full_name for op in grammar.operations}
    borrowed = len(said - names)
    counts = {
        "operations": len(names),
        "with meaning": len(said & names),
        "left out": len(names - said),
        "productions": len(grammar.productions),
        "of these families": sum(bool(p.family) for p in grammar.productions),
        "from other dialects": sum(p.op not in names for p in grammar.productions),
    }
    yield "  ".join(counts)
    yield "  ".join(f"{n:>{len(name)}}" for name, n in counts.items())
    yield ""
    yield (
        f"{len(names)} operations: {len(said & names)} with meaning in {len(grammar.productions)} productions, "
        f"{len(names - said)} left out" + (f", {borrowed} of other dialects used" if borrowed else "")
    )


def details(grammar: Grammar, op: Op) -> Iterator[str]:
    """Everything known about one operation."""
    yield f"{op.full_name}  {signature(op)}"
    if op.summary:
        yield f"  {op.summary}"
    for attr in op.attrs:
        given = "optional" if attr.optional else f"default {attr.default}" if attr.default else "required"
        cases = f": {', '.join(attr.cases)}" if attr.cases else ""
        yield f"  attribute {attr.name}: {attr.kind}, {given}{cases}"
    for excluded in grammar.excluded:
        if excluded.operation == op.full_name:
            yield f"  left out: {excluded.why}"
    for p in grammar.productions:
        if p.op == op.full_name:
            attrs = ", ".join(f"{n} = {t}" for n, t in p.attrs)
            yield f"  {' '.join(p.elements)}: {formula(p)}" + (f"  {{{attrs}}}" if attrs else "")


def signature(op: Op) -> str:
    """Operands, required attributes and results in one line."""
    marks = {"one": "", "optional": "?", "variadic": "*"}
    operands = ", ".join(o.name + marks[o.arity] for o in op.operands)
    attrs = ", ".join(f"{a.name}: {a.kind}" for a in op.required)
    regions = f" {{{len(op.regions)} region{'s' * (len(op.regions) > 1)}}}" if op.regions else ""
    results = ", ".join((r.name or "result") + marks[r.arity] for r in op.results) or "result"
    return f"({operands})" + (f" [{attrs}]" if attrs else "") + f"{regions} -> {results}"


def formula(p: Production) -> str:
    """A production's meaning as one assignment over named indices."""
    if p.family:
        return _family(p)
    inputs = [f"{_NAMES[k]}{_index(m)}" for k, m in enumerate(p.meaning.maps[:-1])]
    out = f"out{_index(p.meaning.maps[-1])}"
    over = f"  over {', '.join(f'd{d}' for d in p.meaning.reduced)}" if p.meaning.reduced else ""
    return f"{out} = {_expression(p.meaning.body, inputs, out)}{over}"


def _family(p: Production) -> str:
    roles = ", ".join(f"{attr} = {role}" for attr, role, _ in p.roles)
    return f"{p.family}" + (f" ({roles})" if roles else "")


def _index(m: Map) -> str:
    def entry(e: Any) -> str:
        if isinstance(e, int):
            return f"d{e}"
        return " + ".join(f"d{d}" if c == 1 else f"{c}*d{d}" for d, c in e)

    return f"[{', '.join(map(entry, m))}]"


def _expression(body: Body, inputs: Sequence[str], out: str) -> str:
    values = [*inputs, out]
    for i in body.instrs:
        literal = dict(i.attrs).get("value", "").partition(":")[0].strip() if not i.args else ""
        attrs = [text.partition(":")[0].strip() for _, text in i.attrs]
        values.append(literal or f"{i.op.split('.')[-1]}({', '.join([*(values[a] for a in i.args), *attrs])})")
    return values[body.result]


def _counted(productions: Sequence[Production]) -> str:
    kinds = Counter(p.family or "structured" for p in productions)
    elements = sorted({" ".join(p.elements) for p in productions})
    shown = "; ".join(elements[:4]) + ("; …" if len(elements) > 4 else "")
    return ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) + f" ({shown})"


def _short(text: str) -> str:
    return text if len(text) <= _REASON else text[: _REASON - 1] + "…"
