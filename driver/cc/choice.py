"""Which functions of a module are worth raising, and may be: each one that stays has a reason."""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.affine.ir.integer_functions import INTEGERS
from raising.affine.ir.real_functions import REALS
from raising.support.mlir.walk import operations, symbol_name
from raising.support.record import dataclass

LEAST = 64
"""Iterations; of loops that have less, a call with its test costs as much."""
MOST_OPERATIONS, MOST_OF_ALL = 200, 1_500
"""Operations of a function, and of all that are raised of a file: a bound for the work on it."""
_TESTS_AND_POWERS = ("isnan", "isinf", "isfinite", "isnormal", "fpowi", "ipowi")
_NO_ERRNO = (
    {f"math.{name}" for name in _TESTS_AND_POWERS} | {*INTEGERS} | {op for op, row in REALS.items() if not row.errno}
)


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
        sets = (op.name for op in every if op.name.startswith("math."))
        name = next((name for name in sets if name not in _NO_ERRNO), "")
        return f"{name.removeprefix('math.')} may set errno (-fno-math-errno says that nobody asks)" if name else ""

    def _static(self, every: list[Any]) -> str:
        for op in every:
            if op.name == "memref.get_global":
                name = ir.FlatSymbolRefAttr(op.attributes["name"]).value
                if is_hidden(self._variables[name]):
                    return f"static variable '{name}' belongs to the compiler's object"
        return ""


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
