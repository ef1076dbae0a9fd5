"""The threads of compiled code: a small pool, as LLVM's text that becomes part of every object that needs it.

`raise.parallel(body, context, tasks, threads)` calls `body(context, worker, low, high)` until
all tasks are done; a worker has a number below `threads` of its own. It needs POSIX threads only.

- The pool starts its threads when they are first needed, and belongs to one process: after a
  fork, the child finds that the pool is not its own and begins with an empty one.
- One job runs at a time. Whoever finds the pool busy does its tasks alone.
- A job does not wait for threads that sleep: `gate` has the number of the job, a bit that says
  that it is over, and how many workers are inside. A worker that comes late is not let in.
"""

from __future__ import annotations

PARALLEL = "raise.parallel"

_SPINS = 4000  # looks at the gate before a worker sleeps, some 50 microseconds

_PAUSE = {
    "x86_64": ("call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"),
    "aarch64": ("call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"),
}

_TEXT = """
%pool = type { i64, i64, i64, i64, i64, ptr, ptr, i64, i64, i64, [64 x i8], [64 x i8] }
; 0 process, 1 busy, 2 gate, 3 next task, 4 workers, 5 body, 6 context, 7 tasks, 8 tasks at once, 9 threads,
; 10 mutex, 11 condition
@raise.pool = linkonce_odr hidden global %pool zeroinitializer, align 64

declare i32 @getpid()
declare i32 @sched_yield()
declare i32 @sigfillset(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)

define linkonce_odr hidden void @raise.work(i64 %worker) {
  %body = load ptr, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 5)
  %context = load ptr, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 6)
  %tasks = load i64, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 7)
  %chunk = load i64, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 8)
  br label %take
take:
  %low = atomicrmw add ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 3), i64 %chunk monotonic
  %some = icmp ult i64 %low, %tasks
  br i1 %some, label %do, label %none
do:
  %end = add i64 %low, %chunk
  %over = icmp ugt i64 %end, %tasks
  %high = select i1 %over, i64 %tasks, i64 %end
  call void %body(ptr %context, i64 %worker, i64 %low, i64 %high)
  br label %take
none:
  ret void
}

define linkonce_odr hidden ptr @raise.worker(ptr %argument) {
entry:
  %index = ptrtoint ptr %argument to i64
  br label %wait
wait:
  %last = phi i64 [ 0, %entry ], [ %job, %missed ], [ %job, %left ]
  br label %look
look:
  %spins = phi i64 [ 0, %wait ], [ %more, %pause ]
  %seen = load atomic i64, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 2) acquire, align 8
  %number = lshr i64 %seen, 16
  %new = icmp ne i64 %number, %last
  br i1 %new, label %arrive, label %same
same:
  %more = add i64 %spins, 1
  %tired = icmp uge i64 %more, @spins@
  br i1 %tired, label %sleep, label %pause
pause:
  @pause@
  br label %look
sleep:
  %l = call i32 @pthread_mutex_lock(ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 10))
  br label %asleep
asleep:
  %now = load atomic i64, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 2) acquire, align 8
  %current = lshr i64 %now, 16
  %called = icmp ne i64 %current, %last
  br i1 %called, label %awake, label %nap
nap:
  %c = call i32 @pthread_cond_wait(ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 11),
                                   ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 10))
  br label %asleep
awake:
  %u = call i32 @pthread_mutex_unlock(ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 10))
  br label %arrive
arrive:
  %gate = load atomic i64, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 2) acquire, align 8
  %job = lshr i64 %gate, 16
  %closed = and i64 %gate, 32768
  %late = icmp ne i64 %closed, 0
  br i1 %late, label %missed, label %enter
missed:
  br label %wait
enter:
  %inside = add i64 %gate, 1
  %try = cmpxchg ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 2), i64 %gate, i64 %inside acq_rel acquire
  %in = extractvalue { i64, i1 } %try, 1
  br i1 %in, label %entered, label %arrive
entered:
  %threads = load i64, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 9)
  %wanted = icmp ult i64 %index, %threads
  br i1 %wanted, label %help, label %left
help:
  call void @raise.work(i64 %index)
  br label %left
left:
  %o = atomicrmw sub ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 2), i64 1 acq_rel
  br label %wait
}

define linkonce_odr hidden i1 @raise.start(i64 %index) {
  %all = alloca [128 x i8], align 16
  %old = alloca [128 x i8], align 16
  %thread = alloca i64
  %argument = inttoptr i64 %index to ptr
  %f = call i32 @sigfillset(ptr %all)
  %b = call i32 @pthread_sigmask(i32 2, ptr %all, ptr %old)
  %failed = call i32 @pthread_create(ptr %thread, ptr null, ptr @raise.worker, ptr %argument)
  %r = call i32 @pthread_sigmask(i32 2, ptr %old, ptr null)
  %started = icmp eq i32 %failed, 0
  br i1 %started, label %detach, label %end
detach:
  %handle = load i64, ptr %thread
  %d = call i32 @pthread_detach(i64 %handle)
  br label %end
end:
  ret i1 %started
}

define linkonce_odr hidden i1 @raise.own() {
  %id = call i32 @getpid()
  %process = zext i32 %id to i64
  %owner = load atomic i64, ptr @raise.pool acquire, align 8
  %mine = icmp eq i64 %owner, %process
  br i1 %mine, label %yes, label %other
other:
  %starting = icmp eq i64 %owner, -1
  br i1 %starting, label %no, label %take
take:
  %try = cmpxchg ptr @raise.pool, i64 %owner, i64 -1 acq_rel acquire
  %taken = extractvalue { i64, i1 } %try, 1
  br i1 %taken, label %clear, label %no
clear:
  store i64 0, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 1)
  store i64 32768, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 2)
  store i64 0, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 4)
  store [64 x i8] zeroinitializer, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 10)
  store [64 x i8] zeroinitializer, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 11)
  store atomic i64 %process, ptr @raise.pool release, align 8
  br label %yes
yes:
  %free = cmpxchg ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 1), i64 0, i64 1 acq_rel acquire
  %got = extractvalue { i64, i1 } %free, 1
  ret i1 %got
no:
  ret i1 false
}

define linkonce_odr hidden void @raise.parallel(ptr %body, ptr %context, i64 %tasks, i64 %threads) {
entry:
  %fewer = icmp ult i64 %tasks, %threads
  %most = select i1 %fewer, i64 %tasks, i64 %threads
  %one = icmp ult i64 %most, 2
  br i1 %one, label %alone, label %ask
ask:
  %own = call i1 @raise.own()
  br i1 %own, label %hire, label %alone
hire:
  %workers = load i64, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 4)
  %next = add i64 %workers, 1
  %enough = icmp uge i64 %next, %most
  br i1 %enough, label %open, label %start
start:
  %started = call i1 @raise.start(i64 %next)
  br i1 %started, label %hired, label %open
hired:
  store i64 %next, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 4)
  br label %hire
open:
  %parts = shl i64 %most, 4
  %share = udiv i64 %tasks, %parts
  %none = icmp eq i64 %share, 0
  %chunk = select i1 %none, i64 1, i64 %share
  store ptr %body, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 5)
  store ptr %context, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 6)
  store i64 %tasks, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 7)
  store i64 %chunk, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 8)
  store i64 %most, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 9)
  store atomic i64 0, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 3) monotonic, align 8
  %before = load atomic i64, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 2) monotonic, align 8
  %number = lshr i64 %before, 16
  %following = add i64 %number, 1
  %gate = shl i64 %following, 16
  store atomic i64 %gate, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 2) seq_cst, align 8
  %l = call i32 @pthread_mutex_lock(ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 10))
  %w = call i32 @pthread_cond_broadcast(ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 11))
  %u = call i32 @pthread_mutex_unlock(ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 10))
  call void @raise.work(i64 0)
  %c = atomicrmw or ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 2), i64 32768 acq_rel
  br label %look
look:
  %spins = phi i64 [ 0, %open ], [ %more, %pause ], [ 0, %yield ]
  %now = load atomic i64, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 2) acquire, align 8
  %inside = and i64 %now, 32767
  %empty = icmp eq i64 %inside, 0
  br i1 %empty, label %done, label %wait
wait:
  %more = add i64 %spins, 1
  %long = icmp uge i64 %more, @spins@
  br i1 %long, label %yield, label %pause
pause:
  @pause@
  br label %look
yield:
  %y = call i32 @sched_yield()
  br label %look
done:
  store atomic i64 0, ptr getelementptr (%pool, ptr @raise.pool, i64 0, i32 1) release, align 8
  ret void
alone:
  call void %body(ptr %context, i64 0, i64 0, i64 %tasks)
  ret void
}
"""


def runtime_text(triple: str) -> str:
    """The runtime in LLVM's text for a machine."""
    pause, declared = _PAUSE.get(triple.partition("-")[0], ("", ""))
    return f"{declared}\n{_TEXT}".replace("@pause@", pause).replace("@spins@", str(_SPINS))
