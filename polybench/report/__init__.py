"""Records of a batch as tables in Markdown and as one page of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polybench.records import Record, Row, rows_of
from polybench.report import tables
from polybench.report.page import page
from polybench.report.readme import update_readme
from raising.files import write_output

__all__ = ["update_readme", "write_report"]


def write_report(records: Sequence[Record], folder: Path) -> list[Path]:
    """Write `report.md` and `report.html`; return where they are."""
    rows = rows_of(records)
    folder.mkdir(parents=True, exist_ok=True)
    written = {folder / "report.md": _markdown(rows), folder / "report.html": page(records, rows)}
    for path, text in written.items():
        write_output(str(path), text.encode())
    return list(written)


def _markdown(rows: Sequence[Row]) -> str:
    made = (tables.overview, tables.faster_peers, tables.not_measured, tables.times, tables.raising, tables.published)
    return "\n\n".join(table.markdown() for make in made for table in make(rows)) + "\n"
