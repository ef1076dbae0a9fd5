"""Raises kernels to StableHLO and keeps what a machine with a GPU needs to know of them."""

from __future__ import annotations

import json
from pathlib import Path

from raising.polybench.measure.ours import returned_names
from raising.polybench.measure.raised import raised
from raising.polybench.measure.subjects import read
from raising.polybench.records.task import Task

SECONDS = 120.0
"""What raising one kernel may take."""


def make(names: list[str], dataset: str, dtype: str, folder: Path) -> None:
    """Write NAME.json for each kernel: its text after optimisation, and the names of the arrays that it returns."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        task = Task(name, name, "", "", dataset, dtype, (1,), ("stablehlo",), (), "full", 0, 0.0, SECONDS)
        subject = read(task).subject
        found = raised(subject, "stablehlo", task)
        print(f"{name}: {found['verdict']}, {found['loops_left']} loops left", flush=True)
        kept = {"verdict": found["verdict"], "text": found["optimised"], "results": returned_names(subject)}
        (folder / f"{name}.json").write_text(json.dumps(kept))
