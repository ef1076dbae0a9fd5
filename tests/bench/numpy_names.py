"""Common names of NumPy under `@raising.jit`, each beside NumPy on vectors of 7, 1 and 0 elements: `docs/numpy.md`.

`python -m tests.bench.numpy_names [NAME ...]`: names that are given are run and printed, and nothing is written.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import raising
from raising.support.errors import InputError
from tests.bench.record import ROOT
from tests.decorator.numpy_library.names_of_numpy import arguments, source, uses

PAGE = ROOT / "docs" / "numpy.md"
SIZES = (7, 1, 0)
NO_ERROR = "a number for no elements, where NumPy has an error"
HEAD = """# Names of NumPy

This page lists {all} uses of NumPy's names under `@raising.jit`. {good} of them give NumPy's results, on vectors of
7, 1 and 0 elements, in both types of floats; the others are refused with their place. `python -m
tests.bench.numpy_names` compares all of them with NumPy and writes this page. Operators and methods are in
[Python](python.md).

Sorting, searching and the like become loops that depend on data. A function that uses them is compiled as it is
written, so its other loops stay loops, too. `argsort` keeps equal elements in order, which NumPy only does for
`kind="stable"`. Inputs for which NumPy raises an error (a singular matrix, bins that are not sorted) raise an
`IndexError`.

## Work

{works}

These return a number for an empty array, for which NumPy raises an error: {silent}.

## Refused

| use | why |
|---|---|
{refused}
"""


def function(name: str, text: str, folder: Path) -> tuple[Callable[..., Any], list[str]]:
    """A function that uses a name, from a file of its own, and its parameters."""
    code, names = source(name, text)
    path = folder / f"use_{abs(hash(name))}.py"
    path.write_text(f"import numpy as np\n\n\n{code}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f, names


def judged(name: str, text: str, folder: Path, **options: Any) -> str:
    """Empty if a name works; why it is refused, or behind `WRONG` what differs."""
    f, names = function(name, text, folder)
    compiled = raising.jit(**options)(f)
    for kind in ("float64", "float32"):
        for n in SIZES:
            told = _one(f, compiled, names, n, kind)
            if told:
                return told if told.startswith("WRONG") or told == NO_ERROR or n == SIZES[0] else ""
    return ""


def _one(f: Any, compiled: Any, names: list[str], n: int, kind: str) -> str:
    wanted: Any = None
    with np.errstate(all="ignore"):
        try:
            wanted = f(*arguments(names, n, kind))
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            wanted = None
    try:
        found = compiled(*arguments(names, n, kind))
    except InputError as error:
        return str(error.message)
    except (IndexError, ValueError) as error:
        return "" if wanted is None else f"WRONG at {n} {kind}: {error}"
    if wanted is None:
        return NO_ERROR if n == 0 else f"WRONG at {n} {kind}: no error"
    pairs = zip(_parts(found), _parts(wanted), strict=True)
    return next((f"WRONG at {n} {kind}: {told}" for told in (differs(a, b, kind) for a, b in pairs) if told), "")


def _parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


def differs(found: Any, wanted: Any, kind: str) -> str:
    """How a result differs from NumPy's, in its type, shape or elements."""
    a, b = np.asarray(found), np.asarray(wanted)
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return f"{a.dtype}{a.shape} in place of {b.dtype}{b.shape}"
    near = 1e-9 if kind == "float64" else 1e-3
    same = np.allclose(a, b, near, near, equal_nan=True) if b.dtype.kind in "fc" else np.array_equal(a, b)
    return "" if same else f"{a.reshape(-1)[:3]} in place of {b.reshape(-1)[:3]}"


def main() -> int:
    """1 if a result is wrong."""
    only = sys.argv[1:]
    rows: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in uses().items():
            if not only or name in only:
                rows[name] = judged(name, text, Path(folder))
                if only or rows[name].startswith("WRONG"):
                    print(f"{name}: {rows[name] or 'works'}", flush=True)
    wrong = [name for name, told in rows.items() if told.startswith("WRONG")]
    if not only and not wrong:
        works = ", ".join(f"`{name}`" for name, told in rows.items() if not told)
        refused = "\n".join(f"| `{name}` | {told} |" for name, told in rows.items() if told not in ("", NO_ERROR))
        silent = ", ".join(f"`{name}`" for name, told in rows.items() if told == NO_ERROR)
        good = sum(not told for told in rows.values())
        PAGE.write_text(HEAD.format(all=len(rows), good=good, works=works, refused=refused, silent=silent))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
