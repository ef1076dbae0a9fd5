"""Compares five kernels with tiled, unrolled, interchanged and rewritten forms of themselves, at open sizes.

`python -m tests.bench.validate.equal_variants` writes `results/equal-variants.json`: the verdict and the seconds of
each check. Tiles and unrolled loops are made by MLIR's own passes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from raising.validate.base.verdict import describe, level
from raising.validate.check import CheckOptions, check
from tests.bench.record import write
from tests.kernels.emit import emit
from tests.kernels.printing import Style
from tests.kernels.sources import SOURCES
from tests.variants import rewritten

COMMAND = "python -m tests.bench.validate.equal_variants"
KERNELS = ("gemm", "syrk", "mvt", "gesummv", "trmm")
PASSES = {
    "tiled by 8": "affine-loop-tile{tile-size=8}",
    "tiled by 32": "affine-loop-tile{tile-size=32}",
    "tiled by 5 x 7 x 3": "affine-loop-tile{tile-sizes=5,7,3}",
    "unrolled by 2": "affine-loop-unroll{unroll-factor=2}",
    "unrolled by 4": "affine-loop-unroll{unroll-factor=4}",
    "unrolled by 8": "affine-loop-unroll{unroll-factor=8}",
    "unrolled and jammed by 2": "affine-loop-unroll-jam{unroll-jam-factor=2}",
}
LIMIT = 10.0


def forms(name: str) -> Iterator[tuple[str, str]]:
    """Label and text of each form of a kernel, at open sizes."""
    source = SOURCES[name]
    style = Style(extents="argument")
    text = emit(source.tree(), source.large, style)
    for label, passes in PASSES.items():
        yield label, _passed(text, passes)
    for label, tree in rewritten(name):
        yield label, emit(tree, source.large, style)


def _passed(text: str, passes: str) -> str:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        PassManager.parse(f"builtin.module(func.func({passes}))").run(module.operation)
        return str(module)


def main() -> None:
    """Check all forms and write the record."""
    rows: list[dict[str, Any]] = []
    for name in KERNELS:
        source = SOURCES[name]
        text = emit(source.tree(), source.large, Style(extents="argument"))
        for label, other in forms(name):
            started = time.perf_counter()
            verdict = check(text, other, CheckOptions(level="proved-all-sizes", timeout=LIMIT))
            seconds = round(time.perf_counter() - started, 3)
            row = {"kernel": name, "form": label, "level": level(verdict), "seconds": seconds}
            rows.append({**row, "verdict": describe(verdict)})
            print(f"{name:10} {label:30} {seconds:6.2f} s  {describe(verdict)[:140]}", flush=True)
    proved = sum(r["level"] == "proved-all-sizes" for r in rows)
    slowest = max(r["seconds"] for r in rows)
    summary = {"forms": len(rows), "proved_all_sizes": proved, "share": round(proved / len(rows), 3)}
    print(write("equal-variants", COMMAND, rows, {**summary, "slowest_seconds": slowest}))


if __name__ == "__main__":
    main()
