"""`raise-explore` as a command: the address that it prints, what its child processes answer, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from raising.explore.explore_command import main
from raising.explore.measure import measured
from raising.explore.server import HEADER
from raising.explore.study import Question
from tests.cli.running import ENVIRONMENT

MATRIX = """
void scale(int n, int m, double a[restrict n][m], double f, const int *restrict k) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i][j] * f + k[j];
}

static void hidden(int n, float *a) {
  for (int i = 0; i < n; i++)
    a[i] = 1.0f;
}

void gather(int n, double *restrict a, const double *restrict b, const int *restrict at) {
  for (int i = 0; i < n; i++)
    a[i] = b[at[i]];
}

double total(int n, const double *a) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
"""


@pytest.fixture
def question(tmp_path):
    (tmp_path / "k.c").write_text(MATRIX)
    return Question(MATRIX, str(tmp_path / "k.c"))


@pytest.mark.parametrize("sizes", [{"n": 30, "m": 20}, {"n": 1, "m": 1}, {"n": 0, "m": 5}])
def test_both_run_on_the_same_arrays(question, sizes):
    found = measured(question, "scale", sizes)
    assert found["agree"] < 1e-12 and found["sizes"] == sizes
    assert found["ours"]["median"] > 0 and found["gcc"]["median"] > 0
    assert found["command"].startswith("gcc -O3")


def test_what_is_returned_is_compared(question):
    assert measured(question, "total", {"n": 1000})["agree"] < 1e-12


@pytest.mark.parametrize(
    ("name", "sizes", "reason"),
    [
        ("hidden", {"n": 10}, "no function 'hidden'"),
        ("gather", {"n": 10}, "depends on data"),
        ("scale", {"n": 10}, "no value was given for m"),
        ("scale", {"n": 1 << 20, "m": 1 << 20}, "MiB"),
        ("nothing", {}, "no function 'nothing'"),
        ("scale", {"n": -3, "m": 5}, "not -3x5"),
    ],
)
def test_what_cannot_be_run_has_a_reason(question, name, sizes, reason):
    assert reason in measured(question, name, sizes)["reason"]


def _asked(host, cookie, token, request):
    connection = HTTPConnection(host, timeout=120)
    headers = {"Cookie": cookie, HEADER: token, "Origin": f"http://{host}", "Content-Type": "application/json"}
    connection.request("POST", "/", json.dumps(request), headers)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def test_the_command_serves_until_it_is_interrupted(tmp_path):
    (tmp_path / "k.c").write_text(MATRIX)
    command = [sys.executable, "-m", "raising.explore.explore_command", "k.c", "--no-open", "--function", "total"]
    with subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as process:
        try:
            parts = urlsplit(process.stdout.readline().strip())
            connection = HTTPConnection(parts.netloc, timeout=60)
            connection.request("GET", f"/?{parts.query}")
            answer = connection.getresponse()
            answer.read()
            cookie = answer.headers["Set-Cookie"].partition(";")[0]
            connection.request("GET", "/", headers={"Cookie": cookie})
            text = connection.getresponse().read().decode()
            token = text.partition('data-token="')[2].partition('"')[0]
            status, found = _asked(parts.netloc, cookie, token, {"do": "study", "text": MATRIX.replace("+=", "-=")})
            assert (status, found["error"], [f["name"] for f in found["functions"]]) == (200, "", ["total"])
            asked = {"do": "compare", "text": MATRIX.replace("+=", "-="), "before": MATRIX, "function": "total"}
            assert _asked(parts.netloc, cookie, token, asked)[1]["level"] == "refuted"
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) != 0


def test_a_page_is_written_whole_or_not_at_all(tmp_path, capsys):
    (tmp_path / "k.c").write_text("int f(\n")
    assert main([str(tmp_path / "k.c"), "--out", str(tmp_path / "no" / "k.html")]) == 2
    assert main([str(tmp_path / "k.c"), "--out", str(tmp_path / "k.html")]) == 0  # the page says what is wrong
    assert "error" in (tmp_path / "k.html").read_text()
    assert not [*tmp_path.glob("*.tmp*")] and "no" in capsys.readouterr().err


def test_bytecode_has_no_lines(tmp_path, capsys):
    (tmp_path / "k.mlir").write_bytes(b"ML\xefR\x00\x01")
    assert main([str(tmp_path / "k.mlir"), "--out", str(tmp_path / "k.html")]) == 2
    assert capsys.readouterr().err.strip().endswith("bytecode has no lines to show")
    assert not Path(tmp_path / "k.html").exists()
