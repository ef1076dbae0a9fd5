"""The work of the pool's threads, in the language of `raising.support.llvm`; `runtime` says what the names mean.

`deal` gives each worker its range of parts, `take` takes the first part of a range or the last one, `work` runs parts
until there are none and tells how many tasks those were, `worker` is the life of a thread; `spin` waits until a value
in memory, under a mask, is one of `count` numbers from `low`. `wait` and `tell` take memory as MLIR passes it: five
values, of which the second is its address.
"""

from __future__ import annotations

WORKERS = """
def deal(parts, ranges):
    for k in range(ranges):
        (pool.ranges + 64 * k).store((k * parts // ranges << 32) | ((k + 1) * parts // ranges), "monotonic")

def take(owner, first: i1) -> i64:
    place = pool.ranges + 64 * owner
    left = place.load("monotonic")
    while (left >> 32) < (left & LOW):
        part = left >> 32 if first else (left & LOW) - 1
        left, taken = place.exchange(left, left + (LOW + 1 if first else -1), "monotonic", "monotonic")
        if taken:
            return part
    return -1

def work(worker) -> i64:
    body, context, tasks, parts = pointer_at(pool.body), pointer_at(pool.context), pool.tasks[0], pool.parts[0]
    ranges, done = 1 if pool.shared[0] != 0 else pool.threads[0], 0
    for number in range(ranges):
        owner = (worker + number) % ranges
        part = take(owner, number == 0)
        while part != -1:
            low, high = part * tasks // parts, (part * tasks + tasks) // parts
            body(context, worker, low, high)
            done += high - low
            part = take(owner, number == 0)
    return done

def worker(argument: ptr) -> ptr:
    index, job = as_integer(argument), 0
    while True:
        look_out(index, job)
        while True:
            gate = pool.gate.load("acquire")
            job = gate >> 16
            if (gate & CLOSED) != 0:
                break
            seen, inside = pool.gate.exchange(gate, gate + 1, "acq_rel", "acquire")
            if inside:
                if index < pool.threads[0]:
                    work(index)
                pool.gate.sub(1, "acq_rel")
                break

def look_out(index, last):
    since, looks = now(), 0
    while (pool.gate.load("acquire") >> 16) == last:
        looks += 1
        if looks < LOOKS:
            pause()
        else:
            looks, waited = 0, now() - since
            if waited >= PATIENCE:
                sleep(index, last)
                return
            if waited >= EAGER:
                sched_yield()

def sleep(index, last):
    pthread_mutex_lock(pool.mutex)
    rest(index)
    pool.sleepers.add(1, "seq_cst")
    while (pool.gate.load("seq_cst") >> 16) == last:
        pthread_cond_wait(pool.condition, pool.mutex)
    pool.sleepers.sub(1, "seq_cst")
    sent = rise(index)
    pthread_mutex_unlock(pool.mutex)
    if sent:
        stay(index)

def start(index) -> i1:
    every, old, thread = room(128), room(128), room(8)
    rise(index)
    sigfillset(every)
    pthread_sigmask(2, every, old)
    started = pthread_create(thread, null, worker, as_pointer(index)) == 0
    pthread_sigmask(2, old, null)
    if started:
        pthread_detach(thread[0])
    return started

def wait(a: ptr, memory: ptr, o, n, s, index, low):
    spin(memory + 8 * index, -1, low, HALF)

def spin(place: ptr, mask, low, count):
    looks = 0
    while (place.load("acquire") & mask) - low >= count:
        looks += 1
        if looks < LOOKS:
            pause()
        else:
            looks = 0
            sched_yield()

def tell(a: ptr, memory: ptr, o, n, s, index, number):
    (memory + 8 * index).store(number, "release")
"""
