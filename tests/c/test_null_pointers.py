"""Pointers that a function compares with null: called with every combination of null and others, beside gcc."""

from __future__ import annotations

import ctypes
import itertools
from pathlib import Path

import numpy as np
import pytest

from raising.commands.compile_command import main as raise_compile
from raising.emit.versioning import guarded
from raising.frontend.c import COptions, convert
from tests.c.beside import guarded_and_gcc
from tests.c.gcc import Library, needs_gcc

HEAD = """
#include <stddef.h>
struct s { int n; float *x; float w[4]; };
struct p { float x, y; };
static int inner(const float *a, float *b, int n) {
  if (a == NULL || b == NULL) return 0;
  for (int i = 0; i < n; i++) b[i] = a[i] + 1;
  return 1;
}
"""
FOR = "for (int i = 0; i < n; i++)"
FUNCTIONS = {
    "early": f"int early(float *a, float *b, int n) {{ if (!a) return -1; {FOR} a[i] = i; return 0; }}",
    "left": f"int left(float *a, float *b, int n) {{ if (NULL == b || a == 0 || n < 2) return 5; {FOR} a[i] += b[i]; "
    "return 3; }",
    "optional": f"int optional(float *a, float *b, int n) {{ int k = 0; {FOR} {{ k += 3; if (a) a[i] = i; "
    "if (b) b[i] = 2 * i; } return k; }",
    "chosen": f"int chosen(float *a, float *b, int n) {{ if (a) {FOR} a[i] = 7 + (b ? b[i] : 0.5f); "
    "return b != NULL; }",
    "fields": f"int fields(struct s *a, float *b, int n) {{ if (!a || !a->x) return 1; {FOR} a->x[i] *= a->n; "
    "return 0; }",
    "rows": f"int rows(struct p *a, float *b, int n) {{ if (a == 0) return 4; {FOR} {{ a[i].x += 1; a[i].y *= 2; }} "
    "return 0; }",
    "inlined": "int inlined(float *a, float *b, int n) { return inner(a, b, n) ? 7 : 8; }",
    "unused": f"int unused(const void *a, float *b, int n) {{ if (!b) return 2; if (!a) n = 2; {FOR} b[i] += 1; "
    "return n; }",
}


class _Fields(ctypes.Structure):
    _fields_ = (("n", ctypes.c_int), ("x", ctypes.c_void_p), ("w", ctypes.c_float * 4))


def _called(library: Library, name: str, n: int, given: tuple[bool, bool]) -> tuple[int, bytes]:
    """What a function returns, and memory behind the call; pointers that are not `given` are null."""
    memory = (np.arange(64) / 8).astype("f4")
    first, second = (memory[at:].ctypes.data for at in (8, 40))
    held = _Fields(3, first if n % 2 else None)
    if name == "fields":
        first = ctypes.addressof(held)
    pointers = [ctypes.c_void_p(p if here else None) for p, here in zip((first, second), given, strict=True)]
    result = getattr(library.shared, name)(*pointers, ctypes.c_int(n))
    return result, memory.tobytes()


def _differing(ours: Library, theirs: Library, name: str) -> list[object]:
    cases = itertools.product((-1, 0, 1, 2, 5, 9), itertools.product((False, True), repeat=2))
    return [case for case in cases if _called(ours, name, *case) != _called(theirs, name, *case)]


@needs_gcc
def test_a_null_pointer_takes_what_c_says(tmp_path: Path) -> None:
    """The test at run time fails for a null pointer, and the loops run as C has them."""
    ours, theirs = guarded_and_gcc(HEAD + "\n".join(FUNCTIONS.values()), tmp_path)
    assert {name: found for name in FUNCTIONS if (found := _differing(ours, theirs, name))} == {}


@needs_gcc
def test_a_null_pointer_in_what_is_written_as_it_is(tmp_path: Path) -> None:
    loop = "for (int i = 1; i < n; i++) a[(int)b[i] & 3] += 1;"
    text = f"int f(float *a, float *b, int n) {{ if (!a || !b) return 0; {loop} return 1; }}"
    (tmp_path / "k.c").write_text(text)
    read = convert(text, "k.c", COptions(guard=True, whole=True))
    (tmp_path / "k.mlir").write_text(guarded(read.mlir, read.guards))
    assert raise_compile([str(tmp_path / "k.mlir"), "-o", str(tmp_path / "k.so")]) == 0
    assert _differing(Library.loaded(tmp_path / "k.so"), Library(tmp_path / "k.c", {}), "f") == []


@pytest.mark.parametrize(
    "text",
    [
        "int f(float **a, int n) { int k = 0; for (int i = 0; i < n; i++) k += a[i] != 0; return k; }",
        "int f(float *a, float *b, int n) { float *p = n > 3 ? a : b; return p != 0; }",
        "struct s { struct s *next; }; int f(struct s *p) { int k = 0; for (; p; p = p->next) k++; return k; }",
        "int f(float *a) { return a == (float *)8; }",
    ],
)
def test_what_is_not_known_stays(text: str) -> None:
    assert convert(text, "k.c", COptions(guard=True)).functions == ()


def test_a_pointer_that_is_asked_about_in_several_ways_of_reading_is_passed_once() -> None:
    """Where pointers move through both branches, a loop is read as if nothing changed first."""
    move = "for (int j = 0; j < a->n; j++) *(p++) = {}(*(q++));"
    text = f"""struct d {{ int n; }};
struct o {{ int n; float *x, *y, *w; struct d *next; }};
void f(struct o *a) {{ float *p = a->x, *q = a->y;
  for (int i = 0; i < a->n; i++) {{
    if (a->next == 0) {{ {move.format("a->w[i] * ")} }} else {{ {move.format("")} }} }} }}"""
    module = convert(text, "k.c", COptions(guard=True, fallback=False))
    assert module.mlir.count("%a_next:") == 1
