"""How long it takes until compiled code has run: `python -m tests.bench.native.compile_times`.

Writes `results/compile-times.json`: for a contraction of 64 by 64 by 64, seconds of a whole process
that imports, compiles and calls, with an empty cache and with what the first one kept; per stage and whole,
the median and the least of several processes, the first of which is not counted. Byte code of Python's modules is
kept between processes, as pip keeps that of what it installs.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.record import write

ROUNDS = 7
COMMAND = "python -m tests.bench.native.compile_times"

PROGRAM = '''
import json, time
start = time.perf_counter()
import numpy as np
import raising
imported = time.perf_counter()
product = raising.compile("""
func.func @product(%A: tensor<64x64xf32>, %B: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%A, %B : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%start : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}""")
compiled = time.perf_counter()
a = np.ones((64, 64), np.float32)
assert (product(a, a) == 64).all()
print(json.dumps({"import": imported - start, "compile": compiled - imported, "call": time.perf_counter() - compiled}))
'''


def measured(cache: Path | None, byte_code: Path) -> dict[str, float]:
    """One process; without a cache, it has an empty one."""
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {"RAISE_CACHE": str(cache or empty)}
        environment |= {"PYTHONPYCACHEPREFIX": str(byte_code), "PYTHONDONTWRITEBYTECODE": ""}
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        stages: dict[str, float] = json.loads(done.stdout)
        return stages | {"process": time.perf_counter() - start}


def summary(rows: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Median and least of each stage."""
    columns = {stage: [row[stage] for row in rows] for stage in rows[0]}
    return {s: {"median": round(statistics.median(c), 4), "least": round(min(c), 4)} for s, c in columns.items()}


def main() -> None:
    """Measure both ways in turns and write the record."""
    fresh, kept = [], []
    with tempfile.TemporaryDirectory() as folder:
        cache, byte_code = Path(folder, "cache"), Path(folder, "python")
        for _ in range(ROUNDS + 1):
            fresh.append(measured(None, byte_code))
            kept.append(measured(cache, byte_code))
    record = {"empty_cache": summary(fresh[1:]), "kept": summary(kept[1:])}
    print(json.dumps(record, indent=2))
    rows = [{"cache": name, **row} for name, found in (("empty", fresh), ("kept", kept)) for row in found[1:]]
    write("compile-times", COMMAND, rows, record)


if __name__ == "__main__":
    main()
