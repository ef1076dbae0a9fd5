"""A first run under a limit: `python -m polybench.trial`, the task and a text for XLA as JSON on standard input.

Nothing stops XLA once it runs: a loop of a billion small steps would hold up the whole row. So what has loops is run
once in a process that can be ended.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from polybench.peers import Skipped
from polybench.task import Task, task_from_json

COMPILING = 60.0
"""Seconds that starting, compiling and making inputs may take on top."""


def tried(text: str, task: Task, seconds: float) -> None:
    """Run a function on XLA once elsewhere; `Skipped` if that fails or takes more than so many seconds."""
    if "stablehlo.while" not in text:
        return
    given = json.dumps({"task": task.as_json(), "text": text})
    command = [sys.executable, "-m", "polybench.trial"]
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, check=False, timeout=COMPILING + seconds
        )
    except subprocess.TimeoutExpired:
        raise Skipped(f"takes more than {seconds:g} s on XLA") from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["nothing was said"]
        raise Skipped(f"a first run on XLA ended with status {done.returncode}: {last[0][:200]}")


def main() -> None:
    """Compile and run what standard input holds."""
    from polybench.subjects import read
    from polybench.worker import end_with_parent
    from raising.compiling import compile_module

    end_with_parent()
    given: dict[str, Any] = json.load(sys.stdin)
    subject = read(task_from_json(given["task"])).subject
    compile_module(given["text"], backend="xla")[subject.function](*subject.values.values())


if __name__ == "__main__":
    main()
