"""`python -m tests.bench.loops [CLASS ...] [--only NAME ...]`: a line per function, and the committed table."""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import tempfile
from pathlib import Path

from tests.bench.loops.corpus import HEADERS, functions
from tests.bench.loops.measure import measured
from tests.bench.loops.table import counted, markdown
from tests.bench.record import ROOT, write_to
from tests.c.gcc import Library

COMMAND = "python -m tests.bench.loops"

parser = argparse.ArgumentParser(COMMAND, description=__doc__)
parser.add_argument("classes", nargs="*", metavar="CLASS")
parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="only these functions, and write nothing")
parser.add_argument("--target", default="linalg")
parser.add_argument("-o", type=Path, default=ROOT / "results" / "loops.json")
given = parser.parse_args()
chosen = [each for each in functions(given.classes) if not given.only or each.name in given.only]
with tempfile.TemporaryDirectory() as folder:
    source = Path(folder) / "all.c"
    source.write_text(HEADERS + "".join(f.text for f in chosen if f.path.suffix == ".c"))
    library = Library(source, {})
rows = json.loads(given.o.read_text())["rows"] if given.o.exists() else []
new: list[dict[str, object]] = []
signal.signal(signal.SIGTERM, signal.default_int_handler)
with contextlib.suppress(KeyboardInterrupt):  # what is done by then is kept
    for function in chosen:
        new.append(measured(function, library if function.path.suffix == ".c" else None, given.target))
        print({k: v for k, v in new[-1].items() if v not in ("", [])}, flush=True)
done = {(row["file"], row["function"]) for row in new}
known = {(f.path.name, f.name) for f in functions([])}
rows = [row for row in rows if (row["file"], row["function"]) in known - done] + new
rows.sort(key=lambda row: (row["class"], row["file"], row["line"]))
print(counted(new))
if not given.only:
    write_to(given.o, COMMAND, rows, counted(rows))
    given.o.with_suffix(".md").write_text(markdown(rows, COMMAND))
