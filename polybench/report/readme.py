"""The part of README that is made from a record: a table between two marks, and the picture beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from raising.polybench.records.records import Row
from raising.polybench.report.plots import beside
from raising.polybench.report.style import PLOTS
from raising.polybench.report.summary import groups, measured
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
    """The text between the marks."""
    tables = "\n\n".join(table.markdown() for table in overview(rows))
    said = "How many times as fast as each program raise is, as bars; the figures are in the table"
    return f"![{said}]({PICTURE})\n\n{tables}"


def picture_of(rows: Sequence[Row]) -> str:
    """How many times as fast as each program ours is, on the kernels that both have: the first group of rows."""
    common, members = next(iter(groups(measured(rows)).items()))
    look = f"<style>{COLOURS}{PLOTS} svg {{ font: 12px sans-serif; background: var(--back); }}</style>"
    return beside(common, members).replace("<title>", f"{look}<title>", 1) + "\n"
