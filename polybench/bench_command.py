"""The command `raise-bench`: measure kernels and write the record, or make a report of records."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from raising.polybench.records.records import Record
from raising.polybench.records.task import Task
from raising.polybench.suite.kernel import DATASETS
from raising.support.cli_options import Parser, count, finish, seconds
from raising.support.files import UserError, check_outputs
from raising.support.streams import Terminated, interruptible, say

_EPILOG = """\
raise-bench polybench                     all 30 kernels at LARGE, in both dialects, beside every peer found
raise-bench polybench --dataset MINI --kernels gemm,symm --peers gcc-O3,numpy
raise-bench DIR                           every function of the .c, .py and .mlir files in a folder, beside its loops
raise-bench report RECORD.json --out DIR  tables (report.md) and a page (report.html)

Every row is saved as soon as it is there; --resume goes on where a record ends.
"""
_CHECKS = ("none", "field", "proof", "native", "full")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0 unless the input is bad (2) or it was interrupted."""
    return finish(lambda: _run(list(sys.argv[1:] if arguments is None else arguments)))


def _run(given: list[str]) -> int:
    if given[:1] == ["report"]:
        return _report(_report_parser().parse_args(given[1:]))
    options = _parser().parse_args(given)
    options.command = shlex.join(["raise-bench", *given])
    return _batch(options)


def _parser() -> argparse.ArgumentParser:
    p = Parser("raise-bench", "Raise, check, optimise, compile and run loops, beside other systems.", _EPILOG)
    p.add_argument("what", metavar="polybench|DIR", help="PolyBench's kernels, or a folder of .c, .py and .mlir files")
    p.add_argument("--kernels", metavar="A,B", help="only these (PolyBench's spelling: 2mm, floyd-warshall)")
    p.add_argument("--dataset", choices=DATASETS, default="LARGE", help="PolyBench's sizes (default: LARGE)")
    p.add_argument("--extent", type=count, default=256, metavar="N", help="sizes that a file leaves open (256)")
    p.add_argument("--dtype", choices=("f32", "f64"), default="f32", help="DATA_TYPE (default: f32)")
    p.add_argument("--target", default="linalg,stablehlo", metavar="A,B", help="dialects to raise to")
    p.add_argument("--peers", default="all", metavar="A,B", help="names of peers, 'all' or 'none'")
    p.add_argument("--threads", default="1", metavar="N,M", help="numbers of threads to measure with (default: 1)")
    p.add_argument("--check", choices=_CHECKS, default="proof", help="how far raising is checked (default: proof)")
    p.add_argument("--repeat", type=int, default=5, metavar="N", help="samples of each program; 0 does not time")
    p.add_argument("--budget", type=seconds, default=20.0, metavar="S", help="no more samples of a program after S s")
    p.add_argument("--patience", type=seconds, default=60.0, metavar="S", help="no run of a program beyond S s (60)")
    p.add_argument("--timeout", type=seconds, default=300.0, metavar="S", help="bounds raising one function")
    p.add_argument("--executor", default="process", metavar="E", help="process[:N], dask:ADDRESS or mpi")
    p.add_argument("-o", "--out", metavar="FILE", help="the record (default: results/DATE-HOST.json)")
    p.add_argument("--resume", action="store_true", help="go on with the record that --out names")
    return p


def _report_parser() -> argparse.ArgumentParser:
    p = Parser("raise-bench report", "Tables and a page from records of raise-bench.", "")
    p.add_argument("records", nargs="+", metavar="RECORD.json", help="of batches; of tests.bench.raising.ablation, too")
    p.add_argument("--out", default="report", metavar="DIR", help="where report.md and report.html go")
    p.add_argument("--readme", metavar="FILE", help="also write the table and the picture of this README anew")
    return p


def _report(options: argparse.Namespace) -> int:
    from raising.polybench.records.records import load, read_json, rows_of
    from raising.polybench.report import update_readme, write_report

    given = {path: read_json(path) for path in map(Path, options.records)}
    others = {path: rows for path, found in given.items() if (rows := _of_another_bench(found)) is not None}
    records = [load(path) for path in given if path not in others]
    if not records:
        raise UserError(f"{options.records[0]}: error: not a record of raise-bench, nor is any other that is given")
    ablations = [
        row for rows in others.values() for row in rows if isinstance(row, dict) and {"kernel", "switch"} <= row.keys()
    ]
    written = write_report(records, Path(options.out), ablations)
    if options.readme:
        written += update_readme(Path(options.readme), rows_of(records))
    print("\n".join(map(str, written)))
    return 0


def _of_another_bench(found: Any) -> list[Any] | None:
    """The rows of what one of `tests.bench` wrote; of these a report shows ablations only."""
    rows = found.get("rows") if isinstance(found, dict) and "format" not in found else found
    return rows if isinstance(rows, list) else None


def _batch(options: argparse.Namespace) -> int:
    from raising.polybench.batch.batch import executor, run_batch
    from raising.polybench.batch.progress import shown
    from raising.polybench.batch.tasks import tasks
    from raising.polybench.records.records import new_record, resumed
    from raising.polybench.report.summary import lines

    todo = tasks(options)
    out = Path(options.out) if options.out else _default_out()
    settings = {k: v for k, v in asdict(todo[0]).items() if k in _SETTINGS}
    record = new_record(options.command, settings)
    if options.resume:
        record = resumed(out, record)
    elif options.out and out.exists():
        raise UserError(f"{out}: error: exists; --resume goes on with it")
    out.parent.mkdir(parents=True, exist_ok=True)
    check_outputs((str(out),))
    total, there = sum(len(t.threads) for t in todo), _there(todo, record)
    try:
        with interruptible(), executor(options.executor) as pool, shown(total, there) as progress:
            run_batch(todo, record, lambda r: r.save(out), pool, progress)
    except (KeyboardInterrupt, Terminated):
        kept = f"; rows in {out}: {len(record.rows)} (--resume goes on)" if record.rows else " before the first row"
        say(f"raise-bench: interrupted{kept}")
        raise
    print("\n".join(lines(record.rows)))
    print(f"{out}: {len(record.rows)} rows")
    return 0


def _there(todo: Sequence[Task], record: Record) -> int:
    """How many rows of the tasks the record has."""
    done = record.done()
    return sum(tuple(map(str, task.key(n).values())) in done for task in todo for n in task.threads)


_SETTINGS = ("dataset", "dtype", "targets", "peers", "check", "repeat", "budget", "timeout", "extent", "patience")


def _default_out() -> Path:
    import platform
    from datetime import UTC, datetime

    return Path("results") / f"{datetime.now(UTC):%Y-%m-%d-%H%M%S}-{platform.node() or 'host'}.json"


if __name__ == "__main__":
    sys.exit(main())
