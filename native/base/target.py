"""The target: the machine that code is made for."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from raising.native.base.unsupported import CompileError
from raising.support.record import dataclass

NATIVE = "native"
ALIGNMENT = 64  # bytes of a cache line
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20}


@dataclass(frozen=True)
class Target:
    """A processor and what code may use of it.

    `features` is LLVM's list (`+avx2,+fma,…`), empty where the name of the
    processor says it all. `l1`, `l2`, `l3` are bytes of data cache that one
    core can use. `threads` is how many threads a call may use.
    """

    cpu: str
    features: str
    vector_bits: int
    l1: int = 32 << 10
    l2: int = 512 << 10
    l3: int = 8 << 20
    threads: int = 1

    @property
    def rounds(self) -> bool:
        """Whether it has an instruction that rounds to whole numbers: what every processor of x86-64 can has none."""
        return self.cpu != "x86-64"

    def lanes(self, element_bits: int) -> int:
        """Elements of that width in a vector register."""
        return max(1, self.vector_bits // element_bits)


def target_for(cpu: str = NATIVE, threads: int = 1) -> Target:
    """The target that a name of LLVM's (`x86-64-v3`, `znver4`) or `native` stands for.

    Cache sizes are read from this machine for `native`; elsewhere they are the
    smallest that are common. CompileError for a processor that LLVM does not know.
    """
    if threads < 1:
        raise CompileError(f"{threads} threads: at least one is needed")
    if cpu == NATIVE:
        return replace(_host(), threads=threads)
    if not re.fullmatch(r"[\w.-]+", cpu):
        raise CompileError(f"unknown processor '{cpu}'")
    return Target(cpu, "", _vector_bits(cpu), threads=threads)


def llvm() -> Any:
    """llvmlite's binding of LLVM, ready to generate code for this architecture."""
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def machine_for(target: Target, *, jit: bool = False) -> Any:
    """LLVM's machine for a target: position-independent code, optimised."""
    chosen = llvm().Target.from_default_triple()
    return chosen.create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="pic", codemodel="default", jit=jit
    )


def _host() -> Target:
    binding = llvm()
    features = binding.get_host_cpu_features()
    bits = 512 if features.get("avx512f") else 256 if features.get("avx2") else 128
    usual = {1: Target.l1, 2: Target.l2, 3: Target.l3}
    found = usual | {level: size for level, size in map(_cache, _CACHES.glob("index*")) if size}
    return Target(binding.get_host_cpu_name(), features.flatten(), bits, found[1], found[2], found[3])


def _cache(folder: Path) -> tuple[int, int]:
    """Level and bytes of a cache as Linux describes it; 0 bytes for instructions or what cannot be read."""
    try:
        level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
    except OSError:
        return 0, 0
    number = re.fullmatch(r"(\d+)([KM]?)", size)
    if kind == "Instruction" or number is None or not level.isdigit():
        return 0, 0
    return int(level), int(number[1]) * _UNITS[number[2]]


_PROBE = """
define void @probe(ptr %p) "min-legal-vector-width"="512" "prefer-vector-width"="512" {
  %a = load <16 x float>, ptr %p
  %b = fadd <16 x float> %a, %a
  store <16 x float> %b, ptr %p
  ret void
}"""
_REGISTERS = {"zmm": 512, "ymm": 256}


def _vector_bits(cpu: str) -> int:
    """The widest vector register, seen in what LLVM makes of an addition.

    LLVM is asked in a process of its own: it ends the process for a processor
    that cannot run 64-bit code.
    """
    import llvm as package

    command = [
        str(Path(package.__path__[0]) / "bin" / "llc"),
        f"-mcpu={cpu}",
        f"-mtriple={llvm().get_default_triple()}",
    ]
    run = subprocess.run(command, input=_PROBE, capture_output=True, text=True, check=False)
    if run.returncode or "not a recognized processor" in run.stderr:
        raise CompileError(f"unknown processor '{cpu}'")
    return next((bits for name, bits in _REGISTERS.items() if name in run.stdout), 128)
