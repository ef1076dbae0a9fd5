"""The server of the page: on the loopback address, for the one browser that was started, and for nothing else.

The address that is opened has a token that serves once: the browser changes it for a cookie, and the page that it gets
then has a second token, which stands in a header of all that the page sends. A page from elsewhere has neither, and is
refused by its Host and its Origin as well. What the page sends is worked on by one child process at a time.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

ADDRESS = "127.0.0.1"
HEADER = "X-Raise-Explore"
MOST_BYTES = 1 << 20  # of what the page sends
GRACE = 10.0  # seconds beyond the time limit after which the child is ended
_SILENCE = 20.0  # seconds that a connection may say nothing
_OURS = ("same-origin", "none")  # what a browser says of where a request comes from, if it says so
WORKER = (sys.executable, "-m", "raising.explore.worker")
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

Page = Callable[[str], tuple[str, str]]
"""The page with its token in it, and the policy that says what it may load."""


class Explorer(ThreadingHTTPServer):
    """Serves one page and answers what it asks; `question` is what the page cannot change of its requests."""

    daemon_threads = True

    def __init__(self, page: Page, question: dict[str, Any], timeout: float, port: int = 0) -> None:
        super().__init__((ADDRESS, port), _Handler)
        self.page, self.question, self.seconds = page, question, timeout
        self.once, self.cookie, self.token = (secrets.token_urlsafe(32) for _ in range(3))
        self.working = Lock()
        self._opening = Lock()

    @property
    def host(self) -> str:
        """The only name under which the server answers."""
        return f"{ADDRESS}:{self.server_address[1]}"

    @property
    def cookie_name(self) -> str:
        """The cookie's name, which contains the port, because browsers send cookies to all ports."""
        return f"raise-explore-{self.server_address[1]}"

    @property
    def address(self) -> str:
        """The address for the browser, which can be opened once."""
        return f"http://{self.host}/?token={self.once}"

    def opened(self, token: str) -> bool:
        """Whether a token is the one of the address; it is of no more use afterwards."""
        with self._opening:
            right = bool(self.once) and _same(token, self.once)
            self.once = "" if right else self.once
        return right

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer of a child process to a request; requests are answered one at a time."""
        asked = {
            "do": request.get("do"),
            "question": {**self.question, "text": str(request.get("text", "")), "timeout": self.seconds},
            "before": str(request.get("before", "")),
            "function": str(request.get("function", "")),
            "sizes": _sizes(request.get("sizes")),
        }
        with self.working:
            return _worked(asked, self.seconds + GRACE)


def _worked(request: dict[str, Any], seconds: float) -> dict[str, Any]:
    child = subprocess.Popen(
        WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        said, _ = child.communicate(json.dumps(request).encode(), timeout=seconds)
        found: dict[str, Any] = json.loads(said)
        return found
    except subprocess.TimeoutExpired:
        return {"error": f"stopped after {seconds:.3g} s"}
    except (ValueError, OSError):
        return {"error": "the child process that does the work has crashed"}
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _sizes(given: Any) -> dict[str, int]:
    """Values of sizes by name: only integers that fit into 64 bits."""
    pairs = given.items() if isinstance(given, dict) else ()
    return {str(k): v for k, v in pairs if isinstance(v, int) and not isinstance(v, bool) and abs(v) < 1 << 62}


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(errors="replace"), other.encode())


class _Handler(BaseHTTPRequestHandler):
    """Handles one connection. A refused request gets a status and nothing else."""

    server: Explorer
    server_version, sys_version = "raise-explore", ""
    timeout = _SILENCE

    def do_GET(self) -> None:
        """The page, for who has the cookie; the cookie, for who has the token of the address."""
        parts = urlsplit(self.path)
        if not self._is_ours():
            self._refuse(HTTPStatus.FORBIDDEN)
        elif parts.path != "/":
            self._refuse(HTTPStatus.NOT_FOUND)
        elif parts.query:
            self._open(parse_qs(parts.query).get("token", [""])[0])
        elif not self._has_cookie():
            self._refuse(HTTPStatus.FORBIDDEN)
        else:
            page, policy = self.server.page(self.server.token)
            self._send(page.encode(), "text/html; charset=utf-8", {"Content-Security-Policy": policy})

    def do_POST(self) -> None:
        """The answer to what the page sends."""
        status = self._against()
        if status is not None:
            self._refuse(status)
            return
        try:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        except (ValueError, OSError, RecursionError):
            request = None
        if not isinstance(request, dict) or request.get("do") not in ("study", "compare", "measure"):
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        self._send(json.dumps(self.server.answer(request)).encode(), "application/json")

    def _against(self) -> HTTPStatus | None:
        """Why something that is sent is not looked at."""
        length = self.headers.get("Content-Length", "")
        token = self.headers.get(HEADER, "")
        if not self._is_ours() or self.headers.get("Origin") != f"http://{self.server.host}":
            return HTTPStatus.FORBIDDEN
        if not self._has_cookie() or not _same(token, self.server.token):
            return HTTPStatus.FORBIDDEN
        if self.path != "/":
            return HTTPStatus.NOT_FOUND
        if self.headers.get_content_type() != "application/json":
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        if not (length.isascii() and length.isdigit()):
            return HTTPStatus.LENGTH_REQUIRED
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE if len(length) > 9 or int(length) > MOST_BYTES else None

    def _is_ours(self) -> bool:
        """Whether a request is for this server by its name, and no page from elsewhere has sent it."""
        names = self.headers.get_all("Host", [])
        return names == [self.server.host] and self.headers.get("Sec-Fetch-Site", "none") in _OURS

    def _has_cookie(self) -> bool:
        try:
            found = SimpleCookie(self.headers.get("Cookie", "")).get(self.server.cookie_name)
        except CookieError:
            return False
        return found is not None and _same(found.value, self.server.cookie)

    def _open(self, token: str) -> None:
        if not self.server.opened(token):
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        cookie = f"{self.server.cookie_name}={self.server.cookie}; Path=/; HttpOnly; SameSite=Strict"
        self._send(b"", "text/plain", {"Location": "/", "Set-Cookie": cookie}, HTTPStatus.SEE_OTHER)

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True
        self._send(b"", "text/plain", {"Connection": "close"}, status)

    def _send(
        self, data: bytes, kind: str, more: dict[str, str] | None = None, status: HTTPStatus = HTTPStatus.OK
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **_HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, because addresses contain tokens."""
