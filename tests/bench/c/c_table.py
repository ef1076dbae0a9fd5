"""The corpus of C functions as a table for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def markdown(rows: list[dict[str, Any]], summary: dict[str, Any], command: str) -> str:
    """A page: what was measured, then one row per function."""
    counts = "\n".join(f"- {name.replace('_', ' ')}: {value}" for name, value in summary.items())
    columns = (
        "file",
        "function",
        "read",
        "equals gcc",
        "loops",
        "left",
        "at other sizes",
        "what it became, or why not",
    )
    head = _line(columns) + "\n" + _line(["---"] * len(columns))
    body = "\n".join(_row(row) for row in rows)
    return f"# C functions, read, compared and raised\n\nMade by `{command}`.\n\n{counts}\n\n{head}\n{body}\n"


def _row(row: dict[str, Any]) -> str:
    read = "yes" if row.get("read") else "no"
    equal = row.get("equals_gcc")
    same = "" if equal is None else "yes" if set(equal.values()) == {"equal"} else "**no**"
    counts = (row.get("loops", ""), row.get("loops_left", ""), row.get("loops_at_other_sizes", 0) or "")
    return _line([row["file"], f"`{row['function']}`", read, same, *counts, _became(row)])


def _line(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _became(row: dict[str, Any]) -> str:
    failed = next((f"{key}: {row[key]}" for key in row if key.startswith("failed_to")), "")
    if failed or row.get("refused"):
        return failed or str(row["refused"])
    if row.get("kept") and row["loops_left"]:
        return str(row["kept"][0])
    return ", ".join(f"{count} x {kind}" for kind, count in row.get("algebra", {}).items()) or "movement of elements"
