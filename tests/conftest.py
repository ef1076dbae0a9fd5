"""All tests: garbage is looked for as rarely as in the commands, children find imported what all of them need, forks
are cheap, and tests are compiled once.

Looking for garbage took a fifth of the processor time.
"""

import ctypes
import os
import sys
from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from raising.support.fork import collect_rarely, with_room_for_frames

LATE = (  # what the program imports when a child process has begun to prove, or to run native code
    "raising.validate.native.native",
    "raising.validate.proof.by_cases",
    "raising.validate.run.preconditions",
    "raising.verify.smaller_instance",
    "raising.native.compile",
)
READY = (("raising.native.call.compiled", "load_runtime"), ("raising.native.call.code_cache", "made_by"))
"""What each child would do before it calls its first native function, which takes longer than what it tests."""
PRODUCT = """func.func @f(%a: memref<8x9xf64>, %b: memref<9x7xf64>, %c: memref<8x7xf64>) {
  affine.for %i = 0 to 8 { affine.for %j = 0 to 7 { affine.for %k = 0 to 9 {
    %x = affine.load %a[%i, %k] : memref<8x9xf64>
    %y = affine.load %b[%k, %j] : memref<9x7xf64>
    %s = affine.load %c[%i, %j] : memref<8x7xf64>
    %p = arith.mulf %x, %y : f64
    %r = arith.addf %s, %p : f64
    affine.store %r, %c[%i, %j] : memref<8x7xf64>
  } } }
  return
}"""
LARGE = 2 << 20  # bytes of a large page
GROWTH, FORKS = 32 << 20, 64  # bytes, or forks (of each, some large pages are divided), until memory is looked at again
COLLAPSE = 25  # MADV_COLLAPSE: whatever the system does of itself, where it has large pages


@cache
def _get_ready() -> None:
    """Before its first test, this process imports what children need, and takes one program the whole way.

    What is made once in a process (methods of records, tables of dialects, loops that are compiled) each child would
    make again: a sixth of the processor time of `raising.jit`. In front of the first fork it would be too late: forks
    of its own would wait for locks that those who fork have taken.
    """
    for name in LATE:
        import_module(name)
    for name, function in READY:
        getattr(import_module(name), function)()
    _take_the_whole_way(PRODUCT)


def _take_the_whole_way(text: str) -> None:
    from raising.native.base.compile_options import CompileOptions
    from raising.native.compile import build, prepare
    from raising.optimise.optimise_module import optimised_if_possible
    from raising.pipeline import raise_module
    from raising.validate.check import check

    prepare()
    raised = raise_module(text, check="none", cache=False).text
    check(text, raised)
    better = optimised_if_possible(raised, file="f", fp="reassoc").text
    assert build(better.encode(), "f", CompileOptions(), workspace=True).code.object


class _LargePages:
    """The memory of this process is put into large pages before a fork: it copies one entry for each, in place of 512.

    After some hundred tests a process has 450 MiB, and a fork of it takes 40 ms of the processor without, and 4 with.
    """

    def __init__(self) -> None:
        self.libc, self.size, self.forks = ctypes.CDLL(None), 0, 0

    def __call__(self) -> None:
        self.forks += 1
        if self.forks < FORKS and _private_bytes() < self.size + GROWTH:
            return
        for line in Path("/proc/self/maps").read_text().splitlines():
            span, rights, _, _, file, *name = line.split()
            first, end = (int(bound, 16) for bound in span.split("-"))
            if rights == "rw-p" and file == "0" and name in ([], ["[heap]"]) and end - first >= LARGE:
                self.libc.madvise(ctypes.c_void_p(first), ctypes.c_size_t(end - first), COLLAPSE)
        self.size, self.forks = _private_bytes(), 0


def _private_bytes() -> int:
    """How much memory a fork has to copy, or to note as shared."""
    _, resident, shared, *_ = map(int, Path("/proc/self/statm").read_text().split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")


collect_rarely()
if Path("/proc/self/statm").exists():
    os.register_at_fork(before=_LargePages())


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """What pytest makes of the tests is kept also where Python is to keep no bytecode: each process would make it
    again.
    """
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """What pytest does, with room for frames: without it, a test can spend a tenth of its time in mapping memory."""
    _get_ready()
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    with_room_for_frames(partial(runtestprotocol, item, nextitem=nextitem))
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
