"""The notebook runs, and prints what it shows: `python -m tests.docs.test_first_steps` writes its outputs anew."""

from __future__ import annotations

import contextlib
import io
import json
import linecache
from pathlib import Path
from typing import Any

from tests.native.running import isolated

NOTEBOOK = Path(__file__).parents[2] / "docs" / "first_steps.ipynb"
Cell = dict[str, Any]


def executed(cells: list[Cell]) -> list[str]:
    """What the cells with code print, one after the other in one namespace."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    for number, cell in enumerate(cells):
        text, place, out = "".join(cell["source"]), f"<cell {number}>", io.StringIO()
        linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
        with contextlib.redirect_stdout(out):
            exec(compile(text, place, "exec"), names)
        printed.append(out.getvalue())
    return printed


def _cells(notebook: Any) -> list[Cell]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_prints_what_it_shows() -> None:
    notebook = json.loads(NOTEBOOK.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    cells = _cells(notebook)
    shown = ["".join(line for output in cell["outputs"] for line in output["text"]) for cell in cells]
    assert isolated(lambda: executed(cells)) == shown
    assert any(shown)


def main() -> None:
    """Write the notebook with its outputs."""
    notebook = json.loads(NOTEBOOK.read_text())
    cells = _cells(notebook)
    for number, (cell, text) in enumerate(zip(cells, executed(cells), strict=True), 1):
        lines = text.splitlines(keepends=True)
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if text else []
        cell["execution_count"] = number
    NOTEBOOK.write_text(json.dumps(notebook, indent=1) + "\n")


if __name__ == "__main__":
    main()
