"""The processes that measure, and the threads that wait for them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any


class Workers:
    """The processes that run now, which can all be ended; none is started after that."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._ended = False

    @contextlib.contextmanager
    def started(self, command: list[str], environment: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
        """A process and all that it starts, which end with the context."""
        with self._lock:
            if self._ended:
                raise CancelledError
            worker = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
                text=True,
            )
            self._running.add(worker)
        try:
            yield worker
        finally:
            with self._lock:
                self._running.discard(worker)
            _end(worker)
            worker.wait()

    def end(self) -> None:
        """End all workers, and let no new one begin."""
        with self._lock:
            self._ended = True
            for worker in self._running:
                _end(worker)


def _end(worker: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(worker.pid, signal.SIGKILL)


class Threads(ThreadPoolExecutor):
    """Threads of which each does nothing but wait for a process; if the tasks are cancelled, those processes end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self._workers = Workers()

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Let a thread do `work`, which is told where its processes belong."""
        return super().submit(work, *given, workers=self._workers, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads, and with `cancel_futures` what they wait for."""
        if cancel_futures:
            self._workers.end()
        super().shutdown(wait, cancel_futures=cancel_futures)
