"""Random C functions through every stage, each result beside gcc's. `python -m tests.bench.fuzz [COUNT [FIRST]]`.

Writes `results/fuzz.json`: per function and target whether raising is right, what it is said to
be, how many loops stay and how long it takes; and the same of the optimised and the native form.
A row that is not `right` is a defect, whatever its level: `wrong`, `crashed` or `hung`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from raising.api.result import RaiseResult
from raising.compile_module import compile_module
from raising.eqsat.egraph.engine import Limits
from raising.frontend.c import COptions, convert
from raising.optimise.optimise_module import optimise_module
from raising.pipeline import RaiseOptions, raise_module
from raising.polybench.suite.values import Value
from raising.support.isolate import Failed, run_isolated
from raising.validate.base.verdict import level
from tests.bench.record import write
from tests.c.gcc import Library
from tests.c.random_functions import RandomFunction, random_function
from tests.raising.algebra import loops

COMMAND = "python -m tests.bench.fuzz"
TARGETS = ("linalg", "stablehlo")
SEED = 1
TIMEOUT = 60.0
LIMITS = Limits(iterations=15)
TOLERANCE = {"f64": 1e-9, "f32": 1e-3, "u32": 0.0}


def expected(function: RandomFunction) -> list[Value]:
    """What gcc computes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.c"
        path.write_text(function.text)
        return Library(path, {}).call("f", function.arguments(SEED))


def loops_of(function: RandomFunction) -> str:
    """Its affine form."""
    module = convert(function.text, "f.c", COptions())
    if module.refused:
        raise ValueError(f"refused: {module.refused[0]}")
    return module.mlir


def raised(function: RandomFunction, target: str, check: str) -> RaiseResult:
    """What raising makes of its affine form."""
    options = RaiseOptions(check=check, target=target, cache=False, timeout=TIMEOUT)
    return raise_module(loops_of(function), file="f.mlir", options=options)


def difference(function: RandomFunction, text: str, want: list[Value]) -> str:
    """How compiled MLIR differs from what is wanted; empty where it does not."""
    backend = "xla" if "stablehlo.while" in text else "mlir"
    call = compile_module(text, cache=False, backend=backend, unchecked=True)["f"]
    given = function.arguments(SEED)
    if "stablehlo." in text:  # numbers without sign are no type of MLIR's
        given = [v.view(np.int32) if isinstance(v, np.ndarray) and v.dtype == np.uint32 else v for v in given]
    returned = call(*given)
    arrays = [v for v in given if isinstance(v, np.ndarray)]
    results = [] if returned is None else list(returned) if isinstance(returned, tuple) else [returned]
    wanted = [v for v in want if isinstance(v, np.ndarray)]
    if results:  # a function on tensors returns what the loops write
        before = [v for v in function.arguments(SEED) if isinstance(v, np.ndarray)]
        wanted = [w for w, b in zip(wanted, before, strict=True) if not np.array_equal(w, b, equal_nan=True)]
        arrays = [r for r in results if any(r.shape == w.shape for w in wanted)]
        return _among(arrays, wanted, TOLERANCE[function.element])
    far = (_far(a, w, TOLERANCE[function.element]) for a, w in zip(arrays, wanted, strict=True))
    return next(filter(None, far), "")


def _among(results: list[Any], wanted: list[Any], tolerance: float) -> str:
    """Empty if each wanted array is among the results, in order (a written array may end as it began)."""
    left = iter(results)
    return "" if all(any(r.shape == w.shape and not _far(r, w, tolerance) for r in left) for w in wanted) else "differs"


def _far(got: Any, want: Any, tolerance: float) -> str:
    if got.dtype.kind in "iu":
        return "" if np.array_equal(got.view(want.dtype), want) else "integers differ"
    if not np.isfinite(want).all():
        return ""
    scale = max(float(np.max(np.abs(want))), 1.0)
    error = float(np.max(np.abs(got.astype(np.float64) - want))) / scale
    return "" if error <= tolerance else f"relative difference {error:.1e}"


def measured(seed: int, target: str, check: str = "proof") -> dict[str, Any]:
    """One function and target, as a row."""
    function = random_function(seed)
    want = expected(function)
    start = time.perf_counter()
    result = raised(function, target, check)
    seconds = time.perf_counter() - start
    report = result.functions[0]
    verdict = "kept" if report.verdict is None else level(report.verdict)
    row = {"verdict": verdict, "loops": len(loops(loops_of(function))), "left": report.kept + report.sequential}
    row |= {"seconds": round(seconds, 2), "raised": difference(function, result.text, want) or "right"}
    if row["raised"] == "right":
        better = optimise_module(result.text, file="f.mlir", limits=LIMITS).text
        row["optimised"] = difference(function, better, want) or "right"
    return row


def isolated(seed: int, target: str, check: str = "proof") -> dict[str, Any]:
    """The row of a function, or what became of its process."""
    done = run_isolated(lambda: measured(seed, target, check), timeout=3 * TIMEOUT, extra_bytes=8 << 30)
    told = {"raised": done.reason} if isinstance(done, Failed) else done.value
    return {"seed": seed, "target": target, **told}


def main() -> int:
    """Run the functions; 1 if any is not right."""
    count, first = (int(a) for a in [*sys.argv[1:], *("100", "0")[len(sys.argv) - 1 :]])
    rows = []
    for seed in range(first, first + count):
        for target in TARGETS:
            row = isolated(seed, target)
            rows.append(row)
            if {row["raised"], row.get("optimised", "right")} != {"right"} or row.get("seconds", 0) > 10:
                print(row, flush=True)
    bad = [row for row in rows if {row["raised"], row.get("optimised", "right")} != {"right"}]
    verdicts = Counter(f"{row['target']} {row['verdict']}" for row in rows if "verdict" in row)
    summary = {"functions": count, "defects": len(bad), "verdicts": dict(sorted(verdicts.items()))}
    print(summary)
    write("fuzz", f"{COMMAND} {count} {first}", rows, summary)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
