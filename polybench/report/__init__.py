"""Records of a batch as tables in Markdown and as one page of HTML.

`Record`s come in; `report.md`, `report.html` and the table in README go out.

- `summary` computes ratios and means over the rows.
- `tables` makes tables of them.
- `svg` draws bars and dots.
- `plots` makes the plots of a report.
- `style` says how the page looks.
- `published` reads the figures that other systems published.
- `page` writes the page.
- `readme` writes the part of README that is made from a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from raising.polybench.records.records import Record, Row, rows_of
from raising.polybench.report import tables
from raising.polybench.report.page import page
from raising.polybench.report.readme import update_readme
from raising.polybench.report.tables import ablation
from raising.support.files import write_output

__all__ = ["update_readme", "write_report"]


def write_report(records: Sequence[Record], folder: Path, ablations: Sequence[Mapping[str, Any]] = ()) -> list[Path]:
    """Write `report.md` and `report.html`; return where they are.

    `ablations` are rows of `tests.bench.raising.ablation`.
    """
    rows = rows_of(records)
    others = [ablation(ablations)] if ablations else []
    folder.mkdir(parents=True, exist_ok=True)
    written = {folder / "report.md": _markdown(rows, others), folder / "report.html": page(records, rows, others)}
    for path, text in written.items():
        write_output(str(path), text.encode())
    return list(written)


def _markdown(rows: Sequence[Row], others: Sequence[tables.Table]) -> str:
    made = (tables.overview, tables.faster_peers, tables.not_measured, tables.times, tables.raising, tables.published)
    found = [*(table for make in made for table in make(rows)), *others]
    return "\n\n".join(table.markdown() for table in found) + "\n"
