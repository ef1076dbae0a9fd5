"""Loops of real C sources: `python -m tests.bench.c.real_sources FOLDER ... [--out FILE]`.

Each FOLDER is a source package as Debian unpacks it; `real_sources.toml` lists the files that are read of it and the
flags of its build (of one that is not listed, all C files). Nothing of them is kept. Written are, per file, the loops
seen, those that are static control, raised, essential, kept and refused by reason, and the time; and the totals.

Files are measured in `--jobs` processes at once, and the record is written after each: with `--add`, a run that was
broken off goes on with the files that the record does not have.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tests.bench.record import ROOT, write_to

COMMAND = "python -m tests.bench.c.real_sources"
LISTED = Path(__file__).with_suffix(".toml")
GRACE = 120.0  # seconds that a command may take beyond its own limits, before that counts as a hang
FATES = ("seen", "static_control", "raised", "essential", "kept", "refused")


def package(folder: Path) -> str:
    """The name and version of a package: as its description beside the folder has them, else the folder's name."""
    found = sorted(folder.parent.glob(f"{_name(folder)}*_*.dsc"))
    return found[0].stem.replace("_", " ") if found else folder.name


def _name(folder: Path) -> str:
    return re.split(r"-\d", folder.name)[0]


def files(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """The files to read of a package, each with its flags."""
    listed = tomllib.loads(LISTED.read_text()).get(_name(folder), {"files": ["**/*.c"]})
    flags = [f"-I{folder / f[2:]}" if f.startswith("-I") else f for f in listed.get("flags", [])]
    for pattern in listed["files"]:
        found = sorted(folder.glob(pattern))
        if not found:
            raise SystemExit(f"{folder}: there is no {pattern}")
        yield from ((file, [f"-I{file.parent}", *flags]) for file in found)


def measured(folder: Path, file: Path, flags: list[str], options: list[str], timeout: float) -> dict[str, Any]:
    """One file: a row of the record; `error` is what the command said if it failed."""
    row: dict[str, Any] = {"package": package(folder), "file": str(file.relative_to(folder))}
    row["lines"] = len(file.read_bytes().splitlines())
    with tempfile.TemporaryDirectory() as scratch:
        numbers = Path(scratch) / "numbers.json"
        command = [sys.executable, "-m", "raising.commands.raise_command", str(file), *flags, *options, "--no-cache"]
        command += ["--timeout", f"{timeout:g}", "--stats", str(numbers), "-o", str(Path(scratch) / "out.mlir")]
        started = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout + GRACE)
        except subprocess.TimeoutExpired:
            return row | {"error": f"it does not end after {timeout + GRACE:g} s"}
        row["seconds"] = round(time.monotonic() - started, 1)
        if done.returncode != 0:
            return row | {"error": done.stderr.strip().rpartition("\n")[2].replace(f"{folder}/", "")}
        loops = json.loads(numbers.read_text()).get("loops", dict.fromkeys(FATES, 0))
    row |= {key: value for key, value in loops.items() if key != "list"}
    internal = [line for line in done.stderr.splitlines() if "internal" in line]
    return row | ({"internal": [line.replace(f"{folder}/", "") for line in internal]} if internal else {})


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The totals of a record."""
    read = [row for row in rows if "error" not in row]
    total: dict[str, Any] = {
        "packages": sorted({row["package"] for row in rows}),
        "files": len(rows),
        "read": len(read),
    }
    total |= {key: sum(row[key] for row in read) for key in FATES}
    done = total["raised"] + total["essential"]
    total["share_of_static_control"] = round(done / max(1, total["static_control"]), 4)
    total["internal_errors"] = sum(len(row.get("internal", [])) for row in rows)
    for key in ("kept_because", "refused_because"):
        reasons: Counter[str] = Counter()
        for row in read:
            reasons.update(row.get(key, {}))
        total[key] = dict(reasons.most_common())
    return total | {
        "lines": sum(row["lines"] for row in rows),
        "seconds": round(sum(r.get("seconds", 0) for r in rows)),
    }


def main(arguments: list[str]) -> int:
    """Measure the files and write the record."""
    parser = argparse.ArgumentParser(COMMAND)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "real-sources.json")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for a file (default: 300)")
    parser.add_argument("--options", default="", help="more options of `raise`")
    parser.add_argument("--add", action="store_true", help="keep the rows that OUT has, and measure what it has not")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once (default: 1)")
    given = parser.parse_args(arguments)
    folders = [folder.resolve() for folder in given.folders]
    rows = json.loads(given.out.read_text())["rows"] if given.add and given.out.exists() else []
    known = {(row["package"], row["file"]) for row in rows}
    work = [(folder, file, flags) for folder in folders for file, flags in files(folder)]
    work = [one for one in work if (package(one[0]), str(one[1].relative_to(one[0]))) not in known]
    options = shlex.split(given.options)
    told = f"{COMMAND} {' '.join(f.name for f in folders)} --timeout {given.timeout:g} --jobs {given.jobs}"
    told += f" --options '{given.options}'" if options else ""
    with ThreadPoolExecutor(given.jobs) as pool:
        for done in as_completed(pool.submit(measured, *one, options, given.timeout) for one in work):
            rows = sorted([*rows, done.result()], key=lambda row: (row["package"], row["file"]))
            print({k: v for k, v in done.result().items() if not k.endswith("_because")}, flush=True)
            write_to(given.out, told, rows, summary(rows))
    print(json.dumps(summary(rows), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
