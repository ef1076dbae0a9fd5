"""Loops of real C sources: `python -m tests.bench.real_sources NAME=FOLDER[:FILE,...] ... --out FILE [-I DIR] [-D NAME]`.

Reads the C files of source packages (nothing of them is kept), raises what can be read, and writes per file the loops
seen, those that are static control, raised, essential and refused by reason, with the time; and the totals, as JSON.
NAME says which package of which version lies in FOLDER; FILE is a path or a pattern in it, `**/*.c` if there is none.
`{folder}` in an option of the preprocessor is that package's folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.bench.record import ROOT, write_to

COMMAND = "python -m tests.bench.real_sources"
GRACE = 60.0  # seconds that a command may take beyond its own limits, before that counts as a hang
FATES = ("seen", "static_control", "raised", "essential", "kept", "refused")


def _packages(texts: list[str]) -> list[tuple[str, Path, list[Path]]]:
    """The packages of the command line: name, folder, files."""
    found = []
    for text in texts:
        name, _, rest = text.partition("=")
        folder, _, patterns = rest.partition(":")
        files = [f for pattern in (patterns or "**/*.c").split(",") for f in sorted(Path(folder).glob(pattern))]
        if not files:
            raise SystemExit(f"{text}: no such files")
        found.append((name, Path(folder), files))
    return found


def measured(package: str, folder: Path, file: Path, flags: list[str], timeout: float) -> dict[str, Any]:
    """One file: a row of the record; `error` says what the command said if it failed."""
    with tempfile.TemporaryDirectory() as scratch:
        numbers = Path(scratch) / "numbers.json"
        command = [sys.executable, "-m", "raising.commands.raise_command", str(file), "--no-cache", "--check", "proof"]
        command += ["--timeout", f"{timeout:g}", "--stats", str(numbers), "-o", str(Path(scratch) / "out.mlir")]
        command += [flag.replace("{folder}", str(folder)) for flag in flags]
        started = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout + 3 * GRACE)
        seconds = time.monotonic() - started
        row: dict[str, Any] = {"package": package, "file": str(file.relative_to(folder))}
        row |= {"lines": len(file.read_bytes().splitlines()), "seconds": round(seconds, 1)}
        if done.returncode != 0 or not numbers.exists():
            return row | {"error": done.stderr.strip().splitlines()[-1].replace(f"{folder}/", "") if done.stderr else "?"}
        loops = json.loads(numbers.read_text()).get("loops")
    if loops is None:
        return row | dict.fromkeys(FATES, 0)
    return row | {key: value for key, value in loops.items() if key != "list"}


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The totals of a record."""
    read = [row for row in rows if "error" not in row]
    total: dict[str, Any] = {"files": len(rows), "read": len(read), "packages": len({r["package"] for r in rows})}
    total |= {key: sum(row[key] for row in read) for key in FATES}
    static = total["static_control"]
    total["raised_or_essential_of_static_control"] = (
        round((total["raised"] + total["essential"]) / static, 4) if static else None
    )
    for key in ("kept_because", "refused_because"):
        reasons: Counter[str] = Counter()
        for row in read:
            reasons.update(row.get(key, {}))
        total[key] = dict(reasons.most_common())
    return total | {"lines": sum(row["lines"] for row in rows), "seconds": round(sum(row["seconds"] for row in rows), 1)}


def main(arguments: list[str]) -> int:
    """Measure the files and write the record."""
    parser = argparse.ArgumentParser(COMMAND)
    parser.add_argument("packages", nargs="+", metavar="NAME=FOLDER[:FILE,...]")
    parser.add_argument("--out", default=str(ROOT / "results" / "real-sources.json"))
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for a file (default: 300)")
    parser.add_argument("-I", dest="folders", action="append", default=[])
    parser.add_argument("-D", dest="defines", action="append", default=[])
    given = parser.parse_args(arguments)
    flags = [f for folder in given.folders for f in ("-I", folder)] + [f for name in given.defines for f in ("-D", name)]
    rows = []
    for name, folder, files in _packages(given.packages):
        for file in files:
            around = ["-I", str(file.parent), *(f for flag in flags for f in [flag])]
            rows.append(measured(name, folder, file, around, given.timeout))
            print({k: v for k, v in rows[-1].items() if not k.endswith("_because")}, flush=True)
    write_to(Path(given.out), COMMAND, rows, summary(rows))
    print(json.dumps(summary(rows), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
