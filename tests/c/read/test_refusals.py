"""What is outside of the subset, and what C does not guarantee."""

from types import ModuleType

import pytest

from raising.frontend.c import COptions, convert
from raising.frontend.lower.ir import node_writer
from raising.frontend.lower.known import state
from tests.c.read.checking import read, refusal

REFUSED = {
    "indirect": ("void f(int *p, float *x) {\nfor (int i = 0; i < 9; i++)\n  x[p[i]] = 0;\n}", "k.c:3:3: .*subscript"),
    "bound": (
        "void f(int *n, float *x) {\nfor (int i = 0; i < n[1]; i++) x[i] = n[i];\n}",
        "k.c:2:.*condition depends on",
    ),
    "break": (
        "void f(float *x) {\nfor (int i = 0; i < 9; i++) { x[i] = 1;\n if (x[i] > 0)\n  break; }\n}",
        "k.c:4:3: .*break",
    ),
    "goto": ("void f(float *x) {\nend:\n  goto end;\n}", "k.c:2:1: .*a label"),
    "recursion": ("int f(int n) {\n  return n ? f(n - 1) : 0;\n}", "k.c:2:14: .*recursively"),
    "bit-field": ("struct s { int a : 3; };\nvoid f(struct s *p) { p->a = 0; }", "k.c:2:.*bit-field"),
    "pointers": ("void f(float **a) { a[0][0] = 0; }", "k.c:1:.*pointers"),
    "unknown call": ("void g(float *);\nvoid f(float *x) {\n  g(x);\n}", "k.c:3:3: .*'g'"),
    "quadratic": ("void f(float *x, int n) { for (int i = 0; i * i < n; i++) x[i] = 0; }", "k.c:1:.*not affine"),
    "triangle": (
        "void f(float *x, int n) { for (int i = 0; i < n; i++) x[i * (i + 1) / 2] = 0; }",
        "k.c:1:.*subscript",
    ),
    "wrong way": ("void f(float *x, int n) { for (int i = 0; i < n; i--) x[i] = 0; }", "k.c:1:.*count"),
    "long double": ("void f(long double *x) { x[0] = 0; }", "k.c:1:.*long double"),
    "volatile": ("void f(volatile int *x) { x[0] = 0; }", "k.c:1:.*volatile"),
    "another type": ("void f(float *x) { int *p = (int *)x; p[0] = 1; }", "k.c:1:.*another type"),
}


@pytest.mark.parametrize(("source", "told"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_with_place_and_reason(source: str, told: str):
    import re

    assert re.match(told, refusal(source)), refusal(source)


@pytest.mark.parametrize(
    ("module", "limit", "told"),
    [(state, "MAX_STEPS", "too long to read"), (node_writer, "MAX_NODES", "operations")],
    ids=["steps", "nodes"],
)
def test_only_the_function_that_is_too_large_stays(
    module: ModuleType, limit: str, told: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, limit, 100)
    source = f"void g(int *x) {{ {'x[0] += 1; ' * 50} }}\nvoid f(int *x) {{ for (int i = 0; i < 9; i++) x[i] = 0; }}"
    read = convert(source, "k.c")
    assert [f.name for f in read.functions] == ["f"]
    assert told in read.refused[0].reason and read.refused[0].place.line == 1


def test_all_functions_of_a_file_have_one_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(state, "MAX_ALL_STEPS", 100)
    function = "void f{0}(int *x) {{ for (int i = 0; i < 9; i++) x[i] = 0; }}\n"
    module = convert("".join(function.format(k) for k in range(20)), "k.c")
    whole = [f.name for f in module.functions if "_loop" not in f.name]
    assert whole and len(whole) + len(module.refused) == 20 and len(module.functions) < 20
    assert all("too long to read" in r.reason for r in module.refused)


def test_reading_may_be_asked_to_take_less():
    """One function that takes long leaves the others what they need."""
    long = f"void g(int *x) {{ {'x[0] += 1; ' * 50} }}\n"
    short = "void f{0}(int *x) {{ for (int i = 0; i < 9; i++) x[i] = 0; }}\n"
    module = convert(long + "".join(short.format(k) for k in range(20)), "k.c", COptions(share=2e-4))
    assert [f.name for f in module.functions] == [f"f{k}" for k in range(20)]
    assert "too long to read, 100 steps" in module.refused[0].reason and len(module.refused) == 1


def test_a_product_with_too_many_terms_is_data():
    sums = " * ".join(["(a + b + c + d + e)"] * 30)
    module = read(f"int f(int a, int b, int c, int d, int e) {{ return {sums}; }}")
    assert len(module.mlir) < 20_000


def test_an_enumerator_of_the_length_of_a_global():
    source = "int t[7];\nenum {{ N = sizeof t / sizeof t[0] }};\n{0}{1}"
    one = "void {}(float *x) {{ for (int i = 0; i < N; i++) x[i] = t[i]; }}\n"
    module = read(source.format(one.format("f"), one.format("g")))
    assert module.mlir.count("0 to 7") == 2


def test_other_functions_are_still_read():
    source = "void g(void) { a: goto a; }\nvoid f(float *x) { for (int i = 0; i < 9; i++) x[i] = 0; }"
    module = convert(source, "k.c")
    assert [f.name for f in module.functions] == ["f"]
    assert len(module.refused) == 1


ASSUMED = {
    "rows": ("void f(int n, int k, int l, float *a) {{ {loop} a[i * l + j] = 0; }}", "k <= l"),
    "no overlap": (
        "void f(int n, int k, int l, float *a, float *b) {{ {loop} a[i] = b[j]; }}",
        "'a' does not overlap 'b'",
    ),
}


@pytest.mark.parametrize(("source", "told"), ASSUMED.values(), ids=ASSUMED.keys())
def test_assumptions_are_told(source: str, told: str):
    loop = "for (int i = 0; i < n; i++) for (int j = 0; j < k; j++)"
    (remark,) = read(source.format(loop=loop)).assumptions
    assert told in remark.reason


def test_restrict_and_known_rows_need_no_assumption():
    source = "void f(int n, int m, float *restrict a, float *b) {" + (
        " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] = b[i * m + j]; }"
    )
    assert not read(source).assumptions


def test_of_row_lengths_the_one_that_needs_no_assumption_is_taken():
    """`w` as a row's length would do, too, if there were one row only."""
    loops = "for (int i = 0; i < h - 2; i++) for (int j = 0; j < w - 2; j++)"
    module = read(f"void f(int h, int w, float *a) {{ {loops} a[i * (w - 2) + j] = 0; }}")
    assert not module.assumptions


def test_a_wrong_row_length_is_not_believed():
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < m + 1; j++)"
    source = f"void f(int n, int m, float *a) {{ {loops} a[i * m + j] = 0; }}"
    assert "subscript" in refusal(source)


def test_every_operation_has_its_place():
    from mlir import ir

    module = read("void f(float *x) {\n  for (int i = 0; i < 9; i++)\n    x[i] *= 2;\n}")
    with ir.Context():
        parsed = ir.Module.parse(module.mlir)
        loop = parsed.body.operations[0].regions[0].blocks[0].operations[0]
        assert (loop.location.start_line, loop.location.start_col) == (2, 3)
        places = [op.location.start_line for op in loop.regions[0].blocks[0].operations]
        assert places[:-1] == [3] * (len(places) - 1)


def test_macros_and_one_function():
    source = "void f(float *x) { for (int i = 0; i < N; i++) x[i] = 0; }\nvoid g(void) {}"
    module = convert(source, "k.c", COptions(defines=("N=17",), function="f"))
    assert "0 to 17" in module.mlir and "@g" not in module.mlir
