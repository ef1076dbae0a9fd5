"""Counts what each grammar covers and checks it again: `python -m tests.bench.grammar_coverage [--out FOLDER]`.

Writes `grammar-coverage.json` and `grammar-coverage.md`. Every production
without a family is compared with the target's executor once more, on other
random input than when it was found; those with a scalar operation that has no
meaning here (a test for NaN, say) are not used, and left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from raising.grammar.crosscheck.crosscheck import Executor, is_known, job_of
from raising.grammar.dialects.committed import known
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.load import Grammar, load
from raising.grammar.dialects.target_dialect import Target, read_target
from raising.grammar.dump import versions
from raising.grammar.measure.workbench import Attrs
from raising.grammar.probe.worker_pool import Died, guarded
from raising.grammar.terms.structured_op import Production

_RANGES = ((0.3, 0.8), (-1.5, 1.5))
_CHUNK = 400


def coverage(name: str) -> dict[str, Any]:
    """The counts of one target, and the productions that its executor does not confirm."""
    grammar, target = load(name), read_target(name)
    said = {p.op for p in grammar.productions}
    checked, wrong = _checked(grammar, target)
    return {
        "target": name,
        "sources": versions(target),
        "operations": len(grammar.operations),
        "with meaning": len(said),
        "excluded": len(grammar.excluded),
        "productions": len(grammar.productions),
        "families": sum(bool(p.family) for p in grammar.productions),
        "checked again": checked,
        "disagreeing": len(wrong),
        "disagreements": wrong,
        "reasons": _reasons(grammar),
    }


def _reasons(grammar: Grammar) -> list[dict[str, Any]]:
    found: dict[str, list[str]] = {}
    for e in grammar.excluded:
        found.setdefault(e.why, []).append(e.operation)
    return [{"why": why, "operations": ops} for why, ops in sorted(found.items())]


def _checked(grammar: Grammar, target: Target) -> tuple[int, list[str]]:
    """How many productions were executed, and what those that disagree compute."""
    ops = {op.full_name: op for op in grammar.operations}
    fixed = [p for p in grammar.productions if not p.family and is_known(p)]
    answers: list[str] = []
    for start in range(0, len(fixed), _CHUNK):
        part = fixed[start : start + _CHUNK]
        try:
            answers += guarded(lambda part=part: _answers(target, part, ops))  # type: ignore[misc]
        except Died as how:
            answers += [str(how)] * len(part)
    wrong = [f"{p.op} {_text(p.attrs)}: {why}" for p, why in zip(fixed, answers, strict=True) if why]
    return len(fixed), wrong


def _answers(target: Target, productions: Sequence[Production], ops: dict[str, Any]) -> list[str]:
    return Executor(Host(target)).check([job_of(p, ops[p.op], target) for p in productions], _RANGES)


def _text(attrs: Attrs) -> str:
    return ", ".join(f"{n} = {t}" for n, t in attrs)


# ---- writing -------------------------------------------------------------------------------------

_COLUMNS = (
    "target",
    "operations",
    "with meaning",
    "excluded",
    "productions",
    "families",
    "checked again",
    "disagreeing",
)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The counts as a Markdown table, then why operations are left out."""
    lines = [
        "# What the grammars cover",
        "",
        "Made by `python -m tests.bench.grammar_coverage`. An operation has meaning if",
        "at least one production was read off",
        "its lowering and the executor agreed; families (windows, padding, …) stand for all ranks and attributes.",
        "",
        "| " + " | ".join(_COLUMNS) + " |",
        "|" + "---|" * len(_COLUMNS),
        *("| " + " | ".join(str(row[c]) for c in _COLUMNS) + " |" for row in rows),
    ]
    for row in rows:
        lines += ["", f"## {row['target']}: left out", "", "| why | operations |", "|---|---|"]
        lines += [f"| {r['why'].replace('|', '/')} | {', '.join(r['operations'])} |" for r in row["reasons"]]
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the coverage of all targets; exit status 1 if an executor disagrees."""
    parser = argparse.ArgumentParser(prog="tests.bench.grammar_coverage", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results"), help="the folder to write to (default: results)")
    folder = parser.parse_args(argv).out
    rows = [coverage(name) for name in known()]
    record = {"command": "python -m tests.bench.grammar_coverage", "rows": rows}
    (folder / "grammar-coverage.json").write_text(json.dumps(record, indent=1) + "\n")
    (folder / "grammar-coverage.md").write_text(table(rows))
    return int(any(row["disagreeing"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
