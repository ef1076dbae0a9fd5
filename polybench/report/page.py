"""The report as one HTML page that needs nothing else: no script of others, no font, no network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from raising.polybench.records.records import Record, Row
from raising.polybench.report import tables
from raising.polybench.report.plots import plots
from raising.polybench.report.style import SCRIPT, STYLE
from raising.polybench.report.summary import groups, lines, rounded, timed


def page(records: Sequence[Record], rows: Sequence[Row], others: Sequence[tables.Table] = ()) -> str:
    """The whole page; `others` are tables that come last."""
    names = sorted({str(row["key"]["name"]) for row in rows})
    kernels = "".join(_kernel(name, [r for r in rows if r["key"]["name"] == name]) for name in names)
    contents = "".join(f'<li><a href="#{_anchor(name)}">{escape(name)}</a></li>' for name in names)
    overall = [*tables.overview(rows), *tables.faster_peers(rows), *tables.not_measured(rows)]
    details = [*tables.times(rows), *tables.raising(rows), *tables.published(rows), *others]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>raise: loops as tensor programs, measured</title>
<link rel="icon" href="data:,">
<style>{STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
<header>
<h1>raise: loops as tensor programs, measured</h1>
{"".join(_head(record) for record in records)}
</header>
<nav aria-label="Contents"><ul>
<li><a href="#summary">Summary</a></li><li><a href="#plots">Plots</a></li><li><a href="#tables">Tables</a></li>
<li><a href="#kernels">Kernels</a></li>
</ul></nav>
<main id="main">
<section id="summary"><h2>Summary</h2>
<p>Programs are sampled in turns in one process, each time on fresh inputs and with a cold cache; figures are medians.
Only programs whose results agree with the loops are timed. Ours are marked. What uses one thread only is measured
once, and stands with the same figures where others have more.</p>
{_tables(overall)}
{_code("As printed by the batch", chr(10).join(lines(rows)))}
</section>
<section id="plots"><h2>Plots</h2>{"".join(f"<figure>{svg}</figure>" for svg in plots(rows))}</section>
<section id="tables"><h2>Tables</h2>{_tables(details)}{_peers(rows)}</section>
<section id="kernels"><h2>Kernels</h2><ul class="index">{contents}</ul>{kernels}</section>
</main>
<script>{SCRIPT}</script>
</body>
</html>
"""


def _head(record: Record) -> str:
    machine = record.head.get("machine", {})
    shown = [record.head.get("date", ""), machine.get("cpu", ""), f"{machine.get('cores', '?')} cores"]
    return f"<p>{escape(' · '.join(map(str, shown)))}<br><code>{escape(str(record.head.get('command', '')))}</code></p>"


def _tables(found: Sequence[tables.Table]) -> str:
    return "".join(
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(t.caption)}">{t.html()}</div>' for t in found
    )


def _peers(rows: Sequence[Row]) -> str:
    """What each program is, and why some are missing."""
    versions = {name: p["version"] for row in rows for name, p in row.get("programs", {}).items()}
    skipped = {(name, why) for row in rows for name, why in row.get("skipped", {}).items()}
    everywhere = [(name, why) for name, why in sorted(skipped) if name not in versions]
    cells = tuple(sorted(versions.items())) + tuple((name, f"not run: {why}") for name, why in everywhere)
    return _tables([tables.Table("Programs", ("name", "what it is"), cells)])


def _anchor(name: str) -> str:
    return "kernel-" + "".join(c if c.isalnum() else "-" for c in name)


def _kernel(name: str, rows: Sequence[Row]) -> str:
    first = next((row for row in rows if "source" in row), rows[0])
    forms = "".join(_target(target, found) for target, found in first.get("targets", {}).items())
    failures = "".join(f"<p>Failed: {escape(r['reason'])}</p>" for r in rows if r["status"] == "failed")
    source = _code("Source", first.get("source", ""))
    return (
        f'<article id="{_anchor(name)}"><h3>{escape(name)}</h3>{failures}{_work(first)}{_times(rows)}{_missing(rows)}'
        f'<div class="beside">{source}</div>{forms}<p><a href="#kernels">All kernels</a></p></article>'
    )


def _work(row: Row) -> str:
    work = row.get("work")
    if not work:
        return ""
    return (
        f"<p>{rounded(work['operations'] / 1e9)} billion operations, {rounded(work['traffic'] / 1e6)} MB at least.</p>"
    )


def _times(rows: Sequence[Row]) -> str:
    found, heads = [], ("program", "median", "fastest", "difference", "")
    for common, members in groups(rows).items():
        cells = tuple(
            (
                f"{name} (ours)" if p["ours"] else name,
                rounded(1000 * p["median"]),
                rounded(1000 * p["best"]),
                f"{p['agreement']['error']:.1e}",
                ", ".join(_remarks(p)),
            )
            for row in members
            for name, p in sorted(timed(row).items(), key=lambda kv: kv[1]["median"])
        )
        if cells:
            found.append(tables.Table(f"{common}: milliseconds", heads, cells, figures=True))
    return _tables(found)


def _remarks(program: Mapping[str, Any]) -> Iterator[str]:
    """Remarks on a program's times."""
    if program["noisy"]:
        yield "one sample" if len(program.get("samples", ())) == 1 else "noisy"
    if "measured_with_threads" in program:
        yield "uses one thread"


def _missing(rows: Sequence[Row]) -> str:
    """The programs of a kernel that have no times, each with the reason."""
    why = {
        name: told for row in rows for name, told in {**row.get("skipped", {}), **tables.wrong_programs(row)}.items()
    }
    said = "; ".join(f"{name}: {told}" for name, told in sorted(why.items()))
    return f"<p>Not timed: {escape(said)}.</p>" if said else ""


def _target(target: str, found: Mapping[str, Any]) -> str:
    if found.get("failed"):
        return f"<h4>{escape(target)}</h4><p>{escape(found['failed'])}</p>"
    remarks = "".join(f"<li>{escape(remark)}</li>" for remark in found.get("remarks", ()))
    parts = [("Raised", "text"), ("Optimised", "optimised"), ("Assembly", "assembly")]
    code = "".join(_code(label, found[key]) for label, key in parts if found.get(key))
    told = f"<h4>{escape(target)}</h4><p>Verdict: {escape(found['verdict'])}</p><ul>{remarks}</ul>"
    return f'{told}<div class="beside">{code}</div>'


def _code(label: str, text: str) -> str:
    return f'<details><summary>{label}</summary><pre tabindex="0">{escape(text)}</pre></details>' if text else ""
