"""Code for other machines: the kernels of PolyBench, run by an emulator, compute what their oracles say."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.frontend.c import COptions, convert
from raising.native.base.compile_options import CompileOptions
from raising.native.base.target import CACHES, Target, target_for
from raising.native.base.unsupported import CompileError
from raising.native.compile import build
from raising.polybench import kernels
from tests.native.test_command import run

KERNELS = kernels()
RECORD = Path(__file__).parents[2] / "results" / "polybench-mini-f32.json"
RANDOM = "gramschmidt"
"""At MINI its matrix is wider than high, and its last columns are rounding errors: the first are compared."""
SOME = ("2mm", "adi", "cholesky", "correlation", "deriche", "jacobi-2d", "nussinov", "symm")
"""One of each kind: products, sweeps, factorisations, roots, exponentials, stencils, integers, triangles."""
ARM = "aarch64-linux-gnu"
_C = {"float32": "float", "int8": "signed char"}

_MAIN = """
#include <stdio.h>
#include <stdlib.h>
static void *get(size_t bytes) {{
  void *p = malloc(bytes);
  if (!p || fread(p, 1, bytes, stdin) != bytes) exit(3);
  return p;
}}
{declared}
int main(void) {{
{calls}
  return 0;
}}
"""


def _needs(*programs: str) -> pytest.MarkDecorator:
    missing = [name for name in programs if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)} (Debian: qemu-user, gcc-{ARM})")


@cache
def raised() -> Mapping[str, str]:
    """Each kernel at MINI in `f32`, as it was raised and optimised when the record was made."""
    rows = json.loads(RECORD.read_text())["rows"]
    return {row["key"]["name"]: row["targets"]["linalg"]["optimised"] for row in rows}


def _inputs(name: str) -> dict[str, Any]:
    return KERNELS[name].inputs("MINI", "f32", 1 if name == RANDOM else None)


def _program(names: tuple[str, ...], options: CompileOptions, folder: Path, compiler: str) -> Path:
    """A program that reads the arguments of one kernel after the other, calls it, and writes its arrays."""
    declared, calls, objects = [], [], []
    for k, name in enumerate(names):
        objects.append(folder / f"{k}.o")
        objects[-1].write_bytes(build(raised()[name].encode(), name, options).code.object)
        types, arguments, after = [], [], []
        for place, value in enumerate(_inputs(name).values()):
            kind, variable = _C[str(value.dtype)], f"v{place}"
            array = isinstance(value, np.ndarray)
            types.append(f"{kind} *" if array else kind)
            arguments.append(f"{kind} *{variable} = get({value.nbytes});")
            after += [f"fwrite({variable}, 1, {value.nbytes}, stdout);"] if array else []
        given = ", ".join(f"v{place}" if "*" in kind else f"*v{place}" for place, kind in enumerate(types))
        declared.append(f"void {KERNELS[name].function}({', '.join(types)});")
        calls.append(f"  {{ {' '.join(arguments)} {KERNELS[name].function}({given}); {' '.join(after)} }}")
    (folder / "main.c").write_text(_MAIN.format(declared="\n".join(declared), calls="\n".join(calls)))
    program = folder / "main"
    libraries = ["-static", "-lm", "-lpthread"]
    subprocess.run([compiler, "-O1", folder / "main.c", *objects, *libraries, "-o", program], check=True)
    return program


def _compare(names: tuple[str, ...], program: list[str | Path]) -> None:
    given = b"".join(value.tobytes() for name in names for value in _inputs(name).values())
    done = subprocess.run(program, input=given, capture_output=True, check=True, timeout=120)
    at, wrong = 0, []
    for name in names:
        inputs = _inputs(name)
        expected = KERNELS[name].expected("MINI", inputs)
        for argument, value in inputs.items():
            if isinstance(value, np.ndarray):
                got = np.frombuffer(done.stdout, value.dtype, value.size, at).reshape(value.shape)
                at += value.nbytes
                if argument in KERNELS[name].live_out and not _close(name, got, expected[argument]):
                    wrong.append(f"{name}: {argument}")
    assert at == len(done.stdout) and not wrong


def _close(name: str, got: Any, want: Any) -> bool:
    if name == RANDOM:
        part = np.s_[:10] if got.shape[0] == got.shape[1] else np.s_[:, :10]
        got, want = got[part], want[part]
    return bool(np.allclose(got, want, rtol=2e-3, atol=2e-3 * float(np.max(np.abs(want)))))


@_needs("qemu-aarch64", f"{ARM}-gcc")
@pytest.mark.parametrize("threads", [1, 2])
def test_the_thirty_kernels_are_right_on_aarch64(tmp_path: Path, threads: int) -> None:
    names = tuple(KERNELS) if threads == 1 else SOME
    program = _program(names, CompileOptions(triple=ARM, threads=threads), tmp_path, f"{ARM}-gcc")
    _compare(names, ["qemu-aarch64", program])


@_needs("qemu-x86_64", "gcc")
@pytest.mark.parametrize(("cpu", "emulated"), [("x86-64-v2", "Nehalem"), ("x86-64-v3", "Haswell")])
def test_the_kernels_are_right_on_processors_without_what_newer_ones_have(
    tmp_path: Path, cpu: str, emulated: str
) -> None:
    names = SOME if cpu == "x86-64-v2" else tuple(KERNELS)
    program = _program(names, CompileOptions(cpu=cpu, triple="x86_64-linux-gnu"), tmp_path, "gcc")
    _compare(names, ["qemu-x86_64", "-cpu", emulated, program])


def test_tiles_and_instructions_are_those_of_the_target() -> None:
    v2, v3, v4 = (target_for(f"x86-64-v{level}", triple="x86_64-linux-gnu") for level in (2, 3, 4))
    arm = target_for(triple=ARM)
    found = [(t.vector_bits, t.registers, t.fuses, t.scales) for t in (v2, v3, v4, arm)]
    assert found == [(128, 16, False, False), (256, 16, True, False), (512, 32, True, True), (128, 32, True, False)]
    assert target_for("neoverse-v1", triple=ARM).cpu == "neoverse-v1"


@pytest.mark.parametrize("cpu", CACHES)
def test_blocks_are_those_of_the_caches_of_a_processor(cpu: str) -> None:
    """LLVM knows each name, and code for a processor is blocked as on one."""
    target = target_for(cpu, triple=ARM if cpu.startswith("neoverse") else "x86_64-linux-gnu")
    assert (target.l1 >> 10, target.l2 >> 10, target.l3 >> 10) == CACHES[cpu]
    assert target.l1 < target.l2 < target.l3


def test_caches_that_are_not_known_are_the_smallest_that_are_common() -> None:
    target = target_for("x86-64-v3", triple="x86_64-linux-gnu")
    assert (target.l1, target.l2, target.l3) == (Target.l1, Target.l2, Target.l3)


@pytest.mark.parametrize(("cpu", "seen", "never"), [("x86-64-v2", "mulps", "fmaf"), ("x86-64-v3", "vfmadd", "zmm")])
def test_products_and_sums_are_calls_nowhere(cpu: str, seen: str, never: str) -> None:
    code = build(raised()["gemm"].encode(), "gemm", CompileOptions(cpu=cpu, triple="x86_64-linux-gnu")).code.assembly
    assert seen in code and never not in code
    arm = build(raised()["gemm"].encode(), "gemm", CompileOptions(triple=ARM)).code.assembly
    assert "fmla\tv" in arm and "fmaf" not in arm


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--target", "riscv64-linux-gnu"], "unknown target 'riscv64-linux-gnu' (known: x86_64-linux-gnu, aarch64-"),
        (["--target", "aarch64-apple-darwin"], "unknown target"),
        (["--target", ARM, "--target-cpu", "x86-64-v3"], "unknown processor 'x86-64-v3'"),
        (["--target", ARM, "--backend", "blas"], "the back end blas is for this machine"),
    ],
)
def test_other_targets_are_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = run("-", "-o", "k.o", *arguments, given=raised()["gemm"], cwd=tmp_path)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and said in line and not list(tmp_path.iterdir())


def test_code_for_another_machine_is_not_called_here() -> None:
    with pytest.raises(CompileError, match="raise-compile --target"):
        compile_module(raised()["gemm"], triple=ARM)


SUM = """
void widen(int n, const char *restrict a, int *restrict b)
{ for (int i = 0; i < n; i++) b[i] = a[i] + K; }
"""


def test_c_is_read_as_on_its_machine() -> None:
    """Where nothing says so, `char` has a sign on x86-64, and none on AArch64."""
    text = "#ifdef __aarch64__\n#define K 1\n#else\n#define K 2\n#endif\n" + SUM
    here, there = (
        convert(text, "k.c", COptions(flags=(f"--target={each}",))).mlir for each in ("x86_64-linux-gnu", ARM)
    )
    assert "arith.extsi" in here and "constant 2" in here
    assert "arith.extui" in there and "constant 1" in there


USE = """
#include "k.h"
int main(void) {
  unsigned char a[37]; int b[37], wrong = 0;
  for (int i = 0; i < 37; i++) a[i] = 250 - i * 5;
  widen(37, a, b);
  for (int i = 0; i < 37; i++) wrong += b[i] != a[i] + 7;
  return wrong;
}
"""


@_needs("qemu-aarch64", f"{ARM}-gcc")
def test_the_command_writes_an_object_and_a_library_for_another_machine(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(SUM)
    (tmp_path / "use.c").write_text(USE)
    for made in ("k.o", "libk.so"):
        done = run("k.c", "-DK=7", "--target", ARM, "-o", made, "--header", "k.h", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        subprocess.run([f"{ARM}-gcc", "-Werror", "use.c", made, "-o", "use"], cwd=tmp_path, check=True)
        found = ["qemu-aarch64", "-L", f"/usr/{ARM}", "-E", "LD_LIBRARY_PATH=.", "./use"]
        assert subprocess.run(found, cwd=tmp_path).returncode == 0
