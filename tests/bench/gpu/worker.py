"""Runs kernels on a GPU: `python -m tests.bench.gpu.worker DATASET DTYPE FOLDER`, with their names on standard input.

It says `ready`, and then a row as JSON for each. What it runs cannot be stopped: who started it ends it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

from raising.native.call.xla import XlaFunction, compile_for_xla
from raising.polybench.measure.ours import on_device
from raising.polybench.peers import Skipped, Subject
from raising.polybench.peers.hand import hand_written
from raising.polybench.peers.timing import Program, functional
from tests.bench.gpu.references import kept_reference, subject_of

REPEAT, SAMPLE, BUDGET = 15, 0.01, 1.5
"""Samples of each program, the seconds of calls in a row that make one, and those of all together."""


def main(dataset: str, dtype: str, folder: str) -> None:
    """Run what each line names."""
    import jax

    jax.config.update("jax_default_matmul_precision", "highest")  # as ours: by default, factors are rounded to TF32
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            row = _row(line.strip(), dataset, dtype, Path(folder))
        except Exception as error:
            row = {"status": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
        print(json.dumps(row), flush=True)


def _row(name: str, dataset: str, dtype: str, folder: Path) -> dict[str, Any]:
    subject, module = subject_of(name, dataset, dtype), json.loads((folder / f"{name}.json").read_text())
    if "stablehlo." not in module["text"]:
        return {"status": "no loop was raised"}
    function = compile_for_xla(module["text"].encode(), name)[subject.function]
    assert isinstance(function, XlaFunction)
    programs = {"raise": _ours(function, subject, module["results"])}
    with suppress(Skipped):
        programs["jax"] = next(peer for peer in hand_written() if peer.name == "jax").prepare(subject)
    reference = kept_reference(subject, dataset, dtype, folder)
    first = {who: _seconds(program, 1) for who, program in programs.items()}
    agreed = {who: reference.judge(program.results()) for who, program in programs.items()}
    row: dict[str, Any] = {"status": "right" if agreed["raise"].equal else "wrong", "error": agreed["raise"].error}
    if "jax" in agreed and not agreed["jax"].equal:
        return row | {"jax": f"wrong by {agreed['jax'].error:.1e}"}
    return row | _times(programs, first)


def _ours(function: XlaFunction, subject: Subject, results: list[str]) -> Program:
    arrays = {name: value for name, value in subject.values.items() if value.ndim}
    call = on_device(function, subject.values.values(), lambda found: arrays | dict(zip(results, found, strict=True)))
    return functional(call, subject.outputs)


def _times(programs: Mapping[str, Program], first: Mapping[str, float]) -> dict[str, Any]:
    """Medians of the time of a call until its results are there, in turns; of a slow program, its first call is all."""
    slow = {who for who, seconds in first.items() if seconds > BUDGET}
    once = {who: first[who] if who in slow else _seconds(program, 1) for who, program in programs.items()}
    samples: dict[str, list[float]] = {who: [first[who]] if who in slow else [] for who in programs}
    for _ in range(REPEAT):
        for who, program in programs.items():
            if not samples[who] or sum(samples[who]) + once[who] <= BUDGET:
                samples[who].append(_seconds(program, max(1, round(SAMPLE / once[who]))))
    medians = {who: median(found) for who, found in samples.items()}
    row: dict[str, Any] = {"milliseconds": {who: round(seconds * 1e3, 4) for who, seconds in medians.items()}}
    if "jax" in medians:
        row["ratio"] = round(medians["jax"] / medians["raise"], 3)
    return row


def _seconds(program: Program, calls: int) -> float:
    started = time.perf_counter()
    for _ in range(calls):
        program.run()
    return (time.perf_counter() - started) / calls


if __name__ == "__main__":
    main(*sys.argv[1:])
