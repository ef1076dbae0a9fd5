"""The server of `raise-explore` answers the page that it served to the browser that was started, and nothing else."""

from __future__ import annotations

import json
import socket
import threading
from http.client import HTTPConnection

import pytest

from raising.explore import server as explore
from raising.explore.server import HEADER, MOST_BYTES, Explorer

ASKED = {"do": "study", "text": "void f(void) {}\n"}


class Known(Explorer):
    """A server that says what it was asked, in place of a child process."""

    def answer(self, request):
        return {"asked": request}


@pytest.fixture
def served():
    with Known(lambda token: (f"<p>{token}</p>", "default-src 'none'"), {"file": "k.c"}, 5.0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server, method="GET", path="/", body=b"", **headers):
    """The status, headers and body; a header of None is left out."""
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    given = {"Host": server.host, "Content-Length": str(len(body)) if method == "POST" else None} | headers
    for name, value in given.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(body or None)
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read()
    connection.close()
    return found


def right(server):
    """All the headers that the page's own requests have."""
    return {
        "Cookie": f"{server.cookie_name}={server.cookie}",
        "Origin": f"http://{server.host}",
        "Content-Type": "application/json",
        HEADER: server.token,
    }


def post(server, body=None, path="/", **changed):
    data = json.dumps(ASKED).encode() if body is None else body
    return ask(server, "POST", path, data, **(right(server) | changed))


def test_it_listens_on_the_loopback_address_only(served):
    assert served.socket.getsockname()[0] == "127.0.0.1"
    assert served.address.startswith("http://127.0.0.1:")


def test_the_token_of_the_address_gives_a_cookie_once(served):
    path = served.address.partition(served.host)[2]
    status, headers, body = ask(served, path=path)
    assert (status, headers["Location"], body) == (303, "/", b"")
    assert "HttpOnly" in headers["Set-Cookie"] and "SameSite=Strict" in headers["Set-Cookie"]
    assert served.token not in headers["Set-Cookie"]
    cookie = headers["Set-Cookie"].partition(";")[0]
    status, headers, body = ask(served, Cookie=cookie)
    assert (status, body.decode()) == (200, f"<p>{served.token}</p>")
    assert headers["Content-Security-Policy"] == "default-src 'none'"
    assert headers["X-Frame-Options"] == "DENY" and headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in headers
    assert ask(served, path=path)[0] == 403


def test_what_the_page_sends_is_answered(served):
    status, headers, body = post(served)
    assert (status, headers["Content-Type"], json.loads(body)) == (200, "application/json", {"asked": ASKED})


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=x", "/?other=1"])
def test_nobody_else_gets_the_page(served, path):
    assert ask(served, path=path)[::2] == (403, b"")


@pytest.mark.parametrize("path", ["/etc/passwd", "/../page.js", "/favicon.ico", "http://127.0.0.1/x", "/page"])
def test_there_is_one_path(served, path):
    cookie = f"{served.cookie_name}={served.cookie}"
    assert ask(served, path=path, Cookie=cookie)[::2] == (404, b"")
    assert post(served, path=path)[::2] == (404, b"")


HOSTS = [None, "evil.example", "localhost:{port}", "127.0.0.1", "127.0.0.1:1", "{host}.evil.example"]


@pytest.mark.parametrize("host", HOSTS)
def test_another_host_gets_nothing(served, host):
    name = host and host.format(host=served.host, port=served.server_address[1])
    assert ask(served, Host=name, Cookie=f"{served.cookie_name}={served.cookie}")[::2] == (403, b"")
    assert post(served, Host=name)[::2] == (403, b"")


@pytest.mark.parametrize(
    "changed",
    [
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "https://{host}"},
        {"Origin": "http://127.0.0.1:1"},
        {"Cookie": None},
        {"Cookie": "{cookie}=x"},
        {"Cookie": "{cookie}=\xe9"},
        {"Cookie": "other=1"},
        {HEADER: None},
        {HEADER: ""},
        {HEADER: "x"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_request_from_elsewhere_gets_nothing(served, changed):
    filled = {k: v and v.format(host=served.host, cookie=served.cookie_name) for k, v in changed.items()}
    assert post(served, **filled)[::2] == (403, b"")


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": None}, 415),
        ({"Content-Length": None}, 411),
        ({"Content-Length": "-1"}, 411),
        ({"Content-Length": "x"}, 411),
        ({"Content-Length": str(MOST_BYTES + 1)}, 413),
        ({"Content-Length": "9" * 5000}, 413),
    ],
)
def test_a_body_has_a_kind_and_a_length(served, changed, status):
    assert post(served, **changed)[::2] == (status, b"")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"study"', b"{}", b'{"do": "run"}', b"\xff", b"[" * 100_000])
def test_only_known_requests_are_worked_on(served, body):
    assert post(served, body)[::2] == (400, b"")


@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "DELETE", "HEAD"])
def test_other_methods_are_refused(served, method):
    assert ask(served, method, **right(served))[0] == 501


def test_the_page_decides_text_and_sizes_alone(monkeypatch):
    asked = []
    monkeypatch.setattr(explore, "_worked", lambda request, seconds: asked.append((request, seconds)) or {})
    with Explorer(lambda token: ("", ""), {"file": "k.c", "flags": ("-DN=3",)}, 5.0) as server:
        sizes = {"n": 3, "m": 1 << 70, "t": True, "x": "1"}
        server.answer(
            {"do": "measure", "text": "t", "file": "/etc/passwd", "flags": ["-I/"], "sizes": sizes, "timeout": 9}
        )
    ((request, seconds),) = asked
    assert request["question"] == {"file": "k.c", "flags": ("-DN=3",), "text": "t", "timeout": 5.0}
    assert request["sizes"] == {"n": 3}
    assert seconds == 5.0 + explore.GRACE


def test_a_child_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(explore, "WORKER", ("sleep", "1000"))
    assert explore._worked({}, 0.2) == {"error": "stopped after 0.2 s"}


def test_a_child_that_crashes_is_an_answer(monkeypatch):
    monkeypatch.setattr(explore, "WORKER", ("false",))
    assert "crashed" in explore._worked({}, 5.0)["error"]


def test_who_says_nothing_keeps_nobody_waiting(served):
    with socket.create_connection(served.server_address[:2]):
        assert post(served)[0] == 200
