"""What was done, for who asks: a line of JSON for each file, or text, added to one file by any number of processes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def report(file: str, source: str, rows: dict[str, Any]) -> None:
    """Add what was done to a source; a report that cannot be written breaks no build."""
    whole = {"file": source, "replaced": 0, **rows}
    as_json = Path(file).suffix in (".json", ".jsonl")
    text = json.dumps(whole) + "\n" if as_json else "".join(f"{line}\n" for line in _lines(whole))
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError:
        return
    try:
        os.write(descriptor, text.encode(errors="surrogateescape"))  # at once: lines of parallel builds do not mix
    except OSError:
        return
    finally:
        os.close(descriptor)


def _lines(rows: dict[str, Any]) -> Iterator[str]:
    why = f": {rows['why']}" if rows.get("why") else ""
    yield f"{rows['file']}: {rows['replaced']} replaced{why}"
    for row in rows.get("functions", ()):
        name = row.get("part") or row.get("function", "")
        yield f"  {row['where']}: {name + ' ' if name else ''}{row['done']}: {row['why']}"
        if "hint" in row:
            yield f"    it would take: {row['hint']}"
        for test in row.get("tested", ()):
            yield f"    tested at run time: {test}"
