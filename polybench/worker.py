"""A measurement in a process of its own: `python -m polybench.worker ROW.json`, the job as JSON on standard input.

What a library does to its process - threads, aborts, memory - ends with it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

from polybench.task import Job, job_from_json
from raising.preload import collect_rarely


def main(out: str) -> None:
    """Do the job of standard input and write its row."""
    job = job_from_json(json.load(sys.stdin))
    end_with_parent()
    _pin(job)
    from polybench.measure import measure

    collect_rarely()

    Path(out).write_text(json.dumps(measure(job)))


def _pin(job: Job) -> None:
    """Keep to as many processors as there are threads, always the same ones."""
    if job.task.repeat and hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, allowed[-job.threads :])


def end_with_parent() -> None:
    """From now on this process ends when its parent does, with all that it runs: of a killed batch nothing is left."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1])
