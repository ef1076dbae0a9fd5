"""A raised StableHLO function on XLA's CPU beside the compiled loops, at the sizes of the file."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from raising.validate.native.compare import compare_output
from raising.validate.native.foreign_call import Compiled
from tests.kernels import arguments
from tests.kernels.execute import Value
from tests.kernels.sources import SOURCES

RUNS = 3


@dataclass(frozen=True)
class Beside:
    """The largest relative error of an output, in its maximum norm, and the seconds of the best of some runs."""

    error: float
    seconds: float


def beside_the_loops(name: str, loops: str, raised: str) -> Beside:
    """Run both on the same random input at LARGE; XLA in a process of its own, because JAX starts threads."""
    given = arguments(name, SOURCES[name].large)
    results, seconds = _on_xla(raised, given)
    source = Compiled(loops, _function(loops))
    after = [np.array(v) if np.ndim(v) else v for v in given]
    source.call([v if np.ndim(v) else v.item() for v in after])
    written = source.signature.written
    pairs = [(source.signature.arguments[k], np.asarray(after[k])) for k in written]
    errors = [compare_output(slot, want, got).error for (slot, want), got in zip(pairs, results, strict=True)]
    return Beside(max(errors), seconds)


def _function(text: str) -> str:
    found = re.search(r"func\.func @(\w+)", text)
    assert found is not None
    return found[1]


def _on_xla(text: str, given: list[Value]) -> tuple[list[Value], float]:
    with tempfile.TemporaryDirectory() as folder:
        module, inputs, outputs = (Path(folder) / n for n in ("module.mlir", "inputs.npz", "outputs.npz"))
        module.write_text(text)
        np.savez(inputs, **{f"a{k}": np.asarray(v) for k, v in enumerate(given)})
        command = [sys.executable, "-m", "tests.raising.targets.xla_worker", *map(str, (module, inputs, outputs, RUNS))]
        subprocess.run(command, check=True, capture_output=True, timeout=600)
        with np.load(outputs) as found:
            return [found[f"r{k}"] for k in range(len(found.files) - 1)], float(found["seconds"])
