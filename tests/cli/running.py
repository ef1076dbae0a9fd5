"""Running the command as a user does."""

import os
import subprocess
import sys
from pathlib import Path

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

COMMAND = [sys.executable, "-m", "raising.cli"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}


def run(*arguments: str | Path, given: bytes | str = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `raise` and return what it wrote and its exit status."""
    data = given.encode() if isinstance(given, str) else given
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], input=data, cwd=cwd, env=ENVIRONMENT, capture_output=True, timeout=120
    )
    out, err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of an error, which is all that such a run may write."""
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "Traceback" not in line
    return line
