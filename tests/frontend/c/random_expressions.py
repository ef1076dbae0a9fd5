"""Random functions of C full of conversions: every operator on mixed types, with effects inside of expressions.

Their results are defined if integers wrap around (`-fwrapv`): what is written in an expression is not read elsewhere
in it, shifts and divisors are in range, and no float is converted to an integer that cannot hold it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

INTEGERS = ("char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "_Bool")
FLOATS = ("float", "double")


@dataclass
class Writer:
    """Writes one function; `free` are the variables that the current statement may still write to."""

    rng: random.Random
    types: dict[str, str]
    free: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def integer(self, depth: int) -> str:
        """An expression of some integer type."""
        chance = self.rng.random()
        if depth == 0 or chance < 0.15:
            return self.leaf()
        a, b = self.integer(depth - 1), self.integer(depth - 1)
        if chance < 0.45:
            return f"({a} {self.rng.choice(['+', '-', '*', '&', '|', '^'])} {b})"
        if chance < 0.52:
            return f"({a} {self.rng.choice(['<<', '>>'])} ({b} & 7))"
        if chance < 0.58:
            return f"({a} {self.rng.choice(['/', '%'])} (({b} & 15) + 1))"
        if chance < 0.68:
            return f"({a} {self.rng.choice(['<', '<=', '==', '!=', '>', '>='])} {b})"
        if chance < 0.75:
            return f"({a} {self.rng.choice(['&&', '||'])} {b})"
        if chance < 0.82:
            return f"({a} ? {b} : {self.integer(depth - 1)})"
        if chance < 0.9:
            return f"(({self.rng.choice(INTEGERS)}){a})"
        if chance < 0.95:
            return f"({self.rng.choice(['-', '~', '!', '+'])}{a})"
        return self.effect(depth - 1) or f"({a}, {b})"

    def leaf(self) -> str:
        """A variable, or a constant of some type."""
        if self.rng.random() < 0.7:
            return self.rng.choice(self.read)
        value = self.rng.choice([0, 1, 2, 7, 127, 128, 255, 256, 32767, 65535, 2147483647, 2147483648, 4294967295])
        suffix = self.rng.choice(["", "", "u", "l", "ul"])
        return self.rng.choice([f"{value}{suffix}", f"(-{value}{suffix})", f"0x{value:x}{suffix}", "'\\377'", "'a'"])

    def effect(self, depth: int) -> str:
        """A value with an effect on a variable that nothing else in the statement mentions; empty if there is none."""
        if not self.free:
            return ""
        name = self.free.pop(self.rng.randrange(len(self.free)))
        right = self.integer(depth) if depth else self.leaf()
        if self.types[name] != "_Bool" and self.rng.random() < 0.3:
            return self.rng.choice([f"({name}++)", f"(--{name})", f"({name}--)", f"(++{name})"])
        if self.rng.random() < 0.5:
            return f"({name} = {right})"
        op = self.rng.choice(["+", "-", "*", "&", "|", "^"])
        return f"({name} {op}= {right})"

    def floating(self, depth: int) -> str:
        """An expression with floats in it, of moderate size."""
        chance = self.rng.random()
        if depth == 0 or chance < 0.2:
            return self.rng.choice(["x", "y", "1.5f", "0.25", "3.0f", "(float)(a0 & 63)", "(a1 & 31)", "(double)a2"])
        a, b = self.floating(depth - 1), self.floating(depth - 1)
        if chance < 0.75:
            return f"({a} {self.rng.choice(['+', '-', '*'])} {b})"
        if chance < 0.85:
            return f"({a} {self.rng.choice(['<', '>='])} {b} ? {a} : {b})"
        return f"(({self.rng.choice(FLOATS)}){a})"

    def statement(self, depth: int) -> str:
        """An assignment to a variable, of what may have effects on others."""
        names = list(self.types)
        self.rng.shuffle(names)
        target, self.free, self.read = names[0], names[1:4], names[4:]
        chance = self.rng.random()
        if chance < 0.2:
            op = self.rng.choice(["=", "+=", "*=", "-="])
            return f"{self.rng.choice(['x', 'y'])} {op} {self.floating(depth)};"
        if chance < 0.3:
            return f"{target} = ({self.floating(2)}) > {self.floating(1)};"
        if chance < 0.4:
            return f"if ({self.integer(depth)}) {target} = {self.integer(2)}; else {target} += 1;"
        if chance < 0.5:
            limit = self.rng.randint(1, 4)
            return (
                f"for (int k = 0; k < {limit}; k++) {target} {self.rng.choice(['^', '+'])}= {self.integer(depth)} + k;"
            )
        op = self.rng.choice(["=", "=", "+=", "-=", "*=", "&=", "|=", "^="])
        return f"{target} {op} {self.integer(depth)};"


def random_expressions(seed: int) -> str:
    """The text of `long f(long p, long q, double x, double y)`."""
    rng = random.Random(seed)
    types = {f"a{k}": rng.choice(INTEGERS) for k in range(9)}
    writer = Writer(rng, types)
    lines = [f"{t} {name} = (p >> {5 * k}) + q * {k + 1};" for k, (name, t) in enumerate(types.items())]
    lines += [writer.statement(rng.choice([1, 2, 3, 4])) for _ in range(12)]
    whole = " ^ ".join(f"((long){name} * {2 * k + 3}L)" for k, name in enumerate(types))
    bits = "union { double d; long l; } u = { x + y };"
    body = "\n  ".join([*lines, bits, f"return ({whole}) + u.l;"])
    return f"long f(long p, long q, double x_, float y) {{\n  double x = x_;\n  {body}\n}}\n"
