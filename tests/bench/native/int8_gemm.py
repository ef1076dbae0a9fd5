"""Products of bytes summed in 32 bits, beside oneDNN and the machine's peak: `python -m tests.bench.native.int8_gemm`.

The loops are C, raised and compiled as by `raise-compile`. All are called in turns in one process, results have to be
equal, and the fastest of all samples counts. oneDNN is the library of the wheel `onednn-cpu-gomp` (or `--onednn PATH`);
without it, that column is left out. The peak is that of independent chains of `vpdpbusd`, where the processor has it.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from math import exp, log
from pathlib import Path
from typing import Any

from tests.bench.native.vendors import ONEDNN, library

THREADS = "OMP_NUM_THREADS"
SHAPES = [(64, 64, 64), (128, 256, 512), (384, 384, 384), (1024, 1024, 1024), (333, 777, 1111), (2048, 512, 256),
          (197, 768, 768), (1999, 97, 301)]  # fmt: skip
KINDS = {"u8s8": ("unsigned char", "signed char"), "s8s8": ("signed char", "signed char")}
CHAINS, STEPS, REPEAT = 12, 8_000_000, 7  # 10 ms, beside which the start of a thread is little
LOOPS = """
void product(const {a} a[restrict {m}][{k}], const {b} b[restrict {k}][{n}], int c[restrict {m}][{n}])
{{ for (int i = 0; i < {m}; i++) for (int j = 0; j < {n}; j++) {{
    c[i][j] = 0;
    for (int p = 0; p < {k}; p++) c[i][j] += a[i][p] * b[p][j]; }} }}
"""


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each shape is sampled")
    parser.add_argument("--onednn", type=Path, help="the library, where its wheel is not installed")
    parser.add_argument("-o", type=Path, help="write a record")
    options = parser.parse_args()
    if os.environ.get(THREADS) != str(options.threads):
        os.environ[THREADS] = str(options.threads)
        os.execv(sys.executable, [sys.executable, "-m", "tests.bench.native.int8_gemm", *sys.argv[1:]])
    other = library(ONEDNN, options.onednn)
    peak = _peak(options.threads)
    rows = [_row(kind, shape, other, peak, options) for kind in KINDS for shape in SHAPES]
    summary = dict(_summary(rows, peak))
    print(*(f"{key}: {value}" for key, value in summary.items()), sep="\n")
    if options.o:
        from tests.bench.record import write_to

        write_to(
            options.o,
            f"python -m tests.bench.native.int8_gemm --threads {options.threads} -o {options.o}",
            rows,
            summary,
        )


def _summary(rows: list[dict[str, Any]], peak: float | None) -> Iterator[tuple[str, float]]:
    for kind in KINDS:
        found = [row for row in rows if row["kind"] == kind]
        if "ratio" in found[0]:
            yield f"{kind} beside oneDNN", _geomean([row["ratio"] for row in found])
        if peak:
            yield f"{kind} of the peak", _geomean([row["of_peak"] for row in found])
    if peak:
        yield "peak in 10^9 operations per second", round(peak / 1e9, 1)


def _row(kind: str, shape: tuple[int, int, int], other: Any, peak: float | None, options: Any) -> dict[str, Any]:
    import numpy as np

    from raising.polybench.peers.timing import settle

    m, n, k = shape
    random = np.random.default_rng(0)
    first = (np.uint8, 0, 256) if kind == "u8s8" else (np.int8, -128, 128)
    a = random.integers(first[1], first[2], (m, k)).astype(first[0])
    b = random.integers(-128, 128, (k, n)).astype(np.int8)
    c, d = np.empty((m, n), np.int32), np.empty((m, n), np.int32)
    ours = _compiled(kind, shape, options.threads)
    calls: dict[str, Callable[[], object]] = {"raise": lambda: ours(a, b, c)}
    if other:
        calls["onednn"] = lambda: _gemm(other, kind, shape, (a, b, d))
    best = dict.fromkeys(calls, float("inf"))
    repeat = {name: max(1, round(2e-4 / max(_once(call, 2), 1e-7))) for name, call in calls.items()}
    end = time.perf_counter() + options.seconds
    while time.perf_counter() < end:
        for name, call in calls.items():
            if options.threads > 1:  # the other's threads sleep, then its own are woken: neither is in the time
                settle()
                _once(call, 2 * repeat[name])
            best[name] = min(best[name], _once(call, repeat[name]))
    want = (a[:64].astype(np.int64) @ b.astype(np.int64)).astype(np.int32)
    assert np.array_equal(c[:64], want) and (not other or np.array_equal(c, d)), (kind, shape)
    done = 2 * m * n * k
    row = {"kind": kind, "shape": "x".join(map(str, shape)), "gops": round(done / best["raise"] / 1e9, 1)}
    if other:
        row |= {"onednn_gops": round(done / best["onednn"] / 1e9, 1)}
        row |= {"ratio": round(best["onednn"] / best["raise"], 3)}
    if peak:
        row |= {"of_peak": round(done / best["raise"] / peak, 3)}
    print(*row.values(), flush=True)
    return row


def _compiled(kind: str, shape: tuple[int, int, int], threads: int) -> Any:
    import raising
    from raising.frontend.c import convert

    text = LOOPS.format(**dict(zip("ab", KINDS[kind], strict=True)), **dict(zip("mnk", shape, strict=True)))
    raised = raising.raise_module(convert(text, "int8.c").mlir).text
    return raising.compile(raised, threads=threads)["product"]


def _once(call: Callable[[], object], repeat: int) -> float:
    started = time.perf_counter()
    for _ in range(repeat):
        call()
    return (time.perf_counter() - started) / repeat


def _gemm(library: Any, kind: str, shape: tuple[int, int, int], arrays: Any) -> None:
    """`dnnl_gemm_u8s8s32` or `dnnl_gemm_s8s8s32`: C = A B, row by row."""
    m, n, k = map(ctypes.c_int64, shape)
    a, b, c = (ctypes.c_void_p(each.ctypes.data) for each in arrays)
    zero, none = ctypes.c_byte(0), ctypes.c_int32(0)
    no, fixed = ctypes.c_char(b"N"), ctypes.c_char(b"F")
    status = getattr(library, f"dnnl_gemm_{kind}s32")(
        no, no, fixed, m, n, k, ctypes.c_float(1), a, k, zero, b, n, zero, ctypes.c_float(0), c, n, ctypes.byref(none)
    )
    assert status == 0, status


def _peak(threads: int) -> float | None:
    """Operations per second (a product and a sum are two) of `vpdpbusd` on all threads; None where there is none."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    if not features.get("avx512vnni"):
        return None
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=3
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(_chains()), machine)
    engine.finalize_object()
    run = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64)(engine.get_function_address("chains"))
    found = []
    for _ in range(REPEAT):
        team = [threading.Thread(target=run, args=(STEPS,)) for _ in range(threads)]
        started = time.perf_counter()
        for member in team:
            member.start()
        for member in team:
            member.join()
        found.append(time.perf_counter() - started)
    return 2.0 * 64 * CHAINS * STEPS * threads / min(found)


def _chains() -> str:
    """Independent chains of dot products of four bytes."""
    kind, name = "<16 x i32>", "@llvm.x86.avx512.vpdpbusd.512"
    lines = [f"declare {kind} {name}({kind}, {kind}, {kind})", "define i32 @chains(i64 %steps) {", "entry:"]
    lines += ["  br label %body", "body:", "  %i = phi i64 [0, %entry], [%next, %body]"]
    lines += [f"  %a{c} = phi {kind} [zeroinitializer, %entry], [%n{c}, %body]" for c in range(CHAINS)]
    ones = "splat (i32 16843009)"
    lines += [f"  %n{c} = call {kind} {name}({kind} %a{c}, {kind} {ones}, {kind} {ones})" for c in range(CHAINS)]
    lines += ["  %next = add i64 %i, 1", "  %more = icmp ult i64 %next, %steps"]
    lines += ["  br i1 %more, label %body, label %exit", "exit:", f"  %s0 = add {kind} %n0, zeroinitializer"]
    lines += [f"  %s{c} = add {kind} %s{c - 1}, %n{c}" for c in range(1, CHAINS)]
    return "\n".join([*lines, f"  %e = extractelement {kind} %s{CHAINS - 1}, i32 0", "  ret i32 %e", "}"])


def _geomean(values: list[float]) -> float:
    return round(exp(sum(map(log, values)) / len(values)), 3)


if __name__ == "__main__":
    main()
