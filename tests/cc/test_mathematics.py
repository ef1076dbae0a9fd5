"""Functions of mathematics on every x86-64, which has no instructions that multiply and add, or round."""

import ctypes
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from raising.native.codegen.objects import undefined_symbols
from tests.c.gcc import needs_gcc
from tests.cc.running import raise_cc_here

pytestmark = needs_gcc
KINDS = {"double": (np.float64, 1e-14), "float": (np.float32, 1e-6)}
CALLS = {
    "double": ("exp(a[i])", "expm1(a[i])", "log1p(a[i] * a[i])", "sin(a[i]) * cos(a[i])", "round(a[i])"),
    "float": ("tanhf(a[i])", "logf(a[i] * a[i] + 1)", "powf(a[i] * a[i], 1.7f)", "roundf(a[i])"),
}
FUNCTIONS = {f"{kind[0]}{k}": (kind, call) for kind, calls in CALLS.items() for k, call in enumerate(calls)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with libraries by raise-cc and by gcc."""
    folder = tmp_path_factory.mktemp("mathematics")
    text = "#include <math.h>\n" + "".join(
        f"void {name}(int n, const {kind} *a, {kind} *b) {{ for (int i = 0; i < n; i++) b[i] = {call}; }}\n"
        for name, (kind, call) in FUNCTIONS.items()
    )
    (source := folder / "k.c").write_text(text)
    flags = ["gcc", "-O2", "-fno-math-errno", "-fPIC"]
    told = ["--raise-no-cache", "--raise-report", str(folder / "report.json")]
    assert raise_cc_here(*told, *flags, "-c", str(source), "-o", str(folder / "k.o")) == 0
    for given, library in (("k.o", "raised.so"), ("k.c", "plain.so")):
        subprocess.run([*flags, "-shared", folder / given, "-o", folder / library, "-lm"], check=True)
    return folder


@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_is_replaced_and_does_what_gcc_does(built: Path, name: str) -> None:
    rows = json.loads((built / "report.json").read_text())["functions"]
    assert [row["done"] for row in rows if row.get("function") == name] == ["replaced"]
    kind, precision = KINDS[FUNCTIONS[name][0]]
    given = np.concatenate([np.random.default_rng(0).uniform(-9, 9, 300), [0.0, -0.0, 0.5, -0.5, 2.5, 1e-9, -1e-12]])
    given = np.concatenate([given, [0.49999999999999994, 1e18, -1e18, np.inf, -np.inf, np.nan]]).astype(kind)
    results = []
    for library in ("raised.so", "plain.so"):
        results.append(np.zeros_like(given))
        call = getattr(ctypes.CDLL(str(built / library)), name)
        call(len(given), ctypes.c_void_p(given.ctypes.data), ctypes.c_void_p(results[-1].ctypes.data))
    np.testing.assert_allclose(results[0], results[1], rtol=precision)
    assert (np.signbit(results[0]) == np.signbit(results[1]))[~np.isnan(given)].all()


def test_it_calls_what_the_compilers_code_calls(built: Path) -> None:
    called = undefined_symbols((built / "k.o").read_bytes())
    assert called >= {"exp", "expm1", "log1p", "tanhf", "logf"} and not called & {"fma", "fmaf"}


def test_what_would_have_to_be_linked_leaves_the_others(tmp_path: Path) -> None:
    """The compiler computes remainders itself here, and raised code calls a function for them."""
    loop = "(int n, const double *a, double *b) { for (int i = 0; i < n; i++) b[i] ="
    text = f"#include <math.h>\nvoid f{loop} fmod(a[i], 1.7); }}\nvoid g{loop} a[i] * 1.7; }}\n"
    (source := tmp_path / "k.c").write_text(text)
    told = ["--raise-no-cache", "--raise-report", str(tmp_path / "report.json")]
    assert raise_cc_here(*told, "gcc", "-O2", "-ffast-math", "-c", str(source), "-o", str(tmp_path / "k.o")) == 0
    assert not undefined_symbols((tmp_path / "k.o").read_bytes())
    rows = {row["function"]: row for row in json.loads((tmp_path / "report.json").read_text())["functions"]}
    assert rows["g"]["done"] == "replaced" and rows["f"]["why"].endswith("does not: fmod")


ROOTS = {  # expressions of a root, and whether it never sets `errno`
    "sqrt(a[i] * a[i] + b[i] * b[i])": True,
    "1.0 / sqrt(1e-9 + fabs(a[i]) / 3.0)": True,
    "sqrt(a[i] < 0 ? 0 : a[i])": True,
    "sqrt(n > 4 ? fabs(a[i]) : 2) * (a[i] < b[i] ? i : 3)": True,
    "sqrt((a[i] < b[i] ? i : 3) - 7)": False,
    "sqrt(a[i] > 0.5 ? a[i] : 0.5)": True,
    "sqrt(a[i])": False,
    "sqrt(a[i] * a[i] - b[i])": False,
    "sqrt(a[i] < 0 ? a[i] : 1.0)": False,
    "sqrt(a[i] * b[i])": False,
    "sqrt(1 / (a[i] > 0 ? 1.0 : -0.0))": False,
}
NORMS = (
    "double norm(int n, const double *a) { double s = START; for (int i = 0; i < n; i++) s UPDATE; return sqrt(s); }"
)
SUMS = {("0", "+= a[i] * a[i]"): True, ("-1", "+= a[i] * a[i]"): False, ("0", "= a[i] - s"): False}


def test_square_roots_that_set_no_errno_are_replaced(tmp_path: Path) -> None:
    """A root of what is not below 0 sets none, whatever the compiler takes it for."""
    loop = "(int n, const double *a, const double *b, double *r) { for (int i = 0; i < n; i++) r[i] ="
    text = "".join(f"void root{k}{loop} {root}; }}\n" for k, root in enumerate(ROOTS))
    sums = (NORMS.replace("START", start).replace("UPDATE", update) for start, update in SUMS)
    text += "\n".join(one.replace("norm", f"norm{k}") for k, one in enumerate(sums))
    (source := tmp_path / "k.c").write_text(f"#include <math.h>\n{text}\n")
    told = ["--raise-no-cache", "--raise-report", str(tmp_path / "report.json")]
    assert raise_cc_here(*told, "gcc", "-O2", "-c", str(source), "-o", str(tmp_path / "k.o")) == 0
    rows = {row["function"]: row for row in json.loads((tmp_path / "report.json").read_text())["functions"]}
    expected = {f"root{k}": good for k, good in enumerate(ROOTS.values())}
    expected |= {f"norm{k}": good for k, good in enumerate(SUMS.values())}
    assert {name: row["done"] == "replaced" for name, row in rows.items()} == expected
    assert all("sqrt may set errno" in rows[name]["why"] for name, good in expected.items() if not good)


def test_products_and_quotients_of_complex_numbers_are_their_formulas(tmp_path: Path) -> None:
    """Only then: without the flag, infinities are recovered from them, and the compiler's code stays."""
    head = "(int n, const double complex *a, const double complex *b, double complex *restrict c) "
    text = "#include <complex.h>\n" + "".join(
        f"void {name}{head}{{ for (int i = 0; i < n; i++) c[i] = {value}; }}\n"
        for name, value in (("f", "a[i] * b[i]"), ("g", "a[i] / b[i]"), ("h", "conj(a[i]) * b[i] + a[i] * 2.0"))
    )
    (source := tmp_path / "k.c").write_text(text)
    flags = ["gcc", "-O2", "-fPIC", "-fcx-limited-range"]
    told = ["--raise-no-cache", "--raise-report", str(tmp_path / "report.jsonl")]
    for given, name in ((flags, "limited"), (flags[:-1], "whole")):
        assert raise_cc_here(*told, *given, "-c", str(source), "-o", str(tmp_path / f"{name}.o")) == 0
    limited, whole = (json.loads(line)["functions"] for line in (tmp_path / "report.jsonl").read_text().splitlines())
    assert [row["done"] for row in limited] == ["replaced"] * 3 and {row["done"] for row in whole} == {"left"}
    for given, library in (("limited.o", "raised.so"), ("k.c", "plain.so")):
        subprocess.run([*flags, "-shared", tmp_path / given, "-o", tmp_path / library, "-lm"], check=True)
    parts = np.concatenate([np.random.default_rng(0).uniform(-9, 9, 300), [0.0, -0.0, np.inf, -np.inf, np.nan, 1e300]])
    a, b = parts.view(complex), parts[::-1].copy().view(complex)
    for name in "fgh":
        results = []
        for library in ("raised.so", "plain.so"):
            results.append(np.zeros_like(a))
            call = getattr(ctypes.CDLL(str(tmp_path / library)), name)
            call(len(a), *(ctypes.c_void_p(x.ctypes.data) for x in (a, b, results[-1])))
        np.testing.assert_array_equal(results[0].view(float), results[1].view(float), name)
