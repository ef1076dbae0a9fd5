"""Every golden below this folder: each of its `RUN:` lines is run, and its output matched with the `CHECK:` lines."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.goldens.passes import PASSES
from tests.goldens.run_line import BadRunLine, mismatch, run_lines
from tests.goldens.tools import outputs

FOLDER = Path(__file__).parent
FILES = sorted(path for kind in ("mlir", "c", "py") for path in FOLDER.glob(f"*/**/*.{kind}"))
ROOT = FOLDER.parent.parent

_BOTH = ("before", "after")

ROOMS = [
    Path(room)
    for room in (
        *("native/abi", "native/bufferize", "native/contraction", "native/input", "native/input/stablehlo"),
        *("native/intervals", "native/loops", "native/transforms"),
        *("frontend/mlir", "frontend/lower/passes", "frontend/lower/jumps", "driver/emit"),
    )
]
"""Rooms in which a file is a pass."""

NO_PASSES = {
    "driver/emit/versioning",  # puts together what overlap_guards and the front ends write
    "frontend/lower/jumps/copies",
    "frontend/lower/jumps/counted_exits",
    "frontend/lower/jumps/exit_conditions",
    "frontend/lower/jumps/stop_flags",  # shown by flag_exits
    "frontend/lower/jumps/without_jumps",  # runs the others
    "frontend/lower/passes/touched_memory",
    "frontend/mlir/attributes",
    "frontend/mlir/ops",
    "frontend/mlir/parse_module",
    "frontend/mlir/reader",
    "native/abi/entry_lines",  # shown by c_entry
    "native/abi/record_arguments",  # of C's structs: tests/native compiles and calls them
    "native/abi/size_bounds",  # shown by workspace
    "native/bufferize/slices",
    "native/contraction/blocking",
    "native/contraction/emit_contraction",  # puts together what the others write
    "native/contraction/gemm",
    "native/contraction/microkernel",  # shown by schedule_contractions
    "native/contraction/pack_block",
    "native/contraction/product_terms",
    "native/contraction/recognise_contraction",  # shown by schedule_contractions
    "native/input/stablehlo/op_builder",
    "native/input/stablehlo/to_linalg",  # runs the others
    "native/intervals/interval_order",
    "native/intervals/interval_sums",
    "native/intervals/interval_terms",  # shown by interval_blocks
    "native/transforms/memory_writer",
    "native/transforms/rank_one_loops",  # shown by rank_one_blocks
    "native/loops/body",
    "native/loops/emit_loops",  # puts together what the others write
    "native/loops/fusion_plan",  # shown by nest/dependence
    "native/loops/loop_plan",
    "native/loops/loop_tree",
    "native/loops/vector_ops",
}
"""Files of these rooms that others use, or that only run others."""

WITHOUT: set[str] = set()
"""Passes that no golden shows yet."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_golden(path: Path) -> None:
    for line, output in outputs(path):
        said = mismatch(path, line.prefix, output)
        assert not said, f"{said}\n{output}"


def test_every_file_of_a_room_of_passes_has_a_golden() -> None:
    """One whose name begins with that of the file: write it (README.md here), or say in NO_PASSES why there is none."""
    found = [room / p.stem for room in ROOMS for p in sorted((ROOT / room).glob("*.py")) if p.stem != "__init__"]
    shown = [str(path.relative_to(FOLDER)) for path in FILES]
    assert {str(p) for p in found if not any(name.startswith(str(p)) for name in shown)} == NO_PASSES


def test_each_pass_says_what_there_is_before_and_after_it() -> None:
    homes = {ROOT / f"{home}.py" for home in PASSES.values()}
    rooms = {p for room in ROOMS for p in (ROOT / room).glob("*.py")}
    files = {
        p for p in homes | rooms if p.stem != "__init__" and str(p.relative_to(ROOT).with_suffix("")) not in NO_PASSES
    }
    told = {p: ast.get_docstring(ast.parse(p.read_text())) or "" for p in files}
    shown = {
        p for p, text in told.items() if all(re.search(rf"(^|  ) *{word}  ", text, re.MULTILINE) for word in _BOTH)
    }
    assert sorted(str(p.relative_to(ROOT)) for p in files - shown) == []


def test_every_family_of_rules_has_a_golden() -> None:
    families = {path.stem for path in (ROOT / "eqsat" / "rules").glob("*.toml")}
    assert families - {path.stem for path in (FOLDER / "eqsat").glob("*.mlir")} == set()


def test_every_pass_has_a_golden() -> None:
    """Which a golden in the room of the pass runs last."""
    shown = {(path.parent.relative_to(FOLDER), line.options[-1][0]) for path in FILES for line in _with_options(path)}
    missing = {name for name, home in PASSES.items() if (Path(home).parent, name) not in shown}
    assert missing == WITHOUT


def test_goldens_lie_in_folders_that_mirror_the_rooms() -> None:
    assert [str(path) for path in FILES if not (ROOT / path.relative_to(FOLDER).parent / "__init__.py").is_file()] == []


def test_a_golden_that_does_not_hold_fails(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text("// RUN: passes %s | filecheck %s\n// CHECK: func.func @f\n// CHECK-NOT: return\n")
    assert "CHECK-NOT" in mismatch(wrong, "CHECK", "func.func @f() {\n  return\n}\n")
    assert mismatch(wrong, "CHECK", "func.func @g()\n")
    assert not mismatch(wrong, "CHECK", "func.func @f() {\n}\n")


@pytest.mark.parametrize(
    "line", ["passes %s", "passes %s | cat", "passes %s | filecheck %s --dump", "passes opt %s | filecheck %s", ""]
)
def test_a_run_line_of_another_form_is_refused(line: str) -> None:
    with pytest.raises(BadRunLine):
        run_lines(f"// RUN: {line}\n")


def _with_options(path: Path) -> list:
    return [line for line in run_lines(path.read_text()) if line.options]
