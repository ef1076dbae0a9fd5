"""Tensor programs that an expert would shorten, each with what the expert would write.

A program is a function of a `Draft`, which spells it in linalg or StableHLO, with known extents or with `?`. Programs
in C and in Python have run-time sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.bench.eqsat.algebra_draft import LINALG, SIZES, STABLEHLO, Draft, Value

C, PYTHON = "c", "python"
Program = Callable[[Draft], Value]


@dataclass(frozen=True)
class Entry:
    """A program and its expert form; texts where they are C or Python."""

    name: str
    dialect: str
    known: bool
    program: Program | str
    expert: Program | str
    fp: str = "reassoc"

    @property
    def label(self) -> str:
        """Its name in the table."""
        return f"{self.name} ({self.dialect}, {'known' if self.known else 'open'} sizes)"

    def sizes(self) -> dict[str, int]:
        """Small sizes at which operations fit, for the checker: by argument and dimension; none if all are known."""
        if self.known or isinstance(self.program, str):
            return {}
        draft = Draft(self.dialect, self.known)
        self.program(draft)
        small = {name: 3 + k for k, name in enumerate(SIZES)}
        places = [(n, d, e) for n, a in enumerate(draft.arguments) for d, e in enumerate(a.dims)]
        return {f"a{n}_{d}": small[e] + 5 for n, d, e in places if draft.open(e)}

    def texts(self) -> tuple[str, str]:
        """Program and expert form as sources."""
        found = []
        for side in (self.program, self.expert):
            if isinstance(side, str):
                found.append(side)
                continue
            draft = Draft(self.dialect, self.known)
            found.append(draft.text(side(draft)))
        return found[0], found[1]


def _both(name: str, program: Program, expert: Program, *spelled: tuple[str, bool], fp: str = "reassoc") -> list[Entry]:
    return [Entry(name, dialect, known, program, expert, fp) for dialect, known in spelled]


KNOWN, OPEN = True, False
_L, _LO, _S, _SO = (LINALG, KNOWN), (LINALG, OPEN), (STABLEHLO, KNOWN), (STABLEHLO, OPEN)


def _identity(d: Draft) -> Value:
    a = d.given("A", "n m")
    return d.product("ij,jk->ik", d.diagonal(None, "n"), a)


def _zero(d: Draft) -> Value:
    a = d.given("A", "n m")
    b = d.given("B", "k n")
    return d.each(
        "addf", "ij,ij->ij", d.product("ij,jk->ik", d.filled(0.0, ("k", "n")), a), d.product("ij,jk->ik", b, a)
    )


def _not_zero(d: Draft) -> Value:
    a = d.given("A", "n m")
    b = d.given("B", "k n")
    return d.product("ij,jk->ik", b, a)


def _diagonal(d: Draft) -> Value:
    v, a = d.given("v", "n"), d.given("A", "n m")
    return d.product("ij,jk->ik", d.diagonal(v, "n"), a)


def _scaled_rows(d: Draft) -> Value:
    v, a = d.given("v", "n"), d.given("A", "n m")
    return d.each("mulf", "i,ij->ij", v, a)


def _trace(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "m n")
    return d.trace(d.product("ij,jk->ik", a, b))


def _bilinear(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "m n")
    if d.dialect == STABLEHLO:
        return d.total("ij->", d.each("mulf", "ij,ij->ij", a, d.turned(b)))
    return d.product("ij,ji->", a, b)


def _blocks(d: Draft) -> Value:
    a, b, c, e = (d.given(*p) for p in (("A", "n d"), ("B", "n d"), ("C", "d m"), ("D", "d m")))
    return d.product("ij,jk->ik", d.joined(1, a, b, "32"), d.joined(0, c, e, "32"))


def _block_sum(d: Draft) -> Value:
    a, b, c, e = (d.given(*p) for p in (("A", "n d"), ("B", "n d"), ("C", "d m"), ("D", "d m")))
    return d.each("addf", "ij,ij->ij", d.product("ij,jk->ik", a, c), d.product("ij,jk->ik", b, e))


def _some_rows(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "m k")
    return d.part(d.product("ij,jk->ik", a, b), 0, 2, "four")


def _of_some_rows(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "m k")
    return d.product("ij,jk->ik", d.part(a, 0, 2, "four"), b)


def _some_columns(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "m k")
    return d.part(d.product("ij,jk->ik", a, b), 1, 1, "four")


def _of_some_columns(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "m k")
    return d.product("ij,jk->ik", a, d.part(b, 1, 1, "four"))


def _scores(d: Draft) -> Value:
    q, k, s = d.given("Q", "n four"), d.given("K", "m four"), d.given("s", "")
    return d.each("divf", "ij,->ij", d.product("ij,kj->ik", q, k), s)


def _scaled_query(d: Draft) -> Value:
    q, k, s = d.given("Q", "n four"), d.given("K", "m four"), d.given("s", "")
    return d.product("ij,kj->ik", d.each("divf", "ij,->ij", q, s), k)


def _two_products(d: Draft) -> Value:
    a, b, c = d.given("A", "n m"), d.given("B", "m k"), d.given("C", "m k")
    return d.each("addf", "ij,ij->ij", d.product("ij,jk->ik", a, b), d.product("ij,jk->ik", a, c))


def _one_product(d: Draft) -> Value:
    a, b, c = d.given("A", "n m"), d.given("B", "m k"), d.given("C", "m k")
    return d.product("ij,jk->ik", a, d.each("addf", "ij,ij->ij", b, c))


def _turned_twice(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "k n")
    return d.turned(d.product("ij,jk->ik", d.turned(a), d.turned(b)))


def _turned_never(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "k n")
    return d.product("ij,jk->ik", b, a)


def _scaled_image(d: Draft) -> Value:
    a, k, s = d.given("A", "h w"), d.given("K", "t t"), d.given("s", "")
    return d.convolution(d.each("mulf", ",ij->ij", s, a), k)


def _scaled_kernel(d: Draft) -> Value:
    a, k, s = d.given("A", "h w"), d.given("K", "t t"), d.given("s", "")
    return d.convolution(a, d.each("mulf", ",ij->ij", s, k))


def _shape_twice(d: Draft) -> Value:
    a = d.given("A", "n m")
    return d.each("exp", "ij->ij", d.reshaped(d.reshaped(a, "nm"), "m n"))


def _shape_once(d: Draft) -> Value:
    a = d.given("A", "n m")
    return d.each("exp", "ij->ij", d.reshaped(a, "m n"))


def _shape_back(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "n m")
    return d.each("addf", "ij,ij->ij", d.reshaped(d.reshaped(a, "nm"), "n m"), b)


def _shape_kept(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "n m")
    return d.each("addf", "ij,ij->ij", a, b)


def _shifted(d: Draft) -> Value:
    a, v = d.given("A", "n m"), d.given("v", "n")
    return _softmax(d, d.each("addf", "ij,i->ij", a, v))


def _softmax(d: Draft, a: Value) -> Value:
    e = d.each("exp", "ij->ij", d.each("subf", "ij,i->ij", a, d.total("ij->i", a, "maximumf", "0xFFF0000000000000")))
    return d.each("divf", "ij,i->ij", e, d.total("ij->i", e))


def _unshifted(d: Draft) -> Value:
    a, _ = d.given("A", "n m"), d.given("v", "n")
    return _softmax(d, a)


def _repeated_sum(d: Draft) -> Value:
    v, w, a = d.given("v", "n"), d.given("w", "m"), d.given("A", "n m")
    return d.total("ij->i", d.each("mulf", "i,ij->ij", v, d.each("mulf", "j,ij->ij", w, a)))


def _scaled_sum(d: Draft) -> Value:
    v, w, a = d.given("v", "n"), d.given("w", "m"), d.given("A", "n m")
    return d.each("mulf", "i,i->i", v, d.product("ij,j->i", a, w))


def _sum_of_product(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "m k")
    return d.total("ij->", d.product("ij,jk->ik", a, b))


def _product_of_sums(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "m k")
    return d.product("i,i->", d.total("ij->j", a), d.total("ij->i", b))


def _applied(d: Draft) -> Value:
    a, b, x = d.given("A", "n m"), d.given("B", "m k"), d.given("x", "k")
    return d.product("ij,j->i", d.product("ij,jk->ik", a, b), x)


def _applied_twice(d: Draft) -> Value:
    a, b, x = d.given("A", "n m"), d.given("B", "m k"), d.given("x", "k")
    return d.product("ij,j->i", a, d.product("ij,j->i", b, x))


def _folded(d: Draft) -> Value:
    a, b = d.given("A", "m n"), d.given("B", "m k")
    return d.product("ij,jk->ik", d.turned(a), b)


def _fold(d: Draft) -> Value:
    a, b = d.given("A", "m n"), d.given("B", "m k")
    return d.product("ji,jk->ik", a, b)


def _padded_twice(d: Draft) -> Value:
    return d.padded(d.padded(d.given("A", "h w"), 1), 2)


def _padded_once(d: Draft) -> Value:
    return d.padded(d.given("A", "h w"), 3)


def _fourth_power(d: Draft) -> Value:
    a = d.given("A", "n n")
    power = a
    for _ in range(3):
        power = d.product("ij,jk->ik", power, a)
    return power


def _squared_twice(d: Draft) -> Value:
    a = d.given("A", "n n")
    square = d.product("ij,jk->ik", a, a)
    return d.product("ij,jk->ik", square, square)


def _diagonal_and_rank_one(d: Draft) -> Value:
    v, u, w, x = d.given("v", "n"), d.given("u", "n"), d.given("w", "n"), d.given("X", "n m")
    whole = d.each("addf", "ij,ij->ij", d.diagonal(v, "n"), d.each("mulf", "i,j->ij", u, w))
    return d.product("ij,jk->ik", whole, x)


def _rows_and_rank_one(d: Draft) -> Value:
    v, u, w, x = d.given("v", "n"), d.given("u", "n"), d.given("w", "n"), d.given("X", "n m")
    scaled = d.each("mulf", "i,ij->ij", v, x)
    return d.each("addf", "ij,ij->ij", scaled, d.each("mulf", "i,j->ij", u, d.product("j,jk->k", w, x)))


def _top_of_joined(d: Draft) -> Value:
    a, b, c = d.given("A", "d m"), d.given("B", "d m"), d.given("C", "m k")
    return d.part(d.product("ij,jk->ik", d.joined(0, a, b, "32"), c), 0, 0, "d")


def _of_the_top(d: Draft) -> Value:
    a, _, c = d.given("A", "d m"), d.given("B", "d m"), d.given("C", "m k")
    return d.product("ij,jk->ik", a, c)


def _two_images(d: Draft) -> Value:
    a, b, k = d.given("A", "h w"), d.given("B", "h w"), d.given("K", "t t")
    return d.each("addf", "ij,ij->ij", d.convolution(a, k), d.convolution(b, k))


def _one_image(d: Draft) -> Value:
    a, b, k = d.given("A", "h w"), d.given("B", "h w"), d.given("K", "t t")
    return d.convolution(d.each("addf", "ij,ij->ij", a, b), k)


def _times_ones(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "n k")
    return d.each("addf", "ij,ij->ij", d.product("ij,jk->ik", a, d.filled(1.0, ("m", "k"))), b)


def _rows_added(d: Draft) -> Value:
    a, b = d.given("A", "n m"), d.given("B", "n k")
    return d.each("addf", "i,ij->ij", d.total("ij->i", a), b)


def _shifted_both(d: Draft) -> Value:
    a, b, v = d.given("A", "n m"), d.given("B", "n m"), d.given("v", "n")
    return d.each("maximumf", "ij,ij->ij", d.each("addf", "ij,i->ij", a, v), d.each("addf", "ij,i->ij", b, v))


def _shifted_greatest(d: Draft) -> Value:
    a, b, v = d.given("A", "n m"), d.given("B", "n m"), d.given("v", "n")
    return d.each("addf", "ij,i->ij", d.each("maximumf", "ij,ij->ij", a, b), v)


_MATRICES = "double A[n][m], double B[m][k]"


def _c(arrays: str, body: str) -> str:
    return f"void f(int n, int m, int k, {arrays}) {{\n{body}\n}}\n"


def _sum(to: str, over: str, loops: str, terms: str) -> str:
    """Nested loops, the last of which is a sum."""
    extents = {"i": "n", "j": "m", "l": "k", "u": "n"}
    heads = [f"for (int {c} = 0; {c} < {extents[c]}; {c}++) " for c in (*loops, *over)]
    return (
        f"  {''.join(heads[: len(loops)])}{{ double s = 0; {''.join(heads[len(loops) :])}s += {terms}; {to} = s; }}\n"
    )


_AB = "  double T[n][k];\n" + _sum("T[i][l]", "j", "il", "A[i][j] * B[j][l]")

_IN_C = [
    ("A B x", f"{_MATRICES}, double x[k], double y[n]",
     _AB + _sum("y[i]", "l", "i", "T[i][l] * x[l]"),
     "  double t[m];\n" + _sum("t[j]", "l", "j", "B[j][l] * x[l]") + _sum("y[i]", "j", "i", "A[i][j] * t[j]")),
    ("sum of a product", f"{_MATRICES}, double y[1]",
     _AB + "  y[0] = 0; for (int i = 0; i < n; i++) for (int l = 0; l < k; l++) y[0] += T[i][l];",
     "  double a[m], b[m]; y[0] = 0;\n" + _sum("a[j]", "i", "j", "A[i][j]") + _sum("b[j]", "l", "j", "B[j][l]")
     + "  for (int j = 0; j < m; j++) y[0] += a[j] * b[j];"),
    ("A B + A C", f"{_MATRICES}, double C[m][k], double Y[n][k]",
     _AB + "  double U[n][k];\n" + _sum("U[i][l]", "j", "il", "A[i][j] * C[j][l]")
     + "  for (int i = 0; i < n; i++) for (int l = 0; l < k; l++) Y[i][l] = T[i][l] + U[i][l];",
     "  double T[m][k];\n  for (int j = 0; j < m; j++) for (int l = 0; l < k; l++) T[j][l] = B[j][l] + C[j][l];\n"
     + _sum("Y[i][l]", "j", "il", "A[i][j] * T[j][l]")),
    ("trace of A B", "double A[n][m], double B[m][n], double y[1]",
     "  double T[n][n]; y[0] = 0;\n" + _sum("T[i][u]", "j", "iu", "A[i][j] * B[j][u]")
     + "  for (int i = 0; i < n; i++) y[0] += T[i][i];",
     "  y[0] = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[0] += A[i][j] * B[j][i];"),
    ("normal equations", "double A[n][m], double x[m], double y[m]",
     "  double T[m][m];\n  for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) { double s = 0;"
     " for (int u = 0; u < n; u++) s += A[u][i] * A[u][j]; T[i][j] = s; }\n"
     "  for (int i = 0; i < m; i++) { double s = 0; for (int j = 0; j < m; j++) s += T[i][j] * x[j]; y[i] = s; }",
     "  double t[n];\n" + _sum("t[i]", "j", "i", "A[i][j] * x[j]") + _sum("y[j]", "i", "j", "A[i][j] * t[i]")),
]  # fmt: skip
_NP = "import numpy as np\nfrom numpy import float64\n\n\n"
_AB_PY = 'A: "float64[N, M]", B: "float64[M, K]"'
_IN_PYTHON = [
    ("A B x", f'{_AB_PY}, x: "float64[K]", y: "float64[N]"', "y[:] = A @ B @ x", "y[:] = A @ (B @ x)"),
    ("row sums of a product", f'{_AB_PY}, y: "float64[N]"', "y[:] = np.sum(A @ B, axis=1)",
     "y[:] = A @ np.sum(B, axis=1)"),
    ("identity", 'A: "float64[N, M]", Y: "float64[N, M]"', "Y[:] = np.eye(A.shape[0]) @ A + A", "Y[:] = A + A"),
    ("rank one", 'A: "float64[N, N]", u: "float64[N]", v: "float64[N]", x: "float64[N]", y: "float64[N]"',
     "y[:] = (A + np.outer(u, v)) @ x", "y[:] = A @ x + u * np.sum(v * x)"),
    ("transposes", 'A: "float64[N, M]", B: "float64[K, N]", Y: "float64[K, M]"', "Y[:] = (A.T @ B.T).T",
     "Y[:] = B @ A"),
]  # fmt: skip

_IN_C += [
    ("x^T (A + A^T) x", "double A[n][n], double x[n], double y[1]",
     "  double T[n][n], t[n]; y[0] = 0;\n  for (int i = 0; i < n; i++) for (int u = 0; u < n; u++)"
     " T[i][u] = A[i][u] + A[u][i];\n" + _sum("t[i]", "u", "i", "T[i][u] * x[u]")
     + "  for (int i = 0; i < n; i++) y[0] += x[i] * t[i];",
     "  double t[n]; y[0] = 0;\n" + _sum("t[i]", "u", "i", "A[i][u] * x[u]")
     + "  double s = 0; for (int i = 0; i < n; i++) s += x[i] * t[i];\n  y[0] = 2 * s;"),
    ("Horner", "double a[n], double b[n], double c[n], double x[n], double y[n]",
     "  for (int i = 0; i < n; i++) y[i] = a[i] * x[i] * x[i] + b[i] * x[i] + c[i];",
     "  for (int i = 0; i < n; i++) y[i] = (a[i] * x[i] + b[i]) * x[i] + c[i];"),
]  # fmt: skip
_IN_PYTHON += [
    ("trace of A^T B", 'A: "float64[N, M]", B: "float64[N, M]", y: "float64[1]"', "y[0] = np.trace(A.T @ B)",
     "y[0] = np.sum(A * B)"),
    ("x^T (A + A^T) x", 'A: "float64[N, N]", x: "float64[N]", y: "float64[1]"', "y[0] = x @ (A + A.T) @ x",
     "y[0] = 2 * (x @ (A @ x))"),
]  # fmt: skip

ENTRIES: list[Entry] = [
    *_both("I A", _identity, lambda d: d.given("A", "n m"), _LO, _S, fp="fast"),
    *_both("0 A + B A", _zero, _not_zero, _LO, _S, fp="fast"),
    *_both("diag(v) A", _diagonal, _scaled_rows, _LO, _S, fp="fast"),
    *_both("trace of A B", _trace, _bilinear, _LO, _S, fp="fast"),
    *_both("[A B] [C; D]", _blocks, _block_sum, _LO, _S),
    *_both("rows of A B", _some_rows, _of_some_rows, _LO, _S),
    *_both("columns of A B", _some_columns, _of_some_columns, _L),
    *_both("Q K^T / s", _scores, _scaled_query, _LO, _S),
    *_both("A B + A C", _two_products, _one_product, _LO, _SO),
    *_both("(A^T B^T)^T", _turned_twice, _turned_never, _LO, _SO),
    *_both("convolution of s A", _scaled_image, _scaled_kernel, _L, _S),
    *_both("shape of shape", _shape_twice, _shape_once, _S),
    *_both("shape and back", _shape_back, _shape_kept, _L, _S),
    *_both("softmax of a shift", _shifted, _unshifted, _LO, fp="fast"),
    *_both("sum of v w^T A", _repeated_sum, _scaled_sum, _LO, _S),
    *_both("1^T A B 1", _sum_of_product, _product_of_sums, _LO, _SO),
    *_both("A B x", _applied, _applied_twice, _LO, _SO),
    *_both("transpose into a product", _folded, _fold, _SO),
    *_both("padding of a padding", _padded_twice, _padded_once, _S),
    *_both("A A A A", _fourth_power, _squared_twice, _LO, _SO),
    *_both("(diag(v) + u w^T) X", _diagonal_and_rank_one, _rows_and_rank_one, _LO, _S, fp="fast"),
    *_both("top of [A; B] C", _top_of_joined, _of_the_top, _L, _S),
    *_both("convolution of A and of B", _two_images, _one_image, _L, _S),
    *_both("A 1 + B", _times_ones, _rows_added, _LO, _S),
    *_both("maximum of shifted", _shifted_both, _shifted_greatest, _LO, _S, fp="fast"),
    *[Entry(name, C, OPEN, _c(arrays, one), _c(arrays, two)) for name, arrays, one, two in _IN_C],
    *[Entry(name, PYTHON, OPEN, *(f"{_NP}def f({arguments}):\n    {side}\n" for side in (one, two)),
            fp="fast" if name == "identity" else "reassoc") for name, arguments, one, two in _IN_PYTHON],
]  # fmt: skip
