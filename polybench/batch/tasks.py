"""From the command line to the tasks of a batch."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from raising.grammar.dialects.committed import known
from raising.polybench.measure.subjects import LANGUAGES, functions
from raising.polybench.peers import peers
from raising.polybench.records.task import Task
from raising.polybench.suite.kernel import Kernel, kernels
from raising.support.errors import InputError
from raising.support.files import UserError


def tasks(options: argparse.Namespace) -> list[Task]:
    """The tasks in the order in which they are run; `UserError` for names that are not known."""
    found = _of(options, _numbers(options.threads))
    if not found:
        raise UserError(f"raise-bench: error: there is nothing to measure in '{options.what}'")
    return found


def _of(options: argparse.Namespace, threads: tuple[int, ...]) -> list[Task]:
    if options.what == "polybench":
        return [_task(options, threads, k.name, k.name, "", k.function, k) for k in _kernels(options.kernels)]
    folder = Path(options.what)
    if not folder.is_dir():
        raise UserError(f"raise-bench: error: '{folder}' is neither 'polybench' nor a folder")
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".mlir", *LANGUAGES) and p.is_file())
    wanted = options.kernels.split(",") if options.kernels else None
    return [
        _task(options, threads, f"{path.relative_to(folder)}:{name}", "", str(path), name, None)
        for path in files
        for name in _functions(path)
        if wanted is None or name in wanted
    ]


def _functions(path: Path) -> Iterable[str]:
    """The functions of a file; of one that cannot be read, the file itself, so that its row tells why."""
    try:
        return functions(path) or [""]
    except (InputError, OSError, UnicodeDecodeError):
        return [""]


def _task(
    options: argparse.Namespace,
    threads: tuple[int, ...],
    name: str,
    kernel: str,
    file: str,
    function: str,
    entry: Kernel | None,
) -> Task:
    # A kernel that PolyBench has in integers only is measured in them.
    dtype = options.dtype if entry is None or options.dtype in entry.dtypes else entry.dtypes[0]
    return Task(
        name=name,
        kernel=kernel,
        file=file,
        function=function,
        dataset=options.dataset if kernel else str(options.extent),
        dtype=dtype,
        threads=threads,
        targets=_names(options.target, known(), "target"),
        peers=_peers(options.peers),
        check=options.check,
        repeat=options.repeat,
        budget=options.budget,
        timeout=options.timeout,
        extent=options.extent,
        patience=options.patience,
    )


def _kernels(names: str | None) -> list[Kernel]:
    everything = kernels()
    chosen = _names(names, list(everything), "kernel") if names else tuple(everything)
    return [everything[name] for name in chosen]


def _peers(names: str) -> tuple[str, ...]:
    if names == "none":
        return ()
    return tuple(peers()) if names == "all" else _names(names, list(peers()), "peer")


def _names(given: str, known: Iterable[str], what: str) -> tuple[str, ...]:
    names = tuple(filter(None, given.split(",")))
    for name in names:
        if name not in known:
            raise UserError(f"raise-bench: error: unknown {what} '{name}' (known: {', '.join(known)})")
    return names


def _numbers(given: str) -> tuple[int, ...]:
    names = given.split(",")
    if not all(name.isascii() and name.isdigit() and 0 < int(name) <= 1024 for name in names):
        raise UserError(f"raise-bench: error: --threads takes numbers from 1, not '{given}'")
    return tuple(sorted({int(name) for name in names}))
