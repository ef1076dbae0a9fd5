"""`raise-check`: exit statuses, options, JSON, and inputs that try to break it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raising.commands import check_command as check_cli
from raising.validate.check import LEVELS
from tests.kernels import kernel, small

FILL = "func.func @f(%x: {0}, %A: memref<8x{0}>) {{\n affine.for %i = 0 to 8 {{\n{1}\n }}\n return\n}}"


def fill(body: str, element: str = "f64") -> str:
    return FILL.format(element, body)


STORE = "affine.store %x, %A[{}] : memref<8xf64>"
PLAIN = fill(STORE.format("%i"))


def ask(
    folder: Path, capsys: pytest.CaptureFixture[str], one: str | bytes, other: str | bytes, *options: str
) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    paths = []
    for name, text in (("a.mlir", one), ("b.mlir", other)):
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append(str(folder / name))
    status = check_cli.main([*paths, *options])
    found = capsys.readouterr()
    assert "Traceback" not in found.err + found.out
    return status, found.out.strip(), found.err.strip()


def test_the_command_knows_the_levels_of_the_check() -> None:
    assert check_cli.LEVELS == LEVELS


def test_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reversed_ = fill(STORE.format("7 - %i"))
    status, out, _ = ask(tmp_path, capsys, PLAIN, reversed_, "--level", "proved-all-sizes")
    assert status == 0 and out.startswith("proved-all-sizes: proved for all sizes")


def test_different(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = PLAIN.replace("to 8 {", "to 7 {")
    status, out, _ = ask(tmp_path, capsys, PLAIN, short, "--json")
    record = json.loads(out)
    assert status == 1
    assert record["verdict"] == "refuted"
    assert record["counterexample"]["output"] == "argument 1"
    assert record["counterexample"]["source"] != record["counterexample"]["target"]


def test_symmetry_by_the_name_in_the_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """func.func @f(%S: memref<6x6xf64>, %B: memref<6x6xf64>) {
      affine.for %i = 0 to 6 { affine.for %j = 0 to 6 {
        %v = affine.load %S[%i, %j] : memref<6x6xf64>
        affine.store %v, %B[%i, %j] : memref<6x6xf64> } }
      return }"""
    other = text.replace("%S[%i, %j]", "%S[%j, %i]")
    assert ask(tmp_path, capsys, text, other)[0] == 1
    status, out, _ = ask(tmp_path, capsys, text, other, "--assume", "symmetric:S")
    assert status == 0 and "S is symmetric" in out
    status, _, err = ask(tmp_path, capsys, text, other, "--assume", "symmetric:T")
    assert status == 2 and "there is no argument 'T' (there are: S, B)" in err
    oblong = text.replace("memref<6x6xf64>", "memref<6x7xf64>").replace("%j = 0 to 6", "%j = 0 to 7")
    status, _, err = ask(tmp_path, capsys, oblong, oblong, "--assume", "lower:S")
    assert status == 2 and "S is no square matrix" in err


def test_one_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """func.func @f(%x: f64, %A: memref<?xf64>, %n: index) {{
      affine.for %i = 0 to {} {{ affine.store %x, %A[%i] : memref<?xf64> }}
      return
    }}"""
    one, other = text.format("%n"), text.format("5")
    assert ask(tmp_path, capsys, one, other)[0] == 1
    status, out, _ = ask(tmp_path, capsys, one, other, "--size", "n=5", "--size", "A.0=9")
    assert status == 0 and out.startswith("proved-this-size: proved at 9x5")
    wrong = {
        "n": "not a size",
        "n=one": "not a size",
        "m=4": "there is no argument 'm' (there are: x, A, n)",
        "x=4": "'x' is no open size (open are: A.0, n)",
        "A.1=4": "'A.1' is no open size (open are: A.0, n)",
    }
    for size, told in wrong.items():
        status, _, err = ask(tmp_path, capsys, one, other, "--size", size)
        assert status == 2 and told in err
    assert "two numbers" in ask(tmp_path, capsys, one, other, "--size", "n=4", "--size", "n=5")[2]
    status, _, err = ask(tmp_path, capsys, one, other, "--size", "n=5", "--level", "proved-all-sizes")
    assert status == 2 and "there is no proof for all sizes then" in err


def test_names_are_those_of_the_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = """func.func @f(%k: f64, %OUT: memref<?xf64>) {
      affine.store %k, %OUT[0] : memref<?xf64>
      return
    }"""
    other = one.replace("store %k, %OUT[0]", "store %k, %OUT[1]")
    status, out, _ = ask(tmp_path, capsys, one, other, "--size", "OUT.0=3", "--json")
    record = json.loads(out)
    assert status == 1 and record["text"].startswith("refuted: OUT[0] is ") and "from k=" in record["text"]
    assert record["counterexample"]["output"] == "argument 1" and record["arguments"] == ["k", "OUT"]
    status, out, _ = ask(tmp_path, capsys, one, one.replace("%OUT[0]", "%OUT[-1]"), "--size", "OUT.0=3")
    assert status == 1 and f"the target writes outside of an array at {tmp_path}/b.mlir:2:7" in out


TOSA = """func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = tosa.add %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}"""


def test_loops_beside_another_dialect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loops = """func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {
      affine.for %i = 0 to 8 {
        %a = affine.load %x[%i] : memref<8xf32>
        %b = affine.load %y[%i] : memref<8xf32>
        %s = arith.addf %a, %b : f32
        affine.store %s, %x[%i] : memref<8xf32>
      }
      return
    }"""
    for one, other in ((loops, TOSA), (TOSA, loops)):
        assert ask(tmp_path, capsys, one, other, "--level", "proved-all-sizes")[0] == 0
    assert ask(tmp_path, capsys, loops.replace("addf", "subf"), TOSA)[0] == 1


def chain(count: int) -> str:
    lines = ["%v0 = affine.load %A[%i] : memref<8xf64>"]
    lines += [f"%v{k + 1} = arith.addf %v{k}, %x : f64" for k in range(count)]
    return fill("\n".join([*lines, f"affine.store %v{count}, %A[%i] : memref<8xf64>"]))


def nest(depth: int) -> str:
    opened = "".join(f"affine.for %k{d} = 0 to 2 {{\n" for d in range(depth))
    return fill(opened + STORE.format("%i") + "}" * depth)


CALL = "func.func private @g(f64) -> f64\n" + fill(
    "%r = func.call @g(%x) : (f64) -> f64\naffine.store %r, %A[%i] : memref<8xf64>"
)
RECURSION = PLAIN.replace("return", "func.call @f(%x, %A) : (f64, memref<8xf64>) -> ()\n return")
HUGE = PLAIN.replace("0 to 8", "0 to 4611686018427387904").replace(STORE.format("%i"), STORE.format("0"))
SCF = """func.func @f(%x: f64, %A: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c0 { memref.store %x, %A[%i] : memref<8xf64> }
  return
}"""
LONG = fill("\n".join([STORE.format("%i")] * 25_000))
STRIDED = PLAIN.replace("memref<8xf64>", "memref<8xf64, strided<[2]>>")
INDIRECT = """func.func @f(%I: memref<8xindex>, %A: memref<8xf64>, %x: f64) {
  affine.for %i = 0 to 8 {
    %k = affine.load %I[%i] : memref<8xindex>
    memref.store %x, %A[%k] : memref<8xf64>
  }
  return
}"""

HOSTILE: dict[str, tuple[str | bytes, int, str]] = {
    "step 0 in affine": (PLAIN.replace("0 to 8", "0 to 8 step 0"), 3, "loop step 0 is not positive"),
    "step 0 in scf": (SCF, 3, "loop step 0 is not positive"),
    "NUL bytes": (b"\0\1\2\3" + PLAIN.encode(), 2, "a.mlir"),
    "empty": ("", 2, "empty input"),
    "2^62 iterations": (HUGE, 0, "proved"),
    "5,000 loops deep": (nest(5000), 2, "a.mlir:2001:1: error: nested deeper than 2000 levels"),
    "1,000 loops deep": (nest(1000), 3, "nested deeper than 12"),
    "30 loops deep": (nest(30), 3, "nested deeper than"),
    "1,000 terms": (chain(1000), 0, "proved-all-sizes"),
    "100 terms": (chain(100), 0, "proved-all-sizes"),
    "many lines": (LONG, 3, "more than 20000 operations"),
    "negative index": (fill(STORE.format("%i - 1")), 3, "a.mlir:3:1 at N0 = 1"),
    "strided layout": (STRIDED, 3, "layout"),
    "half floats": (fill("affine.store %x, %A[%i] : memref<8xf16>", "f16"), 0, "proved"),
    "truth values": (fill("affine.store %x, %A[%i] : memref<8xi1>", "i1"), 0, "proved"),
    "complex numbers": (fill("affine.store %x, %A[%i] : memref<8xcomplex<f64>>", "complex<f64>"), 3, "complex"),
    "recursion": (RECURSION, 3, "calls a function"),
    "a call": (CALL, 3, "calls a function"),
    "indirect": (INDIRECT, 3, "not an affine function"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_has_its_answer(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, status, told = HOSTILE[name]
    found, out, err = ask(tmp_path, capsys, text, text, "--timeout", "10")
    assert found == status, out + err
    assert told in out + err
    assert len((out + err).splitlines()) == 1


def test_a_wrong_kernel_is_refuted_and_a_right_one_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = kernel("gesummv", small("gesummv"))
    assert ask(tmp_path, capsys, text, text)[0] == 0
    assert ask(tmp_path, capsys, text, text.replace("arith.addf", "arith.subf", 1))[0] == 1


COUNTED = "void f(int n, int *r) { int s = 0; for (int i = 0; i < n; i++) s++; r[0] = s; }"


def test_what_is_assumed_of_c_is_not_refuted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where it does not hold, what is compared is not the C."""
    for number, status in ("n > 0 ? n : 0", 3), ("n > 0 ? n + 1 : 0", 1):
        (tmp_path / "a.c").write_text(COUNTED)
        (tmp_path / "b.c").write_text(f"void f(int n, int *r) {{ r[0] = {number}; }}")
        for pair in ("a.c", "b.c"), ("b.c", "a.c"):
            assert check_cli.main([str(tmp_path / name) for name in pair]) == status
            found = capsys.readouterr()
            assert "assumed in 'f': n >= 0" in found.err
            assert status == 1 or "where it is not so that n >= 0" in found.out


def test_a_byte_is_the_same_in_more_bits(tmp_path: Path) -> None:
    text = (
        "void f(unsigned char *p, const unsigned char *x, int n) { %s v = x[0]; for (int i = 0; i < n; i++) p[i] = v; }"
    )
    (tmp_path / "a.c").write_text(text % "unsigned char")
    for kind, status in ("int", 0), ("short", 0), ("_Bool", 1):
        (tmp_path / "b.c").write_text(text % kind)
        assert check_cli.main([str(tmp_path / "a.c"), str(tmp_path / "b.c")]) == status


UNROLLED = """unsigned f(const unsigned char *p, int n) { unsigned s = 0; int i = 0;
  for (; i + 3 < n; i += 4) s += p[i] + p[i + 1] + p[i + 2] + p[i + 3];
  for (; i < n; i++) s += p[i];
  return s; }"""


def test_where_assumptions_do_not_hold_no_array_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below 0 the rest of an unrolled loop would begin in front of the array, in what is compared."""
    (tmp_path / "a.c").write_text(
        "unsigned f(const unsigned char *p, int n) { unsigned s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }"
    )
    for text, status in (UNROLLED, 0), (UNROLLED.replace("i < n", "i < n - 1"), 1):
        (tmp_path / "b.c").write_text(text)
        assert check_cli.main([str(tmp_path / "a.c"), str(tmp_path / "b.c")]) == status
        assert ">= 0: what its variable holds after a loop" in capsys.readouterr()[status]


def test_what_is_assumed_of_c_is_part_of_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They differ behind 2^16."""
    for name, square in ("a.c", "(long)i * i"), ("b.c", "(unsigned)i * (unsigned)i"):
        (tmp_path / name).write_text(f"void f(int n, long *a) {{ for (int i = 0; i < n; i++) a[i] = {square}; }}")
    assert check_cli.main([str(tmp_path / "a.c"), str(tmp_path / "b.c"), "--json"]) == 0
    (assumed,) = json.loads(capsys.readouterr().out)["assumptions"]
    assert (assumed["kind"], assumed["needed_by"]) == ("reader", "target")
    assert assumed["condition"] == "unsigned integers of 32 bits do not wrap around"
    assert assumed["where"].endswith("b.c:1:61")
