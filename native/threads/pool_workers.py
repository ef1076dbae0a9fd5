"""The work of the pool's threads, as LLVM's text; `raising.native.threads.runtime` has the names in braces.

`raise.deal` gives each worker its range of parts, `raise.take` takes the first part of a range or the last one,
`raise.work` runs parts until there are none and tells how many tasks those were, `raise.worker` is the life of a
thread; `raise.spin` waits until a value in memory, under a mask, is one of `count` numbers from `least`. `raise.wait`
and `raise.tell` take memory as MLIR passes it: five values, of which the second is its address.
"""

from __future__ import annotations

WORKERS = """
define linkonce_odr hidden void @raise.deal(i64 %parts, i64 %ranges) {
entry:
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %following, %next ]
  %following = add i64 %k, 1
  %before = mul i64 %k, %parts
  %first = udiv i64 %before, %ranges
  %after = mul i64 %following, %parts
  %end = udiv i64 %after, %ranges
  %high = shl i64 %first, 32
  %range = or i64 %high, %end
  %place = getelementptr [8 x i64], ptr {ranges}, i64 %k
  store atomic i64 %range, ptr %place monotonic, align 8
  %more = icmp ult i64 %following, %ranges
  br i1 %more, label %next, label %done
done:
  ret void
}

define linkonce_odr hidden i64 @raise.take(i64 %owner, i1 %first) {
entry:
  %place = getelementptr [8 x i64], ptr {ranges}, i64 %owner
  %seen = load atomic i64, ptr %place monotonic, align 8
  br label %look
look:
  %range = phi i64 [ %seen, %entry ], [ %changed, %try ]
  %low = lshr i64 %range, 32
  %end = and i64 %range, 4294967295
  %some = icmp ult i64 %low, %end
  br i1 %some, label %try, label %none
try:
  %last = sub i64 %end, 1
  %part = select i1 %first, i64 %low, i64 %last
  %step = select i1 %first, i64 4294967296, i64 -1
  %left = add i64 %range, %step
  %found = cmpxchg ptr %place, i64 %range, i64 %left monotonic monotonic
  %changed = extractvalue { i64, i1 } %found, 0
  %taken = extractvalue { i64, i1 } %found, 1
  br i1 %taken, label %mine, label %look
mine:
  ret i64 %part
none:
  ret i64 -1
}

define linkonce_odr hidden i64 @raise.work(i64 %worker) {
entry:
  %body = load ptr, ptr {body}
  %context = load ptr, ptr {context}
  %tasks = load i64, ptr {tasks}
  %parts = load i64, ptr {parts}
  %threads = load i64, ptr {threads}
  %shared = load i64, ptr {shared}
  %one = icmp ne i64 %shared, 0
  %ranges = select i1 %one, i64 1, i64 %threads
  br label %visit
visit:
  %number = phi i64 [ 0, %entry ], [ %next, %none ]
  %sofar = phi i64 [ 0, %entry ], [ %done, %none ]
  %place = add i64 %worker, %number
  %owner = urem i64 %place, %ranges
  %own = icmp eq i64 %number, 0
  br label %take
take:
  %done = phi i64 [ %sofar, %visit ], [ %sum, %do ]
  %part = call i64 @raise.take(i64 %owner, i1 %own)
  %empty = icmp eq i64 %part, -1
  br i1 %empty, label %none, label %do
do:
  %before = mul i64 %part, %tasks
  %low = udiv i64 %before, %parts
  %after = add i64 %before, %tasks
  %high = udiv i64 %after, %parts
  call void %body(ptr %context, i64 %worker, i64 %low, i64 %high)
  %length = sub i64 %high, %low
  %sum = add i64 %done, %length
  br label %take
none:
  %next = add i64 %number, 1
  %more = icmp ult i64 %next, %ranges
  br i1 %more, label %visit, label %end
end:
  ret i64 %done
}

define linkonce_odr hidden ptr @raise.worker(ptr %argument) {
entry:
  %index = ptrtoint ptr %argument to i64
  br label %wait
wait:
  %last = phi i64 [ 0, %entry ], [ %job, %missed ], [ %job, %left ]
  %since = call i64 @raise.now()
  br label %look
look:
  %looks = phi i64 [ 0, %wait ], [ %more, %pause ], [ 0, %watch ], [ 0, %yield ]
  %seen = load atomic i64, ptr {gate} acquire, align 8
  %number = lshr i64 %seen, 16
  %new = icmp ne i64 %number, %last
  br i1 %new, label %arrive, label %same
same:
  %more = add i64 %looks, 1
  %long = icmp uge i64 %more, {looks}
  br i1 %long, label %watch, label %pause
pause:
  {pause}
  br label %look
watch:
  %time = call i64 @raise.now()
  %waited = sub i64 %time, %since
  %eager = icmp ult i64 %waited, {eager}
  br i1 %eager, label %look, label %rest
rest:
  %tired = icmp uge i64 %waited, {patience}
  br i1 %tired, label %sleep, label %yield
yield:
  %y = call i32 @sched_yield()
  br label %look
sleep:
  %l = call i32 @pthread_mutex_lock(ptr {mutex})
  call void @raise.rest(i64 %index)
  %s = atomicrmw add ptr {sleepers}, i64 1 seq_cst
  br label %asleep
asleep:
  %now = load atomic i64, ptr {gate} seq_cst, align 8
  %current = lshr i64 %now, 16
  %called = icmp ne i64 %current, %last
  br i1 %called, label %awake, label %nap
nap:
  %c = call i32 @pthread_cond_wait(ptr {condition}, ptr {mutex})
  br label %asleep
awake:
  %w = atomicrmw sub ptr {sleepers}, i64 1 seq_cst
  %sent = call i1 @raise.rise(i64 %index)
  %u = call i32 @pthread_mutex_unlock(ptr {mutex})
  br i1 %sent, label %stay, label %arrive
stay:
  call void @raise.stay(i64 %index)
  br label %arrive
arrive:
  %gate = load atomic i64, ptr {gate} acquire, align 8
  %job = lshr i64 %gate, 16
  %closed = and i64 %gate, 32768
  %late = icmp ne i64 %closed, 0
  br i1 %late, label %missed, label %enter
missed:
  br label %wait
enter:
  %inside = add i64 %gate, 1
  %try = cmpxchg ptr {gate}, i64 %gate, i64 %inside acq_rel acquire
  %in = extractvalue { i64, i1 } %try, 1
  br i1 %in, label %entered, label %arrive
entered:
  %threads = load i64, ptr {threads}
  %wanted = icmp ult i64 %index, %threads
  br i1 %wanted, label %help, label %left
help:
  %d = call i64 @raise.work(i64 %index)
  br label %left
left:
  %o = atomicrmw sub ptr {gate}, i64 1 acq_rel
  br label %wait
}

define linkonce_odr hidden i1 @raise.start(i64 %index) {
  %all = alloca [128 x i8], align 16
  %old = alloca [128 x i8], align 16
  %thread = alloca i64
  %argument = inttoptr i64 %index to ptr
  %forgotten = call i1 @raise.rise(i64 %index)
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

define linkonce_odr hidden void @raise.wait(ptr %a, ptr %memory, i64 %o, i64 %n, i64 %s, i64 %index, i64 %least) {
  %place = getelementptr i64, ptr %memory, i64 %index
  call void @raise.spin(ptr %place, i64 -1, i64 %least, i64 9223372036854775807)
  ret void
}

define linkonce_odr hidden void @raise.spin(ptr %place, i64 %mask, i64 %least, i64 %count) {
entry:
  br label %look
look:
  %looks = phi i64 [ 0, %entry ], [ %more, %pause ], [ 0, %yield ]
  %all = load atomic i64, ptr %place acquire, align 8
  %now = and i64 %all, %mask
  %above = sub i64 %now, %least
  %there = icmp ult i64 %above, %count
  br i1 %there, label %done, label %wait
wait:
  %more = add i64 %looks, 1
  %long = icmp uge i64 %more, {looks}
  br i1 %long, label %yield, label %pause
pause:
  {pause}
  br label %look
yield:
  %y = call i32 @sched_yield()
  br label %look
done:
  ret void
}

define linkonce_odr hidden void @raise.tell(ptr %a, ptr %memory, i64 %o, i64 %n, i64 %s, i64 %index, i64 %number) {
  %place = getelementptr i64, ptr %memory, i64 %index
  store atomic i64 %number, ptr %place release, align 8
  ret void
}
"""
