"""The roofline: the multiply-adds per second that the machine can do at most, and the bytes per second from memory.

Both are measured by small loops that are made here as LLVM IR and compiled in process: independent chains of fused
multiply-adds on full vectors, and a sum over an array larger than any cache. Source of the model: Williams, Waterman
and Patterson, "Roofline", CACM 52(4), 2009.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from raising.polybench.peers.timing import Program
from raising.support.record import dataclass

CHAINS = 12
"""Chains of multiply-adds: more than latency times throughput of the processors we know, fewer than registers."""
STEPS = 400_000
BYTES = 256 << 20
REPEAT = 7
_VECTORS = 8
"""Vectors that are read in one step of the sum."""


@dataclass(frozen=True)
class Roofline:
    """Operations per second (a multiply-add is two) and bytes read per second."""

    operations: float
    bandwidth: float

    def seconds(self, operations: float, traffic: float) -> float:
        """The least time that so much work takes."""
        return max(operations / self.operations, traffic / self.bandwidth)


def measured(dtype: str, threads: int) -> Roofline:
    """The roofline for `f32` or `f64` on so many threads."""
    element = {"f32": "float", "f64": "double"}.get(dtype, "float")
    size = 4 if element == "float" else 8
    lanes = _vector_bytes() // size
    loops = _Engine(_ir(element, lanes))
    block = np.ones(BYTES // size, np.float32 if size == 4 else np.float64)
    parts = np.array_split(block, threads)
    multiply_adds = _best(lambda k: loops.fma(STEPS), threads)
    reading = _best(lambda k: loops.sum(parts[k].ctypes.data, parts[k].size // lanes // _VECTORS), threads)
    done = 2.0 * CHAINS * lanes * STEPS * threads
    return Roofline(done / multiply_adds, BYTES / reading)


def reading(traffic: float) -> Program:
    """A program that does nothing but read so many bytes once, on one thread: what is possible with a cold cache."""
    lanes = _vector_bytes() // 4
    loops = _Engine(_ir("float", lanes))
    blocks = max(1, round(traffic) // (4 * lanes * _VECTORS))
    block = np.ones(blocks * lanes * _VECTORS, np.float32)

    def reset() -> None:
        block[:] = 1.0

    return Program(reset, lambda: loops.sum(block.ctypes.data, blocks), dict)


def _best(work: Callable[[int], object], threads: int) -> float:
    """The fewest seconds in which all threads have done their part."""
    found = []
    for _ in range(REPEAT):
        team = [threading.Thread(target=work, args=(k,)) for k in range(1, threads)]
        started = time.perf_counter()
        for member in team:
            member.start()
        work(0)
        for member in team:
            member.join()
        found.append(time.perf_counter() - started)
    return min(found)


def _vector_bytes() -> int:
    import llvmlite.binding as llvm

    return 64 if llvm.get_host_cpu_features().get("avx512f") else 32


class _Engine:
    """The two loops, compiled for this processor; ctypes lets go of the interpreter while they run."""

    def __init__(self, text: str) -> None:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_default_triple()
        features = llvm.get_host_cpu_features().flatten()
        machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=3)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
        self._engine.finalize_object()
        address: Any = self._engine.get_function_address
        self.fma = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(address("fma"))
        self.sum = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_int64)(address("sum"))


def _ir(element: str, lanes: int) -> str:
    """`fma(steps)` runs the chains; `sum(pointer, blocks)` reads blocks of so many vectors."""
    vector = f"<{lanes} x {element}>"
    name = f"llvm.fma.v{lanes}f{32 if element == 'float' else 64}"
    one = f"<{', '.join([f'{element} 1.0'] * lanes)}>"
    half = f"<{', '.join([f'{element} 0.5'] * lanes)}>"
    return f"""
declare {vector} @{name}({vector}, {vector}, {vector})
{_loop("fma", "i64 %steps", "%steps", vector, CHAINS, lambda k: _fused(k, vector, name, half, one))}
{_loop("sum", "ptr %from, i64 %blocks", "%blocks", vector, _VECTORS, lambda k: _read(k, vector))}
"""


def _fused(k: int, vector: str, name: str, factor: str, term: str) -> str:
    return f"  %n{k} = call {vector} @{name}({vector} %a{k}, {vector} {factor}, {vector} {term})"


def _read(k: int, vector: str) -> str:
    return f"""  %o{k} = mul i64 %i, {_VECTORS}
  %j{k} = add i64 %o{k}, {k}
  %p{k} = getelementptr {vector}, ptr %from, i64 %j{k}
  %v{k} = load {vector}, ptr %p{k}, align 4
  %n{k} = fadd {vector} %a{k}, %v{k}"""


def _loop(name: str, parameters: str, trips: str, vector: str, chains: int, step: Callable[[int], str]) -> str:
    """A loop that carries vectors %a0, %a1, ... to %n0, %n1, ... and returns a number made of all of them."""
    carried = "\n".join(f"  %a{k} = phi {vector} [zeroinitializer, %entry], [%n{k}, %body]" for k in range(chains))
    steps = "\n".join(step(k) for k in range(chains))
    sums = "\n".join(
        f"  %s{k + 1} = fadd {vector} {f'%s{k}' if k else 'zeroinitializer'}, %n{k}" for k in range(chains)
    )
    element = vector.split()[2].rstrip(">")
    widened = "%x = fadd double %e, 0.0" if element == "double" else "%x = fpext float %e to double"
    return f"""define double @{name}({parameters}) {{
entry:
  br label %body
body:
  %i = phi i64 [0, %entry], [%next, %body]
{carried}
{steps}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {trips}
  br i1 %more, label %body, label %exit
exit:
{sums}
  %e = extractelement {vector} %s{chains}, i32 0
  {widened}
  ret double %x
}}"""
