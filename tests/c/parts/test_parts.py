"""Parts of functions that cannot be read whole: calls of them stand in the file in their place, and nothing changes."""

import re

import numpy as np
import pytest

from raising.frontend.c import SourceModule, convert
from tests.c.gcc import Library, needs_gcc
from tests.c.read.checking import i32, reals
from tests.c.replaced import libraries, parts, replaced

HEAD = """
#include <stdio.h>
#include <stdlib.h>
static int count, limit = 7;
static double table[9] = {1, 2, 3};
static double twice(double x) { return 2 * x; }
static void clear(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 0; }
struct grid { int n; double w; double *p; double row[4]; };
static struct grid shared;
static void begin(struct grid *g, int n, double *x) { g->n = n, g->w = 2, g->p = x; fflush(NULL); }
#define EACH for (int i = 0; i < n; i++)
"""

SNIPPETS = {
    "a counter that is used after": "int i; for (i = 0; i < n; i++) x[i] += 1; STOP; return i;",
    "a counter that is set again": "int i; for (i = 0; i < n; i++) x[i] += 1; STOP; for (i = 2; i < n; i++) x[i] *= 2;"
    " return 0;",
    "a sum": "double s = x[0]; STOP; for (int i = 0; i < n; i++) s += x[i] * y[i]; y[0] = s; return 0;",
    "set perhaps": "double s = 3; STOP; for (int i = 1; i < n - 2; i++) s = x[i]; y[0] = s; return 0;",
    "carried by the loop around": "double s = 0; for (int t = 0; t < n; t++) { STOP; for (int i = 0; i < t;"
    " i++) s += x[i];"
    " x[t] = s; } return 0;",
    "two nests and what is between": "STOP; for (int i = 0; i < n; i++) y[i] = 0; x[0] = 5;"
    " for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) y[i] += x[j]; } STOP; return 0;",
    "a pointer that walks": "double *p = x; STOP; for (int i = 0; i < n; i++) *p++ = y[i]; return p - x;",
    "a pointer that walks twice": "double *p = x; STOP; while (p < x + n) { *p = 1; p += 1; } STOP;"
    " for (int i = 0; i < n; i++) *--p = y[i]; return p - x;",
    "an array of the function": "double u[12]; STOP; for (int i = 0; i < 12; i++) u[i] = i; STOP; return u[11];",
    "an array of rows": "double u[n][4]; STOP; for (int i = 0; i < n; i++) for (int j = 0; j < 4;"
    " j++) u[i][j] = x[i] + j;"
    " STOP; for (int i = 0; i < n; i++) y[i] = u[i][3]; return 0;",
    "a size whose address is taken": 'int m; sscanf("5", "%d", &m); for (int i = 0; i < m; i++) x[i] += y[i];'
    " return m;",
    "a number that is changed and pointed to": "double s = 1, *q = &s; STOP; for (int i = 0; i < n; i++) s += x[i];"
    " return *q > 2;",
    "a size of the file": "limit = n - 1; STOP; for (int i = 0; i < limit; i++) x[i] = i; return 0;",
    "a sum of the file": "STOP; for (int i = 0; i < n; i++) count += 2; return count;",
    "a branch around": "STOP; if (n > 2) { for (int i = 0; i < n; i++) x[i] = 3; } else { x[0] = 1; } return 0;",
    "a branch on data around": "STOP; if (x[0] > 0) { for (int i = 0; i < n; i++) x[i] = 3; STOP; } return 0;",
    "early exits around": "for (int t = 0; t < n; t++) { if (x[t] > 1) break; for (int i = t; i < n; i++) y[i] += 1;"
    " if (y[t] > 9) return t; } return -1;",
    "a loop that is left": "int k; for (k = 0; k < n; k++) { if (x[k] > 1) break; STOP;"
    " for (int i = 0; i < n; i++) y[i] += x[k]; }"
    " return k;",
    "arms of a switch": "switch ((int)x[0] & 1) { case 0: for (int i = 0; i < n; i++) x[i] = 1; STOP; break;"
    " default: for (int i = 0; i < n; i++) x[i] = 2; } return 0;",
    "jumps": "int k = 0; again: for (int i = 0; i < n; i++) x[i] += 1; if (++k < 3) goto again; return k;",
    "a helper": "STOP; for (int i = 0; i < n; i++) x[i] = twice(y[i]); clear(2, y); return 0;",
    "a helper with a loop": "STOP; for (int t = 0; t < 2; t++) clear(n - t, x + t); return 0;",
    "no braces, no spaces": "STOP;for(int i=0;i<n;i++)x[i]=i/* end */ ;return 0;",
    "do": "int i = 0; STOP; do { x[i] = i; i++; } while (i < n); STOP; return i;",
    "the same name inside": "int i = 3; STOP; for (int i = 0; i < n; i++) x[i] = i; for (int j = 0; j < i;"
    " j++) y[j] = i;"
    " return i;",
    "a size that changes": "int m = n; STOP; m--; for (int i = 0; i < m; i++) x[i] = m; m -= 2;"
    " for (int i = 0; i < m; i++) y[i] = m; STOP; return m;",
    "an element whose length is told": "double *p = malloc(n * sizeof *p); for (int i = 0; i < n; i++) p[i] = i;"
    " for (int i = 0; i < n; i++) x[i] += p[i]; free(p); return 0;",
    "a table of the file": "STOP; for (int i = 0; i < 9; i++) x[i % 4] = table[i]; table[1] += 1; return table[1];",
    "from a macro": "STOP; EACH x[i] = 2; return 0;",
    "a struct of the function": "struct grid g; begin(&g, n, x); for (int i = 0; i < g.n; i++) y[i] += g.w * g.p[i];"
    " return g.n;",
    "a struct that changes": "struct grid g; begin(&g, n, x); for (int i = 0; i < 4; i++) g.row[i] = i; STOP;"
    " for (int i = 0; i < n; i++) g.w += y[i]; y[0] = g.w; return g.row[3];",
    "a struct of the file": "begin(&shared, n, y); for (int i = 0; i < shared.n; i++) x[i] = shared.w; return 0;",
    "a pointer to a struct": "begin(&shared, n, y); struct grid *g = &shared; STOP; for (int i = 0; i < n; i++)"
    " x[i] = g->w; return 0;",
    "a body that runs once": "STOP; for (int i = 0; i < n; i++) do { x[i] = 1; y[i] += x[i]; } while (0); return 0;",
    "a number that is known": "int t = 0, u = n - 1; STOP; for (int i = 0; i < n; i++) { x[t] = y[u]; t++; u -= 1; }"
    " return t - u;",
    "known on both ways": "int t = 2; if (y[0] > 0) { t = 1; STOP; } for (int i = t; i < n; i++) x[i] = t; return t;",
    "known over what changed": "int m = n, t = m - 1; m = 2; STOP; for (int i = 0; i < t; i++) x[i] = m; return m + t;",
    "known behind a jump": "int t = 1; if (y[0] > 0) goto on; t = 2; STOP; on: for (int i = t; i < n; i++) x[i] = 1;"
    " STOP; return t;",
    "known before a jump back": "int t = 0; on: STOP; for (int i = t; i < n; i++) x[i] += 1; if (t++ < 2) goto on;"
    " return t;",
    "known in an iteration": "for (int k = 0; k < 3; k++) { int t = k; STOP; t *= 2; for (int i = t; i < n; i++)"
    " x[i] += t; } return 0;",
    "known before it is pointed to": "int t = 1, *q = &t; STOP; *q = n > 3 ? 2 : 0; for (int i = t; i < n; i++)"
    " x[i] = 3; return 0;",
    "known over another of that name": "int t; { int n = 2; t = n + 1; STOP; } for (int i = 0; i < n; i++)"
    " if (i < t) x[i] = t; return t;",
    "known in an arm": "int t = 0; switch (n) { case 5: t = 1; STOP; case 3: for (int i = t; i < n; i++) x[i] = t;"
    " STOP; } return t;",
    "known and changed in the loop": "int t = 1, u = t; STOP; while (u < n) { x[u] = t; t = u; u += 1; } STOP;"
    " return t;",
    "a number of the file that nobody writes": "static int m = 3; int *z = (int *)y; STOP; for (int i = 0; i < m; i++)"
    " z[i] = m; return 0;",
    "a truth value that is written through a pointer": "_Bool t = 1, *q = &t; STOP; for (int i = 0; i < n; i++)"
    " { q[0] = i != 2; x[i] = t; } return t;",
    "a body that runs once, behind a loop": "STOP; for (int i = 0; i < n; i++) x[i] = i;"
    " do { int z = n; double *p = y; while (z-- > 0) *p++ = 0; } while (0); return 0;",
    "a block behind a loop": "int z = 2; STOP; for (int i = 0; i < n; i++) x[i] = i;"
    " { int z = n; double *p = y; while (z-- > 0) *p++ = 0; } return z;",
    "unsigned": "unsigned m = n, i; STOP; for (i = 0; i < m; i++) x[i] = m - i; return i;",
}
FEW = (
    "from a macro",
    "a table of the file",
    "a loop that is left",
    "a truth value that is written through a pointer",
)


def _file() -> str:
    stop = "#define STOP fflush(NULL)\n"
    functions = (
        f"int f{k}(int n, double *restrict x, double *restrict y) {{ {body} }}\n"
        for k, body in enumerate(SNIPPETS.values())
    )
    return HEAD + stop + "".join(functions)


@pytest.fixture(scope="module")
def module() -> SourceModule:
    return convert(_file(), "k.c")


@pytest.fixture(scope="module")
def both(module: SourceModule) -> tuple[Library, Library]:
    return libraries(_file(), module)


@needs_gcc
@pytest.mark.parametrize("name", SNIPPETS)
def test_calls_of_parts_do_the_same(name: str, module: SourceModule, both: tuple[Library, Library]):
    function = f"f{[*SNIPPETS].index(name)}"
    made = [p for p in parts(module) if p.of == function]
    assert made if name not in FEW else True, [str(loop) for loop in module.loops if loop.function == function]
    for n in (12, 5, 1, 3):
        arguments = [i32(n), reals(12, dtype="float64", seed=n), reals(12, dtype="float64", seed=n + 50)]
        want, got = (library.call(function, arguments, "int32") for library in both)
        for a, b in zip(want, got, strict=True):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes(), (n, made)


def _read(body: str, head: str = "") -> SourceModule:
    return convert(
        f"#include <stdio.h>\nvoid other(void);\n{head}int f(int n, double *x, double *y) {{ {body} }}", "k.c"
    )


def test_parts_are_named_in_the_order_of_the_file_with_their_call_and_place():
    body = """other();
  double s = 0;
  for (int i = 0; i < n; i++) { other(); for (int j = 0; j < i; j++) x[j] += y[i]; }
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;"""
    module = _read(body)
    first, second = parts(module)
    assert (first.name, first.call) == ("f_loop1", "f_loop1(x, y, i);")
    assert (second.name, second.call) == ("f_loop2", "f_loop2(n, x, &s);")
    source = replaced(
        "#include <stdio.h>\nvoid other(void);\nint f(int n, double *x, double *y) { " + body + " }", module
    )
    assert "{ other(); f_loop1(x, y, i); }\n  f_loop2(n, x, &s);\n  return s;" in source
    assert "k.c:5:42: the loops of function 'f' of line 5 are function 'f_loop1'" in map(str, module.remarks)
    assert "k.c:6:3: the loops of function 'f' from line 6 to 7 are function 'f_loop2'" in map(str, module.remarks)


REFUSED = {
    "prints": 'for (int i = 0; i < n; i++) { printf("%g", x[i]); }',
    "calls": "for (int i = 0; i < n; i++) { other(); x[i] = 0; }",
    "returns": "for (int i = 0; i < n; i++) { if (x[i] > 0) return i; }",
    "goes out": "for (int i = 0; i < n; i++) { if (x[i] > 0) goto end; } end: ;",
    "volatile": "volatile double *v = x; for (int i = 0; i < n; i++) v[i] = 0;",
    "assembly": 'for (int i = 0; i < n; i++) { __asm__(""); x[i] = 0; }',
    "a size that a store may change": "int m, *q = &m; *q = 5; int *z = (int *)x; for (int i = 0; i < m;"
    " i++) z[i] = 0;",
    "a size that bytes may change": "int m, *q = &m; *q = 5; char *z = (char *)x; for (int i = 0; i < m;"
    " i++) z[i] = 0;",
    "a pointer that is set": "double *p = x; other(); for (int i = 0; i < n; i++) { p = y + i; *p = 0; } x = p;",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_is_no_part(body: str):
    module = _read(f"other(); {body} other(); return x[0];")
    assert parts(module) == []
    (loop,) = module.loops
    assert loop.reason and loop.within == ()


def test_pointers_that_others_are_based_on_lose_restrict():
    """`q` is based on `p`, so the promise of `p` says nothing of the two; as parameters they would be apart."""
    head = "void other(void);\n"
    text = "void f(int n, double *restrict p, double *restrict r) {{ double *q = p; other(); {} other(); }}"
    module = convert(head + text.format("for (int i = 0; i < n; i++) p[i] = q[i] + r[i];"), "k.c")
    assert [a.reason.partition(": ")[2] for a in module.assumptions] == [
        "'p' does not overlap 'q' in memory (restrict would say so)"
    ]


def test_lengths_of_pointers_that_moved_are_forgotten():
    module = convert(
        "void other(void);\nvoid f(int n, double a[n]) { other(); a++; for (int i = 0; i < 3; i++) a[i] = i; }", "k.c"
    )
    (part,) = module.functions
    assert [(p.name, p.shape) for p in part.parameters] == [("a", ("?",))]


def test_what_is_known_before_a_part_is_no_parameter_of_it():
    """With `t` as a parameter a row of `x` would have to hold all that `t` may be, which was assumed."""
    body = """int t = 0, u = n - 1; other();
    for (int k = 0; k < 9; k++) { x[2 * t] = y[t]; x[2 * u + 1] = y[u]; t += n; u += n; } other(); return 0;"""
    module = _read(body)
    (part,) = parts(module)
    assert part.call == "f_loop1(n, x, y);"
    told = {a.reason.split(": ")[1] for a in module.assumptions if "overlap" not in a.reason}
    assert told == {"n >= 1", "2 * n >= 1"}


@pytest.mark.parametrize("write", ["m = n;", "*(&m) = n;", 'scanf("%d", &m);', "goto *q;"])
def test_a_number_of_the_file_that_somebody_may_write(write: str):
    head = f"static int m = 4;\nvoid g(int n) {{ void *q = &&here; {write} here: ; }}\n"
    body = "other(); int *z = (int *)x; for (int i = 0; i < m; i++) z[i] = m; other(); return 0;"
    assert parts(_read(body, head)) == [] and parts(_read(body, "static int m = 4;\n")) != []


def test_every_loop_is_listed():
    body = (
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x[i] += y[j]; while (x[0] > 1) { other(); } return 0;"
    )
    module = _read(body, "static void unused(double *x) { for (int i = 0; i < 3; i++) x[i] = 0; }\n")
    told = [(loop.function, re.sub(r" \(.*", "", loop.reason), [n for n, _ in loop.within]) for loop in module.loops]
    assert told == [
        ("unused", "its function is not used", []),
        ("f", "", ["f_loop1"]),
        ("f", "", ["f_loop1"]),
        ("f", "the loop's condition depends on data", []),
    ]


def test_a_variable_of_the_file_that_a_first_attempt_met():
    """The attempt without closed forms was forgotten, but not that the variable was declared in it (KeyError)."""
    body = "int t = 1; for (int i = 0; i < n; i++) { x[t] = taur * x[t]; t += 2; }"
    module = convert(f"void f(int n, double *x) {{ static double taur = -0.5; {body} }}", "k.c")
    assert [f.name for f in module.functions] == ["f"] and module.refused == ()


def test_the_end_of_a_part_is_found_in_one_pass():
    """A semicolon behind comments was looked for in time that grew exponentially with them."""
    comments = "/* a * b */ // c\n" * 60
    for end in ("", ";"):
        module = _read(f"other(); for (int i = 0; i < n; i++) {{ x[i] = 0; }} {comments}{end} return 0;")
        ((part,), text) = parts(module), f"{{ x[i] = 0; }} {comments}{end}".rstrip() if end else "{ x[i] = 0; }"
        assert part.end - part.start == len("for (int i = 0; i < n; i++) " + text)


def test_a_body_that_runs_once_is_no_loop_unless_it_is_left():
    once = "do { x[0] = 1; while (n--) { if (n == 2) break; } } while (0);"
    assert [loop.place.col for loop in _read(f"other(); {once} return 0;").loops] == [62]
    assert len(_read("do { if (n) break; x[0] = 1; } while (0); other(); return 0;").loops) == 1
