"""How long C takes to become affine MLIR: `python -m tests.bench.c.c_times` writes results/c-times.json.

Each kernel, each file of the corpus, and one file of 10,000 lines with 500 functions: the files of
the corpus again and again, each time under other names.
"""

from __future__ import annotations

import re
import resource
import sys
import time
from pathlib import Path
from typing import Any

from raising.frontend.c import COptions, convert
from raising.polybench import kernels
from tests.bench.record import write
from tests.c.corpus import FILES, cases

COMMAND = "python -m tests.bench.c.c_times"
RUNS = 5
FUNCTIONS, LINES = 500, 10_000
TARGET, TARGET_LARGE = 0.060, 10.0
_DEFINED = (
    re.compile(
        r"^(?:static |inline |const |__attribute__\(\([^)]*\)\) )*\w+ \*?(?!__attribute__)(\w+)\(.*$", re.MULTILINE
    ),
    re.compile(r"#define (\w+)"),
    re.compile(r"\b([A-Z]+) = \d"),
    re.compile(r"^typedef struct .*\} (\w+);", re.MULTILINE),
    re.compile(r"^static const \w+ (\w+)\[", re.MULTILINE),
)
"""Functions, macros, enumerators, structures, tables."""
_ENUMERATED = re.compile(r"\benum\s*\w*\s*\{([^}]*)\}")


def large_file() -> str:
    """A C file of at least 500 functions and 10,000 lines."""
    sources = [path for path in FILES if path.stem != "refused"]
    parts: list[str] = []
    count = lines = 0
    while count < FUNCTIONS or lines < LINES:
        path = sources[len(parts) % len(sources)]
        text = _renamed(path, len(parts))
        parts.append(text)
        count += sum(1 for _ in cases(path))
        lines += text.count("\n")
    return "".join(parts)


def _renamed(path: Path, number: int) -> str:
    """The text of a file with its functions, types, enumerators and macros under names of their own."""
    text = path.read_text()
    names = {name for pattern in _DEFINED for name in pattern.findall(text)}
    names |= {name for listed in _ENUMERATED.findall(text) for name in re.findall(r"[A-Za-z_]\w*", listed)}
    text = re.sub(rf"\b(?:{'|'.join(sorted(names))})\b", lambda m: f"{m[0]}_{number}", text)
    return re.sub(
        r"^typedef (\w+) real;$",
        rf"#undef real\ntypedef \1 real_{number};\n#define real real_{number}",
        text,
        flags=re.M,
    )


def measured(name: str, text: str, defines: dict[str, str], runs: int, target: float) -> dict[str, Any]:
    """The best of several runs, preprocessing and printing included."""
    options = COptions(defines=tuple(f"{macro}={value}" for macro, value in defines.items()))
    times, work = [], []
    for _ in range(runs):
        started, before = time.perf_counter(), _processor_seconds()
        module = convert(text, name, options)
        times.append(time.perf_counter() - started)
        work.append(_processor_seconds() - before)
    return {
        "file": name,
        "lines": text.count("\n"),
        "functions": len(module.functions),
        "refused": len(module.refused),
        "seconds": round(min(times), 4),
        "processor_seconds": round(min(work), 4),
        "target_seconds": target,
    }


def _processor_seconds() -> float:
    """What this process and its ended children (the preprocessor) have used; hardly depends on what else runs."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def main() -> int:
    """Measure and write the record; 1 if a file is over its target."""
    rows = [measured(f"{k.name}.c", k.source, k.defines("LARGE"), RUNS, TARGET) for k in kernels().values()]
    rows += [measured(path.name, path.read_text(), {}, RUNS, TARGET) for path in FILES]
    rows.append(measured("large.c", large_file(), {}, 1, TARGET_LARGE))
    over = [row for row in rows if row["seconds"] > row["target_seconds"]]
    summary = {
        "slowest_kernel_seconds": max(row["seconds"] for row in rows[: len(kernels())]),
        "slowest_file_seconds": max(row["seconds"] for row in rows[:-1]),
        "large_file_seconds": rows[-1]["seconds"],
        "slowest_kernel_processor_seconds": max(row["processor_seconds"] for row in rows[: len(kernels())]),
        "slowest_file_processor_seconds": max(row["processor_seconds"] for row in rows[:-1]),
        "large_file_processor_seconds": rows[-1]["processor_seconds"],
        "over_target": [row["file"] for row in over],
    }
    print(write("c-times", COMMAND, rows, summary), summary)
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
