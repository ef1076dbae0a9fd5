"""Records: never half written, taken up where they end, of one batch only."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from raising.polybench.records.records import key_of, load, new_record, resumed, rows_of
from raising.support.files import UserError

BATCH = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import raising.polybench.batch.batch as batch
from raising.polybench.records.records import new_record, resumed
from raising.polybench.records.task import Task

def slowly(task, earlier):
    time.sleep(0.004)
    return [{"key": task.key(n), "status": "ok", "text": "x" * 20000} for n in task.threads]

batch.run_task = slowly
out = Path(sys.argv[1])
tasks = [Task(f"k{n}", "", "", "", "MINI", "f32", (1,), (), (), "none", 0, 1.0, 1.0) for n in range(40)]
record = resumed(out, new_record("test", {"dataset": "MINI", "peers": ("a", "b")}))
with ThreadPoolExecutor(2) as pool:
    batch.run_batch(tasks, record, lambda r: r.save(out), pool, lambda row: None)
"""


def run(out):
    return subprocess.Popen([sys.executable, "-c", BATCH, str(out)], start_new_session=True)


def test_killed_batches_leave_a_record_that_can_be_resumed(tmp_path):
    out = tmp_path / "record.json"
    moments = random.Random(1)
    rows = 0
    for _ in range(10):
        batch = run(out)
        while not out.exists() and batch.poll() is None:
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.25))
        os.killpg(batch.pid, signal.SIGKILL)
        batch.wait()
        found = load(out)
        assert len(found.rows) >= rows, "rows were lost"
        rows = len(found.rows)
    assert run(out).wait() == 0
    assert {key_of(r)[0] for r in load(out).rows} == {f"k{n}" for n in range(40)}
    assert len(load(out).rows) == 40


def test_another_batch_is_not_resumed(tmp_path):
    path = tmp_path / "record.json"
    new_record("test", {"dataset": "MINI"}).save(path)
    assert resumed(path, new_record("test", {"dataset": "MINI"})).rows == []
    with pytest.raises(UserError, match="other settings"):
        resumed(path, new_record("test", {"dataset": "LARGE"}))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 7, "rows": []}', '{"format": 1}', "\udcff"])
def test_what_is_no_record_is_an_error(tmp_path, text):
    path = tmp_path / "record.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UserError, match="not a record"):
        load(path)


def test_of_rows_with_the_same_key_the_last_counts():
    first, second = new_record("a", {}), new_record("b", {})
    first.add({"key": {"name": "gemm"}, "status": "failed"})
    first.add({"key": {"name": "gemm"}, "status": "ok"})
    second.add({"key": {"name": "gemm"}, "status": "late"})
    assert [row["status"] for row in first.rows] == ["ok"]
    assert [row["status"] for row in rows_of([first, second])] == ["late"]
