"""`python -m tests.bench.everyday [--only NAME ...]`: a line per function and size, worst last, and the JSON file."""

from __future__ import annotations

import argparse
import tempfile
from math import exp, log
from pathlib import Path

from tests.bench.everyday.functions import functions
from tests.bench.everyday.measure import build, measure
from tests.bench.record import write_to

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--only", nargs="*", default=[], help="functions, or domains")
parser.add_argument("--samples", type=int, default=9)
parser.add_argument("--fp", default="fast")
parser.add_argument("--sizes", choices=("small", "large", "both"), default="both")
parser.add_argument("-o", type=Path, default=None, help="where to write the figures: results/everyday.json")
parser.add_argument("--keep", type=Path, default=None, help="a folder for the texts and libraries")
options = parser.parse_args()
chosen = [each for each in functions() if not options.only or {each.name, each.domain} & set(options.only)]
rows = []
with tempfile.TemporaryDirectory() as temporary:
    folder = options.keep or Path(temporary)
    folder.mkdir(exist_ok=True)
    libraries = build(chosen, folder, options.fp)
    for function in chosen:
        for size, sizes in zip(("small", "large"), function.sizes, strict=True):
            if options.sizes not in (size, "both"):
                continue
            try:
                times = measure(function, sizes, libraries, options.samples)
            except AssertionError as error:
                print("WRONG", error, flush=True)
                continue
            rows.append({"function": function.name, "domain": function.domain, "size": size, "sizes": sizes,
                         "microseconds": times.microseconds, "ratio": round(times.ratio, 2)})  # fmt: skip
rows.sort(key=lambda row: -float(row["ratio"]))  # type: ignore[arg-type]
for row in rows:
    print(f"{row['ratio']:6.2f}  {row['function']:18} {row['size']:6} {row['microseconds']}")
mean = exp(sum(log(float(row["ratio"])) for row in rows) / len(rows))  # type: ignore[arg-type]
slower = sum(float(row["ratio"]) < 0.97 for row in rows)  # type: ignore[arg-type]
print(f"{len(chosen)} functions, geometric mean {mean:.2f}, slower by more than 3 %: {slower} of {len(rows)}")
if options.o is not None:
    beside = ", ".join(name for name in libraries if name not in ("ours", "repeat"))
    summary = {"beside": beside, "geometric_mean": round(mean, 2), "slower": slower, "of": len(rows)}
    write_to(options.o, f"python -m tests.bench.everyday -o {options.o}", rows, summary)
