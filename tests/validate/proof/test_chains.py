"""Maxima, products, truth values and bits over all elements, under conditions: proved in any order, wrong ones not."""

from __future__ import annotations

import pytest

from raising.frontend.c import COptions, convert
from raising.validate.proof.in_bounds import check_inbounds
from raising.validate.proof.proof import Equal, prove
from raising.validate.reading.pair import Assumptions, generalised, read_pair

HEAD = "void f(double a[24], double b[24], int k[24], double t, double r[1], int o[1]) {"
UP, DOWN = "for (int i = 0; i < 24; i++)", "for (int i = 23; i >= 0; i--)"
HALVES = "for (int h = 0; h < 2; h++) for (int i = 12 * h; i < 12 * h + 12; i++)"


def loops(start: str, *steps: str, out: str = "r[0] = s;") -> str:
    """A function in MLIR: a start, loops one after the other, and what is stored."""
    text = f"{HEAD} {start} {' '.join(steps)} {out} }}"
    return convert(text, "f.c", COptions()).mlir


def real(*steps: str, start: str = "0") -> str:
    return loops(f"double s = {start};", *steps)


def whole(*steps: str, start: str = "0") -> str:
    return loops(f"int s = {start};", *steps, out="o[0] = s;")


def equal(one: str, other: str) -> bool:
    pair = generalised(read_pair(one, other))
    return isinstance(prove(pair, Assumptions(), check_inbounds(pair).context), Equal)


MAX = f"{UP} if (a[i] > t) {{ if (b[i] > s) s = b[i]; }}"
ANY = f"{UP} s = s || a[i] > t;"
ALL = f"{UP} s = s && a[i] > t;"
PRODUCT = f"{UP} s *= a[i];"
SOME = f"{UP} if (a[i] > t) s *= b[i];"
SAME = {
    "a maximum under a condition": (
        real(MAX),
        real(f"{DOWN} {{ double v = a[i] > t ? b[i] : 0; s = s > v ? s : v; }}"),
    ),
    "another value where it does not hold": (
        real(f"{UP} if (a[i] > t) s = s > a[i] ? s : a[i]; else s = s > b[i] ? s : b[i];"),
        real(f"{HALVES} {{ double v = a[i] > t ? a[i] : b[i]; if (v > s) s = v; }}"),
    ),
    "a magnitude": (
        real(f"{UP} {{ double v = a[i] < 0 ? -a[i] : a[i]; if (v > s) s = v; }}"),
        real(f"{DOWN} {{ if (a[i] > s) s = a[i]; if (-a[i] > s) s = -a[i]; }}"),
    ),
    "a maximum of integers": (
        whole(f"{UP} if (k[i] > s) s = k[i];"),
        whole(f"{HALVES} s = k[i] > s ? k[i] : s;"),
    ),
    "any": (whole(ANY), whole(f"{DOWN} if (a[i] > t) s = 1;")),
    "any by bits": (whole(ANY), whole(f"{HALVES} s |= a[i] > t;")),
    "all": (whole(ALL, start="1"), whole(f"{DOWN} if (!(a[i] > t)) s = 0;", start="1")),
    "not any of the opposite": (
        whole(ALL, start="1"),
        loops("int s = 0;", f"{UP} s = s || !(a[i] > t);", out="o[0] = !s;"),
    ),
    "the least of truth values": (
        whole(ALL, start="1"),
        loops("int s = -1;", f"{DOWN} s &= a[i] > t ? 1 : 0;", out="o[0] = s & 1;"),
    ),
    "bits": (whole(f"{UP} s |= k[i];"), whole(f"{DOWN} s = k[i] | s;")),
    "exclusive or": (whole(f"{UP} s ^= k[i];"), whole(f"{HALVES} s = k[i] ^ s;")),
    "a product": (real(PRODUCT, start="1"), real(f"{DOWN} s = a[i] * s;", start="1")),
    "a product of products": (
        real(f"{UP} s *= a[i] * b[i];", start="1"),
        real(PRODUCT, f"{DOWN} s *= b[i];", start="1"),
    ),
    "a product under a condition": (
        real(SOME, start="1"),
        real(f"{HALVES} s *= a[i] > t ? b[i] : 1;", start="1"),
    ),
    "a product times what was there": (
        loops("double s = 1;", PRODUCT, out="r[0] *= s;"),
        loops("", f"{DOWN} r[0] *= a[i];", out=""),
    ),
}
OTHER = {
    "one element less": (real(MAX), real(MAX.replace("i = 0", "i = 1"))),
    "a product of one less": (real(PRODUCT, start="1"), real(PRODUCT.replace("< 24", "< 23"), start="1")),
    "a start that is not neutral": (real(PRODUCT, start="1"), real(PRODUCT, start="2")),
    "another start of a maximum": (real(MAX), real(MAX, start="1")),
    "the condition the other way": (real(MAX), real(MAX.replace("a[i] > t", "a[i] <= t"))),
    "another operand under the condition": (real(MAX), real(MAX.replace("b[i]", "a[i]"))),
    "a minimum": (real(MAX), real(MAX.replace("b[i] > s", "b[i] < s"))),
    "no condition": (real(SOME, start="1"), real(SOME.replace("if (a[i] > t)", ""), start="1")),
    "another factor under it": (real(SOME, start="1"), real(SOME.replace("b[i]", "a[i]"), start="1")),
    "nothing for something": (
        real(SOME, start="1"),
        real(f"{UP} s *= a[i] > t ? b[i] : 0;", start="1"),
    ),
    "all for any": (whole(ANY), whole(ALL)),
    "a start that is true": (whole(ANY), whole(ANY, start="1")),
    "a start that is no truth value": (whole(ALL, start="1"), whole(f"{UP} s &= a[i] > t;", start="2")),
    "any of the opposite": (whole(ANY), whole(f"{UP} if (!(a[i] > t)) s = 1;")),
    "the last one": (whole(ANY), whole(f"{UP} s = a[i] > t;")),
    "the least of truth values from another start": (
        whole(ALL, start="1"),
        loops("int s = -2;", f"{DOWN} s &= a[i] > t ? 1 : 0;", out="o[0] = s & 1;"),
    ),
    "bits for truth": (whole(f"{UP} s |= k[i];"), whole(f"{UP} s |= k[i] != 0;")),
    "every second of an exclusive or": (whole(f"{UP} s ^= k[i];"), whole(f"{UP} s |= k[i];")),
    "twice": (real(PRODUCT, start="1"), real(PRODUCT, PRODUCT, start="1")),
    "added before the maximum": (
        real(f"{UP} s = s > a[i] ? s : a[i];"),
        real(f"{UP} {{ double v = s + b[i]; s = v > a[i] ? v : a[i]; }}"),
    ),
    "added before the product": (real(PRODUCT, start="1"), real(f"{UP} s = (s + b[i]) * a[i];", start="1")),
    "kept under a condition": (real(MAX), real(f"{UP} s = a[i] > t ? b[i] : s;")),
}


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_they_are_proved_in_any_order(pair: tuple[str, str]) -> None:
    assert equal(*pair)
    assert equal(*pair[::-1])


@pytest.mark.parametrize("pair", OTHER.values(), ids=OTHER)
def test_others_are_not(pair: tuple[str, str]) -> None:
    assert not equal(*pair)
    assert not equal(*pair[::-1])


PEELED = {
    "a sum": (
        "T r = 0; for (int i = 0; i < n; i++) r += s[i]; *d = r;",
        "T r = 0; if (n > 0) r = s[0]; for (int i = 1; i < n; i++) r += s[i]; *d = r;",
    ),
    "a prefix sum": (
        "T r = 0; for (int i = 0; i < n; i++) { r += s[i]; d[i] = r; }",
        "T r = 0; if (n > 0) { r = s[0]; d[0] = r; } for (int i = 1; i < n; i++) { r += s[i]; d[i] = r; }",
    ),
    "the last one": (
        "T r = 0; for (int i = 0; i < n; i++) r += s[i]; *d = r;",
        "T r = 0; for (int i = 0; i < n - 1; i++) r += s[i]; if (n > 0) r += s[n - 1]; *d = r;",
    ),
    "a table of areas": (
        "for (int y = 0; y < n; y++) { T r = 0; for (int x = 0; x < m; x++) {"
        " r += s[y * m + x]; d[y * m + x] = r + (y > 0 ? d[(y - 1) * m + x] : 0); } }",
        "if (n > 0) { T r = 0; for (int x = 0; x < m; x++) { r += s[x]; d[x] = r; } } for (int y = 1; y < n; y++) {"
        " T r = 0; for (int x = 0; x < m; x++) { r += s[y * m + x]; d[y * m + x] = r + d[(y - 1) * m + x]; } }",
    ),
}


def of_bytes(body: str) -> str:
    head = "typedef unsigned T; void f(int n, int m, const unsigned char *restrict s, T *restrict d)"
    return convert(f"{head} {{ {body} }}", "f.c", COptions()).mlir


@pytest.mark.parametrize("name", PEELED)
def test_converted_elements_may_be_taken_one_by_one(name: str) -> None:
    one, other = map(of_bytes, PEELED[name])
    assert isinstance(prove(generalised(read_pair(one, other)), Assumptions()), Equal)
    wrong = of_bytes(PEELED[name][1].replace("r += s[", "r += 2 * s[", 1))
    assert not isinstance(prove(generalised(read_pair(one, wrong)), Assumptions()), Equal)


LARGEST = (
    "r = s[i] > r ? s[i] : r; d[i] = r;",
    "r = r < s[i] ? s[i] : r; d[i] = r;",
    "r = r > s[i] ? r : s[i]; d[i] = r;",
    "if (s[i] >= r) r = s[i]; d[i] = r;",
    "d[i] = s[i] < r ? r : s[i]; r = r <= s[i] ? s[i] : r;",
)


@pytest.mark.parametrize("kind", ["signed char", "unsigned char", "short", "int"])
@pytest.mark.parametrize("first", ["T r = 5; for (int i = 0;", "T r = n > 0 ? s[0] : 0; for (int i = 1;"])
def test_the_largest_so_far_in_all_its_forms(kind: str, first: str) -> None:
    head = f"typedef {kind} T; void f(int n, const T *restrict s, T *restrict d)"
    texts = [convert(f"{head} {{ {first} i < n; i++) {{ {body} }} }}", "f.c", COptions()).mlir for body in LARGEST]
    for other in texts[1:]:
        assert isinstance(prove(generalised(read_pair(texts[0], other)), Assumptions()), Equal), other
    wrong = convert(f"{head} {{ {first} i < n; i++) {{ {LARGEST[1].replace('<', '>')} }} }}", "f.c", COptions()).mlir
    assert not isinstance(prove(generalised(read_pair(texts[0], wrong)), Assumptions()), Equal)
