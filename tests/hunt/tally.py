"""What a hunt found: rows, counts per generator, and the record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.record import write_to

SUFFIX = {"c": "c", "python": "py", "mlir": "mlir"}


@dataclass(frozen=True)
class Row:
    """One function or pair: its state, how often it was run, and what is wrong (`kind`, empty if nothing)."""

    generator: str
    seed: int
    state: str
    kind: str = ""
    way: str = ""
    detail: str = ""
    verdict: str = ""
    caught: str = ""
    runs: int = 0
    source: str = ""
    language: str = "c"

    @property
    def bad(self) -> bool:
        """Whether this is a defect."""
        return bool(self.kind)

    def text(self) -> str:
        """All there is to say, as a file that reproduces it: a comment and the source."""
        mark = {"c": "//", "python": "#", "mlir": "//"}[self.language]
        told = [f"{self.kind}{f' after {self.way}' if self.way else ''}, {self.state} {self.verdict}".strip()]
        told += [f"python -m tests.hunt --generator {self.generator} --seed {self.seed} --size 1 --seconds 0.1"]
        told += self.detail[:1200].split("\n")
        return "\n".join([*(f"{mark} {line}" for line in told), self.source])


class Tally:
    """Counts per generator, and what is wrong; each is written to a file of its own if there is a folder for it.

    A record that is there is added to: its counts, rows and runs stay.
    """

    def __init__(self, command: str, keep: Path | None = None, out: Path | None = None) -> None:
        self.command, self.keep, self.out = command, keep, out
        self.counts: dict[str, Counter[str]] = {}
        self.bad: list[Row] = []
        self.seeds: set[int] = set()
        self.before: dict[str, Any] = {"summary": {"runs": []}, "rows": []}
        if out and out.exists():
            self.before = json.loads(out.read_text())

    def add(self, row: Row) -> None:
        """Count a row."""
        counts = self.counts.setdefault(row.generator, Counter())
        counts["drawn"] += 1
        counts[row.state] += 1
        counts["runs"] += row.runs
        counts["caught"] += bool(row.caught)
        self.seeds.add(row.seed)
        if row.bad:
            counts[f"failed: {row.kind}"] += 1
            self.bad.append(row)
            if self.keep:
                self.keep.mkdir(parents=True, exist_ok=True)
                name = f"{row.generator}_{row.seed}_{row.kind}.{SUFFIX[row.language]}"
                (self.keep / name).write_text(row.text())

    def report(self) -> str:
        """The counts of this run as lines."""
        return "\n".join(f"{name}: {dict(sorted(counts.items()))}" for name, counts in sorted(self.counts.items()))

    def write(self, seconds: float) -> None:
        """Write the record, if there is to be one."""
        if self.out is None:
            return
        counts = {name: Counter(found) for name, found in self.before["summary"].get("generators", {}).items()}
        for name, found in self.counts.items():
            counts.setdefault(name, Counter()).update(found)
        seeds = [min(self.seeds, default=0), max(self.seeds, default=0)]
        runs = [*self.before["summary"]["runs"], {"command": self.command, "seconds": round(seconds), "seeds": seeds}]
        generators = {name: dict(sorted(found.items())) for name, found in sorted(counts.items())}
        summary = {"total": total(counts), "runs": runs, "generators": generators}
        write_to(self.out, self.command, [*self.before["rows"], *map(vars, self.bad)], summary)


def total(counts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """The counts of all generators together, pairs apart."""
    found: Counter[str] = Counter()
    for name, one in counts.items():
        prefix = "pairs " if name.startswith("pairs-") else ""
        found.update({f"{prefix}{key}": n for key, n in one.items()})
    return dict(sorted(found.items()))
