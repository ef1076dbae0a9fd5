"""Runs a StableHLO function on XLA's CPU.

The command is `python -m tests.raising.targets.xla_worker MODULE INPUTS.npz OUTPUTS.npz [TIMES]`. With TIMES, it is run
so often once more, and the least number of seconds is stored too. In a process of its own, because JAX starts threads
and other tests fork. Without arguments, it takes them from the lines of its input, one after the other, and says a line
when it is done with each: JAX takes longer to start than to run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import _jax, xla_client
from jaxlib.mlir import ir


def main(module_path: str, inputs: str, outputs: str, times: str = "0") -> None:
    """Compile the module's only function, call it on the arrays of `inputs`, store what it returns."""
    jax.config.update("jax_enable_x64", True)
    devices = jax.devices("cpu")[:1]
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(Path(module_path).read_text())
        module.body.operations[0].attributes["sym_name"] = ir.StringAttr.get("main")
    run = devices[0].client.compile_and_load(module, _jax.DeviceList(tuple(devices)), xla_client.CompileOptions())
    with np.load(inputs) as given:
        arguments = [jax.device_put(given[f"a{k}"], devices[0]) for k in range(len(given.files))]
    results = run.execute_sharded(arguments).disassemble_into_single_device_arrays()
    found = {f"r{k}": np.asarray(r[0]) for k, r in enumerate(results)}
    if int(times):
        found["seconds"] = np.asarray(min(_seconds(run, arguments) for _ in range(int(times))))
    np.savez(outputs, **found)


def _seconds(run: Any, arguments: Sequence[Any]) -> float:
    start = time.perf_counter()
    results = run.execute_sharded(arguments).disassemble_into_single_device_arrays()
    for result in results:
        result[0].block_until_ready()
    return time.perf_counter() - start


def serve() -> None:
    """Run what each line of the input names."""
    for line in sys.stdin:
        try:
            main(*line.rstrip("\n").split("\t"))
            print("done", flush=True)
        except Exception as error:
            print(f"{type(error).__name__}: {error}".replace("\n", " "), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:]) if sys.argv[1:] else serve()
