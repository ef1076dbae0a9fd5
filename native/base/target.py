"""The target: the machine that code is made for."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from raising.native.base.unsupported import CompileError
from raising.support.record import dataclass

NATIVE = "native"
GENERIC = {"x86_64": "x86-64", "aarch64": "generic"}
"""The architectures that code is made for, with LLVM's name for what every processor of one can do."""
_TRIPLE = re.compile(rf"({'|'.join(GENERIC)})(-\w+)?-linux(-(gnu|musl))?")
ALIGNMENT = 64  # bytes of a cache line
WITHOUT_LSR = "raise.without-lsr"
"""The attribute of a function in LLVM's text that asks for code without loop strength reduction."""
CACHES = {
    "znver2": (32, 512, 16 << 10),
    "znver3": (32, 512, 32 << 10),
    "znver4": (32, 1 << 10, 32 << 10),
    "znver5": (48, 1 << 10, 32 << 10),
    "neoverse-v1": (64, 1 << 10, 32 << 10),
}
"""KiB of L1 and L2 data cache of a core, and of the L3 cache of its group of cores, by LLVM's name of a processor.

The makers' published figures; those of `neoverse-v1` are Graviton3's.
"""
_AMD = ("znver", "bdver", "btver")
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20}


@dataclass(frozen=True)
class Target:
    """A processor and what code may use of it.

    `features` is LLVM's list (`+avx2,+fma,…`), empty where the name of the
    processor says it all. `l1`, `l2`, `l3` are bytes of data cache that one
    core can use. `threads` is how many threads a call may use. `triple` is the architecture and the system, as in
    `aarch64-linux-gnu`, empty for those of this machine.
    """

    cpu: str
    features: str
    vector_bits: int
    l1: int = 32 << 10
    l2: int = 512 << 10
    l3: int = 8 << 20
    threads: int = 1
    triple: str = ""
    fuses: bool = True  # it multiplies and adds in one instruction; elsewhere that is a call of C's library
    permutes: bool = False  # one instruction takes any bytes of two vectors: AVX-512 with VBMI
    dots: int = 0  # how many products of small integers one instruction sums into 32 bits: 4 of bytes (VNNI), 2 of i16

    @property
    def architecture(self) -> str:
        """The first word of the triple: `x86_64` or `aarch64`."""
        return (self.triple or str(llvm().get_default_triple())).partition("-")[0]

    @property
    def rounds(self) -> bool:
        """Whether there is an instruction that rounds to whole numbers; plain x86-64 has none."""
        return self.cpu != GENERIC["x86_64"]

    @property
    def slow_lookups(self) -> bool:
        """Whether an instruction that loads each lane from its own address takes longer than as many loads: AMD's."""
        return self.cpu.startswith(_AMD)

    @property
    def registers(self) -> int:
        """How many vector registers there are: 16 on x86-64 without AVX-512."""
        return 16 if self.architecture == "x86_64" and self.vector_bits < _WIDEST else 32

    @property
    def scales(self) -> bool:
        """Whether it multiplies vectors by powers of two in one instruction: AVX-512."""
        return self.architecture == "x86_64" and self.vector_bits == _WIDEST

    @property
    def broadcasts(self) -> bool:
        """Whether a number is an operand in every lane by an instruction of its own only: AVX, before AVX-512."""
        return self.architecture == "x86_64" and self.vector_bits == _YMM

    @property
    def streams(self) -> int:
        """The bytes from which on what is written goes past the caches; 0 where no instruction does that.

        A fourth of the last cache, as C's library copies memory: others use that cache, too, and by then the next
        reader finds little of what was written first.
        """
        return self.l3 // 4 if self.architecture == "x86_64" else 0

    @property
    def joins_lanes(self) -> bool:
        """Whether one instruction adds neighbours to a wider lane: on x86-64, where one sums products."""
        return self.architecture == "x86_64" and self.dots > 0


def target_for(cpu: str = NATIVE, threads: int = 1, triple: str = "") -> Target:
    """The target that a name of LLVM's (`x86-64-v3`, `znver4`), `native` or `generic` stands for.

    `triple` is the architecture and the system, those of this machine if it is empty; `native` is what every processor
    can do if they are another machine's. Cache sizes are read from this machine for `native`; elsewhere they are
    those of `CACHES`, or the smallest that are common. CompileError for a processor that LLVM does not know, and for
    other systems.
    """
    if threads < 1:
        raise CompileError(f"{threads} threads: at least one is needed")
    check_triple(triple)
    if cpu == NATIVE and not triple:
        return replace(_host(), threads=threads)
    full = triple or str(llvm().get_default_triple())
    if cpu in (NATIVE, "generic"):
        cpu = GENERIC.get(full.partition("-")[0], "generic")
    if not re.fullmatch(r"[\w.-]+", cpu):
        raise CompileError(f"unknown processor '{cpu}'")
    found = _probed(cpu, full)
    made = Target(cpu, "", found.bits, threads=threads, triple=triple, fuses=found.fuses, dots=found.dots)
    l1, l2, l3 = (kib << 10 for kib in CACHES.get(cpu, (made.l1 >> 10, made.l2 >> 10, made.l3 >> 10)))
    return replace(made, l1=l1, l2=l2, l3=l3, permutes=found.permutes)


def check_triple(triple: str) -> None:
    """CompileError unless code can be made for that architecture and system; empty: those of this machine."""
    if triple and not _TRIPLE.fullmatch(triple):
        known = ", ".join(f"{each}-linux-gnu" for each in GENERIC)
        raise CompileError(f"unknown target '{triple}' (known: {known})")


def llvm() -> Any:
    """llvmlite's binding of LLVM, ready to generate code for this architecture.

    A choice that a program makes of its data stays one: LLVM would have x86 jump, and data are hard to guess. What a
    loop stored is not kept for its next iteration where counters might wrap around: see `codegen/objects.py`.
    """
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.set_option("", "-loop-load-elimination-scev-check-threshold=0")
    if os.uname().machine == "x86_64":  # others may not know the option
        binding.set_option("", "-x86-cmov-converter=false")
    return binding


def triple_of(target: Target) -> str:
    """Architecture and system of a target, as LLVM has them in a module."""
    return target.triple or str(llvm().get_default_triple())


def machine_for(target: Target, *, jit: bool = False) -> Any:
    """LLVM's machine for a target: position-independent code, optimised."""
    binding = llvm()
    if target.triple:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    chosen = binding.Target.from_triple(triple_of(target))
    return chosen.create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="pic", codemodel="default", jit=jit
    )


def _host() -> Target:
    binding = llvm()
    features = binding.get_host_cpu_features()
    bits = 512 if features.get("avx512f") else 256 if features.get("avx2") else 128
    usual = {1: Target.l1, 2: Target.l2, 3: Target.l3}
    found = usual | {level: size for level, size in map(_cache, _CACHES.glob("index*")) if size}
    fuses = bool(features.get("fma", True))  # only x86-64 has a name for it
    four = features.get("avx512vnni" if bits == _WIDEST else "avxvnni")
    two = features.get("avx512bw" if bits == _WIDEST else "sse2")
    dots = 4 if four and two else 2 if two else 0
    name = binding.get_host_cpu_name()
    target = Target(name, features.flatten(), bits, found[1], found[2], found[3], fuses=fuses, dots=dots)
    return replace(target, permutes=bits == _WIDEST and bool(features.get("avx512vbmi")))


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
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
define void @probe(ptr %p) "min-legal-vector-width"="512" "prefer-vector-width"="512" {
  %a = load <16 x float>, ptr %p
  %b = call <16 x float> @llvm.fma.v16f32(<16 x float> %a, <16 x float> %a, <16 x float> %a)
  %c = fadd <16 x float> %b, %a
  store <16 x float> %c, ptr %p
  ret void
}
define i32 @bytes(<64 x i8> %a, <64 x i8> %b) "min-legal-vector-width"="512" "prefer-vector-width"="512" {
  %x = zext <64 x i8> %a to <64 x i32>
  %y = sext <64 x i8> %b to <64 x i32>
  %z = mul <64 x i32> %x, %y
  %s = call i32 @llvm.vector.reduce.add.v64i32(<64 x i32> %z)
  ret i32 %s
}
define i32 @pairs(<32 x i16> %a, <32 x i16> %b) "min-legal-vector-width"="512" "prefer-vector-width"="512" {
  %x = sext <32 x i16> %a to <32 x i32>
  %y = sext <32 x i16> %b to <32 x i32>
  %z = mul <32 x i32> %x, %y
  %s = call i32 @llvm.vector.reduce.add.v32i32(<32 x i32> %z)
  ret i32 %s
}
define <64 x i8> @any(<64 x i8> %a, <64 x i8> %b) "min-legal-vector-width"="512" "prefer-vector-width"="512" {
  %s = shufflevector <64 x i8> %a, <64 x i8> %b, <64 x i32> <ORDER>
  ret <64 x i8> %s
}""".replace("ORDER", ", ".join(f"i32 {number * 37 % 128}" for number in range(64)))
_WIDEST, _YMM = 512, 256
_REGISTERS = {"zmm": _WIDEST, "ymm": _YMM}
_CALL = "fmaf"
_PERMUTES = r"vperm[it]2b\b"
_DOTS = (("vpdpbusd", 4), ("pmaddwd", 2))


@dataclass(frozen=True)
class _Found:
    """What a processor has, as far as code shows it: the fields are those of `Target`, `bits` its `vector_bits`."""

    bits: int
    fuses: bool
    permutes: bool
    dots: int


def _probed(cpu: str, triple: str) -> _Found:
    """The widest vector register and the instructions there are, seen in what LLVM makes of operations that need them.

    LLVM is asked in a process of its own: it ends the process for a processor
    that cannot run 64-bit code.
    """
    import llvm as package

    command = [str(Path(package.__path__[0]) / "bin" / "llc"), f"-mcpu={cpu}", f"-mtriple={triple}"]
    run = subprocess.run(command, input=_PROBE, capture_output=True, text=True, check=False)
    if run.returncode or "not a recognized processor" in run.stderr:
        raise CompileError(f"unknown processor '{cpu}'")
    bits = next((bits for name, bits in _REGISTERS.items() if name in run.stdout), 128)
    wide = next((name for name, size in _REGISTERS.items() if size == bits), "xmm")
    dots = next((each for name, each in _DOTS if re.search(rf"{name}\b.*%{wide}", run.stdout)), 0)
    return _Found(bits, _CALL not in run.stdout, bool(re.search(_PERMUTES, run.stdout)), dots)
