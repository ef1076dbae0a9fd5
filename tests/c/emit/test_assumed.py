"""What is assumed: no null pointers, conditions whose failure ends the program, the range of types."""

import pytest

from raising.frontend.c import convert

FOR = "for (int i = 0; i < n; i++)"
WRAP = "signed integers of 32 bits do not wrap around"
CASES = {
    f"void f(float *x, const float *b, int n) {{ {FOR} x[i] = b ? b[i] : 0; }}": ["'b' is not a null pointer"],
    f"void f(float *x, int n) {{ if (!x || n <= 0) return; {FOR} x[i] = i; }}": ["'x' is not a null pointer"],
    f"void f(float *x, int n) {{ float t[4], *p = t; if (p == 0) return; {FOR} x[i] = 0; }}": [],
    f"struct s {{ int n; float *x; }}; void f(struct s *p) {{ if (!p) return; int n = p->n; {FOR} p->x[i] = 0; }}": [
        "'p' is not a null pointer"
    ],
    f"void f(float *x, int n, int m) {{ if (!(n > 0 && m >= n)) end(); {FOR} x[i] = 0; }}": [
        "n >= 1: the program goes on",
        "n <= m: the program goes on",
    ],
    f"void f(float *x, int n, int m) {{ {FOR} {{ if (i < m) x[i] = 0; else {{ x[0] = 1; end(); }} }} }}": [
        "n <= m: the program goes on"
    ],
    "void f(int *x, unsigned p, unsigned q) { unsigned k = p > q ? p : q; x[0] = k; }": [WRAP],
    "void f(int *x, short p, short q) { short k = p > q ? p : q; x[0] = k; }": [],
}
HEAD = "void end(void) __attribute__((noreturn));\n"


@pytest.mark.parametrize("text", CASES)
def test_it_is_read_and_said(text: str) -> None:
    module = convert(HEAD + text, "k.c")
    assert module.refused == ()
    told = [r.reason.removeprefix("in 'f': ") for r in module.assumptions if "overlap" not in r.reason]
    assert told == CASES[text]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"void f(float *x, int n) {{ {FOR} {{ if (x[i] < 0) end(); x[i] = 1; }} }}", "calls 'end'"),
        (f"void f(float *x, int n) {{ {FOR} {{ if (i == n / 2) end(); x[i] = 1; }} }}", "calls 'end'"),
    ],
)
def test_what_depends_on_more_than_sizes_stays(text: str, why: str) -> None:
    assert why in convert(HEAD + text, "k.c").refused[0].reason
