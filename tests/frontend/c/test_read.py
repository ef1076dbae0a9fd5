"""The reader of C: flags, errors with their places, literals, and the file beside what was read of it."""

import json
from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c.clang import bounded_parse
from raising.frontend.c.clang.compile_flags import database_flags
from raising.frontend.c.read_c import read_c
from raising.frontend.core.expression_nodes import Literal
from raising.frontend.core.printer import type_text
from raising.frontend.core.statement_nodes import Declare, Loop, Region, Return, Unit
from raising.frontend.core.traverse import statements
from raising.polybench import kernels
from raising.support.errors import InputError
from raising.support.source import Loc
from tests.c.corpus import FILES, Case, cases
from tests.c.gcc import Library, needs_gcc
from tests.c.random_functions import random_function
from tests.frontend.c.needs import needs_libclang
from tests.frontend.core.core_text import body_lines, unit_text
from tests.frontend.core.invariants import verify
from tests.frontend.core.to_c import unit_c

pytestmark = needs_libclang
KERNELS = kernels()


def _read(text: str, *flags: str) -> Unit:
    unit = read_c(text, "k.c", flags)
    assert verify(unit) == []
    return unit


def _value(text: str) -> Literal:
    """A constant expression, as what a function returns."""
    unit = _read(f"#include <math.h>\n__typeof__({text}) f(void) {{ return {text}; }}")
    (stmt,) = unit.routines["f"].body or ()
    assert isinstance(stmt, Return) and isinstance(stmt.value, Literal)
    return stmt.value


# ---- beside gcc -----------------------------------------------------------------------------------


def _compiled(unit: Unit, folder: Path) -> Library:
    assert verify(unit) == []
    path = folder / "core.c"
    path.write_text(unit_c(unit))
    return Library(path, {})


def _same(a: list[object], b: list[object]) -> bool:
    return all(np.asarray(x).tobytes() == np.asarray(y).tobytes() for x, y in zip(a, b, strict=True))


@needs_gcc
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_corpus_computes_what_gcc_computes(path: Path, tmp_path: Path) -> None:
    found: list[Case] = [*cases(path)]
    real = "f32" if len(path.stem) % 2 and all("f32" in c.reals for c in found) else "f64"
    flags = [f"-D{k}={v}" for case in found[:1] for k, v in case.defines(real).items()]
    unit = read_c(path.read_text(), str(path), flags)
    assert [str(r) for f in unit.routines.values() for r in f.refusals] == []
    both = [Library(path, {"REAL": {"f32": "float", "f64": "double"}[real]}), _compiled(unit, tmp_path)]
    for case in found:
        arguments = case.arguments(real, seed=1)
        a, b = (library.call(case.function, arguments, case.result(real)) for library in both)
        assert _same(a, b), case.function


@needs_gcc
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_computes_what_gcc_computes(name: str, tmp_path: Path) -> None:
    kernel = KERNELS[name]
    dtype = "f32" if len(name) % 2 else "f64"
    defines = kernel.defines("MINI", dtype)
    unit = read_c(kernel.path.read_text(), str(kernel.path), [f"-D{k}={v}" for k, v in defines.items()])
    arguments = list(kernel.inputs("MINI", dtype, seed=1).values())
    both = (Library(kernel.path, defines), _compiled(unit, tmp_path))
    a, b = (library.call(kernel.function, arguments) for library in both)
    assert _same(a, b)


@needs_gcc
@pytest.mark.parametrize("seed", range(0, 60, 6))
def test_random_functions_compute_what_gcc_computes(seed: int, tmp_path: Path) -> None:
    function = random_function(seed)
    path = tmp_path / "random.c"
    path.write_text(function.text)
    both = (Library(path, {}), _compiled(_read(function.text), tmp_path))
    a, b = (library.call("f", function.arguments(seed)) for library in both)
    assert _same(a, b)


EFFECTS = """
struct pair { int a, b[2]; };
static int calls;
static int next(int *p) { calls++; return (*p)++; }
static struct pair swap(struct pair p) { struct pair q = { p.b[0], { p.a, p.b[1] } }; return q; }
int f(int n, int *b) {
  int i = 0, k = 0, *a = b + 500;
  struct pair p = { n, { 2, 3 } };
  while (i < 5 && next(&k) < 4 || n-- > 40) a[i++] += k;
  do { if (k == 2) continue; a[--i] = k; } while (i > 1 ? k-- : 0);
  for (int j = 0, m = 7; j < m; j += 2, m--) {
    switch (j + n % 3) {
      case 0: a[0]++;
      case 1: a[1] += j; break;
      default: if (m == 5) break; a[2] ^= m;
      case 9 ... 11: k++;
    }
    if (j == 4) goto out;
  }
out:
  p = swap(swap(p)), p.b[1] += calls;
  a[3] = (a[4] = k, p.b[1]) + (unsigned char)(n * 77) - (short)(k << 13);
  return swap(p).b[0] * 1000 + (n && !calls ? a[k++] : ({ int t = n; t * 3; })) + (i ?: 9);
}
"""


@needs_gcc
@pytest.mark.parametrize("n", [0, 1, 2, -5, 43, 200])
def test_effects_happen_in_order(n: int, tmp_path: Path) -> None:
    path = tmp_path / "effects.c"
    path.write_text(EFFECTS)
    both = (Library(path, {}), _compiled(_read(EFFECTS), tmp_path))
    arguments = [np.int32(n), np.arange(1000, dtype=np.int32)]
    a, b = (library.call("f", arguments, "int32") for library in both)
    assert _same(a, b)


# ---- literals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("0x7fffffff", 0x7FFFFFFF, "i32"),
        ("0x80000000", 0x80000000, "u32"),
        ("2147483648", 1 << 31, "i64"),
        ("017u", 15, "u32"),
        ("18446744073709551615ul", (1 << 64) - 1, "u64"),
        ("'\\377'", -1, "i32"),
        ("0.1f", float(np.float32(0.1)), "f32"),
        ("0x1.8p-3", 0.1875, "f64"),
        ("1e400", float("inf"), "f64"),
        ("INFINITY", float("inf"), "f32"),
        ("(float)16777217", 16777216.0, "f32"),
        ("(unsigned char)-1", 255, "u8"),
        ("-0.0", -0.0, "f64"),
        ("sizeof(long double)", 16, "u64"),
        ("(_Bool)0.5", True, "bool"),
        ("((double)1.79769313486231570814527423731704357e+308L)", 1.7976931348623157e308, "f64"),
        ("(float)0.1L", float(np.float32(0.1)), "f32"),
    ],
)
def test_literals_are_exact(text: str, value: float, kind: str) -> None:
    found = _value(text)
    assert (found.value, str(found.value)[:1]) == (value, str(value)[:1])
    assert type_text(found.type) == kind


def test_a_nan_is_one() -> None:
    value = _value("NAN").value
    assert value != value


# ---- flags and places ---------------------------------------------------------------------------------


def test_flags_are_those_of_a_compiler(tmp_path: Path) -> None:
    (tmp_path / "mine.h").write_text("#define EXTENT 7\ntypedef float real;\n")
    text = "real a[EXTENT + N];\nreal f(void) { return a[0] + X; }"
    unit = read_c(text, "k.c", ["-I", str(tmp_path), "-include", "mine.h", "-DN=2", "-DX=1", "-UX", "-D", "X=3"])
    assert "global a: [9]f32" in unit_text(unit)
    assert "return a[0] + 3.0:f32" in unit_text(unit)


def test_who_frees_the_result_is_no_error() -> None:
    """gcc 11 says so in headers, and preprocessed text has no headers any more."""
    unit = _read("void drop(void *);\ndouble *make(int n) __attribute__((__malloc__(drop, 1)));\nvoid f(void) {}")
    assert list(unit.routines) == ["f"]


def test_char_is_signed_as_the_flag_says() -> None:
    text = "int f(char c) { return c; }"
    assert "c: i8" in unit_text(_read(text))
    assert "c: u8" in unit_text(_read(text, "-funsigned-char"))


@pytest.mark.parametrize(
    ("text", "loc", "message"),
    [
        ("int f(void) {\n  return x;\n}", Loc("k.c", 2, 10), "use of undeclared identifier 'x'"),
        ("#include <nowhere.h>\n", Loc("k.c", 1, 10), "'nowhere.h' file not found"),
        ("int f(int n) { return n +; }", Loc("k.c", 1, 26), "expected expression"),
        (
            "#define P(x) x->y\nint f(int a) {\n return P(a);\n}",
            Loc("k.c", 3, 9),
            "member reference type 'int'",
        ),
        ("int f(", Loc("k.c", 1, 7), "expected parameter declarator (and"),
        ("#line 7\nint f(void) { return x; }", Loc("k.c", 7, 22), "use of undeclared identifier"),
        ('# 40 "other.c"\nint f(void) { return x; }', Loc("other.c", 40, 22), "use of undeclared identifier"),
    ],
)
def test_errors_have_places(text: str, loc: Loc, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_c(text, "k.c")
    assert error.value.loc == loc
    assert error.value.message.startswith(message)


@pytest.mark.parametrize("flag", ["-std=c3000", "-fplugin=x.so", "-Xclang", "-load", "@file", "-I", "-"])
def test_wrong_flags_are_an_error(flag: str) -> None:
    with pytest.raises(InputError):
        read_c("int x;", "k.c", [flag])


def test_a_compilation_database_says_the_flags(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "k.c").write_text("int x;")
    database = tmp_path / "compile_commands.json"
    command = "cc -O2 -Iinc '-DA=\"b c\"' -fplugin=x.so -c sub/k.c -o k.o"
    commands = [
        {"directory": "elsewhere", "file": "k.c", "command": "cc -DWRONG k.c"},
        {"directory": str(tmp_path), "file": "sub/k.c", "command": command},
    ]
    database.write_text(json.dumps(commands))
    assert database_flags(database, tmp_path / "sub" / "k.c") == ["-I", str(tmp_path / "inc"), "-D", 'A="b c"']
    for text in ("[", "{}", "[1, {}]", '[{"file": "k.c", "command": "\'"}]'):
        database.write_text(text)
        with pytest.raises(InputError):
            database_flags(database, tmp_path / "sub" / "k.c")


def test_the_standard_input_has_its_name() -> None:
    with pytest.raises(InputError, match="^-:1:22: error"):
        read_c("int f(void) { return x; }", "-")
    assert read_c("int f(void) { return 1; }", "-").routines["f"].loc == Loc("-", 1, 5)


def test_a_loop_without_all_parts_may_stand_in_a_header(tmp_path: Path) -> None:
    (tmp_path / "loop.h").write_text("for (; i < n;) { s += a[i++]; }\n#define UP for (; n < 9; ) n++\n")
    text = '#include "loop.h"\n'
    unit = read_c(f"int f(int *a, int n) {{ int i = 0, s = 0;\n{text} UP; return s; }}", str(tmp_path / "k.c"))
    function = unit.routines["f"]
    loops = [s for s in statements(function.body or ()) if isinstance(s, Loop)]
    assert [(loop.loc.file, len(loop.step)) for loop in loops] == [(str(tmp_path / "loop.h"), 0)]
    assert [r.reason for r in function.refusals] == ["a for in a macro, with a part left out"]


@pytest.mark.parametrize(
    ("header", "steps"), [("int i = n; i--;", 0), ("int i = n; i -= 2;", 0), ("int i = n;; i--", 1)]
)
def test_a_condition_that_changes_the_counter_is_no_step(header: str, steps: int) -> None:
    text = f"void f(int *a, int n) {{ for ({header}) if (i < 3) break; else a[i] = 0; }}"
    (loop,) = (s for s in statements(read_c(text, "k.c").routines["f"].body or ()) if isinstance(s, Loop))
    assert len(loop.step) == steps and isinstance(loop.condition, Literal) == bool(steps)


def test_a_macro_is_where_it_is_used_and_its_argument_where_it_stands() -> None:
    text = """#define SUM(a, n) for (int i = 0; i < n; i++) s += a[i]; asm("")
int f(int *a, volatile int *n) {
  int s = 0;
  SUM(a, 4);
  SUM(a,
      *n);
  return s;
}"""
    function = _read(text).routines["f"]
    loops = [s for s in statements(function.body or ()) if isinstance(s, Loop)]
    assert [loop.loc for loop in loops] == [Loc("k.c", 4, 3)]
    assert [r.loc for r in function.refusals] == [Loc("k.c", 4, 3), Loc("k.c", 6, 7), Loc("k.c", 5, 3)]


def test_functions_of_headers_are_read_when_they_are_called(tmp_path: Path) -> None:
    header = "static inline int two(int x) { return 2 * x; }\nstatic int unused(void) { return 1; }\n"
    (tmp_path / "inner.h").write_text(header)
    unit = read_c('#include "inner.h"\nint f(int x) { return two(x) + two(1); }', str(tmp_path / "k.c"))
    assert list(unit.routines) == ["f", "two"]
    assert unit.routines["two"].loc == Loc(str(tmp_path / "inner.h"), 1, 19)


def test_one_name_means_one_variable() -> None:
    unit = _read("int i; int f(int t) { int s = i; for (int i = 0; i < t; i++) { int i = t; s += i++; } return s; }")
    assert {v.source for v in unit.routines["f"].variables.values()} == {"", "i", "s", "t"}
    declared = [s.variable.name for s in statements(unit.routines["f"].body or ()) if isinstance(s, Declare)]
    assert declared == ["s", "i.1", "i.2", "t.1"]


def test_regions_are_found_where_the_preprocessor_leaves_them() -> None:
    text = """
void f(int n, double *a) {
  /*
#pragma scop
  */
#if 0
#pragma scop
#endif
  for (int k = 0; k < 2; k++) {
    int m = n;
#pragma scop
    for (int i = 0; i < m; i++) a[i] = k;
    m = 0;
#pragma endscop
    a[0] = 1;
  }
#pragma scop
  a[1] = 2;
}
"""
    unit = _read(text)
    (region,) = [s for s in statements(unit.routines["f"].body or ()) if isinstance(s, Region)]
    assert region.loc == Loc("k.c", 11, 1) and len(region.body) == 3
    assert [(loc.line, loc.col) for loc, _ in unit.remarks] == [(17, 1)]


def test_deep_syntax_is_refused() -> None:
    deep = "x" + "+(x" * 150 + ")" * 150
    unit = _read(f"int f(int x) {{ return {deep}; }}\nint g(int x) {{ return x; }}")
    assert [r.reason for r in unit.routines["f"].refusals] == ["it is nested too deeply"]
    assert unit.routines["g"].refusals == ()


def test_a_function_that_is_too_large_is_refused_once() -> None:
    unit = _read(f"int f(int x) {{ {'x++;' * 60_000} return x; }}\nint g(int x) {{ return x; }}")
    (refused,) = unit.routines["f"].body or ()
    assert (refused,) == unit.routines["f"].refusals and "too long to read" in refused.reason
    assert unit.routines["g"].refusals == ()


def test_a_long_sum_is_refused() -> None:
    unit = _read(f"int f(int x) {{ return {'+'.join(['x'] * 50_000)}; }}")
    assert [r.reason for r in unit.routines["f"].refusals] == ["it is nested too deeply"]


def test_what_takes_too_long_to_parse_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_parse, "MAX_SECONDS", 0.3)
    macros = "\n".join(f"#define A{k + 1} A{k},A{k},A{k},A{k}" for k in range(10))
    with pytest.raises(InputError, match="k.c: error: it takes more time or memory to parse than allowed"):
        read_c(f"#define A0 1,1,1,1\n{macros}\nint x[] = {{A10}};", "k.c")


def test_a_chain_of_branches_is_read_up_to_some_length() -> None:
    for length, refused in ((150, 0), (400, 1)):
        chain = "else ".join(f"if (x == {k}) return {k * 3}; " for k in range(length))
        unit = _read(f"int f(int x) {{ {chain} return 0; }}")
        assert len(unit.routines["f"].refusals) == refused


def test_a_function_is_called_by_name_through_generic_and_builtins() -> None:
    text = """#include <math.h>
    static int whole(int x) { return x < 0 ? -x : x; }
    #define SIZE(x) _Generic((x), int: whole, double: fabs)(x)
    void f(double *d, int *k) { d[0] = SIZE(d[1]); k[0] = SIZE(k[1]); __builtin_memcpy(d, d + 4, 16); }
    """
    unit = read_c(text, "k.c")
    body = "\n".join(body_lines(unit.routines["f"].body or ()))
    assert "fabs(d[1])" in body and "call whole(k[1])" in body and "call __builtin_memcpy(" in body
