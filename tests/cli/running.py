"""Running the command as a user does."""

import os
import subprocess
import sys
from pathlib import Path

from tests.forked import command

ROOT = Path(__file__).parent.parent.parent
INPUTS = ROOT / "tests" / "inputs"
GEMM = ROOT / "examples" / "gemm.mlir"
FILL = """\
func.func @fill(%x: memref<8xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    affine.store %zero, %x[%i] : memref<8xf64>
  }
  return
}
"""
"""The quickest file with a loop."""

SCALE = """\
func.func @scale(%x: memref<8xf64>, %a: f64) {
  affine.for %i = 0 to 8 {
    %0 = affine.load %x[%i] : memref<8xf64>
    %1 = arith.mulf %0, %a : f64
    affine.store %1, %x[%i] : memref<8xf64>
  }
  return
}
"""
"""A loop that reads."""

COMMAND = [sys.executable, "-m", "raising.commands.raise_command"]
ENVIRONMENT = dict(os.environ)


def run(
    *arguments: str | Path, given: bytes | str = b"", cwd: Path | None = None, cache: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `raise` and return what it wrote and its exit status; what earlier runs kept is used only from `cache`."""
    data = given.encode() if isinstance(given, str) else given
    environment = ENVIRONMENT | ({"RAISE_CACHE": str(cache)} if cache else {})
    given_first = [] if cache else ["--no-cache"]
    return command("raising.commands.raise_command", [*given_first, *arguments], data, cwd, environment)


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of an error, which is all that such a run may write."""
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "Traceback" not in line
    return line
