"""`python -m tests.bench.native.xla_by_hand [-o results/xla.json]`: `--backend xla` beside JAX by hand.

PolyBench's kernels are raised to StableHLO and run by XLA, beside what a JAX expert writes (`raise-bench` with the peer
`jax`); both keep their arguments on the device. Summary: how many times as fast, in the geometric mean and at worst.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from math import exp, log
from pathlib import Path
from typing import Any

from raising.polybench.peers.jax_forms import JAX_FORMS
from tests.bench.record import write_to


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="LARGE")
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--kernels", default=",".join(JAX_FORMS), help="with commas between them")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("-o", type=Path)
    options = parser.parse_args()
    given = ["--dataset", options.dataset, "--dtype", options.dtype, "--threads", options.threads]
    given += ["--kernels", options.kernels]
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.json"
        command = [sys.executable, "-m", "raising.polybench.bench_command", "polybench", "--target", "stablehlo"]
        command += ["--peers", "jax", "--check", "none", "--executor", "process:1", "-o", str(record), *given]
        subprocess.run(command, check=True)
        rows = [row for each in json.loads(record.read_text())["rows"] if (row := beside(each)) is not None]
    rows.sort(key=lambda row: -row["ratio"])
    for row in rows:
        print(f"{row['ratio']:6.2f}  {row['kernel']:14} {row['threads']} {row['milliseconds']}")
    mean = exp(sum(log(row["ratio"]) for row in rows) / len(rows))
    below = sum(row["ratio"] < 0.9 for row in rows)
    summary = {"geometric_mean": round(mean, 3), "worst": rows[-1]["ratio"], "below_0.9": below, "of": len(rows)}
    print(summary)
    if options.o:
        write_to(options.o, f"python -m tests.bench.native.xla_by_hand {' '.join(given)} -o {options.o}", rows, summary)


def beside(row: dict[str, Any]) -> dict[str, Any] | None:
    """What a row of the record says; None where one of the two is missing."""
    ours, other = (row.get("programs", {}).get(name) for name in ("raise-xla", "jax"))
    if ours is None or other is None:
        return None
    times = {"raise": round(ours["median"] * 1e3, 3), "jax": round(other["median"] * 1e3, 3)}
    ratio = round(other["median"] / ours["median"], 3)
    return {"kernel": row["key"]["name"], "threads": row["key"]["threads"], "milliseconds": times, "ratio": ratio}


if __name__ == "__main__":
    main()
