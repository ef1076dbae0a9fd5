"""The pool of threads, and what is given to it."""

import ctypes
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import llvmlite.binding
import numpy as np
import pytest
from mlir import ir

import raising
from raising.native.base.compile_options import CompileOptions
from raising.native.call.compiled import load_runtime
from raising.native.compile import build
from raising.native.nest.mlir_builder import Lines
from raising.native.sequential.time_skewing import wavefront_flags
from raising.native.threads.runtime import PARALLEL, runtime_text
from tests.native.running import isolated
from tests.native.sequential.test_skew import STENCIL, M, N

BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
LONG = 1 << 40
"""A cost that is worth any number of threads."""

PART = "memref<300x128xf32, strided<[200, 1], offset: {}>>"
BOTH, ROW = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"
ROWS = f"""func.func @f(%A: memref<300x200xf32>, %s: memref<300xf32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {{
    %part = memref.subview %A[0, 1] [300, 128] [1, 1] : memref<300x200xf32> to {PART.format(1)}
    %next = memref.subview %A[0, 2] [300, 128] [1, 1] : memref<300x200xf32> to {PART.format(2)}
    linalg.generic {{indexing_maps = [{BOTH}, {ROW}], iterator_types = ["parallel", "reduction"]}}
    ins(%part : {PART.format(1)}) outs(%s : memref<300xf32>) {{
    ^bb0(%x: f32, %y: f32):
      %r = arith.addf %x, %y : f32
      linalg.yield %r : f32 }}
    linalg.generic {{indexing_maps = [{ROW}, {BOTH}], iterator_types = ["parallel", "parallel"]}}
    ins(%s : memref<300xf32>) outs(%next : {PART.format(2)}) {{
    ^bb0(%x: f32, %y: f32):
      %r = arith.mulf %x, %y : f32
      linalg.yield %r : f32 }}
  }}
  return
}}"""


def _parallel(body: Callable[[int, int, int], None], tasks: int, threads: int, cost: int = 0, in_order: int = 0) -> int:
    """Have the pool do tasks that are functions of Python; what a task cost, as the pool found it."""
    kind = ctypes.CFUNCTYPE(
        None, BODY, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64), ctypes.c_int64
    )
    known = ctypes.c_int64(cost)
    call = kind(load_runtime().get_function_address(PARALLEL))
    call(BODY(lambda _, *rest: body(*rest)), None, tasks, threads, ctypes.byref(known), in_order)
    return known.value


def _done(tasks: int, threads: int, cost: int, in_order: int) -> tuple[list[int], set[int]]:
    """Which tasks were done, and by whom."""
    done: list[int] = []
    workers: set[int] = set()

    def body(worker: int, low: int, high: int) -> None:
        done.extend(range(low, high))
        workers.add(worker)

    _parallel(body, tasks, threads, cost, in_order)
    return done, workers


@pytest.mark.parametrize("in_order", [0, 1])
def test_every_task_is_done_once(in_order: int):
    cases = [(tasks, threads) for tasks in (1, 2, 5, 31, 97, 1000) for threads in (2, 3, 8)]
    found = isolated(lambda: [_done(*case, LONG, in_order) for case in cases])
    for (tasks, threads), (done, workers) in zip(cases, found, strict=True):
        assert sorted(done) == list(range(tasks)) and max(workers) < threads


def _in_turn(tasks: int, threads: int) -> bool:
    """Tasks of which each waits until the one before it has begun and ended."""
    ended = [threading.Event() for _ in range(tasks)]

    def body(_worker: int, low: int, high: int) -> None:
        for task in range(low, high):
            assert task == 0 or ended[task - 1].wait(60)
            ended[task].set()

    for _ in range(5):
        for event in ended:
            event.clear()
        _parallel(body, tasks, threads, LONG, in_order=1)
    return all(event.is_set() for event in ended)


def test_tasks_in_order_may_wait_for_earlier_ones():
    assert isolated(partial(_in_turn, 60, 4))


def test_short_jobs_stay_with_the_caller_and_long_ones_do_not():
    def found() -> tuple[set[int], int, set[int]]:
        _, alone = _done(100, 2, 1, 0)
        learned = _parallel(lambda *_: None, 100, 2, 1)
        together: set[int] = set()

        def slow(worker: int, _low: int, _high: int) -> None:
            together.add(worker)
            time.sleep(0.002)

        _parallel(slow, 100, 2, LONG)
        return alone, learned, together

    alone, learned, together = isolated(found)
    assert alone == {0} and learned > 1 and together == {0, 1}


def _sent_elsewhere() -> list[tuple[set[int], set[int], set[int]]]:
    """For each processor of the caller: that one, which ones its sleeping worker may use then, and when it runs."""
    spread = ctypes.CFUNCTYPE(None)(load_runtime().get_function_address("raise.spread"))
    caller, all_of_them = threading.get_native_id(), os.sched_getaffinity(0)
    _done(100, 2, LONG, 0)
    (worker,) = {int(each.name) for each in Path("/proc/self/task").iterdir()} - {caller}

    def changed(then: Callable[[], object]) -> set[int]:
        """Which processors the worker may use once that is something else."""
        before, end = os.sched_getaffinity(worker), time.monotonic() + 30
        while (now := os.sched_getaffinity(worker)) == before and len(all_of_them) > 1 and time.monotonic() < end:
            then()
            time.sleep(0.001)
        return now

    found = []
    for place in all_of_them:
        os.sched_setaffinity(caller, {place})
        elsewhere = changed(spread)
        found.append(({place}, elsewhere, changed(lambda: _done(100, 2, LONG, 0))))
    return found


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="a system that leaves no choice")
def test_workers_wake_up_elsewhere_and_keep_their_choice_of_processors():
    all_of_them = os.sched_getaffinity(0)
    for own, elsewhere, after in isolated(_sent_elsewhere):
        assert elsewhere == (all_of_them - own or all_of_them) and after == all_of_them


def test_a_pool_without_a_choice_of_processors_is_the_same_otherwise():
    for triple in ("x86_64-unknown-linux-gnu", "x86_64-apple-darwin"):
        text = runtime_text(triple)
        llvmlite.binding.parse_assembly(text).verify()
        assert ("affinity" in text) == ("linux" in triple)


def test_many_threads_may_call_at_once():
    def found() -> bool:
        results = [None] * 8

        def call(k: int) -> None:
            results[k] = sorted(_done(200, 4, LONG, 0)[0]) == list(range(200))  # type: ignore[call-overload]

        callers = [threading.Thread(target=call, args=(k,)) for k in range(8)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join(60)
        return all(results)

    assert isolated(found)


def test_loops_in_a_kept_loop_are_tasks():
    built = build(ROWS.encode(), "-", CompileOptions(threads=2))
    body = built.mlir.partition("@f.body(")[2].partition("return")[0]
    assert "scf.for" in body and body.partition("scf.for")[2].count("@f.spawn") >= 1


def _bits(text: str, shapes: tuple[tuple[int, ...], ...], dtype: str, count: int, threads: int) -> bytes:
    compiled = raising.compile(text, threads=threads)
    found = b""
    for _ in range(3):
        arrays = [np.random.default_rng(0).random(shape).astype(dtype) for shape in shapes]
        compiled(*arrays, count)
        found += b"".join(array.tobytes() for array in arrays)
    return found


@pytest.mark.parametrize("count", [0, 1, 3, 70])
def test_blocks_of_a_time_loop_on_many_threads_give_the_same_bits(count: int):
    cases = ((STENCIL, ((N, M), (N, M)), "f8"), (ROWS, ((300, 200), (300,)), "f4"))
    for case in cases:
        assert len(isolated(lambda case=case: {_bits(*case, count, threads) for threads in (1, 2, 5)})) == 1


def test_arrays_of_tasks_that_wait_are_not_taken_to_be_alone():
    """What another thread writes while a task waits must be read again after it."""
    built = build(STENCIL.encode(), "-", CompileOptions(threads=2))
    task = built.code.llvm.partition("void @f.task0.entry(")[2].partition("\n}")[0]
    assert "raise.wait" in task and "noalias" not in task and "alias.scope" not in task


def test_waiting_is_declared_where_it_is_used():
    code = Lines()
    order = wavefront_flags(code, 2, 10)
    order.wait(code.index(1), code.index(3))
    order.tell(code.index(1), code.index(3))
    with ir.Context():
        assert ir.Module.parse(code.function("f", (), "")).operation.verify()


@pytest.mark.parametrize(("size", "threads"), [(64, 1), (200, 2)])
def test_products_that_are_over_before_a_thread_could_help_have_none(size: int, threads: int):
    kind = f"memref<{size}x{size}xf32>"
    product = f"linalg.matmul ins(%a, %b : {kind}, {kind}) outs(%c : {kind})"
    text = f"func.func @f(%a: {kind}, %b: {kind}, %c: {kind}) {{\n{product}\nreturn }}"
    options = CompileOptions(threads=2, cpu="x86-64-v4", triple="x86_64-linux-gnu")
    assert (PARALLEL in build(text.encode(), "f", options).code.llvm) == (threads == 2)
