"""The inner loops of arithmetic mod p = 2^61 - 1 as numba compiles them.

Each is the loop of a NumPy universal function, `void(char **args, intp *sizes, intp *steps, void *)`, and does what the
function of the same name in `reference` does. Only `loaded_kernels` imports this file, and only to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cfunc, njit, types

_P = np.uint64((1 << 61) - 1)
_LOW = np.uint64(0xFFFFFFFF)
_0, _1, _3, _32, _61 = (np.uint64(k) for k in (0, 1, 3, 32, 61))

_WORDS = types.CPointer(types.CPointer(types.uint64))
_COUNTS = types.CPointer(types.intp)
_LOOP = types.void(_WORDS, _COUNTS, _COUNTS, types.voidptr)
_WORD = 8  # bytes


@njit(inline="always")
def _folded(a, b):  # type: ignore[no-untyped-def]
    """a * b, folded once by 2^61 = 1: below 2^62 + 8. Halves of 32 bits, because those have vector instructions."""
    a0, a1, b0, b1 = a & _LOW, a >> _32, b & _LOW, b >> _32
    low = a0 * b0
    mid = a1 * b0 + (low >> _32)
    cross = a0 * b1 + (mid & _LOW)
    high = a1 * b1 + (mid >> _32) + (cross >> _32)
    low = (cross << _32) | (low & _LOW)
    return (low & _P) + (low >> _61) + (high << _3)


@njit(inline="always")
def _reduced(x):  # type: ignore[no-untyped-def]
    y = (x & _P) + (x >> _61)
    return y - _P if y >= _P else y


def add(args, sizes, steps, _):  # type: ignore[no-untyped-def]
    """The loop of a + b mod p."""
    a, b, out = args[0], args[1], args[2]
    sa, sb, so = steps[0] // _WORD, steps[1] // _WORD, steps[2] // _WORD
    if sa == 1 and sb == 1 and so == 1:
        for i in range(sizes[0]):
            s = a[i] + b[i]
            out[i] = s - _P if s >= _P else s
    else:
        for i in range(sizes[0]):
            s = a[i * sa] + b[i * sb]
            out[i * so] = s - _P if s >= _P else s


def sub(args, sizes, steps, _):  # type: ignore[no-untyped-def]
    """The loop of a - b mod p."""
    a, b, out = args[0], args[1], args[2]
    sa, sb, so = steps[0] // _WORD, steps[1] // _WORD, steps[2] // _WORD
    for i in range(sizes[0]):
        x, y = a[i * sa], b[i * sb]
        out[i * so] = x - y if x >= y else x + _P - y


def mul(args, sizes, steps, _):  # type: ignore[no-untyped-def]
    """The loop of a * b mod p, with versions of unit stride that become vector code."""
    a, b, out = args[0], args[1], args[2]
    sa, sb, so = steps[0] // _WORD, steps[1] // _WORD, steps[2] // _WORD
    if sa == 1 and sb == 1 and so == 1:
        for i in range(sizes[0]):
            out[i] = _reduced(_folded(a[i], b[i]))
    elif sa == 1 and sb == 0 and so == 1:
        same = b[0]
        for i in range(sizes[0]):
            out[i] = _reduced(_folded(a[i], same))
    else:
        for i in range(sizes[0]):
            out[i * so] = _reduced(_folded(a[i * sa], b[i * sb]))


def dot(args, sizes, steps, _):  # type: ignore[no-untyped-def]
    """The loop of sum a[k] * b[k] mod p over the last axis, signature (k),(k)->(); halves are summed apart."""
    sa, sb = steps[3] // _WORD, steps[4] // _WORD
    for i in range(sizes[0]):
        a, b = args[0], args[1]
        x, y = i * (steps[0] // _WORD), i * (steps[1] // _WORD)
        low, high = _0, _0
        if sa == 1 and sb == 1:
            for k in range(sizes[1]):
                s = _folded(a[x + k], b[y + k])
                low += s & _LOW
                high += s >> _32
        else:
            for k in range(sizes[1]):
                s = _folded(a[x + k * sa], b[y + k * sb])
                low += s & _LOW
                high += s >> _32
        high = _reduced(_folded(_reduced(high), _1 << _32))
        args[2][i * (steps[2] // _WORD)] = _reduced(high + _reduced(low))


def inverse(args, sizes, steps, _):  # type: ignore[no-untyped-def]
    """The loop of 1/a mod p, 0 for 0: one power, and three products an element (Montgomery 1987)."""
    a, out = args[0], args[1]
    sa, so = steps[0] // _WORD, steps[1] // _WORD
    total = _1
    for i in range(sizes[0]):
        out[i * so] = total
        x = a[i * sa]
        if x != _0:
            total = _reduced(_folded(total, x))
    power, base, rest = _1, total, _P - np.uint64(2)
    while rest > _0:
        if rest & _1:
            power = _reduced(_folded(power, base))
        base = _reduced(_folded(base, base))
        rest = rest >> _1
    for j in range(sizes[0]):
        i = sizes[0] - 1 - j
        x = a[i * sa]
        if x == _0:
            out[i * so] = _0
        else:
            out[i * so] = _reduced(_folded(out[i * so], power))
            power = _reduced(_folded(power, x))


def place(args, sizes, steps, _):  # type: ignore[no-untyped-def]
    """The loop of a hash table, signature (n),(m)->(m): each key's place holds 1 + the first position that has the key.

    m is a power of two above n; the second argument only says how large it is. Keys are taken as random.
    """
    step = steps[3] // _WORD
    last = np.uint64(sizes[2] - 1)
    for i in range(sizes[0]):
        keys, slots = args[0], args[2]
        x, out = i * (steps[0] // _WORD), i * (steps[2] // _WORD)
        for k in range(sizes[2]):
            slots[out + k] = _0
        for k in range(sizes[1]):
            key = keys[x + k * step]
            slot = key & last
            held = slots[out + np.int64(slot)]
            while held != _0 and keys[x + np.int64(held - _1) * step] != key:
                slot = (slot + _1) & last
                held = slots[out + np.int64(slot)]
            if held == _0:
                slots[out + np.int64(slot)] = np.uint64(k + 1)


def find(args, sizes, steps, _):  # type: ignore[no-untyped-def]
    """The loop of looking up in what `place` made, signature (q),(n),(m)->(q): 1 + the position of each key, or 0."""
    asked, step, out = steps[4] // _WORD, steps[5] // _WORD, steps[7] // _WORD
    last = np.uint64(sizes[3] - 1)
    for i in range(sizes[0]):
        needles, keys, slots, found = args[0], args[1], args[2], args[3]
        q, x, m, o = (
            i * (steps[0] // _WORD),
            i * (steps[1] // _WORD),
            i * (steps[2] // _WORD),
            i * (steps[3] // _WORD),
        )
        for k in range(sizes[1]):
            key = needles[q + k * asked]
            slot = key & last
            held = slots[m + np.int64(slot)]
            while held != _0 and keys[x + np.int64(held - _1) * step] != key:
                slot = (slot + _1) & last
                held = slots[m + np.int64(slot)]
            found[o + k * out] = held


LOOPS: tuple[Callable[..., Any], ...] = (add, sub, mul, dot, inverse, place, find)


def compiled() -> dict[str, tuple[str, bytes]]:
    """{loop → (symbol, object code)} for this machine."""
    found = {}
    for loop in LOOPS:
        made = cfunc(_LOOP)(loop)
        found[loop.__name__] = (made._wrapper_name, made._library._get_compiled_object())
    return found
