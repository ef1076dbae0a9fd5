"""The inner loops of arithmetic mod p = 2^61 - 1, as LLVM's text for any machine.

Each is the loop of a NumPy universal function, `void(char **args, intp *sizes, intp *steps, void *)`, and does what the
function of the same name in `reference` does. Steps are in bytes. What is called here is inlined: a loop that is called
with the steps 8, 8, 8 as numbers becomes vector code, and so does its product of halves of 32 bits.
"""

from __future__ import annotations

_P = (1 << 61) - 1
_LOW = (1 << 32) - 1


def _for(name: str, count: str, body: str) -> str:
    """A loop that counts `%name` from zero up to `count`, as a part of a function."""
    return f"""
  br label %{name}.enter
{name}.enter:
  br label %{name}.test
{name}.test:
  %{name} = phi i64 [ 0, %{name}.enter ], [ %{name}.next, %{name}.step ]
  %{name}.more = icmp slt i64 %{name}, {count}
  br i1 %{name}.more, label %{name}.body, label %{name}.end
{name}.body:
{body}
  br label %{name}.step
{name}.step:
  %{name}.next = add nuw nsw i64 %{name}, 1
  br label %{name}.test
{name}.end:
"""


def _arguments(pointers: int, sizes: int, steps: int) -> str:
    """The arguments of a universal function's loop as values `%a0`, …, `%n0`, … and `%s0`, …."""
    lines = []
    for name, of, kind, count in (
        ("a", "args", "ptr", pointers),
        ("n", "sizes", "i64", sizes),
        ("s", "steps", "i64", steps),
    ):
        for k in range(count):
            lines.append(f"  %{name}{k}.at = getelementptr {kind}, ptr %{of}, i64 {k}")
            lines.append(f"  %{name}{k} = load {kind}, ptr %{name}{k}.at")
    return "\n".join(lines)


def _rows(count: int) -> str:
    """Where the operands of an outer iteration `%i` begin: `%r0`, …."""
    return "\n".join(f"  %r{k} = call ptr @to(ptr %a{k}, i64 %i, i64 %s{k})" for k in range(count))


_ENTRY = "(ptr %args, ptr %sizes, ptr %steps, ptr) {\nentry:\n"

_ELEMENTS = f"""
define internal ptr @to(ptr %a, i64 %i, i64 %step) alwaysinline {{
  %bytes = mul nsw i64 %i, %step
  %there = getelementptr i8, ptr %a, i64 %bytes
  ret ptr %there
}}

define internal i64 @at(ptr %a, i64 %i, i64 %step) alwaysinline {{
  %there = call ptr @to(ptr %a, i64 %i, i64 %step)
  %value = load i64, ptr %there
  ret i64 %value
}}

define internal void @put(i64 %value, ptr %a, i64 %i, i64 %step) alwaysinline {{
  %there = call ptr @to(ptr %a, i64 %i, i64 %step)
  store i64 %value, ptr %there
  ret void
}}

; 64 bits to a number up to p + 7
define internal i64 @once(i64 %x) alwaysinline {{
  %low = and i64 %x, {_P}
  %high = lshr i64 %x, 61
  %sum = add i64 %low, %high
  ret i64 %sum
}}

; a number below 2p to its residue
define internal i64 @last(i64 %x) alwaysinline {{
  %large = icmp uge i64 %x, {_P}
  %less = sub i64 %x, {_P}
  %residue = select i1 %large, i64 %less, i64 %x
  ret i64 %residue
}}

define internal i64 @reduced(i64 %x) alwaysinline {{
  %once = call i64 @once(i64 %x)
  %residue = call i64 @last(i64 %once)
  ret i64 %residue
}}

; a * b, folded once by 2^61 = 1: below 2^62 + 8; of halves of 32 bits, because those have vector instructions
define internal i64 @folded(i64 %a, i64 %b) alwaysinline {{
  %a0 = and i64 %a, {_LOW}
  %a1 = lshr i64 %a, 32
  %b0 = and i64 %b, {_LOW}
  %b1 = lshr i64 %b, 32
  %low = mul i64 %a0, %b0
  %a1b0 = mul i64 %a1, %b0
  %low.high = lshr i64 %low, 32
  %mid = add i64 %a1b0, %low.high
  %a0b1 = mul i64 %a0, %b1
  %mid.low = and i64 %mid, {_LOW}
  %cross = add i64 %a0b1, %mid.low
  %a1b1 = mul i64 %a1, %b1
  %mid.high = lshr i64 %mid, 32
  %most = add i64 %a1b1, %mid.high
  %cross.high = lshr i64 %cross, 32
  %high = add i64 %most, %cross.high
  %cross.low = shl i64 %cross, 32
  %low.low = and i64 %low, {_LOW}
  %word = or i64 %cross.low, %low.low
  %once = call i64 @once(i64 %word)
  %eightfold = shl i64 %high, 3
  %folded = add i64 %once, %eightfold
  ret i64 %folded
}}

; a residue as the integer of least magnitude
define internal i64 @signed(i64 %x) alwaysinline {{
  %large = icmp ugt i64 %x, {_P // 2}
  %less = sub i64 %x, {_P}
  %signed = select i1 %large, i64 %less, i64 %x
  ret i64 %signed
}}

define internal i64 @add.one(i64 %a, i64 %b) alwaysinline {{
  %sum = add i64 %a, %b
  %residue = call i64 @last(i64 %sum)
  ret i64 %residue
}}

define internal i64 @sub.one(i64 %a, i64 %b) alwaysinline {{
  %enough = icmp uge i64 %a, %b
  %least = sub i64 %a, %b
  %more = add i64 %least, {_P}
  %residue = select i1 %enough, i64 %least, i64 %more
  ret i64 %residue
}}

define internal i64 @mul.one(i64 %a, i64 %b) alwaysinline {{
  %folded = call i64 @folded(i64 %a, i64 %b)
  %residue = call i64 @reduced(i64 %folded)
  ret i64 %residue
}}

; where the number of a key is kept, or would be: 1 + its position, or 0
define internal ptr @slot(i64 %key, ptr %keys, i64 %step, ptr %slots, i64 %last) alwaysinline {{
entry:
  %first = and i64 %key, %last
  br label %look
look:
  %slot = phi i64 [ %first, %entry ], [ %following, %other ]
  %place = getelementptr i64, ptr %slots, i64 %slot
  %held = load i64, ptr %place
  %empty = icmp eq i64 %held, 0
  br i1 %empty, label %found, label %taken
taken:
  %position = sub i64 %held, 1
  %there = call i64 @at(ptr %keys, i64 %position, i64 %step)
  %same = icmp eq i64 %there, %key
  br i1 %same, label %found, label %other
other:
  %up = add i64 %slot, 1
  %following = and i64 %up, %last
  br label %look
found:
  ret ptr %place
}}
"""


def _pairs(name: str) -> str:
    """The loop of an operation on two elements; a reduction, whose first operand is the result, stays in a register."""
    steps = ("8", "8", "8"), ("8", "0", "8"), ("%s0", "%s1", "%s2")
    calls = [
        f"call void @{name}.all(i64 %n0, ptr %a0, i64 {a}, ptr %a1, i64 {b}, ptr %a2, i64 {c})" for a, b, c in steps
    ]
    body = f"""
  %x = call i64 @at(ptr %a, i64 %i, i64 %sa)
  %y = call i64 @at(ptr %b, i64 %i, i64 %sb)
  %r = call i64 @{name}.one(i64 %x, i64 %y)
  call void @put(i64 %r, ptr %out, i64 %i, i64 %so)"""
    folded = f"""
  %y = call i64 @at(ptr %a1, i64 %i, i64 %s1)
  %before = load i64, ptr %total
  %after = call i64 @{name}.one(i64 %before, i64 %y)
  store i64 %after, ptr %total"""
    return f"""
define internal void @{name}.all(i64 %n, ptr %a, i64 %sa, ptr %b, i64 %sb, ptr %out, i64 %so) alwaysinline {{
{_for("i", "%n", body)}
  ret void
}}

define void @{name}{_ENTRY}{_arguments(3, 1, 3)}
  %total = alloca i64
  %both = or i64 %s0, %s2
  %stays = icmp eq i64 %both, 0
  %itself = icmp eq ptr %a0, %a2
  %reduces = and i1 %stays, %itself
  br i1 %reduces, label %fold, label %map
fold:
  %first = load i64, ptr %a0
  store i64 %first, ptr %total
{_for("i", "%n0", folded)}
  %all = load i64, ptr %total
  store i64 %all, ptr %a2
  ret void
map:
  %plain.a = icmp eq i64 %s0, 8
  %plain.out = icmp eq i64 %s2, 8
  %plain = and i1 %plain.a, %plain.out
  %beside = icmp eq i64 %s1, 8
  %same = icmp eq i64 %s1, 0
  %row = and i1 %plain, %beside
  br i1 %row, label %rows, label %others
rows:
  {calls[0]}
  ret void
others:
  %scaled = and i1 %plain, %same
  br i1 %scaled, label %scale, label %any
scale:
  {calls[1]}
  ret void
any:
  {calls[2]}
  ret void
}}
"""


def _dots() -> str:
    """The sums of a[k] * b[k] over the last axis, signature (k),(k)->(); halves are summed apart."""
    term = f"""
  %x = call i64 @at(ptr %a, i64 %k, i64 %sa)
  %y = call i64 @at(ptr %b, i64 %k, i64 %sb)
  %s = call i64 @folded(i64 %x, i64 %y)
  %s.low = and i64 %s, {_LOW}
  %s.high = lshr i64 %s, 32
  %low.0 = load i64, ptr %low
  %low.1 = add i64 %low.0, %s.low
  store i64 %low.1, ptr %low
  %high.0 = load i64, ptr %high
  %high.1 = add i64 %high.0, %s.high
  store i64 %high.1, ptr %high"""
    calls = [f"call i64 @dot.one(i64 %n1, ptr %r0, i64 {a}, ptr %r1, i64 {b})" for a, b in (("8", "8"), ("%s3", "%s4"))]
    row = f"""
{_rows(3)}
  br i1 %row, label %plain, label %any
plain:
  %sum.plain = {calls[0]}
  store i64 %sum.plain, ptr %r2
  br label %done
any:
  %sum.any = {calls[1]}
  store i64 %sum.any, ptr %r2
  br label %done
done:"""
    return f"""
define internal i64 @dot.one(i64 %n, ptr %a, i64 %sa, ptr %b, i64 %sb) alwaysinline {{
  %low = alloca i64
  %high = alloca i64
  store i64 0, ptr %low
  store i64 0, ptr %high
{_for("k", "%n", term)}
  %all.low = load i64, ptr %low
  %all.high = load i64, ptr %high
  %residue.high = call i64 @reduced(i64 %all.high)
  %shifted = call i64 @mul.one(i64 %residue.high, i64 {1 << 32})
  %residue.low = call i64 @reduced(i64 %all.low)
  %sum = call i64 @add.one(i64 %shifted, i64 %residue.low)
  ret i64 %sum
}}

define void @dot{_ENTRY}{_arguments(3, 2, 5)}
  %beside.a = icmp eq i64 %s3, 8
  %beside.b = icmp eq i64 %s4, 8
  %row = and i1 %beside.a, %beside.b
{_for("i", "%n0", row)}
  ret void
}}
"""


def _inverses() -> str:
    """The loop of 1/a, 0 for 0: one power, and three products an element (Montgomery 1987)."""
    forward = """
  %x = call i64 @at(ptr %a0, i64 %i, i64 %s0)
  %before = load i64, ptr %total
  call void @put(i64 %before, ptr %a1, i64 %i, i64 %s1)
  %zero = icmp eq i64 %x, 0
  %factor = select i1 %zero, i64 1, i64 %x
  %product = call i64 @mul.one(i64 %before, i64 %factor)
  store i64 %product, ptr %total"""
    square = f"""
  %bit = shl i64 1, %e
  %bits = and i64 {_P - 2}, %bit
  %with = icmp ne i64 %bits, 0
  %base.0 = load i64, ptr %base
  %times = select i1 %with, i64 %base.0, i64 1
  %power.0 = load i64, ptr %power
  %power.1 = call i64 @mul.one(i64 %power.0, i64 %times)
  store i64 %power.1, ptr %power
  %base.1 = call i64 @mul.one(i64 %base.0, i64 %base.0)
  store i64 %base.1, ptr %base"""
    backward = """
  %after = sub i64 %n0, %j
  %at = sub i64 %after, 1
  %y = call i64 @at(ptr %a0, i64 %at, i64 %s0)
  %none = icmp eq i64 %y, 0
  %others = call i64 @at(ptr %a1, i64 %at, i64 %s1)
  %power.2 = load i64, ptr %power
  %inverse = call i64 @mul.one(i64 %others, i64 %power.2)
  %result = select i1 %none, i64 0, i64 %inverse
  call void @put(i64 %result, ptr %a1, i64 %at, i64 %s1)
  %used = select i1 %none, i64 1, i64 %y
  %power.3 = call i64 @mul.one(i64 %power.2, i64 %used)
  store i64 %power.3, ptr %power"""
    return f"""
define void @inverse{_ENTRY}{_arguments(2, 1, 2)}
  %total = alloca i64
  %base = alloca i64
  %power = alloca i64
  store i64 1, ptr %total
{_for("i", "%n0", forward)}
  %all = load i64, ptr %total
  store i64 %all, ptr %base
  store i64 1, ptr %power
{_for("e", "61", square)}
{_for("j", "%n0", backward)}
  ret void
}}
"""


def _lookups() -> str:
    """The loops of a hash table, whose size is a power of two above the number of keys. Keys are taken as random.

    `place`, signature (n),(m)->(m): each key's slot holds 1 + the first position that has the key; the second argument
    only says how many slots there are. `find`, (q),(n),(m)->(q): 1 + the position of each key, or 0.
    """
    clear = "  call void @put(i64 0, ptr %r2, i64 %z, i64 8)"
    key = """
  %key = call i64 @at(ptr %r0, i64 %k, i64 %s3)
  %slot = call ptr @slot(i64 %key, ptr %r0, i64 %s3, ptr %r2, i64 %last)
  %held = load i64, ptr %slot
  %new = icmp eq i64 %held, 0
  %number = add i64 %k, 1
  %kept = select i1 %new, i64 %number, i64 %held
  store i64 %kept, ptr %slot"""
    asked = """
  %key = call i64 @at(ptr %r0, i64 %k, i64 %s4)
  %slot = call ptr @slot(i64 %key, ptr %r1, i64 %s5, ptr %r2, i64 %last)
  %held = load i64, ptr %slot
  call void @put(i64 %held, ptr %r3, i64 %k, i64 %s7)"""
    return f"""
define void @place{_ENTRY}{_arguments(3, 3, 4)}
  %last = sub i64 %n2, 1
{_for("i", "%n0", _rows(3) + _for("z", "%n2", clear) + _for("k", "%n1", key))}
  ret void
}}

define void @find{_ENTRY}{_arguments(4, 4, 8)}
  %last = sub i64 %n3, 1
{_for("i", "%n0", _rows(4) + _for("k", "%n1", asked))}
  ret void
}}
"""


EXTREMA = {"keep.gt": ("ogt", "sgt"), "keep.lt": ("olt", "slt")}
"""The loops of extrema, and how each compares floats, and residues as integers with a sign."""


def _extrema(name: str) -> str:
    """The loop that keeps the first of two numbers, each a residue beside its float, where it is the greater or less.

    Floats decide unless they are equal and the residues are not; a number is preferred to a NaN in its second place.
    """
    of_floats, of_residues = EXTREMA[name]
    body = f"""
{_elements(("ar", "i64"), ("af", "double"), ("br", "i64"), ("bf", "double"))}
  %a = call i64 @signed(i64 %ar)
  %b = call i64 @signed(i64 %br)
  %by.float = fcmp {of_floats} double %af, %bf
  %by.residue = icmp {of_residues} i64 %a, %b
  %tied = fcmp oeq double %af, %bf
  %ahead = select i1 %tied, i1 %by.residue, i1 %by.float
  %same = icmp eq i64 %ar, %br
  %better = select i1 %same, i1 false, i1 %ahead
  %none = fcmp uno double %bf, %bf
  %kept = or i1 %better, %none
  %res = select i1 %kept, i64 %ar, i64 %br
  %flt = select i1 %kept, double %af, double %bf
  %res.to = call ptr @to(ptr %a4, i64 %i, i64 %s4)
  store i64 %res, ptr %res.to
  %flt.to = call ptr @to(ptr %a5, i64 %i, i64 %s5)
  store double %flt, ptr %flt.to"""
    return f"""
define void @{name}{_ENTRY}{_arguments(6, 1, 6)}
{_for("i", "%n0", body)}
  ret void
}}
"""


def _elements(*operands: tuple[str, str]) -> str:
    """The elements `%i` of operands by name and type."""
    lines = []
    for k, (name, kind) in enumerate(operands):
        lines.append(f"  %{name}.at = call ptr @to(ptr %a{k}, i64 %i, i64 %s{k})")
        lines.append(f"  %{name} = load {kind}, ptr %{name}.at")
    return "\n".join(lines)


def kernel_text() -> str:
    """The text of all loops."""
    pairs, extrema = map(_pairs, ("add", "sub", "mul")), map(_extrema, EXTREMA)
    return "".join([_ELEMENTS, *pairs, _dots(), _inverses(), _lookups(), *extrema])
