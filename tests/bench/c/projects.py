"""Whole C projects with `raise-cc`: `python -m tests.bench.c.projects FOLDER ... [--out FILE]`.

Each FOLDER is a source package as Debian unpacks it; `projects.toml` says how it is built and tested. A copy of it is
built by gcc, and another one by `raise-cc gcc`, twice; both run their own tests. Where there is ccache, second builds
with `ccache gcc` and `ccache raise-cc` are timed, too. Nothing of them is kept. Written are, per project, the loops and
functions that were seen, raised and replaced, the processor time of each build, and how the tests ended; and a table of
it, in Markdown. Without a FOLDER, `--add` writes the table again.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from tests.bench.c.real_sources import package
from tests.bench.record import ROOT, write_to

COMMAND = "python -m tests.bench.c.projects"
LISTED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
LOOPS = ("seen", "static_control", "raised", "replaced")
_LAST = 300  # characters of what a failed command said


class Project:
    """One copy of a project, with the compiler that builds it."""

    def __init__(self, folder: Path, copy: Path, compiler: str, cache: Path) -> None:
        self.copy, self.compiler = copy, compiler
        self.steps = LISTED[folder.name.split("-")[0]]
        shutil.copytree(folder, copy, symlinks=True)
        own = {"CC": compiler, "CFLAGS": "-O2", "RAISE_CACHE": str(cache), "RAISE_CC": "gcc"}
        own |= {"CCACHE_DIR": str(cache / "ccache"), "CCACHE_COMPILERTYPE": "gcc"}
        self.environment = {**os.environ, **own}

    def run(self, step: str) -> dict[str, Any]:
        """The processor time of a step, and what the first command said that failed."""
        before = os.times()
        for command in self.steps.get(step, []):
            words = [self._filled(word) for word in shlex.split(command)]
            words[0] = str(self.copy / words[0]) if "/" in words[0] else words[0]
            if not shutil.which(words[0]):
                return {"failed": command, "said": f"there is no {Path(words[0]).name}"}
            done = subprocess.run(
                words,
                cwd=self.copy,
                env=self.environment,
                capture_output=True,
                text=True,
                check=False,
                errors="replace",
            )
            if done.returncode:
                said = (done.stdout + done.stderr).replace(str(self.copy), "")
                return {"failed": command, "said": said[-_LAST:]}
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        return {"processor_seconds": round(used, 2)}

    def _filled(self, word: str) -> str:
        *launcher, compiler = shlex.split(self.compiler)
        word = word.replace("{cc}", self.compiler).replace("{compiler}", compiler)
        return word.replace("{launcher}", ";".join(launcher))


def measured(folder: Path, command: str, timeout: float) -> dict[str, Any]:
    """One project: a row of the record."""
    row: dict[str, Any] = {"project": package(folder), "load": round(os.getloadavg()[0], 1)}
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        report = work / "report.jsonl"
        raising = f"{command} --raise-report {report} --raise-timeout {timeout:g} gcc"
        for name, compiler in ("gcc", "gcc"), ("raise_cc", raising), ("again", raising):
            copy = work / "again" if name == "gcc" else work / "project"  # the same folder, so that objects are known
            shutil.rmtree(copy, ignore_errors=True)
            project = Project(folder, copy, compiler, work / "cache")
            configured = project.run("configure")
            report.unlink(missing_ok=True)
            row[name] = {"configure": configured, "build": project.run("build")}
            if name == "raise_cc":
                row |= _reported(report)
            if name != "again":
                row[name]["tests"] = project.run("check")
        if shutil.which("ccache"):
            raising = str(Path(sys.executable).with_name("raise-cc"))
            row["ccache"] = {
                name: _second(folder, work, f"ccache {it}") for name, it in (("gcc", "gcc"), ("raise_cc", raising))
            }
    row["equal"] = not any("failed" in done for name in ("gcc", "raise_cc") for done in row[name].values())
    return row


def _second(folder: Path, work: Path, compiler: str) -> dict[str, Any]:
    """The processor time of building a project that was built before."""
    for _ in "first", "second":
        shutil.rmtree(work / "project", ignore_errors=True)
        project = Project(folder, work / "project", compiler, work / "cache")
        project.run("configure")
        built = project.run("build")
    return built


def _reported(report: Path) -> dict[str, Any]:
    """What the report of a build adds up to."""
    files = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
    loops = {key: sum((file.get("loops") or {}).get(key, 0) for file in files) for key in LOOPS}
    units = [row for file in files for row in file.get("functions", []) if "function" in row]
    whole = [row for row in units if "part" not in row]
    done = Counter(row["done"] for row in whole), Counter(row["done"] for row in units if "part" in row)
    why = Counter(file["why"] for file in files if file.get("why"))
    return {
        "files": len(files),
        "loops": loops,
        "functions_read": len(whole),
        "functions_replaced": done[0]["replaced"],
        "parts_read": sum(done[1].values()),
        "parts_replaced": done[1]["replaced"],
        "replaced": sorted({row.get("part") or row["function"] for row in units if row["done"] == "replaced"}),
        "files_without": dict(why.most_common()),
    }


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The totals of a record."""
    total: dict[str, Any] = {"projects": len(rows), "tests_as_with_gcc": sum(row["equal"] for row in rows)}
    total |= {f"loops_{key}": sum(row["loops"][key] for row in rows) for key in LOOPS}
    return total | {key: sum(row[key] for row in rows) for key in ("functions_replaced", "parts_replaced")}


HEAD = """\
# Whole projects with `raise-cc`

Source packages of Debian, built by gcc and by `raise-cc gcc` with their own flags, and tested by their own tests
(`python -m tests.bench.c.projects FOLDER ... --add`; the figures are those of `projects.json`). Times are processor
seconds, which other work on the machine makes longer: `load` is its average before a project; a row without it was
measured beside much other work (4 to 7 on two processors).

| project | tests pass in both | loops | static control | raised | functions, parts replaced | build: gcc \
| raise-cc | again | ccache gcc again | ccache raise-cc again | tests: gcc | raise-cc | load |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def table(rows: list[dict[str, Any]]) -> str:
    """The record for people to read."""
    lines = []
    for row in rows:
        loops = [row["loops"][key] for key in LOOPS[:-1]]
        builds = [row[name]["build"] for name in ("gcc", "raise_cc", "again")]
        kept = [row.get("ccache", {}).get(name, {"processor_seconds": ""}) for name in _TESTED]
        tests = [row[name]["tests"] for name in _TESTED]
        times = [done.get("processor_seconds", "failed") for done in (*builds, *kept, *tests)]
        replaced = f"{row['functions_replaced']}, {row['parts_replaced']}"
        cells = [row["project"], "yes" if row["equal"] else "no", *loops, replaced, *times, row.get("load", "")]
        lines.append(f"| {' | '.join(map(str, cells))} |\n")
    return HEAD + "".join(lines)


_TESTED = "gcc", "raise_cc"


def main(arguments: list[str]) -> int:
    """Build the projects and write the record."""
    parser = argparse.ArgumentParser(COMMAND)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "projects.json")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for raising a file (default: 600)")
    parser.add_argument("--add", action="store_true", help="keep the rows that OUT has of other projects")
    given = parser.parse_args(arguments)
    command = f"{sys.executable} -m raising.cc.cc_command"
    names = {package(folder.resolve()) for folder in given.folders}
    rows = json.loads(given.out.read_text())["rows"] if given.add and given.out.exists() else []
    rows = [row for row in rows if row["project"] not in names]
    told = f"{COMMAND} {' '.join(f.name for f in given.folders)} --timeout {given.timeout:g}"
    for folder in given.folders:
        rows = sorted([*rows, measured(folder.resolve(), command, given.timeout)], key=lambda row: str(row["project"]))
        write_to(given.out, told, rows, summary(rows))
        print(json.dumps(rows[-1]), flush=True)
    given.out.with_suffix(".md").write_text(table(rows))
    print(json.dumps(summary(rows), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
