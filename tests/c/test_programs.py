"""Whole programs in one C file: functions that are read take the place of gcc's, and the program prints the same."""

import subprocess
from pathlib import Path

import pytest

from raising.frontend.c import SourceModule, convert
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.c.gcc import FLAGS, GCC, needs_gcc
from tests.native.running import isolated

EXAMPLES = Path(__file__).parents[2] / "examples" / "c"
STAYS = {
    "transformer": {"forward", "numbers", "main"},
    "network": {"numbers", "show", "main"},
}
"""What is not static control: subscripts and bounds that depend on data, and what allocates or prints."""


def _run(folder: Path, name: str, *command: str | Path) -> str:
    assert GCC is not None
    subprocess.run([GCC, *FLAGS, "-fno-inline", *command, "-lm", "-o", folder / name], check=True, capture_output=True)
    done = subprocess.run([folder / name], check=True, capture_output=True, text=True, timeout=60)
    return done.stdout


def _object(module: SourceModule) -> bytes:
    return isolated(lambda: build(module.mlir.encode(), "k.mlir", CompileOptions(fp="strict")).code.object)  # type: ignore[no-any-return]


@needs_gcc
@pytest.mark.parametrize("name", STAYS)
def test_the_program_prints_the_same(name: str, tmp_path: Path) -> None:
    source = EXAMPLES / f"{name}.c"
    module = convert(source.read_text(), str(source))
    stays = {r.reason.split("'")[1] for r in module.refused}
    assert stays == STAYS[name] and len(module.functions) >= 6
    (tmp_path / "ours.o").write_bytes(_object(module))
    theirs = tmp_path / "theirs.o"
    subprocess.run([str(GCC), *FLAGS, "-fno-inline", "-c", source, "-o", theirs], check=True)
    weak = [f"--weaken-symbol={f.name}" for f in module.functions]
    subprocess.run(["objcopy", *weak, theirs], check=True)
    alone = _run(tmp_path, "alone", source)
    assert _run(tmp_path, "both", theirs, tmp_path / "ours.o") == alone and len(alone.splitlines()) > 10
