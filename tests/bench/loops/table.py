"""The corpus by class, for people."""

from __future__ import annotations

from collections import Counter
from typing import Any

FATES = ("whole", "essential", "part", "kept", "refused", "failed")


def counted(rows: list[dict[str, Any]]) -> dict[str, int]:
    """The numbers of some rows."""
    fates = Counter(row["became"] for row in rows)
    formed = [row for row in rows if not row["none"]]
    raised = [row for row in rows if row.get("verdict")]
    counts = {"functions": len(rows), "with_a_form": len(formed)}
    counts["whole_of_these"] = sum(row["became"] == "whole" for row in formed)
    counts |= {fate: fates[fate] for fate in FATES}
    counts |= {"raised": len(raised), "proved": sum(row["verdict"] == "Proved" for row in raised)}
    return counts | {"runs": sum(row.get("runs", 0) for row in rows), "wrong": sum("wrong" in row for row in rows)}


def markdown(rows: list[dict[str, Any]], command: str) -> str:
    """A page: the counts by class, then what is not whole, and what is not proved."""
    kinds = sorted({row["class"] for row in rows})
    counts = {kind: counted([row for row in rows if row["class"] == kind]) for kind in kinds} | {"all": counted(rows)}
    columns = ["class", *(name.replace("_", " ") for name in counts["all"])]
    lines = [_line(columns), _line(["---"] * len(columns))]
    lines += [_line([kind, *of.values()]) for kind, of in counts.items()]
    rest = [row for row in rows if row["became"] != "whole"]
    told = [_line(["class", "function", "became", "no form", "why"]), _line(["---"] * 5)]
    told += [_line([r["class"], f"`{r['function']}`", r["became"], r["none"], r.get("why", "")]) for r in rest]
    open_ = [f"- `{row['function']}`: {row['unproved']}" for row in rows if "unproved" in row]
    title = f"# Loops as people write them\n\nMade by `{command}`. A loop is *essential* if it stays over tensors.\n"
    return "\n".join([title, *lines, "\n## Not whole\n", *told, "\n## Not proved\n", *open_, ""])


def _line(cells: list[Any]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
