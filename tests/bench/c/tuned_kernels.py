"""The 30 kernels in C as people tune them: `python -m tests.bench.c.tuned_kernels [KERNEL ...]`.

Tiles of 32 and of 7, unrolled by 4 with a remainder, loops interchanged, arrays flat; sizes are open and do not divide.
Writes `results/tuned-kernels.json`: what became of each, its verdict, and whether it computes what gcc's code does.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.support.isolate import Failed, run_isolated
from tests.bench.loops.measure import _fate
from tests.bench.record import ROOT, write_to
from tests.c.beside import Beside
from tests.c.gcc import Library
from tests.kernels import EVERY, arguments
from tests.kernels.c_text import c_text
from tests.kernels.reorder import defined, interchanged, legality, split
from tests.kernels.tiles import tiled, unrolled

COMMAND = "python -m tests.bench.c.tuned_kernels"
KINDS = ("tiled by 32", "tiled by 7", "unrolled by 4", "interchanged", "flat")
SIZES = ((35, 9, 40, 14, 21), (7, 12, 8, 33, 5), (1, 1, 1, 1, 1), (0, 3, 0, 2, 1))
TIMEOUT = 60.0


def text_of(name: str, kind: str) -> str:
    """A kernel of one kind, in C."""
    tree, legal, sizes = EVERY[name].tree(), legality(name), EVERY[name].large
    if kind.startswith("tiled"):
        tree = tiled(tree, int(kind.rpartition(" ")[2]), legal)
    elif kind.startswith("unrolled"):
        tree = unrolled(tree, 4)
    elif kind == "interchanged":
        tree = interchanged(interchanged(split(tree, legal), (1, 0), legal), (2, 1, 0), legal)
    return c_text(tree, sizes, flat=kind == "flat")


def measured(name: str, kind: str) -> dict[str, Any]:
    """A row of the record; the work is done in a process of its own."""
    started = time.perf_counter()
    outcome = run_isolated(lambda: _became(name, text_of(name, kind)), timeout=4 * TIMEOUT, extra_bytes=8 << 30)
    found = {"became": "failed", "why": outcome.reason} if isinstance(outcome, Failed) else outcome.value
    return {"kernel": name, "kind": kind, **found, "seconds": round(time.perf_counter() - started, 2)}


def _became(name: str, text: str) -> dict[str, Any]:
    module = convert(text, f"{name}.c", COptions())
    if module.refused:
        return {"became": "refused", "why": module.refused[0].reason}
    result = raise_module(module.mlir, options=RaiseOptions(check="proof", timeout=TIMEOUT, cache=False))
    row = _fate(result)
    wrong = next(_differences(name, text, result.text), "") if row["became"] != "kept" else ""
    return row | ({"wrong": wrong} if wrong else {})


def _differences(name: str, text: str, raised: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder) / "k.c").write_text(text)
        both = Beside(library := Library(path, {}), raised, function := EVERY[name].tree().name)
        for values in SIZES:
            sizes = dict(zip(EVERY[name].large, values, strict=False))
            if not defined(name, sizes):
                continue
            given = [*map(np.int32, sizes.values()), *arguments(name, sizes)]
            want, near, got = library.call(function, given), library.call(function, _shaken(given)), both.run(given)
            for place, (a, c, b) in enumerate(zip(want, near, got, strict=True)):
                unsure = 1e-9 + 10 * np.max(np.abs(np.subtract(a, c)), initial=0.0)
                if not np.all((np.abs(np.subtract(a, b)) <= unsure + 1e-9 * np.abs(a)) | (np.isnan(a) & np.isnan(b))):
                    yield f"{sizes}: value {place} differs"


def _shaken(given: list[Any]) -> list[Any]:
    """The same arguments up to rounding: what the kernel makes of these differently is no result of it."""
    rng = np.random.default_rng(0)
    floats = [np.asarray(a).dtype.kind == "f" for a in given]
    return [a * (1 + 1e-15 * rng.uniform(-1, 1, np.shape(a))) if f else a for a, f in zip(given, floats, strict=True)]


def main() -> None:
    """Measure these kernels, or all, and write the record."""
    parser = argparse.ArgumentParser(COMMAND, description=__doc__)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="only these")
    parser.add_argument("--kind", choices=KINDS, help="only this kind")
    parser.add_argument("-o", type=Path, default=ROOT / "results" / "tuned-kernels.json")
    given = parser.parse_args()
    rows = {(r["kernel"], r["kind"]): r for r in json.loads(given.o.read_text())["rows"]} if given.o.exists() else {}
    for name in given.kernels or EVERY:
        for kind in [given.kind] if given.kind else KINDS:
            rows[name, kind] = row = measured(name, kind)
            print({k: v for k, v in row.items() if v not in ("", [])}, flush=True)
            write_to(given.o, COMMAND, list(rows.values()), counted(list(rows.values())))
    print(counted(list(rows.values())))


def counted(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What became of them."""
    good = [r for r in rows if r["became"] in ("whole", "essential") and not r.get("wrong")]
    return {
        "kernels": len(rows),
        "became": dict(Counter(r["became"] for r in rows)),
        "good": len(good),
        "proved": sum(r["verdict"] == "Proved" for r in good),
        "wrong": sum(bool(r.get("wrong")) for r in rows),
        "kinds": dict(Counter(r["kind"] for r in good)),
    }


if __name__ == "__main__":
    main()
