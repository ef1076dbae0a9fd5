"""Ctrl-C and SIGTERM: every process ends at once, order is made, and nobody reads a traceback."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from raising.support.isolate import Finished, run_isolated
from raising.support.streams import finish, interruptible
from tests.cli.running import COMMAND, ENVIRONMENT, FILL

ASLEEP = """
import os, sys, time
import raising.commands.raise_worker
from raising.commands.raise_command import main

def work(task, tell):
    with open(sys.argv[1], "w") as stream:
        stream.write(str(os.getpid()))
    time.sleep(60)

raising.commands.raise_worker.work = work
sys.exit(main(["-", "--no-cache"]))
"""


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)])
def test_ending_the_command_ends_its_child(sent: signal.Signals, status: int, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [COMMAND[0], "-c", ASLEEP, str(note)]
    with subprocess.Popen(command, env=ENVIRONMENT, preexec_fn=_mind_interrupts, **pipes) as process:
        assert process.stdin is not None
        process.stdin.write(FILL.encode())
        process.stdin.close()
        process.stdin = None
        _wait_for(lambda: note.exists() and note.read_text() != "")
        process.send_signal(sent)
        assert process.communicate(timeout=20) == (b"", b"")
    assert process.returncode == status
    _wait_for(lambda: _is_gone(note.read_text()))


def _mind_interrupts() -> None:
    """Shells start what runs in their background deaf to Ctrl-C, these tests perhaps among it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _is_gone(process: str) -> bool:
    """True if a process has ended, whether or not somebody has asked for its status."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def _wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within 10 s")


AT_IMPORT = """
import os, signal, sys

class Finder:
    def find_spec(name, *_):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

command, module = sys.argv.pop(1), sys.argv.pop(1)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder)
import raising.support.start
sys.exit(getattr(raising.support.start, command)())
"""


def _interrupted_at_import(module: str, command: str, *arguments: str) -> tuple[int, str]:
    script = [sys.executable, "-c", AT_IMPORT, command, module, *arguments]
    done = subprocess.run(script, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "command", ["raise_", "raise_bench", "raise_check", "raise_compile", "raise_explore", "raise_grammar", "raise_opt"]
)
def test_before_a_command_begins(command: str) -> None:
    assert _interrupted_at_import("argparse", command, "--help") == (-signal.SIGINT, "")


def test_no_exception_ends_the_import_of_a_library(tmp_path: Path) -> None:
    (tmp_path / "fill.mlir").write_text(FILL)
    files = [str(tmp_path / "fill.mlir")] * 2
    assert _interrupted_at_import("mlir", "raise_check", *files) == (-signal.SIGINT, "")


def test_a_child_that_is_stopped_leaves_no_folder(tmp_path: Path) -> None:
    note = tmp_path / "note"

    def slowly() -> None:
        with tempfile.TemporaryDirectory() as folder:
            note.write_text(folder)
            time.sleep(60)

    run_isolated(slowly, timeout=0.5, extra_bytes=1 << 32)
    assert not Path(note.read_text()).exists()


BATCH = """
import sys
from pathlib import Path
from raising.polybench.bench_command import main

sys.executable = sys.argv[1]  # what measures
sys.exit(main([sys.argv[2], "--peers", "none", "--executor", "process:2", "--out", sys.argv[3]]))
"""


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -15)])
def test_ending_a_batch_ends_what_measures(sent: signal.Signals, status: int, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.mlir").write_text(FILL.replace("@fill", f"@{name}"))
    measures, out = tmp_path / "measures", tmp_path / "record.json"
    measures.write_text(  # a row for the first that asks, and for the others a process of a process
        f"""#!/bin/sh
if mkdir {tmp_path}/first 2>/dev/null; then
    echo '{{"key": {{"name": "a", "threads": 1}}, "status": "failed", "reason": "it is a test"}}' > "$3"
else
    sleep 60 &
    echo $! >> {tmp_path}/sleeping
    wait
fi
"""
    )
    measures.chmod(0o755)
    command = [sys.executable, "-c", BATCH, str(measures), str(tmp_path), str(out)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=ENVIRONMENT, preexec_fn=_mind_interrupts, stdout=pipe, stderr=pipe) as process:
        note = tmp_path / "sleeping"
        _wait_for(lambda: out.exists() and note.exists() and len(note.read_text().split()) == 2)
        process.send_signal(sent)
        said, told = process.communicate(timeout=20)
    assert (process.returncode, said) == (status, b"")
    assert told.decode().splitlines()[-1] == f"raise-bench: interrupted; rows in {out}: 1 (--resume goes on)"
    assert len(json.loads(out.read_text())["rows"]) == 1
    for number in note.read_text().split():
        _wait_for(lambda number=number: _is_gone(number))


def test_a_command_and_its_child_need_no_main_thread() -> None:
    def work() -> int:
        with interruptible():
            found = run_isolated(lambda: 7, timeout=20.0, extra_bytes=1 << 32)
        assert isinstance(found, Finished)
        return found.value

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(finish, work).result() == 7
