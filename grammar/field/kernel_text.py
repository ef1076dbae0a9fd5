"""The inner loops of arithmetic mod p = 2^61 - 1, for any machine: `raising.support.llvm` makes LLVM's text of them.

Each of those at the end is the loop of a NumPy universal function, `void(char **args, intp *sizes, intp *steps, void
*)`, and does what the function of the same name in `reference` does. Steps are in bytes. What is called is inlined: a
loop that is called with the steps 8, 8, 8 as numbers becomes vector code, and so does its product of halves of 32 bits.
"""

from __future__ import annotations

from raising.support.llvm.machine_functions import NUMBER, Names, functions

_P = (1 << 61) - 1
_CONSTANTS = {
    "P": (str(_P), NUMBER),
    "HALF": (str(_P // 2), NUMBER),
    "LOW": (str((1 << 32) - 1), NUMBER),
    "ALL": (str(1 << 32), NUMBER),
    "ZERO": ("0.0", "double"),
}

_ELEMENTS = '''
@inline
def at(a: ptr, i, step) -> i64:
    return (a + i * step)[0]

@inline
def put(value, a: ptr, i, step):
    (a + i * step)[0] = value

@inline
def once(x) -> i64:
    """64 bits to a number up to p + 7."""
    return (x & P) + (x >> 61)

@inline
def last(x) -> i64:
    """A number below 2p to its residue."""
    return x - P if x >= P else x

@inline
def reduced(x) -> i64:
    return last(once(x))

@inline
def folded(a, b) -> i64:
    """a * b, folded once by 2^61 = 1: below 2^62 + 8; of halves of 32 bits, because those have vector instructions."""
    a0, a1, b0, b1 = a & LOW, a >> 32, b & LOW, b >> 32
    low = a0 * b0
    mid = a1 * b0 + (low >> 32)
    cross = a0 * b1 + (mid & LOW)
    high = a1 * b1 + (mid >> 32) + (cross >> 32)
    return once((cross << 32) | (low & LOW)) + (high << 3)

@inline
def signed(x) -> i64:
    """A residue as the integer of least magnitude."""
    return x - P if x > HALF else x

@inline
def add_one(a, b) -> i64:
    return last(a + b)

@inline
def sub_one(a, b) -> i64:
    return a - b if a >= b else a - b + P

@inline
def mul_one(a, b) -> i64:
    return reduced(folded(a, b))

@inline
def slot(key, keys: ptr, step, slots: ptr, last) -> ptr:
    """Where the number of a key is kept, or would be: 1 + its position, or 0."""
    k = key & last
    while True:
        place = slots + 8 * k
        held = place[0]
        if held == 0:
            return place
        if at(keys, held - 1, step) == key:
            return place
        k = (k + 1) & last
'''

_PAIRS = '''
@inline
def NAME_all(n, a: ptr, sa, b: ptr, sb, out: ptr, so):
    for i in range(n):
        put(NAME_one(at(a, i, sa), at(b, i, sb)), out, i, so)

def NAME(args: ptr, sizes: ptr, steps: ptr, data: ptr):
    """A reduction, whose first operand is the result, stays in a register."""
    a, b, out = pointer_at(args), pointer_at(args + 8), pointer_at(args + 16)
    n, sa, sb, so = sizes[0], steps[0], steps[1], steps[2]
    if ((sa | so) == 0) & (a == out):
        total = a[0]
        for i in range(n):
            total = NAME_one(total, at(b, i, sb))
        out[0] = total
    elif (sa == 8) & (so == 8) & (sb == 8):
        NAME_all(n, a, 8, b, 8, out, 8)
    elif (sa == 8) & (so == 8) & (sb == 0):
        NAME_all(n, a, 8, b, 0, out, 8)
    else:
        NAME_all(n, a, sa, b, sb, out, so)
'''
"""The loop of an operation on two elements."""

_OTHERS = '''
@inline
def dot_one(n, a: ptr, sa, b: ptr, sb) -> i64:
    low, high = 0, 0
    for k in range(n):
        s = folded(at(a, k, sa), at(b, k, sb))
        low += s & LOW
        high += s >> 32
    return add_one(mul_one(reduced(high), ALL), reduced(low))

def dot(args: ptr, sizes: ptr, steps: ptr, data: ptr):
    """The sums of a[k] * b[k] over the last axis, signature (k),(k)->(); halves are summed apart."""
    a, b, out = pointer_at(args), pointer_at(args + 8), pointer_at(args + 16)
    n, sa, sb = sizes[1], steps[3], steps[4]
    for i in range(sizes[0]):
        row, column = a + i * steps[0], b + i * steps[1]
        if (sa == 8) & (sb == 8):
            put(dot_one(n, row, 8, column, 8), out, i, steps[2])
        else:
            put(dot_one(n, row, sa, column, sb), out, i, steps[2])

def inverse(args: ptr, sizes: ptr, steps: ptr, data: ptr):
    """1/a, 0 for 0: one power, and three products an element (Montgomery 1987)."""
    a, out, n, sa, so = pointer_at(args), pointer_at(args + 8), sizes[0], steps[0], steps[1]
    total = 1
    for i in range(n):
        put(total, out, i, so)
        x = at(a, i, sa)
        total = mul_one(total, 1 if x == 0 else x)
    base, power = total, 1
    for e in range(61):
        power = mul_one(power, base if ((P - 2) & (1 << e)) != 0 else 1)
        base = mul_one(base, base)
    for j in range(n):
        k = n - j - 1
        y = at(a, k, sa)
        found = mul_one(at(out, k, so), power)
        put(0 if y == 0 else found, out, k, so)
        power = mul_one(power, 1 if y == 0 else y)

def place(args: ptr, sizes: ptr, steps: ptr, data: ptr):
    """A hash table, signature (n),(m)->(m): each key's slot holds 1 + the first position that has the key.

    The second argument only says how many slots there are: a power of two above the number of keys, which are taken as
    random.
    """
    keys, out, count, step = pointer_at(args), pointer_at(args + 16), sizes[2], steps[3]
    for i in range(sizes[0]):
        own, slots = keys + i * steps[0], out + i * steps[2]
        for z in range(count):
            slots[z] = 0
        for k in range(sizes[1]):
            here = slot(at(own, k, step), own, step, slots, count - 1)
            here[0] = k + 1 if here[0] == 0 else here[0]

def find(args: ptr, sizes: ptr, steps: ptr, data: ptr):
    """Its use, signature (q),(n),(m)->(q): 1 + the position of each key, or 0."""
    asked, keys, table, out = pointer_at(args), pointer_at(args + 8), pointer_at(args + 16), pointer_at(args + 24)
    for i in range(sizes[0]):
        own, known, slots, found = asked + i * steps[0], keys + i * steps[1], table + i * steps[2], out + i * steps[3]
        for k in range(sizes[1]):
            here = slot(at(own, k, steps[4]), known, steps[5], slots, sizes[3] - 1)
            put(here[0], found, k, steps[7])
'''

_EXTREMA = '''
def NAME(args: ptr, sizes: ptr, steps: ptr, data: ptr):
    """Keeps the first of two numbers, each a residue beside its float, where it is the greater or less.

    Floats decide unless they are equal and the residues are not; a number is preferred to a NaN in its second place.
    Where bits are read without a sign, negative numbers are the large ones.
    """
    ar, af, br, bf = pointer_at(args), pointer_at(args + 8), pointer_at(args + 16), pointer_at(args + 24)
    to, beside = pointer_at(args + 32), pointer_at(args + 40)
    for i in range(sizes[0]):
        a, x = at(ar, i, steps[0]), float_at(af + i * steps[1])
        b, y = at(br, i, steps[2]), float_at(bf + i * steps[3])
        ahead = signed_RELATION(signed(a), signed(b)) if x == y else ORDER
        kept = (ahead & (a != b)) | is_nan(y)
        put(a if kept else b, to, i, steps[4])
        put_float(x if kept else y, beside + i * steps[5])
'''

_ORDERS = {
    "gt": "x > y",
    "lt": "x < y",
    "unsigned_gt": "x < ZERO if (x < ZERO) != (y < ZERO) else x > y",
    "unsigned_lt": "y < ZERO if (x < ZERO) != (y < ZERO) else x < y",
}


def kernel_text() -> str:
    """The text of all loops."""
    pairs = [_PAIRS.replace("NAME", name) for name in ("add", "sub", "mul")]
    extrema = [
        _EXTREMA.replace("NAME", f"keep_{name}").replace("ORDER", order).replace("RELATION", name[-2:])
        for name, order in _ORDERS.items()
    ]
    return functions("".join([_ELEMENTS, *pairs, _OTHERS, *extrema]), Names(_CONSTANTS, {}))
