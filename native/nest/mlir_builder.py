"""Builders of MLIR text: fresh names, constants, folded index arithmetic and loops, line by line.

`Code` serves the kernels of contractions, `Lines` those of fused vector loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.nest.nest import Array
from raising.support.mlir.text_lines import TextLines
from raising.support.record import dataclass

Index = int | str
"""An index known when compiling, or the name of an index value."""

Condition = bool | str
"""A condition known when compiling, or the name of an i1 value."""


def strided_by_elements(array: Array, name: str) -> tuple[str, str]:
    """A cast of a memref whose last stride is known and not 1, and its type: behind the others a dimension of stride 1.

    `vector.gather` and `vector.scatter` count their offsets in elements, and MLIR lowers them for such memrefs only.
    """
    strides = (*array.strides, 1)
    sizes, steps = ", ".join(map(str, (*array.shape, 1))), ", ".join(map(str, strides))
    kind = (
        f"memref<{'x'.join(map(str, (*array.shape, 1)))}x{array.element}, strided<[{steps}], offset: {array.offset}>>"
    )
    cast = f"memref.reinterpret_cast {name} to offset: [{array.offset}], sizes: [{sizes}], strides: [{steps}]"
    return f"{cast} : {array.type} to {kind}", kind


def by_elements(array: Array) -> bool:
    """Whether offsets from an element can be counted in elements; else `strided_by_elements` is needed, if possible."""
    known = None not in (*array.strides, *array.shape, array.offset)
    return not array.strides or array.strides[-1] == 1 or not known


class Code(TextLines):
    """Lines of a function's body. Constants are collected and stand before all else."""

    stem = "g"

    def __init__(self) -> None:
        super().__init__(indent=2)
        self.constants: dict[str, str] = {}

    def constant(self, text: str) -> str:
        """The name of a constant, given as in `arith.constant TEXT`."""
        return self.constants.setdefault(text, f"%k{len(self.constants)}")

    def name(self, index: Index) -> str:
        """The name of an index value, a constant if need be."""
        return self.constant(f"{index} : index") if isinstance(index, int) else index

    def names(self, *indices: Index) -> str:
        """Several, as they stand between brackets."""
        return ", ".join(self.name(index) for index in indices)

    def text(self) -> str:
        """All of the body."""
        head = [f"    {name} = arith.constant {value}" for value, name in self.constants.items()]
        return "\n".join([*head, *self.lines])

    def _binary(self, op: str, left: Index, right: Index) -> str:
        return self.op(f"arith.{op} {self.name(left)}, {self.name(right)} : index")

    def add(self, left: Index, right: Index) -> Index:
        """left + right."""
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        if left == 0 or right == 0:
            return right if left == 0 else left
        return self._binary("addi", left, right)

    def sub(self, left: Index, right: Index) -> Index:
        """left - right."""
        if isinstance(left, int) and isinstance(right, int):
            return left - right
        return left if right == 0 else self._binary("subi", left, right)

    def mul(self, left: Index, right: Index) -> Index:
        """left * right."""
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        if left == 0 or right == 0:
            return 0
        if left == 1 or right == 1:
            return right if left == 1 else left
        return self._binary("muli", left, right)

    def min(self, left: Index, right: Index) -> Index:
        """The smaller of two."""
        if isinstance(left, int) and isinstance(right, int):
            return min(left, right)
        return left if left == right else self._binary("minsi", left, right)

    def max(self, left: Index, right: Index) -> Index:
        """The larger of two."""
        if isinstance(left, int) and isinstance(right, int):
            return max(left, right)
        return left if left == right else self._binary("maxsi", left, right)

    def div(self, left: Index, right: Index) -> Index:
        """left / right, rounded down; neither is negative."""
        if isinstance(left, int) and isinstance(right, int):
            return left // right
        return left if right == 1 else self._binary("divui", left, right)

    def rem(self, left: Index, right: Index) -> Index:
        """left modulo right; neither is negative."""
        if isinstance(left, int) and isinstance(right, int):
            return left % right
        return 0 if right == 1 else self._binary("remui", left, right)

    def ceildiv(self, left: Index, right: Index) -> Index:
        """left / right, rounded up; neither is negative."""
        return self.div(self.add(left, self.sub(right, 1)), right)

    def compare(self, predicate: str, left: Index, right: Index) -> Condition:
        """`eq`, `slt`, `sge` ... of two indices."""
        if isinstance(left, int) and isinstance(right, int):
            return {"eq": left == right, "slt": left < right, "sle": left <= right, "sge": left >= right}[predicate]
        return self.op(f"arith.cmpi {predicate}, {self.name(left)}, {self.name(right)} : index")

    def both(self, left: Condition, right: Condition) -> Condition:
        """left and right."""
        if isinstance(left, bool):
            return right if left else False
        if isinstance(right, bool):
            return left if right else False
        return self.op(f"arith.andi {left}, {right} : i1")

    def either(self, left: Condition, right: Condition) -> Condition:
        """left or right."""
        if isinstance(left, bool):
            return True if left else right
        if isinstance(right, bool):
            return True if right else left
        return self.op(f"arith.ori {left}, {right} : i1")

    def affine(self, expression: Affine, point: Mapping[Term, Index]) -> Index:
        """The value of an expression; `point` has that of each term."""
        result: Index = expression.constant
        for term, factor in expression.terms:
            result = self.add(result, self.mul(point[term], factor))
        return result

    @contextmanager
    def loop(self, lower: Index, upper: Index, step: Index = 1, *, parallel: str | bool = False) -> Iterator[Index]:
        """A loop; its variable. If it is known to run once, there is none. `parallel` may name an attribute of it."""
        if (
            isinstance(lower, int)
            and isinstance(upper, int)
            and isinstance(step, int)
            and lower < upper <= lower + step
        ):
            yield lower
            return
        name = self.fresh()
        bounds = (f"({name}) = ({self.name(lower)}) to ({self.name(upper)}) step ({self.name(step)})" if parallel
                  else f"{name} = {self.name(lower)} to {self.name(upper)} step {self.name(step)}")  # fmt: skip
        tail = f"}} {{{parallel}}}" if isinstance(parallel, str) else "}"
        with self.region(f"scf.{'parallel' if parallel else 'for'} {bounds} {{", tail):
            yield name

    @contextmanager
    def when(self, condition: Condition) -> Iterator[None]:
        """Lines that count only under a condition. False known when compiling: they are dropped."""
        if isinstance(condition, bool):
            kept = len(self.lines)
            yield
            if not condition:
                del self.lines[kept:]
            return
        with self.region(f"scf.if {condition} {{", "}"):
            yield

    def negate(self, condition: Condition) -> Condition:
        """The negation of a truth value."""
        if isinstance(condition, bool):
            return not condition
        return self.op(f"arith.xori {condition}, {self.constant('true')} : i1")


STEP_BY_STEP = "loop_annotation = #llvm.loop_annotation<unroll = <runtimeDisable = true>>"
"""Of a loop whose step has enough to do: where their number is open, LLVM is not to put several steps together."""

_WHOLE = "loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <disable = true>>"


class Lines(TextLines):
    """Lines of a function; constants are collected and stand before all else."""

    def __init__(self) -> None:
        super().__init__()
        self.constants: dict[int, str] = {}
        self.declared: list[str] = []  # functions that are called and stand elsewhere

    def index(self, value: int) -> str:
        """An index constant; all of them stand at the top of the function."""
        return self.constants.setdefault(value, f"%c{value}" if value >= 0 else f"%cm{-value}")

    def affine(self, expression: Affine, names: Mapping[Term, str]) -> str:
        """The value of an affine expression whose terms have these names."""
        if expression.is_constant:
            return self.index(expression.constant)
        if expression.constant == 0 and expression.terms == ((expression.terms[0][0], 1),):
            return names[expression.terms[0][0]]
        dims = [f"d{number}" for number in range(len(expression.terms))]
        products = [f"{name} * {factor}" for name, (_, factor) in zip(dims, expression.terms, strict=True)]
        total = " + ".join([*products, str(expression.constant)])
        operands = ", ".join(names[term] for term, _ in expression.terms)
        return self.op(f"affine.apply affine_map<({', '.join(dims)}) -> ({total})>({operands})", "i")

    @contextmanager
    def loop(
        self,
        bounds: tuple[str, str, str],
        carried: Sequence[tuple[str, str]] = (),
        parallel: str | bool = False,
        whole: bool = False,
    ) -> Iterator[Carried]:
        """An `scf.for` from, to, step; `carried` has the first value and the type of each value carried along.

        With `parallel` it is an `scf.parallel`, that carries nothing; it may name an attribute of the loop. A step that
        is `whole` has enough to do, or there are few of them: LLVM is not to put several steps together.
        """
        induction = self.fresh("iv")
        inner = [self.fresh("a") for _ in carried]
        results, head = self.fresh("r"), ""
        types = ", ".join(kind for _, kind in carried)
        if carried:
            pairs = ", ".join(f"{name} = {value}" for name, (value, _) in zip(inner, carried, strict=True))
            head = f" iter_args({pairs}) -> ({types})"
        assign = f"{results}:{len(carried)} = " if carried else ""
        state = Carried(induction, inner, list(inner))
        low, high, step = bounds
        if parallel:
            self.line(f"scf.parallel ({induction}) = ({low}) to ({high}) step ({step}) {{")
        else:
            self.line(f"{assign}scf.for {induction} = {low} to {high} step {step}{head} {{")
        yield state
        if carried:
            self.line(f"scf.yield {', '.join(state.values)} : {types}")
        attribute = parallel if isinstance(parallel, str) else _WHOLE if whole else ""
        self.line(f"}} {{{attribute}}}" if attribute else "}")
        state.results = [f"{results}#{number}" for number in range(len(carried))]

    def function(self, name: str, arguments: Sequence[tuple[str, str]], attributes: str) -> str:
        """The whole function: arguments are names with their types and attributes."""
        heads = [f"{name} = arith.constant {value} : index" for value, name in self.constants.items()]
        listed = ", ".join(f"{argument}: {kind}" for argument, kind in arguments)
        body = "\n".join([*heads, *self.lines])
        function = f"func.func private @{name}({listed}) {attributes} {{\n{body}\nreturn\n}}"
        return "\n".join([function, *self.declared])


@dataclass
class Carried:
    """The values that a loop carries: `start` inside at the top, `values` what is yielded, `results` after it."""

    induction: str
    start: list[str]
    values: list[str]
    results: list[str] = field(default_factory=list)
