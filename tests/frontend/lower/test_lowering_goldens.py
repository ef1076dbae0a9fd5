"""Core to typed program to MLIR: what each function of `goldens/NAME.c` is after lowering and after each pass.

`goldens/NAME.txt` has it for every function: as core, lowered, then after those passes that change it, then as MLIR.
`python -m tests.frontend.lower.test_lowering_goldens` writes these files anew, to be looked at.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from raising.frontend.c import convert
from raising.frontend.c.read_c import read_c
from raising.frontend.core.statement_nodes import Function, Unit
from raising.frontend.lower.from_core.function_to_typed import lower
from raising.frontend.lower.known.state import Budget, Choices
from raising.frontend.lower.passes.delinearise import delinearised
from raising.frontend.lower.passes.if_conversion import selected
from raising.frontend.lower.passes.mem2reg import promoted
from tests.frontend.c.needs import needs_libclang
from tests.frontend.core.core_text import function_text as core_text
from tests.frontend.lower.typed_text import function_text

FOLDER = Path(__file__).parent / "goldens"
FILES = sorted(FOLDER.glob("*.c"))
PASSES = {"delinearised": delinearised, "selected": selected, "promoted": promoted}
pytestmark = needs_libclang


def _text(path: Path) -> str:
    unit = read_c(path.read_text(), path.name)
    functions = [f for f in unit.routines.values() if f.body is not None and f.external]
    return "\n\n".join("\n".join(_function(path, unit, f)) for f in functions) + "\n"


def _function(path: Path, unit: Unit, function: Function) -> Iterator[str]:
    yield f"==== {function.name}\n{core_text(function)}"
    made = lower(unit, function, Budget(), Choices())
    known = function_text(made)
    yield f"---- lowered\n{known}"
    for name, change in PASSES.items():
        made = change(made)
        text = function_text(made)
        if text != known:
            yield f"---- {name}\n{text}"
        known = text
    yield f"---- MLIR\n{_mlir(path, function.name)}"


def _mlir(path: Path, name: str) -> str:
    """The function without its places and attributes."""
    text = convert(path.read_text(), path.name).mlir
    lines = text[text.index(f"func.func @{name}(") :].splitlines()
    lines = [re.sub(r' loc\((?:"[^"]*"\()?#loc\d+\)?\)', "", line.removeprefix("  ")) for line in lines]
    return re.sub(r" attributes \{.*\} \{", " {", "\n".join(lines[: lines.index("}") + 1]))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_lowering_golden(path: Path) -> None:
    assert _text(path) == path.with_suffix(".txt").read_text()


def test_every_pass_has_a_golden_that_it_changes() -> None:
    whole = "".join(path.with_suffix(".txt").read_text() for path in FILES)
    assert [name for name in PASSES if f"---- {name}\n" not in whole] == []


if __name__ == "__main__":
    for golden in FILES:
        golden.with_suffix(".txt").write_text(_text(golden))
