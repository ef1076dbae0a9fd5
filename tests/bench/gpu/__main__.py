"""`python -m tests.bench.gpu FOLDER [-o results/gpu.json]`: `--backend xla` on a GPU beside JAX by hand.

FOLDER keeps the raised modules, so that they can be made elsewhere: a machine with a GPU then needs no more than jax,
MLIR's Python bindings and gcc. Without a GPU, the command ends when they are made. Arguments and results of both lie on
the device, products have the precision of their type in both, and all results are compared with those of the C loops.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from math import exp, log
from pathlib import Path
from typing import Any

from raising.polybench.suite.kernel import kernels
from tests.bench.gpu.references import keep_reference
from tests.bench.record import write_to

Row = dict[str, Any]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.gpu", description=__doc__)
    parser.add_argument("folder", type=Path, help="where raised modules are, or are put")
    parser.add_argument("--dataset", default="LARGE")
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--kernels", default=",".join(kernels()), help="only these, with commas between them")
    parser.add_argument("--patience", type=float, default=40.0, help="seconds that one kernel may take")
    parser.add_argument("--processes", type=int, default=8, help="how many C loops run at once, before any timing")
    parser.add_argument("--on-cpu", action="store_true", help="run on the CPU where jax sees no GPU")
    parser.add_argument("-o", type=Path, help="write a record")
    options = parser.parse_args()
    names = options.kernels.split(",")
    folder = options.folder / f"{options.dataset}-{options.dtype}"
    missing = [name for name in names if not (folder / f"{name}.json").exists()]
    if missing:
        make = import_module("tests.bench.gpu.modules").make  # all of raising: only where modules are missing
        make(missing, options.dataset, options.dtype, folder)
    platform, _, device = _device().partition(" ")
    if platform == "cpu" and not options.on_cpu:
        print("jax sees no GPU: nothing is run")
        return
    with ProcessPoolExecutor(options.processes) as pool:
        list(pool.map(keep_reference, [(name, options.dataset, options.dtype, folder) for name in names]))
    rows: list[Row] = []
    for row in _rows(names, options, folder):
        rows.append(row)
        if options.o:  # after each, as a machine with a GPU may be lent for so many minutes
            command = f"python -m tests.bench.gpu FOLDER --dataset {options.dataset} --dtype {options.dtype}"
            write_to(options.o, f"{command} -o {options.o}", rows, {"device": device, **_summary(rows)})
    print(_summary(rows))


def _device() -> str:
    """The platform and the name of jax's device; jax starts threads, so that it does not run in this process."""
    asked = "import jax; device = jax.devices()[0]; print(device.platform, device.device_kind)"
    return subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()


def _rows(names: list[str], options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """A row for each kernel. One worker runs all; it is ended, and another started, where it loses patience."""
    worker = None
    for name in names:
        if worker is None or worker.poll() is not None:
            worker = _worker(options, folder)
        late = threading.Timer(options.patience, worker.kill)
        assert worker.stdin is not None and worker.stdout is not None
        print(name, file=worker.stdin, flush=True)
        late.start()
        said = worker.stdout.readline()
        late.cancel()
        row = {"kernel": name} | (json.loads(said) if said else _gone(worker, options.patience))
        print(*row.values(), flush=True)
        yield row
    if worker is not None:
        worker.kill()


def _worker(options: argparse.Namespace, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.bench.gpu.worker", options.dataset, options.dtype, str(folder)]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    assert worker.stdout.readline().strip() == "ready"
    return worker


def _gone(worker: subprocess.Popen[str], patience: float) -> Row:
    status = worker.wait()
    return {"status": f"takes more than {patience:g} s" if status == -9 else f"ended with status {status}"}


def _summary(rows: list[Row]) -> Row:
    """How many are right, and how many times as fast as JAX by hand they are where somebody wrote that."""
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    told: Row = {"right": sum(row["status"] == "right" for row in rows), "of": len(rows)}
    if ratios:
        mean = exp(sum(map(log, ratios)) / len(ratios))
        told |= {"beside_jax": len(ratios), "geometric_mean": round(mean, 3), "worst": min(ratios)}
    return told


if __name__ == "__main__":
    main()
