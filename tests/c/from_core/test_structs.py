"""Functions on structs, compiled from MLIR, beside gcc's: called from C with their own signatures."""

import re
import subprocess
from pathlib import Path

import pytest

from raising.frontend.c import COptions, convert
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.c.gcc import FLAGS, GCC, needs_gcc
from tests.native.running import isolated

FOLDER = Path(__file__).parents[2] / "inputs" / "structs"
SOURCE = FOLDER / "structs.c"


def _object(mlir: str) -> bytes:
    return isolated(lambda: build(mlir.encode(), "structs.mlir", CompileOptions(fp="strict")).code.object)  # type: ignore[no-any-return]


def _gcc(*arguments: str | Path) -> None:
    assert GCC is not None
    subprocess.run([GCC, *FLAGS, *map(str, arguments)], check=True, capture_output=True, text=True)


@needs_gcc
def test_they_do_what_gcc_has_them_do(tmp_path: Path) -> None:
    module = convert(SOURCE.read_text(), str(SOURCE), COptions(include_dirs=(str(FOLDER),)))
    assert module.refused == ()
    compared = set(re.findall(r"^\w+ BOTH\((\w+), ", (FOLDER / "structs.h").read_text(), re.M))
    assert {f.name for f in module.functions} == compared
    (tmp_path / "ours.o").write_bytes(_object(module.mlir))
    renamed = [f"-D{f.name}=ref_{f.name}" for f in module.functions]
    _gcc(*renamed, "-c", SOURCE, "-o", tmp_path / "theirs.o")
    _gcc(FOLDER / "main.c", tmp_path / "ours.o", tmp_path / "theirs.o", "-o", tmp_path / "main", "-lm")
    ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (0, "0\n")


def _refused(text: str) -> str:
    module = convert(text, "k.c")
    assert module.functions == ()
    return module.refused[0].reason


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("struct s { int a : 3; }; int f(struct s *p) { return p->a; }", "'a' is a bit-field"),
        ("union u { int a; float b; }; float f(union u *p) { return p->b; }", "a union is not supported"),
        ("void f(double _Complex *x) { x[0] = x[0] / x[1]; }", "division of complex numbers"),
        ("#include <complex.h>\nvoid f(double _Complex *x) { x[0] = cexp(x[1]); }", "use of complex numbers"),
        ("double f(double _Complex x) { return __real__ x; }", "of a type that is not supported"),
        ("void f(double _Complex *x) { if (x[0] == x[1]) x[0] = 0; }", "pointers or complex numbers"),
        ("void f(double _Complex *x) { ((double *)x)[2] = 0; ((float *)x)[0] = 0; }", "another type than its own"),
        ("struct s { float *p; }; void f(struct s *a, int n) { for (int i = 0; i < n; i++) *a[i].p = 1; }", "pointer"),
        ("struct s { float *p; }; void f(struct s *a, float *b) { a->p = b; a->p[0] = 1; }", "or is changed"),
        ("struct s { struct s *p; int n; }; int f(struct s *a) { return a->p->p->n; }", "not supported, or is changed"),
        ("struct s { struct s *p[2]; int n; }; int f(struct s *a, int i) { return a[i].p[0]->n; }", "'p' is a field"),
        ("struct s { int a; double b; };"
         "void f(struct s *p, int n) { for (int i = 0; i < n; i++) { p[i].a = i; p[i].b = i; } }", "several types"),
        ("struct s { int a[4]; int n; }; int f(struct s *p) { return ((int *)p)[4]; }", "another type than its own"),
        ("struct s { int a, b; }; int f(struct s *p) { return (&p->a)[1]; }", "a field is used as an array"),
        ("struct s { int a : 3; int b; }; int f(struct s p) { return p.b; }", "bit-fields in it is passed by value"),
        ("struct s { int a; }; struct s f(int n) { struct s r = {n}; return r; }", "returns a pointer or a struct"),
    ],
)  # fmt: skip
def test_what_it_cannot_have_is_refused(text: str, why: str) -> None:
    assert why in _refused(text)


def _assumed(text: str) -> list[str]:
    return [a.reason for a in convert(text, "k.c").assumptions]


def test_a_field_that_is_read_once_may_not_be_written_through_memory_of_its_type() -> None:
    text = "struct s { int n; float w; }; void f(struct s *p, %s *x) { for (int i = 0; i < p->n; i++) x[i] = i; }"
    assert _assumed(text % "int") == ["in 'f': what is written through 'x' does not change 'p_n'"]
    assert _assumed(text % "unsigned char") == ["in 'f': what is written through 'x' does not change 'p_n'"]
    assert _assumed(text % "double") == _assumed((text % "int").replace("*x", "*restrict x")) == []


def test_what_cannot_be_tested_is_no_guard() -> None:
    text = "struct s { int n; }; void f(struct s *p, int *x) { for (int i = 0; i < p->n; i++) x[i] = i; }"
    (why,) = convert(text, "k.c", COptions(guard=True)).refused
    assert "cannot be tested at run time" in why.reason


def test_an_integer_by_address_is_read_once_where_nothing_writes_it() -> None:
    body = "for (int i = 0; i < *n; i++) { y[i] += 1; %s }"
    assumed = {r.reason for r in convert(f"void f(const int *n, int *y) {{ {body % ''} }}", "k.c").assumptions}
    assert assumed == {"in 'f': what is written through 'y' does not change 'n'"}
    outside = f"int last; void f(const int *n, float *y) {{ {body % 'last = i;'} }}"
    assert any("'last' does not change 'n'" in r.reason for r in convert(outside, "k.c").assumptions)
    assert "condition depends on data" in _refused(f"void f(int *n, float *y) {{ {body % '--*n;'} }}")
    assert "condition depends on data" in _refused(f"void f(int *n, float *y) {{ {body % 'if (i > 2) n = n + 1;'} }}")


TAGGED = """struct r { int key; float val; short tag; };
float f(const struct r *r, const struct r *q, int n, short tag) {
  float s = 0;
  for (int i = 0; i < n; i++) if (r[i].tag == tag) s += ELEMENT;
  return s;
}"""


@pytest.mark.parametrize(
    ("element", "stays"),
    [("r[i].val", False), ("r[i].val * r[i].key", False), ("r[i + 1].val", True), ("q[i].val", True)],
)
def test_where_one_field_is_read_the_others_are_there(element: str, stays: bool) -> None:
    module = convert(TAGGED.replace("ELEMENT", element), "k.c")
    assert ("scf.if" in module.mlir) == stays
    assert any("may end before" in r.reason for r in module.remarks) == stays
