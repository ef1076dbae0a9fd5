"""What parts of the search are worth, as `tests.bench.ablation` records it: kernels that are raised without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polybench.report.summary import rounded
from polybench.report.tables import Table


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
