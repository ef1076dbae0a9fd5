"""The part of README that is made from a record: a table between two marks, and the picture beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from raising.polybench.records.records import Row
from raising.polybench.report.style import PLOTS
from raising.polybench.report.summary import baseline, groups, measured, speedups
from raising.polybench.report.svg import bars
from raising.polybench.report.tables import overview
from raising.support.files import UserError, write_output
from raising.support.look import COLOURS

BEGIN, END = "<!-- raise-bench: begin -->", "<!-- raise-bench: end -->"
PICTURE = "docs/speedups.svg"


def update_readme(path: Path, rows: Sequence[Row]) -> list[Path]:
    """Write the tables between the marks, and the picture of the first one; `UserError` if there are no marks."""
    text = path.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise UserError(f"{path}: error: has no place for the table: '{BEGIN}' and '{END}'")
    picture = path.parent / PICTURE
    write_output(str(picture), picture_of(rows).encode())
    block = f"{BEGIN}\n{block_of(rows)}\n{END}"
    write_output(str(path), re.sub(f"{BEGIN}.*{END}", lambda _: block, text, flags=re.DOTALL).encode())
    return [path, picture]


def block_of(rows: Sequence[Row]) -> str:
    """What stands between the marks."""
    tables = "\n\n".join(table.markdown() for table in overview(rows))
    return f"![Speed-ups as bars; the figures are in the table]({PICTURE})\n\n{tables}"


def picture_of(rows: Sequence[Row]) -> str:
    """The geometric means of the first group of rows, as a picture that stands alone."""
    (dataset, dtype, threads), members = next(iter(groups(measured(rows)).items()))
    found = speedups(members)
    many = "s" if threads > 1 else ""
    title = f"Speed-up over {baseline(members[0])}, geometric mean: {dataset}, {dtype}, {threads} thread{many}"
    ours = frozenset(s.program for s in found if s.ours)
    plot = bars(title, {s.program: s.geomean for s in found}, "x", ours)
    look = f"<style>{COLOURS}{PLOTS} svg {{ font: 12px sans-serif; background: var(--back); }}</style>"
    return plot.replace("<title>", f"{look}<title>", 1) + "\n"
