"""A page in headless Chromium, driven through its debugging pipe: no package needed, only the browser."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
SECONDS = 60.0

_START = """
import fcntl, os, sys
given = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3]]  # away from where they go
os.dup2(given[0], 3), os.dup2(given[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Page:
    """One page; `console` collects errors and exceptions, `requests` the addresses that it asked for."""

    def __init__(self) -> None:
        assert CHROMIUM is not None
        self.console: list[str] = []
        self.requests: list[str] = []
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._count, self._rest, self._session = 0, b"", ""
        down_read, self._down = os.pipe()
        self._up, up_write = os.pipe()
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"]
        # Chromium reads commands from descriptor 3 and answers on descriptor 4.
        start = [sys.executable, "-c", _START, str(down_read), str(up_write), *command]
        self._browser = subprocess.Popen(
            start,
            pass_fds=(down_read, up_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(down_read)
        os.close(up_write)
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self._browser.pid, signal.SIGKILL)
        self._browser.wait()
        os.close(self._down)
        os.close(self._up)
        self._folder.cleanup()

    def open(self, path: Path) -> None:
        """Open a file and wait until it has been read."""
        self.send("Page.navigate", url=path.resolve().as_uri())
        self.until("document.readyState === 'complete' && location.protocol === 'file:'")

    def value(self, expression: str) -> Any:
        """What a JavaScript expression gives."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + SECONDS
        while not self.value(expression):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.05)

    def send(self, method: str, **params: Any) -> Any:
        """A command of the DevTools protocol, and its answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._down, json.dumps(message).encode() + b"\0")
        while True:
            found = self._received()
            if found.get("id") == self._count:
                assert "error" not in found, found
                return found["result"]
            self._event(found)

    def _event(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.console.append(params["exceptionDetails"]["text"])
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning"):
                self.console.append(str(params["args"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.console.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])

    def _received(self) -> dict[str, Any]:
        end = time.monotonic() + SECONDS
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._up], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser says nothing"
            part = os.read(self._up, 1 << 16)
            assert part, "the browser has ended"
            self._rest += part
        first, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(first)
        return found
