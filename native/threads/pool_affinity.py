"""The processors on which the pool's sleeping threads wake up, as LLVM's text.

`raising.native.threads.runtime` has the names in braces. A thread that wakes workers first takes its own processor from
those that they may use, and from each worker's also those on which the workers before it fell asleep; a worker that
runs again resets its own choice. Without that, Linux in a virtual machine often starts the worker on the caller's
processor, and leaves both there for 10 ms: it counts a processor that is halted as lent to others
(`vcpu_is_preempted`), not as idle.

The masks are those of the worker itself, so that a user's choice of processors stays as it was. A worker starts with an
empty record; after a fork, the record in memory is the parent's and does not count.
"""

from __future__ import annotations

_WORDS = 16
"""Words of a mask, 1024 processors; a machine that has more answers with an error, and nothing is moved."""

PLACE = "[32 x i64]"
"""What is known of a worker: its thread, the number after that of the processor it sleeps on (0 while it is awake),
whether it has been sent elsewhere, and from the 16th word on which processors it may use."""

NOWHERE = """
define linkonce_odr hidden void @raise.rest(i64 %worker) {
  ret void
}

define linkonce_odr hidden i1 @raise.rise(i64 %worker) {
  ret i1 false
}

define linkonce_odr hidden void @raise.stay(i64 %worker) {
  ret void
}

define linkonce_odr hidden void @raise.spread() {
  ret void
}
"""
"""For systems that leave no choice."""

PLACES = (
    """
declare i32 @sched_getcpu()
declare i64 @pthread_self()
declare i32 @pthread_getaffinity_np(i64, i64, ptr)
declare i32 @pthread_setaffinity_np(i64, i64, ptr)

define linkonce_odr hidden void @raise.rest(i64 %worker) {
  %place = getelementptr [32 x i64], ptr {places}, i64 %worker
  %self = call i64 @pthread_self()
  store i64 %self, ptr %place
  %cpu = call i32 @sched_getcpu()
  %number = add i32 %cpu, 1
  %where = sext i32 %number to i64
  %word = getelementptr i64, ptr %place, i64 1
  store i64 %where, ptr %word
  ret void
}

define linkonce_odr hidden i1 @raise.rise(i64 %worker) {
  %place = getelementptr [32 x i64], ptr {places}, i64 %worker
  %word = getelementptr i64, ptr %place, i64 1
  store i64 0, ptr %word
  %flag = getelementptr i64, ptr %place, i64 2
  %moved = load i64, ptr %flag
  store i64 0, ptr %flag
  %sent = icmp ne i64 %moved, 0
  ret i1 %sent
}

define linkonce_odr hidden void @raise.stay(i64 %worker) {
  %place = getelementptr [32 x i64], ptr {places}, i64 %worker
  %mask = getelementptr i64, ptr %place, i64 {first}
  %self = call i64 @pthread_self()
  %f = call i32 @pthread_setaffinity_np(i64 %self, i64 {bytes}, ptr %mask)
  ret void
}

define linkonce_odr hidden void @raise.spread() {
entry:
  %used = alloca [{words} x i64], align 16
  %mask = alloca [{words} x i64], align 16
  store [{words} x i64] zeroinitializer, ptr %used
  %own = call i32 @sched_getcpu()
  %number = sext i32 %own to i64
  %known = icmp ult i64 %number, {bits}
  br i1 %known, label %begin, label %done
begin:
  call void @raise.mark(ptr %used, i64 %number)
  %workers = load atomic i64, ptr {workers} monotonic, align 8
  br label %look
look:
  %k = phi i64 [ 0, %begin ], [ %worker, %next ]
  %worker = add i64 %k, 1
  %more = icmp ult i64 %k, %workers
  br i1 %more, label %one, label %done
one:
  %place = getelementptr [32 x i64], ptr {places}, i64 %worker
  %word = getelementptr i64, ptr %place, i64 1
  %where = load i64, ptr %word
  %cpu = sub i64 %where, 1
  %asleep = icmp ult i64 %cpu, {bits}
  br i1 %asleep, label %sleeping, label %next
sleeping:
  %thread = load i64, ptr %place
  %all = getelementptr i64, ptr %place, i64 {first}
  %flag = getelementptr i64, ptr %place, i64 2
  %before = load i64, ptr %flag
  %again = icmp ne i64 %before, 0
  br i1 %again, label %keep, label %ask
ask:
  %failed = call i32 @pthread_getaffinity_np(i64 %thread, i64 {bytes}, ptr %all)
  %got = icmp eq i32 %failed, 0
  br i1 %got, label %rest, label %keep
rest:
  %j = phi i64 [ 0, %ask ], [ %following, %rest ]
  %sum = phi i64 [ 0, %ask ], [ %either, %rest ]
  %from = getelementptr i64, ptr %all, i64 %j
  %old = load i64, ptr %from
  %not = getelementptr i64, ptr %used, i64 %j
  %out = load i64, ptr %not
  %inverse = xor i64 %out, -1
  %left = and i64 %old, %inverse
  %to = getelementptr i64, ptr %mask, i64 %j
  store i64 %left, ptr %to
  %either = or i64 %sum, %left
  %following = add i64 %j, 1
  %end = icmp eq i64 %following, {words}
  br i1 %end, label %some, label %rest
some:
  %any = icmp ne i64 %either, 0
  br i1 %any, label %move, label %keep
move:
  %wrong = call i32 @pthread_setaffinity_np(i64 %thread, i64 {bytes}, ptr %mask)
  %right = icmp eq i32 %wrong, 0
  %moved = zext i1 %right to i64
  store i64 %moved, ptr %flag
  br label %keep
keep:
  call void @raise.mark(ptr %used, i64 %cpu)
  br label %next
next:
  br label %look
done:
  ret void
}

define linkonce_odr hidden void @raise.mark(ptr %set, i64 %number) {
  %at = lshr i64 %number, 6
  %word = getelementptr i64, ptr %set, i64 %at
  %old = load i64, ptr %word
  %low = and i64 %number, 63
  %bit = shl i64 1, %low
  %new = or i64 %old, %bit
  store i64 %new, ptr %word
  ret void
}
""".replace("{words}", str(_WORDS))
    .replace("{bytes}", str(8 * _WORDS))
    .replace("{bits}", str(64 * _WORDS))
    .replace("{first}", str(_WORDS))
)
