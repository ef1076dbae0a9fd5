"""Results as JSON with what is needed to read them later: date, machine, commit and command."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from raising.polybench.records.records import cpu

ROOT = Path(__file__).parents[2]


def write(name: str, command: str, rows: list[dict[str, Any]], summary: dict[str, Any]) -> Path:
    """Write `results/NAME.json`."""
    path = ROOT / "results" / f"{name}.json"
    write_to(path, command, rows, summary)
    return path


def write_to(path: Path, command: str, rows: list[dict[str, Any]], summary: dict[str, Any]) -> None:
    """Write a record to a file."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    status = ["git", "status", "--porcelain", "--untracked-files=no", "--", ":!results"]
    changed = subprocess.run(status, cwd=ROOT, capture_output=True, text=True, check=False)
    record = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "commit": commit.stdout.strip() + ("+" if changed.stdout.strip() else ""),
        "machine": {"cpu": cpu(), "cores": os.cpu_count(), "python": platform.python_version()},
        "summary": summary,
        "rows": rows,
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n")
