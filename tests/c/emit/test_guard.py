"""A guarded function does what C does also where nothing holds of what was assumed."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from raising.emit.versioning import guarded
from raising.frontend.c import COptions, convert
from raising.polybench.suite.values import Value
from raising.validate.native.foreign_call import Compiled
from tests.c.corpus import FILES, cases
from tests.c.gcc import Library, needs_gcc

pytestmark = needs_gcc

GEMM = """
void f(int m, int n, int k, float *a, int lda, float *b, float *c, int ldc) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        c[i * ldc + j] += a[i * lda + p] * b[p * n + j];
}"""


@dataclass(frozen=True)
class At:
    """A pointer into the one buffer of a call, and the shape that MLIR sees there."""

    start: int
    shape: tuple[int, ...]


def i32(*values: int) -> list[Value]:
    """Arguments of type int."""
    return [np.int32(v) for v in values]


def outcome(source: str, buffer: np.ndarray, *arguments: Value | At, returns: str | None = None) -> bool:
    """Assert that the guarded function does what gcc's does; whether the guard held."""
    module = convert(source, "k.c", COptions(guard=True))
    assert not module.refused and module.guards
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.c"
        path.write_text(source)
        library = Library(path, {})
    want, got = buffer.copy(), buffer.copy()
    mlir = [_view(got, a) for a in arguments]
    held = Compiled(module.guards, "f.holds").call(mlir).results[0]
    result = Compiled(guarded(module.mlir, module.guards), "f").call(mlir).results
    c = [_view(want, a) if isinstance(a, At) else a for a in arguments]
    expected = library.call("f", c, returns, copied=False)
    assert got.tobytes() == want.tobytes()
    assert not returns or np.asarray(result[0], returns).tobytes() == np.asarray(expected[-1]).tobytes()
    return bool(held)


def _view(buffer: np.ndarray, argument: Value | At) -> object:
    if not isinstance(argument, At):
        return argument.item()
    return buffer[argument.start :][: int(np.prod(argument.shape))].reshape(argument.shape)


def numbers(count: int) -> np.ndarray:
    """Whole numbers, so that sums are exact in any order."""
    return np.random.default_rng(1).integers(-3, 4, count).astype("float32")


def test_matrices_apart():
    m, n, k = 4, 5, 6
    rows = At(0, (m, k)), At(24, (k, n)), At(54, (m, n))
    assert outcome(GEMM, numbers(80), *i32(m, n, k), rows[0], *i32(k), rows[1], rows[2], *i32(n))


@pytest.mark.parametrize("start", [0, 20, 23])
def test_matrices_that_overlap(start: int):
    m, n, k = 4, 5, 6
    rows = At(0, (m, k)), At(24, (k, n)), At(start, (m, n))
    assert not outcome(GEMM, numbers(80), *i32(m, n, k), rows[0], *i32(k), rows[1], rows[2], *i32(n))


@pytest.mark.parametrize("lda", [0, 2, 5])
def test_rows_that_are_longer_than_their_distance(lda: int):
    m, n, k = 4, 5, 6
    rows = At(0, (m, lda)), At(24, (k, n)), At(54, (m, n))
    assert not outcome(GEMM, numbers(80), *i32(m, n, k), rows[0], *i32(lda), rows[1], rows[2], *i32(n))


@pytest.mark.parametrize(("second", "held"), [("b[i + j] *= 2;", False), ("a[j] -= b[i + j];", True)])
def test_what_lies_in_front_of_written_elements_may_be_written_back(second: str, held: bool):
    """Both pointers are the same: of two written arrays, none may lie between the other's start and its elements."""
    source = f"void f(int n, int i, float *a, float *b) {{ for (int j = 0; j < n; j++) {{ a[j] += 1; {second} }} }}"
    assert outcome(source, numbers(20), *i32(5, 8), At(0, (5,)), At(0, (13,))) == held


def test_restrict_leaves_nothing_to_test():
    source = "void f(int n, float *restrict x, const float *restrict y) { for (int i = 0; i < n; i++) x[i] = y[i]; }"
    assert convert(source, "k.c", COptions(guard=True)).guards == ""


SUM = (
    "float f(int n, float *x, float *y) { float s = 0; for (int i = 0; i < n; i++) { y[i] = s; s += x[i]; } return s; }"
)


@pytest.mark.parametrize(("start", "held"), [(9, True), (8, False), (1, False), (0, False)])
def test_result(start: int, held: bool):
    arguments = (*i32(9), At(0, (9,)), At(start, (9,)))
    assert outcome(SUM, numbers(20), *arguments, returns="float32") == held


KEYED = """
void f(int n, int len, float *x, float *key) {
  if (len <= 0) return;
  for (int i = 0; i < n; i++) x[i] += key[i % len];
}"""


@pytest.mark.parametrize(("x", "key", "held"), [(6, 0, True), (5, 0, False), (0, 5, False), (0, 12, True)])
def test_rows_and_what_is_left_over_are_loops_of_their_own(x: int, key: int, held: bool):
    assert outcome(KEYED, numbers(20), *i32(12, 6), At(x, (2, 6)), At(key, (6,))) == held


UNSIGNED = {
    "difference": ("unsigned n", "for (unsigned i = 0; i < n - 1 && i < 9; i++) x[i] = 1;", 0),
    "subscript": ("unsigned s", "for (unsigned i = 0; i < 9; i += 2) x[i * s] = i;", 1 << 31),
    "sum": ("unsigned s", "for (unsigned i = 0; i < 3; i++) x[i + s + 9] = i;", (1 << 32) - 4),
    "counter": ("unsigned short n", "for (unsigned short i = n; i > 0; i -= 3) x[i] = i;", 10),
    "narrow counter": ("long n", "for (unsigned char i = 251; i < n; i++) { x[255 - i] = i; }", 255),
    "cut": ("unsigned long n", "for (unsigned i = 0; i < (unsigned)n; i++) x[i] = 1;", (1 << 32) + 7),
    "negative": ("int n", "for (unsigned long i = 0; i < (unsigned long)n && i < 9; i++) x[i] = 1;", -1),
}
TYPES = {
    "unsigned short": np.uint16,
    "unsigned": np.uint32,
    "long": np.int64,
    "unsigned long": np.uint64,
    "int": np.int32,
}


@pytest.mark.parametrize(("parameter", "body", "value"), UNSIGNED.values(), ids=UNSIGNED.keys())
def test_integers_that_wrap_around(parameter: str, body: str, value: int):
    scalar = TYPES[parameter.rpartition(" ")[0]](value)
    held = outcome(f"void f({parameter}, float *x) {{ {body} }}", numbers(1 << 16), scalar, At(0, (1 << 16,)))
    assert held == (parameter == "long n")


CALLS = """
static float w[4];
static void add(float *to, const float *from, int n) { while (n--) *to++ += *from++; }
void f(int n, int m, float *a, float *b) {
  float row[m];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) row[j] = a[i * m + j] * 2;
    add(&b[i * m], row, m);
  }
  for (float *p = a; p < a + 4; ++p) *p += w[p - a] + (sizeof row == 4 * m);
}"""


@pytest.mark.parametrize("start", [0, 12, 5])
def test_calls_pointers_and_local_arrays(start: int):
    assert outcome(CALLS, numbers(40), *i32(3, 4), At(0, (3, 4)), At(start, (3, 4))) == (start == 12)


def test_a_guard_tests_globals_too():
    source = "float t[4]; float *p; void f(float *x) { for (int i = 0; i < 4; i++) x[i] = t[3 - i]; }"
    module = convert(source, "k.c", COptions(guard=True))
    assert [r.reason for r in module.assumptions] == [
        "in 'f': 'x' does not overlap 't' in memory (restrict would say so)"
    ]
    assert "memref.get_global @t" in guarded(module.mlir, module.guards)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_corpus_can_be_guarded(path: Path):
    module = convert(path.read_text(), str(path), COptions(guard=True, defines=("REAL=float",)))
    assert {c.function for c in cases(path)} <= {f.name for f in module.functions}
    text = guarded(module.mlir, module.guards) if module.guards else module.mlir
    assert text.count("scf.while") >= module.guards.count("scf.while")
