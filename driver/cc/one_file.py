"""The way of one file: preprocess it, compile it, raise it, compile the edited text, join both objects."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from raising.cc.edited_text import PREFIX, edited, second_names
from raising.cc.kept_objects import Entry, Kept
from raising.cc.plan import Plan
from raising.cc.raise_file import MEMORY, FileTask, RaisedFile, comes_again, raise_file
from raising.cc.system_compiler import run
from raising.support.record import dataclass

_LOOP = re.compile(rb"\b(?:for|while|do)\b")
_ELEMENT = re.compile(rb"[\w)\]]\s*\[|\*\s*\w+\s*(?:\+\+|--)|\*\(|\*\s*[A-Za-z_]\w*\s*=")
_MARKER = re.compile(rb'^#(?: line)? \d+ "(?:[^"\\]|\\.)*"(?P<flags>[ \d]*)$', re.MULTILINE)
_ENVIRONMENT = re.compile(rb"FENV_ACCESS|\bfe(?:setround|setenv|updateenv|holdexcept|testexcept|enableexcept)\b")
"""Words of who changes or asks how floats are rounded."""
_BUSIEST = 8.0
"""How many times as long raising may take by the clock where programs share processors, at most."""
_FLOOR = f"""
double {PREFIX}floor(double x) {{ if (!(x > -0x1p52 && x < 0x1p52)) return x;
double r = (double)(long)x; return r == x ? x : r > x ? r - 1 : r; }}
"""
_EVEN = f"""
double {PREFIX}roundeven(double x) {{ if (!(x > -0x1p52 && x < 0x1p52)) return x;
long n = (long)x; double d = x - (double)n; long odd = n & 1;
return __builtin_copysign((double)(n + (d > 0.5 || (odd && d == 0.5)) - (d < -0.5 || (odd && d == -0.5))), x); }}
float {PREFIX}roundevenf(float x) {{ return (float){PREFIX}roundeven(x); }}
"""
_TRUNC = f"""
double {PREFIX}trunc(double x) {{ return x > -0x1p52 && x < 0x1p52 ? __builtin_copysign((double)(long)x, x) : x; }}
float {PREFIX}truncf(float x) {{ return (float){PREFIX}trunc(x); }}
"""
_ROUND = f"""
double {PREFIX}round(double x) {{ double t = {PREFIX}trunc(x), d = x - t;
return d >= 0.5 ? t + 1 : d <= -0.5 ? t - 1 : t; }}
float {PREFIX}roundf(float x) {{ return (float){PREFIX}round(x); }}
"""
_OWN = {
    "floor": _FLOOR,
    "ceil": f"double {PREFIX}ceil(double x) {{ return -{PREFIX}floor(-x); }}\n",
    "roundeven": _EVEN,
    "roundevenf": "",
    "trunc": _TRUNC,
    "truncf": "",
    "round": _ROUND,
    "roundf": "",
}
"""Functions of mathematics that raised code calls on processors without an instruction: who needs them need not link
libm. Each may call those in front of it."""


@dataclass(frozen=True)
class Options:
    """What the user asked of raising: `fp` (nothing: as the flags say), seconds, and whether somebody reads rows."""

    fp: str = ""
    timeout: float = 120.0
    cache: bool = True


@dataclass(frozen=True)
class Made:
    """The compiler's exit status; what was done, for the report; whether the object has raised code."""

    status: int
    rows: dict[str, Any]


def compiled(plan: Plan, options: Options, folder: Path) -> Made:
    """Make the object of a file: the compiler's, or one with raised code in its place."""
    text = _preprocessed(plan, folder)
    if text is None:  # the compiler says why
        return Made(run(plan.compiler, plan.plain, told=True).status, {"why": "it cannot be preprocessed"})
    entry = Entry(plan, text, (options.fp,)) if options.cache and plan.can_be_kept else None
    kept = entry.read() if entry is not None else None
    if kept is not None and not kept.said and _restored(plan, kept):
        return Made(0, kept.rows)
    ran = run(plan.compiler, plan.plain, told=True)
    target = Path(plan.target)
    if ran.status or not target.is_file():
        return Made(ran.status, {"why": "the compiler made no object"})
    rows, code, lasting = _known(kept) or _better(plan, options, text, target.read_bytes(), folder)
    if code is not None:
        from raising.support.files import write_output

        write_output(str(target), code)
    if entry is not None and lasting and kept is None:
        _keep(plan, entry, target, rows, bool(ran.said))
    return Made(0, rows)


def _known(kept: Kept | None) -> tuple[dict[str, Any], bytes | None, bool] | None:
    """The rows and the code kept for a file whose compiler messages have to be printed again."""
    return (kept.rows, kept.code, True) if kept is not None else None


def worth_it(plan: Plan, folder: Path) -> bool:
    """Whether a file may have something to raise, as the cheap filter says."""
    text = _preprocessed(plan, folder)
    return text is not None and may_raise(text)


def _preprocessed(plan: Plan, folder: Path) -> bytes | None:
    out = folder / "text.i"
    done = run(plan.compiler, [*plan.preprocess, "-o", str(out)])
    return out.read_bytes() if not done.status and out.is_file() else None


def _restored(plan: Plan, kept: Kept) -> bool:
    """Write what was kept."""
    from raising.support.files import UserError, write_output

    if (plan.dependences is None) != (kept.dependences is None):
        return False
    try:
        if plan.dependences is not None and kept.dependences is not None:
            write_output(str(plan.dependences), kept.dependences.encode(errors="surrogateescape"))
        write_output(plan.target, kept.code)
    except UserError:
        return False
    return True


def _keep(plan: Plan, entry: Entry, target: Path, rows: dict[str, Any], said: bool) -> None:
    dependences = None
    if plan.dependences is not None:
        if not plan.dependences.is_file():
            return
        dependences = plan.dependences.read_text(errors="surrogateescape")
    entry.write(Kept(target.read_bytes(), dependences, rows, said))


# ---- raised code ----------------------------------------------------------------------------------------


def may_raise(text: bytes) -> bool:
    """Whether the user's own part of a preprocessed text has a loop and an element of an array: a cheap filter."""
    own, start, system = [], 0, False
    for marker in _MARKER.finditer(text):
        if not system:
            own.append(text[start : marker.start()])
        start, system = marker.end(), b"3" in marker["flags"].split()
    if not system:
        own.append(text[start:])
    user = b"".join(own)
    return _LOOP.search(user) is not None and _ELEMENT.search(user) is not None


def _better(
    plan: Plan, options: Options, text: bytes, plain: bytes, folder: Path
) -> tuple[dict[str, Any], bytes | None, bool]:
    """The rows of the report, an object with raised code if there is one, and whether another run gives the same."""
    if not may_raise(text):
        return {"why": "no loops over arrays"}, None, True
    if _ENVIRONMENT.search(text) is not None:
        return {"why": "it works with the floating-point environment"}, None, True
    if PREFIX.encode() in text or (tool := shutil.which("objcopy")) is None:
        return {"why": "its names, or there is no objcopy"}, None, True
    found, lasting = _raised(plan, options, text, plain)
    rows: dict[str, Any] = {"loops": found.loops, "functions": [*found.rows]}
    if not found.code or not found.replacements:
        return rows | {"why": found.why}, None, lasting
    code, why = _joined(plan, found, text, plain, folder, tool)
    if code is None:
        kept = [row | {"done": "left", "why": why} if row["done"] == "replaced" else row for row in found.rows]
        return {"loops": found.loops | {"replaced": 0}, "functions": kept, "why": why}, None, lasting
    replaced = sum(row["done"] == "replaced" for row in found.rows)
    return rows | {"replaced": replaced}, code, lasting


def _raised(plan: Plan, options: Options, text: bytes, plain: bytes) -> tuple[RaisedFile, bool]:
    """What becomes of the file in a child process, and whether another run gives the same."""
    from raising.support.isolate import Finished, run_isolated

    fp, linked = plan.fp(options.fp), _linked(plain)
    seconds = options.timeout * sharing()
    task = FileTask(_decoded(text)[0], plan.source, plan.meaning, fp, plan.cpu, plan.errno, seconds, linked)
    found = run_isolated(partial(raise_file, task), timeout=seconds, extra_bytes=MEMORY)
    if isinstance(found, Finished):
        return found.value, found.value.lasting
    return RaisedFile(why=f"to raise it {found.reason}"), comes_again(found)


def sharing() -> float:
    """How many programs share a processor: what is raised should not depend on what else a machine has to do."""
    return min(_BUSIEST, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


def _decoded(text: bytes) -> tuple[str, str]:
    """The text, and its encoding: in Latin-1 every byte is a character."""
    try:
        return text.decode(), "utf-8"
    except UnicodeDecodeError:
        return text.decode("latin-1"), "latin-1"


def _joined(
    plan: Plan, found: RaisedFile, text: bytes, plain: bytes, folder: Path, tool: str
) -> tuple[bytes | None, str]:
    """The compiler's object of the edited text and the raised one, as one; or why there is none."""
    from raising.native.codegen.objects import undefined_symbols

    decoded, encoding = _decoded(text)
    written = edited(decoded.encode(), found.replacements).decode().encode(encoding)
    source, own, raised, both = (folder / name for name in ("edited.i", "edited.o", "raised.o", "both.o"))
    own_text = "".join(_OWN.values()) if {*found.needs} & {*_OWN} else ""
    own_text += second_names(undefined_symbols(found.code))
    source.write_bytes(written + own_text.encode(encoding))
    raised.write_bytes(found.code)
    names = [f"--redefine-sym={name}={PREFIX}{name}" for name in _OWN]
    if subprocess.run([tool, *names, str(raised)], capture_output=True, check=False).returncode:
        return None, "objcopy failed"
    done = run(plan.compiler, plan.edited(source, own))
    if done.status:
        return None, f"the compiler refuses the edited text: {_first_error(done.said)}"
    done = run(plan.compiler, ["-r", "-nostdlib", "-o", str(both), str(own), str(raised)])
    if done.status:
        return None, f"the objects cannot be joined: {_first_error(done.said)}"
    return _localised(both, tool)


def _linked(plain: bytes) -> frozenset[str]:
    """The symbols that raised code may need: what is brought along, and what users of the compiler's object link.

    Who links libm has all of it.
    """
    from raising.affine.ir.real_functions import REALS
    from raising.native.codegen.objects import undefined_symbols

    linked = undefined_symbols(plain)
    names = {name for row in REALS.values() if row.errno for name in row.names_in_c} | {"fmod", "sincos"}
    library = names | {f"{name}f" for name in names}
    return linked | _OWN.keys() | (library if linked & library else frozenset())


def _localised(both: Path, tool: str) -> tuple[bytes | None, str]:
    """The object in which nobody else can name what was added."""
    command: Sequence[str] = [tool, "--wildcard", f"--localize-symbol={PREFIX}*", str(both)]
    done = subprocess.run(command, capture_output=True, check=False)
    return (None, "objcopy failed") if done.returncode else (both.read_bytes(), "")


def _first_error(said: bytes) -> str:
    lines = [line for line in said.decode(errors="replace").splitlines() if "error" in line]
    return lines[0].rpartition("error: ")[2] if lines else "without a message"
