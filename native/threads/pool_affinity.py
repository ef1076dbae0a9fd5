"""The processors on which the pool's sleeping threads wake up, in the language of `raising.support.llvm`.

`runtime` says what the names mean. A thread that wakes workers first takes its own processor from
those that they may use, and from each worker's also those on which the workers before it fell asleep; a worker that
runs again resets its own choice. Without that, Linux in a virtual machine often starts the worker on the caller's
processor, and leaves both there for 10 ms: it counts a processor that is halted as lent to others
(`vcpu_is_preempted`), not as idle.

The masks are those of the worker itself, so that a user's choice of processors stays as it was. A worker starts with an
empty record; after a fork, the record in memory is the parent's and does not count.
"""

from __future__ import annotations

WORDS = 16
"""Words of a mask, 1024 processors; a machine that has more answers with an error, and nothing is moved."""

PLACE = 256
"""Bytes of what is known of a worker: its thread, the number after that of the processor it sleeps on (0 while it is
awake), whether it has been sent elsewhere, and from the 16th word on which processors it may use."""

NOWHERE = """
def rest(worker): pass
def rise(worker) -> i1: return False
def stay(worker): pass
def spread(): pass
"""
"""For systems that leave no choice."""

PLACES = """
def sched_getcpu() -> i32: ...
def pthread_self() -> i64: ...
def pthread_getaffinity_np(thread, size, mask: ptr) -> i32: ...
def pthread_setaffinity_np(thread, size, mask: ptr) -> i32: ...

def rest(worker):
    place = pool.places + PLACE * worker
    place[0], place[1] = pthread_self(), from_signed(sched_getcpu()) + 1

def rise(worker) -> i1:
    place = pool.places + PLACE * worker
    moved = place[2] != 0
    place[1], place[2] = 0, 0
    return moved

def stay(worker):
    pthread_setaffinity_np(pthread_self(), BYTES, pool.places + PLACE * worker + BYTES)

def spread():
    used, mask, own = room(BYTES), room(BYTES), from_signed(sched_getcpu())
    clear(used, BYTES)
    if own >= PROCESSORS:
        return
    mark(used, own)
    for k in range(pool.workers.load("monotonic")):
        place = pool.places + PLACE * (k + 1)
        cpu = place[1] - 1
        if cpu < PROCESSORS:
            if place[2] == 0:
                place[2] = from_truth(is_sent(place, used, mask))
            mark(used, cpu)

def is_sent(place: ptr, used: ptr, mask: ptr) -> i1:
    known, some = place + BYTES, 0
    if pthread_getaffinity_np(place[0], BYTES, known) != 0:
        return False
    for j in range(WORDS):
        mask[j] = known[j] & ~used[j]
        some |= mask[j]
    if some == 0:
        return False
    return pthread_setaffinity_np(place[0], BYTES, mask) == 0

def mark(set: ptr, number):
    set[number >> 6] |= 1 << (number & 63)
"""
