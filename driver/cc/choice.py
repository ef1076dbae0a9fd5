"""Which functions of a module are worth raising, and may be: each one that stays has a reason."""

from __future__ import annotations

import math
from typing import Any

from mlir import ir

from raising.affine.ir.integer_functions import INTEGERS
from raising.affine.ir.real_functions import REALS
from raising.support.mlir.predicates import GREATER, LESS
from raising.support.mlir.walk import operations, symbol_name
from raising.support.record import dataclass

LEAST = 64
"""Iterations; of loops that have less, a call with its test costs as much."""
MOST_OPERATIONS, MOST_OF_ALL = 200, 1_500
"""Operations of a function, and of all that are raised of a file: a bound for the work on it."""
LOCAL = "."
"""What is between the name of a function and that of a static variable in it."""
_TESTS_AND_POWERS = ("isnan", "isinf", "isfinite", "isnormal", "fpowi", "ipowi")
_NO_ERRNO = (
    {f"math.{name}" for name in _TESTS_AND_POWERS} | {*INTEGERS} | {op for op, row in REALS.items() if not row.errno}
)

_KEEP_SIGNS = ("arith.addf", "arith.mulf", "arith.divf", "arith.maximumf", "arith.minimumf")
_ACCESSES = {(f"{kind}.{access}", k) for kind in ("affine", "memref") for access, k in (("load", 0), ("store", 1))}
_ACCESSES |= {("memref.dealloc", 0)}
"""Operations on memory, and the number of the operand that it is."""


@dataclass(frozen=True)
class Rules:
    """What the flags of the compiler allow: `errno` has to be set by functions of mathematics."""

    errno: bool


@dataclass
class Choice:
    """Chooses functions of a module in their order, as far as the budget goes."""

    module: Any
    rules: Rules
    left: int = MOST_OF_ALL

    def __post_init__(self) -> None:
        found = (op.operation for op in self.module.body.operations)
        self._variables = {symbol_name(op): op for op in found if op.name == "memref.global"}

    def against(self, function: Any) -> str:
        """Why a function is not raised; nothing if it is."""
        every = operations(function, lambda _: True)
        loops = [op for op in every if op.name == "affine.for"]
        if not loops:
            return "it has no loops that count"
        if (why := self._mathematics(every) or self._static(every)) or _is_small(loops):
            return why or f"its loops have less than {LEAST} iterations"
        if len(every) > min(MOST_OPERATIONS, self.left):
            return "the budget of the file is used up" if len(every) <= MOST_OPERATIONS else "it is too large"
        self.left -= len(every)
        return ""

    def _mathematics(self, every: list[Any]) -> str:
        if not self.rules.errno:
            return ""
        sets = [op for op in every if op.name.startswith("math.") and op.name not in _NO_ERRNO]
        if all(op.name == "math.sqrt" for op in sets) and sets:
            signs = _Signs(every)
            sets = [op for op in sets if not signs.of(op.operands[0])]
        name = sets[0].name if sets else ""
        return f"{name.removeprefix('math.')} may set errno (-fno-math-errno says that nobody asks)" if name else ""

    def _static(self, every: list[Any]) -> str:
        for op in every:
            if op.name == "memref.get_global":
                name = ir.FlatSymbolRefAttr(op.attributes["name"]).value
                if is_hidden(self._variables[name]) and LOCAL in name:
                    return f"static variable '{name}' belongs to its function"
        return ""


class _Signs:
    """What is known of floats: 2 if the bit of the sign is not set, 1 if the number is -0.0 or that, 0 if nothing is.

    Of NaN all is true: only of numbers below 0 square roots set `errno`. A memory of the function's own is as what is
    stored to it.
    """

    def __init__(self, every: list[Any]) -> None:
        self._seen: dict[Any, int] = {}
        self._memories = {op.results[0]: 2 for op in every if op.name in ("memref.alloca", "memref.alloc")}
        for op in every:
            for k, operand in enumerate(op.operands):
                if operand in self._memories and (op.name, k) not in _ACCESSES:
                    self._memories[operand] = 0
        stores = [op for op in every if (op.name, 1) in _ACCESSES and op.operands[1] in self._memories]
        while lower := {op.operands[1]: self.of(op.operands[0]) for op in stores if self._falls(op)}:
            self._memories |= lower
            self._seen.clear()

    def _falls(self, store: Any) -> bool:
        return self.of(store.operands[0]) < self._memories[store.operands[1]]

    def of(self, value: Any) -> int:
        """What is known of a value."""
        if value not in self._seen:
            self._seen[value] = self._made(value.owner) if hasattr(value.owner, "operands") else 0
        return self._seen[value]

    def _made(self, op: Any) -> int:
        match op.name.partition(".")[2]:
            case "constant":
                number = _number(op)
                return 2 if math.copysign(1.0, number) > 0 or number != number else int(number == 0)
            case "absf" | "uitofp" | "exp" | "exp2":
                return 2
            case "sqrt" | "extf" | "truncf":
                return self.of(op.operands[0])
            case "load":
                return self._memories.get(op.operands[0], 0)
            case "select":
                return self._chosen(op)
            case "mulf" if op.operands[0] == op.operands[1]:
                return 2
        found = sorted(self.of(operand) for operand in op.operands) if op.name in _KEEP_SIGNS else [0]
        if op.name == "arith.divf" and self.of(op.operands[1]) < 2:
            return 0  # -inf by -0.0
        return found[-1] if op.name == "arith.addf" and found[0] else found[0]

    def _chosen(self, select: Any) -> int:
        """Of both sides, with a comparison of one of them with 0 or more."""
        asked, *sides = select.operands
        return min(max(self.of(side), self._asked(asked.owner, side, k == 0)) for k, side in enumerate(sides))

    def _asked(self, asked: Any, side: Any, holds: bool) -> int:
        """What a comparison says of a number, if it holds or does not."""
        if getattr(asked, "name", "") != "arith.cmpf":
            return 0
        left, right = asked.operands
        predicate = ir.IntegerAttr(asked.attributes["predicate"]).value
        above, other = (GREATER, right) if left == side else (LESS, left)
        wanted = above if holds else (LESS if above is GREATER else GREATER)
        if side not in (left, right) or predicate not in wanted["arith.cmpf"] or not self._is_number(other):
            return 0
        return 1

    def _is_number(self, value: Any) -> bool:
        """Whether a value is a constant that is 0 or more."""
        made = value.owner
        return getattr(made, "name", "") == "arith.constant" and _number(made) >= 0


def _number(constant: Any) -> float:
    """The value of a constant."""
    value = constant.attributes["value"]
    kind = ir.FloatAttr if isinstance(value, ir.FloatAttr) else ir.IntegerAttr
    return float(kind(value).value)


def read_without_sign(function: Any) -> tuple[int, ...] | None:
    """The arguments that the loops take as sizes without a sign, by number; None if there are such that are none."""
    arguments = list(function.regions[0].blocks[0].arguments)
    casts = operations(function, lambda op: op.name == "arith.index_castui")
    found = [next((k for k, a in enumerate(arguments) if a == op.operands[0]), None) for op in casts]
    return None if None in found else tuple(sorted({k for k in found if k is not None}))


def is_hidden(variable: Any) -> bool:
    """Whether a variable can change, and has no name for a linker."""
    return "constant" not in variable.attributes and ir.StringAttr(variable.attributes["sym_visibility"]).value in (
        "private",
        "nested",
    )


def _is_small(loops: list[Any]) -> bool:
    """Whether all loops together have few iterations, which is known."""
    total = 0
    for loop in loops:
        counts = [_count(outer) for outer in around(loop)]
        if any(count is None for count in counts):
            return False
        points = 1
        for count in counts:
            points *= count or 0
        total += points
    return total < LEAST


def around(loop: Any) -> list[Any]:
    """A loop and the loops around it, from the inside."""
    found = [loop]
    while (parent := found[-1].parent) is not None and parent.name != "func.func":
        found.append(parent.operation if hasattr(parent, "operation") else parent)
    return [op for op in found if op.name == "affine.for"]


def _count(loop: Any) -> int | None:
    """The iterations of a loop whose bounds are numbers."""
    ends = []
    for name in ("lowerBoundMap", "upperBoundMap"):
        bound = ir.AffineMapAttr(loop.attributes[name])
        text = str(bound).removeprefix("affine_map<").removesuffix(">").rpartition("-> ")[2].strip("()")
        if not text.lstrip("-").isdigit():
            return None
        ends.append(int(text))
    step = ir.IntegerAttr(loop.attributes["step"]).value if "step" in loop.attributes else 1
    return max(0, -(-(ends[1] - ends[0]) // step))
