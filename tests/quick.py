"""The tests that a change can reach, nearest first, for about a minute: `make quick`, or `python -m tests.quick -n 2`.

What changed is what differs from the last commit. A test reaches a file if it imports it, at whatever depth; fewer
steps are nearer. They are collected some files at a time: most of those that reach a file that all use would be
imported only to be left. Options: `--seconds S` (45, after which no test is begun; what runs then has ten more),
`--since COMMIT` (HEAD), and any of pytest's. What was not run is said.
"""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.test_repo import FOLDERS, ROOT, imports, module_name, sources

ALWAYS = ("tests/test_repo.py",)
TOGETHER = 40  # files of tests that are collected at once
_NAMED = re.compile(r"\braising(?:\.\w+)+")  # modules are also run by their names, in a process of their own


def changed(since: str) -> list[Path]:
    """The files that differ from a commit, new ones included."""
    commands = (("diff", "--name-only", since), ("ls-files", "--others", "--exclude-standard"))
    runs = (subprocess.run(["git", *c], cwd=ROOT, capture_output=True, text=True, check=True) for c in commands)
    return sorted({ROOT / line for run in runs for line in run.stdout.splitlines()})


def graph() -> dict[Path, set[Path]]:
    """For each Python file of the program and of its tests, the files that it imports or names."""
    tests = sorted((ROOT / "tests").rglob("*.py"))
    home = {module_name(path): path for path in sources()}
    home |= {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in tests}
    found: dict[Path, set[Path]] = {}
    for path in home.values():
        names = {name for module, taken in imports(path) for name in (module, *(f"{module}.{t}" for t in taken))}
        found[path] = {home[name] for name in names | _named(path, home) if name in home} - {path}
    return found


def _named(path: Path, home: Mapping[str, Path]) -> set[str]:
    """The modules whose names stand in strings: of commands in tests, and of what the package loads when it is used."""
    if path.parts[len(ROOT.parts)] != "tests" and path.name != "__init__.py":
        return set()
    words = (match.split(".") for match in _NAMED.findall(path.read_text()))
    return {".".join(word[:n]) for word in words for n in range(2, len(word) + 1)} & set(home)


def distances(files: Iterable[Path], uses: Mapping[Path, set[Path]]) -> dict[Path, int]:
    """For each file that reaches one of `files`, by how many imports."""
    users: dict[Path, set[Path]] = {}
    for path, used in uses.items():
        for other in used:
            users.setdefault(other, set()).add(path)
    found = dict.fromkeys(files, 0)
    front = list(found)
    while front:
        front = [path for old in front for path in _new(users.get(old, set()), found, found[old] + 1)]
    return found


def _new(paths: Iterable[Path], found: dict[Path, int], distance: int) -> list[Path]:
    new = [path for path in paths if path not in found]
    found.update(dict.fromkeys(new, distance))
    return new


def reaching(files: Iterable[Path]) -> list[Path]:
    """The files of tests that reach some changed files, nearest first; a stage's data counts as all of its code."""
    uses = graph()
    starts: set[Path] = set()
    for file in files:
        top = file.relative_to(ROOT).parts[0]
        if file.suffix == ".py":
            starts.add(file)
        elif top in FOLDERS.values():
            starts |= {path for path in uses if path.is_relative_to(file.parent) or path.parent == file.parent.parent}
    near = distances(starts, uses)
    return sorted((p for p in near if p.name.startswith("test_") and p.exists()), key=lambda p: (near[p], p))


class Watch:
    """Ends runs of pytest at a time of the monotonic clock; counts what was run."""

    def __init__(self, end: float) -> None:
        self.end = end
        self.ran = self.failed = 0
        self.over = False

    @pytest.hookimpl
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Keep the session, or what distributes its tests."""
        self.session = session

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """After each test: is the time over?"""
        self.ran += report.when == "call"
        self.failed += report.failed
        if time.monotonic() > self.end and not self.over:
            self.over = True
            distributed = self.session.config.pluginmanager.getplugin("dsession")
            (distributed or self.session).shouldstop = "the time is over"

    def stop(self, *_: object) -> None:
        """When a test is still running at the end: what distributes tests listens to nothing else until it is done."""
        if not self.over:
            self.over = True
            pytest.exit("the time is over", returncode=2)


def rounds(files: list[str], options: list[str], watch: Watch) -> int:
    """Run files of tests, some at a time, until one fails or the time is over: pytest's last status."""
    status = pytest.ExitCode.OK
    for start in range(0, len(files), TOGETHER):
        status = pytest.ExitCode(pytest.main(["-q", *options, *files[start : start + TOGETHER]], plugins=[watch]))
        if watch.over or status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            break
    return int(watch.failed > 0) if watch.over or status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status)


def main() -> int:
    """Run; 0 if nothing failed."""
    began = time.monotonic()
    parser = argparse.ArgumentParser(prog="tests.quick")
    parser.add_argument("--seconds", type=float, default=45.0)
    parser.add_argument("--since", default="HEAD")
    options, rest = parser.parse_known_args()
    files = [str(path.relative_to(ROOT)) for path in reaching(changed(options.since))]
    chosen = list(dict.fromkeys((*ALWAYS, *files)))
    watch = Watch(began + options.seconds)
    print(f"{len(chosen)} files of tests can reach what changed since {options.since}", flush=True)
    signal.signal(signal.SIGALRM, watch.stop)
    signal.setitimer(signal.ITIMER_REAL, max(watch.end - time.monotonic(), 0.1))
    try:
        status = rounds(chosen, rest, watch)
    except pytest.exit.Exception:  # between two runs
        status = int(watch.failed > 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    if watch.over:
        print(f"{watch.ran} tests ran, the nearest ones; the time was over before the others: `make test` runs all")
    return status


if __name__ == "__main__":
    sys.exit(main())
