"""From the command line to the tasks of a batch."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
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
    found = _of(options, _common(options))
    if not found:
        raise UserError(f"raise-bench: error: there is nothing to measure in '{options.what}'")
    return found


def _of(options: argparse.Namespace, common: Task) -> list[Task]:
    """The tasks of PolyBench, or of a folder; what they have in `common` is given."""
    if options.what == "polybench":
        return [_of_kernel(kernel, common) for kernel in _kernels(options.kernels)]
    folder = Path(options.what)
    if not folder.is_dir():
        raise UserError(f"raise-bench: error: '{folder}' is neither 'polybench' nor a folder")
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".mlir", *LANGUAGES) and p.is_file())
    wanted = options.kernels.split(",") if options.kernels else None
    common = replace(common, dataset=str(options.extent))
    return [
        replace(common, name=f"{path.relative_to(folder)}:{function}", file=str(path), function=function)
        for path in files
        for function in _functions(path)
        if wanted is None or function in wanted
    ]


def _of_kernel(kernel: Kernel, common: Task) -> Task:
    """The task of a kernel; one that PolyBench has in integers only is measured in them."""
    dtype = common.dtype if common.dtype in kernel.dtypes else kernel.dtypes[0]
    return replace(common, name=kernel.name, kernel=kernel.name, function=kernel.function, dtype=dtype)


def _functions(path: Path) -> Iterable[str]:
    """The functions of a file; of one that cannot be read, the file itself, so that its row tells why."""
    try:
        return functions(path) or [""]
    except (InputError, OSError, UnicodeDecodeError):
        return [""]


def _common(options: argparse.Namespace) -> Task:
    """What all tasks have in common; it is the task of no function yet."""
    return Task(
        name="",
        kernel="",
        file="",
        function="",
        dataset=options.dataset,
        dtype=options.dtype,
        threads=_numbers(options.threads),
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
