"""Regions between `#pragma scop` and `#pragma endscop` of functions that cannot be read whole."""

import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import SourceModule, convert
from raising.validate.native.foreign_call import Compiled
from tests.c.gcc import Library, needs_gcc
from tests.c.read.checking import i32, reals

MARKED = """
#include <stdio.h>
int f(int n, double *x, double (*a)[n])
{{
  {before}
  puts("");
#pragma scop
  {region}
#pragma endscop
  {after}
}}"""

REGIONS = {
    "arrays": ("", "for (int i = 0; i < n; i++) x[i] = a[i][0] * 2;", "return n;"),
    "counters": ("int i, j;", "for (i = 0; i < n; i++) for (j = i; j < n; j++) x[i] += a[i][j];", "return 0;"),
    "counter that is used after": ("int i;", "for (i = 0; i < n; i++) x[i] = 0;", "return i;"),
    "sum before and after": ("double s = 3;", "for (int i = 0; i < n; i++) s += a[i][i];", "x[0] = s; return 0;"),
    "set in any case": ("double s = 3;", "s = 0; for (int i = 0; i < n; i++) s += a[i][i];", "x[0] = s; return 0;"),
    "set perhaps": ("double s = 3;", "for (int i = 1; i < n / 9; i++) s = a[i][i];", "x[0] = s; return 0;"),
    "a size that is read": ("int m = n - 1;", "for (int i = 0; i < m; i++) x[i + 1] = a[i][m];", "return m;"),
    "a name declared anew": ("int k = 5;", "x[0] = k; { int k = 2; x[1] = k; }", "return k;"),
}


def _whole(n: int, x: np.ndarray, a: np.ndarray, given: dict[str, object], module: SourceModule) -> list[object]:
    """Arguments of a region by the names of its parameters."""
    known = {"n": n, "x": x, "a": a} | given
    return [known[p.name] for p in module.functions[-1].parameters]


@needs_gcc
@pytest.mark.parametrize(("before", "region", "after"), REGIONS.values(), ids=REGIONS.keys())
def test_a_region_is_a_function(before: str, region: str, after: str):
    source = MARKED.format(before=before, region=region, after=after)
    module = convert(source, "k.c")
    assert [f.name for f in module.functions] == ["f_scop"]
    (refused,), (remark,) = module.refused, module.remarks
    assert str(refused) == "k.c:6:3: function 'f' stays in C: calls 'puts', which is not defined in this file"
    assert str(remark) == "k.c:7:1: the region of function 'f' that starts here is function 'f_scop'"
    n, x, a = 6, reals(6, dtype="float64"), reals(6, 6, dtype="float64")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.c"
        path.write_text(source)
        want = Library(path, {}).call("f", [i32(n), x, a], "int32")
    values = {"s_at": np.array([3.0]), "i_at": np.array([77], "int32"), "k": 5, "m": n - 1}
    got = x.copy()
    Compiled(module.mlir, "f_scop").call(_whole(n, got, a, values, module))
    if "s_at" in [p.name for p in module.functions[0].parameters]:
        got[0] = values["s_at"][0]
    assert got.tobytes() == want[1].tobytes()
    if "i_at" in [p.name for p in module.functions[0].parameters]:
        assert values["i_at"][0] == want[-1]


def test_only_what_is_needed_is_passed():
    source = MARKED.format(before="int i; double s;", region=REGIONS["arrays"][1] + "s = 1; i = 2;", after="return i;")
    (f,) = convert(source, "k.c").functions
    assert [(p.name, p.shape) for p in f.parameters] == [
        ("n", None),
        ("x", ("?",)),
        ("a", ("?", "n")),
        ("i_at", ("?",)),
    ]


def test_arrays_of_the_function_do_not_overlap():
    before = "double u[9], v[9], s = 0, *p = x;"
    region = "for (int i = 0; i < n; i++) { u[i] = v[i] + p[i]; s += u[i]; }"
    module = convert(MARKED.format(before=before, region=region, after="return s + u[0];"), "k.c")
    assert [r.reason.partition(": ")[2] for r in module.assumptions] == [
        "'u' does not overlap 'p' in memory (restrict would say so)",
    ]


def test_several_regions():
    region = 'x[0] = 1;\n#pragma endscop\nputs("");\nfor (int t = 0; t < n; t++) {\n#pragma scop\nx[1] += t;'
    module = convert(MARKED.format(before="", region=region, after="} return 0;"), "k.c")
    assert [f.name for f in module.functions] == ["f_scop_1", "f_scop_2"]
    assert [p.name for p in module.functions[1].parameters] == ["x", "t"]


def test_a_function_that_reads_whole_is_not_taken_apart():
    module = convert("void f(float *x) {\n#pragma scop\n x[0] = 1;\n#pragma endscop\n}", "k.c")
    assert [f.name for f in module.functions] == ["f"] and module.remarks == module.refused == ()


def test_helpers_of_what_is_refused_are_read():
    source = """
    int puts(const char *);
    static void inner(float *x) { for (int i = 0; i < 4; i++) x[i] = 0; }
    static void outer(float *x) { inner(x); puts(""); }
    int main(void) { float x[4]; outer(x); return puts("") + x[0]; }"""
    module = convert(source, "k.c")
    assert [f.name for f in module.functions] == ["inner"]
    assert len(module.refused) == 2


OUTSIDE = {
    "return": ("", "if (n) return 0;", "return 1;", "k.c:8:10: .* control leaves the region"),
    "break": (
        "for (int i = 0; i < n; i++) {",
        "if (i) break;",
        "} return 1;",
        "k.c:8:10: .* control leaves the region",
    ),
    "pointer": ("double *p = x;", "p = x; *p = 0;", "return *p;", "k.c:7:1: .* pointer 'p' changes"),
    "length": ("int m = 3; double u[m]; m = 4;", "u[0] = 1;", "return u[1];", "k.c:7:1: .* the length of 'u'"),
    "subscript": ("", "x[(int)x[0]] = 0;", "return 0;", "k.c:8:3: .* a subscript depends on data"),
}


@pytest.mark.parametrize(("before", "region", "after", "told"), OUTSIDE.values(), ids=OUTSIDE.keys())
def test_regions_that_stay_in_c(before: str, region: str, after: str, told: str):
    module = convert(MARKED.format(before=before, region=region, after=after), "k.c")
    assert module.functions == ()
    assert re.match(told, str(module.refused[1])), module.refused


@pytest.mark.parametrize(
    ("before", "region", "after"),
    [("{", "x[0] = 1; }", "return 0;"), ("", "x[0] = 1;\n#pragma scop", "return 0;")],
    ids=["not closed", "twice"],
)
def test_pragmas_that_mark_nothing_are_told(before: str, region: str, after: str):
    module = convert(MARKED.format(before=before, region=region, after=after), "k.c")
    assert "k.c:7:1: this #pragma scop marks no region: its block does not close it" in map(str, module.remarks)
