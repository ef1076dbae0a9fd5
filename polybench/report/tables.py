"""The rows of a record as tables: cells of text, written as Markdown or as HTML.

`ablation` makes one of the record of `tests.bench.raising.ablation`: how many kernels are raised without a part of the
search.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from raising.polybench.records.records import Row
from raising.polybench.report.published import PUBLISHED, Published
from raising.polybench.report.summary import (
    Speedup,
    baseline,
    groups,
    leader,
    measured,
    rounded,
    side_by_side,
    slower,
    speedups,
    timed,
)
from raising.support.record import dataclass


@dataclass(frozen=True)
class Table:
    """A caption, column heads, and rows of text; cells of `figures` are short, and are kept on one line."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: bool = False

    def markdown(self) -> str:
        """As a Markdown table with its caption above."""
        lines = [self.heads, tuple("---" for _ in self.heads), *self.rows]
        return f"**{self.caption}**\n\n" + "\n".join(f"| {' | '.join(_plain(c) for c in line)} |" for line in lines)

    def html(self) -> str:
        """As an HTML table with row and column heads."""
        heads = "".join(f'<th scope="col">{escape(h)}</th>' for h in self.heads)
        body = "".join(_html_row(row) for row in self.rows)
        head = f"<caption><span>{escape(self.caption)}</span></caption><thead><tr>{heads}</tr></thead>"
        start = '<table class="figures">' if self.figures else "<table>"
        return f"{start}{head}<tbody>{body}</tbody></table>"


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _html_row(row: Sequence[str]) -> str:
    first, *rest = row
    return f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(c)}</td>" for c in rest)}</tr>'


def overview(rows: Sequence[Row]) -> list[Table]:
    """For each group of rows that can be compared, every program beside ours on the kernels that both have."""
    tables = []
    for common, members in groups(measured(rows)).items():
        found = {s.program: s for s in speedups(members)}
        first = leader(members)
        order = [(first, *[""] * 2)] if first else []
        order += [(s.program, _times(s.ours), _times(s.ratio)) for s in side_by_side(members)]
        cells = tuple(_overview_row(found[name], ours, ratio) for name, ours, ratio in order)
        base = baseline(members[0]) or "nothing"
        caption = f"Speed-up over {base}, geometric means: {common}"
        heads = ("program", "kernels", "speed-up", f"{first} on the same kernels", "ratio", "best", "worst")
        tables.append(Table(caption, heads, cells, figures=True))
    return tables


def _overview_row(program: Speedup, ours: str, ratio: str) -> tuple[str, ...]:
    name = f"{program.program} (ours)" if program.ours else program.program
    ends = (f"{kernel} {rounded(value)}x" for kernel, value in (program.best, program.worst))
    return (name, str(program.kernels), _times(program.geomean), ours, ratio, *ends)


def _times(ratio: float) -> str:
    return f"{rounded(ratio)}x"


def faster_peers(rows: Sequence[Row]) -> list[Table]:
    """For each group, every kernel where a peer is faster than all of ours."""
    tables = []
    for common, members in groups(measured(rows)).items():
        cells = tuple((s.name, s.peer, f"{rounded(s.ratio)}x", s.ours) for s in slower(members))
        if cells:
            tables.append(
                Table(f"Where a peer is faster: {common}", ("kernel", "peer", "is so many times as fast", "as"), cells)
            )
    return tables


def not_measured(rows: Sequence[Row]) -> list[Table]:
    """Rows that failed, and programs that are wrong."""
    failed = [(row, "all of it", row["reason"]) for row in rows if row["status"] == "failed"]
    wrong = [(row, name, why) for row in rows for name, why in wrong_programs(row).items()]
    heads = ("kernel", "threads", "what", "why")
    cells = tuple((str(r["key"]["name"]), str(r["key"]["threads"]), what, why) for r, what, why in (*failed, *wrong))
    return [Table("Not measured", heads, cells)] if cells else []


def wrong_programs(row: Row) -> dict[str, str]:
    """The programs whose results are not those of the loops, with how far off they are."""
    programs = row.get("programs", {}).items()
    wrong = {name: p["agreement"]["error"] for name, p in programs if not p["agreement"]["equal"]}
    return {name: f"wrong by {rounded(error)}" for name, error in wrong.items()}


def times(rows: Sequence[Row]) -> list[Table]:
    """For each group, the median of every program in milliseconds, and its fraction of the roofline."""
    tables = []
    for common, members in groups(measured(rows)).items():
        programs = sorted({name for row in members for name in timed(row)}, key=lambda n: _order(members, n))
        cells = tuple((str(row["key"]["name"]), *(_time(row, p) for p in programs), _reading(row)) for row in members)
        caption = f"Milliseconds, median (part of the roofline): {common}"
        tables.append(Table(caption, ("kernel", *programs, "reading alone"), cells, figures=True))
    return tables


def _reading(row: Row) -> str:
    """What it takes to read as many bytes as the loops move, with a cold cache."""
    found = row.get("roofline", {}).get("reading")
    return rounded(1000 * found) if found else ""


def _order(rows: Sequence[Row], program: str) -> tuple[bool, float]:
    ours = any(timed(r)[program]["ours"] for r in rows if program in timed(r))
    found = [s.geomean for s in speedups(rows) if s.program == program]
    return not ours, -found[0] if found else 0.0


def _time(row: Row, program: str) -> str:
    found = timed(row).get(program)
    if found is None:
        agreement = row["programs"].get(program, {}).get("agreement")
        return "wrong" if agreement and not agreement["equal"] else ""
    noisy = " ~" if found["noisy"] else ""
    fraction = f" ({100 * found['fraction']:.0f} %)" if found.get("fraction") else ""
    return f"{rounded(1000 * found['median'])}{noisy}{fraction}"


def raising(rows: Sequence[Row]) -> list[Table]:
    """What raising each kernel to each target took and gave."""
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        for target, found in row.get("targets", {}).items():
            seen.setdefault((str(row["key"]["name"]), target), found)
    cells = tuple(
        (
            name,
            target,
            found.get("failed") or found["level"],
            str(found.get("loops_left", "")),
            _seconds(found.get("seconds")),
            _seconds(found.get("seconds_warm")),
            f"{found.get('enumerated', 0):,}",
            ", ".join(f"{n} {op}" if n > 1 else op for op, n in found.get("operations", {}).items()),
        )
        for (name, target), found in sorted(seen.items())
    )
    heads = ("kernel", "target", "verdict", "loops left", "raised in s", "again in s", "candidates", "operations")
    return [Table("Raising", heads, cells)]


def _seconds(value: float | None) -> str:
    return "" if value is None else rounded(value)


def published(rows: Iterable[Row]) -> list[Table]:
    """Our times to raise beside those that other systems published, measured elsewhere by their authors."""
    ours = {
        str(row["key"]["name"]): found["seconds"]
        for row in rows
        for target, found in row.get("targets", {}).items()
        if target == "linalg" and found.get("seconds") is not None
    }
    cells = tuple(
        (name, _seconds(ours.get(name)), *(_published(system, name) for system in PUBLISHED))
        for name in sorted({kernel for system in PUBLISHED for kernel in system.seconds})
    )
    heads = ("kernel", "ours, measured here", *(system.name for system in PUBLISHED))
    return [Table("Seconds to raise; the other systems as published, on other machines", heads, cells)]


def _published(system: Published, kernel: str) -> str:
    value = system.seconds.get(kernel)
    return "" if value is None else value if isinstance(value, str) else rounded(value)


def ablation(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Processor seconds for each kernel, with one part of the search off in each column."""
    switches = list(dict.fromkeys(str(row["switch"]) for row in rows))
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        found.setdefault(str(row["kernel"]), {})[str(row["switch"])] = _cell(row)
    cells = tuple((name, *(of.get(switch, "") for switch in switches)) for name, of in found.items())
    caption = "Processor seconds to raise (candidates) with a part of the search off; >: given up"
    return Table(caption, ("kernel", *switches), cells, figures=True)


def _cell(row: Mapping[str, Any]) -> str:
    given_up = "" if row["raised"] else "> "
    return f"{given_up}{rounded(row['cpu_seconds'])} ({row.get('enumerated', 0):,})"
