"""The 30 kernels and the C corpus, raised, as NumPy or JAX, run and compared with gcc's.

Where they differ, gcc's function is also run on inputs moved by two units in the last place: of elements that move with
them nothing is asked (`raising.polybench.measure.agreement`), and how many those are is said.

`python -m tests.bench.raising.readable_source LANGUAGE [NAME ...]`: `numpy` or `jax`, then names to take alone. Writes
`results/readable-LANGUAGE.json`. What is raised is kept in `build/readable`, so that the second language does not raise
it again.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from raising.pipeline import RaiseOptions, raise_module
from raising.polybench import kernels
from raising.polybench.measure.agreement import Reference, reference
from raising.polybench.suite.values import Array, Value
from raising.readable.to_source import to_source
from raising.support.isolate import run_isolated
from tests.bench.record import ROOT, write
from tests.c.corpus import FILES, cases
from tests.c.gcc import Library
from tests.c.reading import read
from tests.readable.running import difference, memory_shapes, results, shaped

COMMAND = "python -m tests.bench.raising.readable_source"
RAISED = ROOT / "build" / "readable"
MEMORY = 4 << 30
EQUAL = "equal"


@dataclass(frozen=True)
class Job:
    """A C function and what to call it on."""

    name: str
    path: Path
    function: str
    defines: dict[str, str]
    arguments: list[Value]
    returns: str | None


def jobs() -> Iterator[Job]:
    """The kernels at their smallest size, then the corpus."""
    for name, k in kernels().items():
        values = list(k.inputs("MINI", "f64", seed=1).values())
        yield Job(f"kernel-{name}", k.path, k.function, k.defines("MINI", "f64"), values, None)
    for path in FILES:
        for c in cases(path):
            defines, values = c.defines("f64"), c.arguments("f64", 1)
            yield Job(f"{path.stem}-{c.function}", path, c.function, defines, values, c.result("f64"))


def raised(job: Job) -> str:
    """The raised module; empty if that could not be done."""
    file = RAISED / f"{job.name}.mlir"
    if not file.exists():
        run_isolated(partial(_raise, job, file), timeout=120, extra_bytes=MEMORY)
    return file.read_text() if file.exists() else ""


def _raise(job: Job, file: Path) -> None:
    module = read(job.path, job.defines, job.function)
    result = raise_module(module.mlir, file=job.path.name, options=RaiseOptions(check="field", timeout=60.0))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(result.text)


def judged(job: Job, language: str) -> str:
    """`equal`, `equal but for ...`, or what is wrong."""
    text = raised(job)
    if not text:
        return "it could not be raised"
    source = to_source(text, language, {})
    if source.refused:
        return f"refused: {source.refused[job.function]}"
    loops = partial(Library(job.path, job.defines).call, job.function, returns=job.returns)
    given = shaped(job.arguments, memory_shapes(text, job.function))
    try:
        got = results(source, job.function, given, language)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    told = difference(loops(job.arguments), got)
    return _undetermined(job, loops, got) or told if told else EQUAL


def _undetermined(job: Job, loops: Callable[[Sequence[Value]], Sequence[Value]], got: Sequence[Any]) -> str:
    """`equal` with the part of the elements that rounding decides; empty if others differ too."""

    def run(values: Mapping[str, Value]) -> dict[str, Array]:
        return {str(k): np.asarray(v) for k, v in enumerate(loops(list(values.values())))}

    known = reference(run, run, {str(k): v for k, v in enumerate(job.arguments)})
    each = [Reference({k: want}, {k: known.spread[k]}) for k, want in known.results.items()]
    found = [one.judge({k: np.reshape(got[int(k)], want.shape)}) for one in each for k, want in one.results.items()]
    part = max(agreement.undetermined for agreement in found)
    return f"{EQUAL} but for {part:.0%} of a result: rounding decides it" if all(f.equal for f in found) else ""


def main() -> int:
    """All of them, or those that are named."""
    language, *only = sys.argv[1:]
    if language == "jax":
        os.environ |= {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}
    rows: dict[str, Any] = {}
    for job in jobs():
        if only and job.name not in only:
            continue
        rows[job.name] = judged(job, language)
        if rows[job.name] != EQUAL or only:
            print(f"{job.name}: {rows[job.name]}", flush=True)
    counts = Counter(EQUAL if row.startswith(EQUAL) else "other" for row in rows.values())
    print(dict(counts))
    if not only:
        found = [{"function": name, "result": row} for name, row in rows.items()]
        write(f"readable-{language}", f"{COMMAND} {language}", found, dict(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
