"""The threads of compiled code: a small pool, as LLVM's text that becomes part of every object that needs it.

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

from raising.native.threads.pool_affinity import NOWHERE, PLACE, PLACES
from raising.native.threads.pool_workers import WORKERS

PARALLEL = "raise.parallel"
WAIT = "raise.wait"
"""Waits until a number in memory, at an index, is as large as another one."""
TELL = "raise.tell"
"""Puts a number where others wait for it; what was written before is there for them."""
CALLED = (PARALLEL, WAIT, TELL)
"""What other code calls."""

_MOST = 256  # threads of a job
_PARTS = 16  # of a worker's range that others may take from it
_NANOSECONDS = {
    "worthwhile": 4_000,  # of a job for workers that look out
    "awaking": 40_000,  # of all jobs together for which workers are woken
    "eager": 20_000,  # before a worker lets others have the core
    "patience": 200_000,  # before it sleeps
}
_LOOKS = 64  # at the gate before a worker looks at the time, a microsecond or two

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
    "places": f"[{_MOST} x {PLACE}]",
    "ranges": f"[{_MOST} x [8 x i64]]",  # the first part and the end, 32 bits each, a line for each worker
}

_TEXT = """
declare i32 @getpid()
declare i32 @sched_yield()
declare i32 @clock_gettime(i32, ptr)
declare i32 @sigfillset(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)

define linkonce_odr hidden i64 @raise.now() {
  %time = alloca { i64, i64 }
  store { i64, i64 } zeroinitializer, ptr %time
  %failed = call i32 @clock_gettime(i32 1, ptr %time)
  %seconds = load i64, ptr %time
  %rest = getelementptr { i64, i64 }, ptr %time, i64 0, i32 1
  %nanoseconds = load i64, ptr %rest
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %nanoseconds
  ret i64 %now
}

define linkonce_odr hidden i1 @raise.own() {
  %id = call i32 @getpid()
  %process = zext i32 %id to i64
  %owner = load atomic i64, ptr {process} acquire, align 8
  %mine = icmp eq i64 %owner, %process
  br i1 %mine, label %yes, label %other
other:
  %starting = icmp eq i64 %owner, -1
  br i1 %starting, label %no, label %take
take:
  %try = cmpxchg ptr {process}, i64 %owner, i64 -1 acq_rel acquire
  %taken = extractvalue { i64, i1 } %try, 1
  br i1 %taken, label %clear, label %no
clear:
  store atomic i64 0, ptr {busy} monotonic, align 8
  store atomic i64 32768, ptr {gate} monotonic, align 8
  store atomic i64 0, ptr {workers} monotonic, align 8
  store atomic i64 0, ptr {sleepers} monotonic, align 8
  store [64 x i8] zeroinitializer, ptr {mutex}
  store [64 x i8] zeroinitializer, ptr {condition}
  store atomic i64 %process, ptr {process} release, align 8
  br label %yes
yes:
  %free = cmpxchg ptr {busy}, i64 0, i64 1 acq_rel acquire
  %got = extractvalue { i64, i1 } %free, 1
  ret i1 %got
no:
  ret i1 false
}

define linkonce_odr hidden i1 @raise.pays(i64 %cost, i64 %expected) {
  %unknown = icmp eq i64 %cost, 0
  br i1 %unknown, label %yes, label %known
known:
  %short = icmp ult i64 %expected, {worthwhile}
  br i1 %short, label %no, label %enough
enough:
  %workers = load atomic i64, ptr {workers} monotonic, align 8
  %sleepers = load atomic i64, ptr {sleepers} monotonic, align 8
  %someone = icmp ult i64 %sleepers, %workers
  br i1 %someone, label %yes, label %nobody
nobody:
  %before = atomicrmw add ptr {missed}, i64 %expected monotonic
  %missed = add i64 %before, %expected
  %much = icmp uge i64 %missed, {awaking}
  br i1 %much, label %wake, label %no
wake:
  store atomic i64 0, ptr {missed} monotonic, align 8
  br label %yes
yes:
  ret i1 true
no:
  ret i1 false
}

define linkonce_odr hidden void @raise.learn(ptr %cost, i64 %began, i64 %tasks) {
  %now = call i64 @raise.now()
  %took = sub i64 %now, %began
  %fine = shl i64 %took, 8
  %some = icmp ne i64 %tasks, 0
  br i1 %some, label %found, label %nothing
found:
  %each = udiv i64 %fine, %tasks
  store atomic i64 %each, ptr %cost monotonic, align 8
  br label %nothing
nothing:
  ret void
}

define linkonce_odr hidden void @raise.hire(i64 %most) {
entry:
  %there = load atomic i64, ptr {workers} monotonic, align 8
  br label %look
look:
  %workers = phi i64 [ %there, %entry ], [ %next, %hired ]
  %next = add i64 %workers, 1
  %enough = icmp uge i64 %next, %most
  br i1 %enough, label %done, label %start
start:
  %started = call i1 @raise.start(i64 %next)
  br i1 %started, label %hired, label %done
hired:
  store atomic i64 %next, ptr {workers} monotonic, align 8
  br label %look
done:
  ret void
}

define linkonce_odr hidden void @raise.open() {
  %before = load atomic i64, ptr {gate} monotonic, align 8
  %number = lshr i64 %before, 16
  %following = add i64 %number, 1
  %gate = shl i64 %following, 16
  store atomic i64 %gate, ptr {gate} seq_cst, align 8
  %sleepers = load atomic i64, ptr {sleepers} seq_cst, align 8
  %none = icmp eq i64 %sleepers, 0
  br i1 %none, label %done, label %wake
wake:
  %l = call i32 @pthread_mutex_lock(ptr {mutex})
  call void @raise.spread()
  %w = call i32 @pthread_cond_broadcast(ptr {condition})
  %u = call i32 @pthread_mutex_unlock(ptr {mutex})
  br label %done
done:
  ret void
}

define linkonce_odr hidden void @raise.close() {
  %c = atomicrmw or ptr {gate}, i64 32768 acq_rel
  call void @raise.spin(ptr {gate}, i64 32767, i64 0, i64 1)
  store atomic i64 0, ptr {busy} release, align 8
  ret void
}

define linkonce_odr hidden void @raise.parallel(ptr %body, ptr %context, i64 %tasks, i64 %threads, ptr %cost,
                                                i64 %shared) {
  %some = call i64 @llvm.umin.i64(i64 %tasks, i64 %threads)
  %most = call i64 @llvm.umin.i64(i64 %some, i64 {most})
  %one = icmp ult i64 %most, 2
  br i1 %one, label %single, label %several
single:
  call void %body(ptr %context, i64 0, i64 0, i64 %tasks)
  ret void
several:
  %began = call i64 @raise.now()
  %each = load atomic i64, ptr %cost monotonic, align 8
  %fine = mul i64 %each, %tasks
  %expected = lshr i64 %fine, 8
  %pays = call i1 @raise.pays(i64 %each, i64 %expected)
  br i1 %pays, label %ask, label %alone
ask:
  %own = call i1 @raise.own()
  br i1 %own, label %together, label %alone
together:
  call void @raise.hire(i64 %most)
  %all = icmp ne i64 %shared, 0
  %many = mul i64 %most, {parts_each}
  %limit = select i1 %all, i64 4294967295, i64 %many
  %parts = call i64 @llvm.umin.i64(i64 %tasks, i64 %limit)
  %ranges = select i1 %all, i64 1, i64 %most
  call void @raise.deal(i64 %parts, i64 %ranges)
  store ptr %body, ptr {body}
  store ptr %context, ptr {context}
  store i64 %tasks, ptr {tasks}
  store i64 %parts, ptr {parts}
  store i64 %most, ptr {threads}
  store i64 %shared, ptr {shared}
  call void @raise.open()
  %done = call i64 @raise.work(i64 0)
  call void @raise.learn(ptr %cost, i64 %began, i64 %done)
  call void @raise.close()
  ret void
alone:
  call void %body(ptr %context, i64 0, i64 0, i64 %tasks)
  call void @raise.learn(ptr %cost, i64 %began, i64 %tasks)
  ret void
}
"""

SYSTEM_CALLS = frozenset(re.findall(r"^declare .*@(\w+)\(", _TEXT + WORKERS + PLACES, re.MULTILINE))
"""The functions of the C library that the pool calls."""


def runtime_text(triple: str) -> str:
    """The runtime in LLVM's text for a machine."""
    pause, declared = _PAUSE.get(triple.partition("-")[0], ("", ""))
    kinds = ", ".join(_FIELDS.values())
    pool = f"%pool = type {{ {kinds} }}\n@raise.pool = linkonce_odr hidden global %pool zeroinitializer, align 64\n"
    words = {field: f"getelementptr (%pool, ptr @raise.pool, i64 0, i32 {k})" for k, field in enumerate(_FIELDS)}
    words |= {name: str(number) for name, number in _NANOSECONDS.items()}
    words |= {"pause": pause, "looks": str(_LOOKS), "most": str(_MOST), "parts_each": str(_PARTS)}
    text = _TEXT + WORKERS + (PLACES if "linux" in triple else NOWHERE)
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return f"{declared}\ndeclare i64 @llvm.umin.i64(i64, i64)\n{pool}{text}"
