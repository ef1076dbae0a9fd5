"""The file of a batch: what was run on which machine, a row per measurement, never half written."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from raising.support.files import UserError, write_output
from raising.support.record import dataclass
from raising.support.streams import reason

FORMAT = 1

Row = dict[str, Any]


@dataclass
class Record:
    """`settings` are those that rows depend on; a row is known by its `key`."""

    settings: Mapping[str, Any]
    head: dict[str, Any]
    rows: list[Row] = field(default_factory=list)

    def done(self) -> set[tuple[str, ...]]:
        """The keys of the rows that are there."""
        return {key_of(row) for row in self.rows}

    def add(self, row: Row) -> None:
        """A new row, or one in place of an older one with the same key."""
        self.rows = [r for r in self.rows if key_of(r) != key_of(row)] + [row]

    def save(self, path: Path) -> None:
        """Write the file whole, or leave the one that is there."""
        rows = sorted(self.rows, key=key_of)
        text = json.dumps({"format": FORMAT, **self.head, "settings": self.settings, "rows": rows}, indent=1)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(str(path), (text + "\n").encode())


def new_record(command: str, settings: Mapping[str, Any]) -> Record:
    """A record without rows, of this machine and now."""
    head = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "machine": {
            "cpu": cpu(),
            "cores": os.cpu_count(),
            "system": platform.system(),
            "python": platform.python_version(),
        },
    }
    return Record(settings, head)


def load(path: Path) -> Record:
    """Read a record; `UserError` if the file is none."""
    found = read_json(path)
    if not isinstance(found, dict) or found.get("format") != FORMAT or not isinstance(found.get("rows"), list):
        raise UserError(f"{path}: error: not a record of raise-bench (format {FORMAT})")
    head = {k: v for k, v in found.items() if k not in ("format", "settings", "rows")}
    return Record(found.get("settings", {}), head, found["rows"])


def read_json(path: Path) -> Any:
    """The value in a file of JSON; `UserError` if it is not JSON."""
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise UserError(f"{path}: error: cannot be read: {reason(error)}") from None
    except ValueError as error:
        raise UserError(f"{path}: error: not a record of raise-bench: {' '.join(str(error).split())}") from None


def resumed(path: Path, record: Record) -> Record:
    """The record at `path` to go on with, if it is of the same settings; the new one if there is no file."""
    if not path.exists():
        return record
    old = load(path)
    # As JSON, because that is what the file can hold: tuples are lists there.
    if json.loads(json.dumps(record.settings)) != old.settings:
        raise UserError(f"{path}: error: was made with other settings, so it cannot be resumed")
    return old


def key_of(row: Row) -> tuple[str, ...]:
    """The fields that identify a row."""
    return tuple(str(part) for part in row["key"].values())


def rows_of(records: Iterable[Record]) -> list[Row]:
    """The rows of all records; of rows with the same key, the last one."""
    return list({key_of(row): row for record in records for row in record.rows}.values())


def cpu() -> str:
    """The name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), platform.machine())
