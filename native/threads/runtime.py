"""The threads of compiled code: a small pool in the language of `raising.support.llvm`, part of objects that need it.

`raise.parallel(body, context, tasks, threads, cost, in_order)` calls `body(context, worker, low, high)` until all tasks
are done; a worker has a number below `threads` of its own. It needs POSIX threads only.

- The pool starts its threads when they are first needed, and belongs to one process: after a fork, the child finds that
  the pool is not its own and begins with an empty one.
- One job runs at a time. A caller that finds the pool busy runs its tasks alone.
- A job does not wait for threads that sleep: `gate` has the number of the job, a bit that says that it is over, and how
  many workers are inside. A worker that comes late is not let in.
- Every worker has a range of neighbouring tasks, the same one each time, so that a loop that is run again finds its
  rows in the cache of the same core; a worker that is done takes tasks from the ends of the others' ranges. With
  `in_order` all take from one range, from its beginning: a task that waits for an earlier one never waits for one that
  nobody runs.
- `cost` is the time of a task when it ran last, in 256ths of a nanosecond, 0 if that is not known. Jobs that are over
  before a worker could help are run by the caller alone; so are short ones while all workers sleep, until they add up
  to what it costs to wake them.
- A worker without a job spins for a short time until there is one, and lets others have the core after a part of it.
"""

from __future__ import annotations

import re
from functools import cache

from raising.native.threads.pool_affinity import NOWHERE, PLACE, PLACES, WORDS
from raising.native.threads.pool_workers import WORKERS
from raising.support.llvm.machine_functions import NUMBER, Names, functions

PARALLEL = "raise.parallel"
WAIT = "raise.wait"
"""Waits until a number in memory, at an index, is as large as another one."""
TELL = "raise.tell"
"""Puts a number where others wait for it; what was written before is there for them."""
CALLED = (PARALLEL, WAIT, TELL)
"""What other code calls."""

_MOST = 256  # threads of a job
_NUMBERS = {
    "MOST": _MOST,
    "PARTS": 16,  # of a worker's range that others may take from it
    "LOOKS": 64,  # at the gate before a worker looks at the time, a microsecond or two
    "WORTHWHILE": 4_000,  # nanoseconds of a job for workers that look out
    "AWAKING": 40_000,  # of all jobs together for which workers are woken
    "EAGER": 20_000,  # before a worker lets others have the core
    "PATIENCE": 200_000,  # before it sleeps
    "CLOSED": 1 << 15,  # the bit of the gate that says that the job is over
    "LOW": (1 << 32) - 1,
    "HALF": (1 << 63) - 1,
    "WORDS": WORDS,
    "BYTES": 8 * WORDS,
    "PROCESSORS": 64 * WORDS,
    "PLACE": PLACE,
}

_PAUSE = {
    "x86_64": ("call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"),
    "aarch64": ("call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"),
}

_LINE = "[64 x i8]"
_FIELDS = {
    "process": "i64",
    "busy": "i64",
    "workers": "i64",
    "missed": "i64",  # nanoseconds of jobs that were done alone because all workers sleep
    "sleepers": "i64",
    "mutex": _LINE,
    "condition": _LINE,
    "body": "ptr",
    "context": "ptr",
    "tasks": "i64",
    "parts": "i64",  # of all tasks
    "threads": "i64",
    "shared": "i64",
    "before": "[40 x i8]",  # so that nothing lies in the line of the gate
    "gate": "i64",
    "behind": "[56 x i8]",
    "places": f"[{_MOST} x [{PLACE} x i8]]",
    "ranges": f"[{_MOST} x [8 x i64]]",  # the first part and the end, 32 bits each, a line for each worker
}

_TEXT = """
def getpid() -> i32: ...
def sched_yield() -> i32: ...
def clock_gettime(clock: i32, time: ptr) -> i32: ...
def sigfillset(signals: ptr) -> i32: ...
def pthread_sigmask(how: i32, signals: ptr, old: ptr) -> i32: ...
def pthread_create(thread: ptr, attributes: ptr, body: ptr, argument: ptr) -> i32: ...
def pthread_detach(thread) -> i32: ...
def pthread_mutex_lock(mutex: ptr) -> i32: ...
def pthread_mutex_unlock(mutex: ptr) -> i32: ...
def pthread_cond_wait(condition: ptr, mutex: ptr) -> i32: ...
def pthread_cond_broadcast(condition: ptr) -> i32: ...

def now() -> i64:
    time = room(16)
    clear(time, 16)
    clock_gettime(1, time)
    return time[0] * 1000000000 + time[1]

def own() -> i1:
    process, owner = from_unsigned(getpid()), pool.process.load("acquire")
    if owner != process:
        if owner == -1:
            return False
        owner, taken = pool.process.exchange(owner, -1, "acq_rel", "acquire")
        if ~taken:
            return False
        pool.busy.store(0, "monotonic")
        pool.gate.store(CLOSED, "monotonic")
        pool.workers.store(0, "monotonic")
        pool.sleepers.store(0, "monotonic")
        clear(pool.mutex, 64)
        clear(pool.condition, 64)
        pool.process.store(process, "release")
    busy, free = pool.busy.exchange(0, 1, "acq_rel", "acquire")
    return free

def pays(cost, expected) -> i1:
    if cost == 0:
        return True
    if expected < WORTHWHILE:
        return False
    workers = pool.workers.load("monotonic")
    if pool.sleepers.load("monotonic") < workers:
        return True
    if pool.missed.add(expected, "monotonic") + expected < AWAKING:
        return False
    pool.missed.store(0, "monotonic")
    return True

def learn(cost: ptr, began, tasks):
    took = now() - began
    if tasks != 0:
        cost.store((took << 8) // tasks, "monotonic")

def hire(most):
    workers = pool.workers.load("monotonic")
    while workers + 1 < most:
        workers += 1
        if ~start(workers):
            return
        pool.workers.store(workers, "monotonic")

def open():
    pool.gate.store(((pool.gate.load("monotonic") >> 16) + 1) << 16, "seq_cst")
    if pool.sleepers.load("seq_cst") != 0:
        pthread_mutex_lock(pool.mutex)
        spread()
        pthread_cond_broadcast(pool.condition)
        pthread_mutex_unlock(pool.mutex)

def close():
    pool.gate.bits(CLOSED, "acq_rel")
    spin(pool.gate, CLOSED - 1, 0, 1)
    pool.busy.store(0, "release")

def parallel(body: ptr, context: ptr, tasks, threads, cost: ptr, shared):
    most = least(least(tasks, threads), MOST)
    if most < 2:
        body(context, 0, 0, tasks)
        return
    began, each = now(), cost.load("monotonic")
    if pays(each, (each * tasks) >> 8):
        if own():
            hire(most)
            parts = least(tasks, LOW if shared != 0 else most * PARTS)
            deal(parts, 1 if shared != 0 else most)
            put_pointer(body, pool.body)
            put_pointer(context, pool.context)
            pool.tasks[0], pool.parts[0], pool.threads[0], pool.shared[0] = tasks, parts, most, shared
            open()
            learn(cost, began, work(0))
            close()
            return
    body(context, 0, 0, tasks)
    learn(cost, began, tasks)
"""

SYSTEM_CALLS = frozenset(re.findall(r"^def (\w+)\(.*: \.\.\.$", _TEXT + WORKERS + PLACES, re.MULTILINE))
"""The functions of the C library that the pool calls."""


@cache
def runtime_text(triple: str) -> str:
    """The runtime in LLVM's text for a machine."""
    pause, declared = _PAUSE.get(triple.partition("-")[0], ("", ""))
    pool = f"%pool = type {{ {', '.join(_FIELDS.values())} }}\n"
    pool += "@raise.pool = linkonce_odr hidden global %pool zeroinitializer, align 64\n"
    constants = {name: (str(number), NUMBER) for name, number in _NUMBERS.items()} | {"null": ("null", "ptr")}
    for k, field in enumerate(_FIELDS):
        constants[f"pool.{field}"] = f"getelementptr (%pool, ptr @raise.pool, i64 0, i32 {k})", "ptr"
    names = Names(constants, {"pause": pause}, prefix="raise.", linkage="linkonce_odr hidden ")
    text = functions(_TEXT + WORKERS + (PLACES if "linux" in triple else NOWHERE), names)
    return f"{declared}\ndeclare i64 @llvm.umin.i64(i64, i64)\n{pool}{text}"
