"""`Lines` writes the text of a generated function: operations line by line, loops, and its constants in front."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.nest.index_formulas import Value, value_of
from raising.support.mlir.text_lines import TextLines
from raising.support.record import dataclass

STEP_BY_STEP = "loop_annotation = #llvm.loop_annotation<unroll = <runtimeDisable = true>>"
"""The attribute of a loop whose body has enough work: LLVM must not join several steps if their number is open."""

_WHOLE = "loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <disable = true>>"


class Lines(TextLines):
    """The lines of a function. Constants are collected and come before all other lines."""

    def __init__(self) -> None:
        super().__init__()
        self._constants: dict[str, str] = {}
        self.declared: list[str] = []  # functions that are called and stand elsewhere

    def constant(self, text: str) -> str:
        """The name of a constant, given as in `arith.constant TEXT`."""
        return self._constants.setdefault(text, f"%constant{len(self._constants)}")

    def index(self, value: int) -> str:
        """The name of an index constant."""
        return self.constant(f"{value} : index")

    def formula(self, text: str) -> str:
        """The value of a formula of indices, which `raising.native.nest.index_formulas` explains."""
        return self.named(value_of(text, self.operation))

    def operation(self, sign: str, kind: str, *operands: Value) -> Value:
        """Write an operation of the dialect `arith`, for a formula."""
        return self.op(f"arith.{sign} {', '.join(map(self.named, operands))} : {kind}")

    def named(self, value: Value) -> str:
        """The name of a value, a constant if need be."""
        if isinstance(value, str):
            return value
        return self.constant(str(value).lower()) if isinstance(value, bool) else self.index(value)

    def dim(self, array: str, axis: int, kind: str) -> str:
        """The extent of an array of this type along an axis."""
        return self.op(f"memref.dim {array}, {self.index(axis)} : {kind}")

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Lines that count only under a condition, a formula."""
        with self.region(f"scf.if {self.formula(condition)} {{", "}"):
            yield

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

        With `parallel` it is an `scf.parallel`, which carries nothing; it may name an attribute of the loop. With
        `whole`, LLVM must not join several steps, because each has enough work or there are few of them.
        """
        low, high, step = bounds
        state = Carried(self.fresh("iv"), [self.fresh("a") for _ in carried])
        attribute = parallel if isinstance(parallel, str) else _WHOLE if whole else ""
        end = f"}} {{{attribute}}}" if attribute else "}"
        if parallel:
            head = f"scf.parallel ({state.induction}) = ({low}) to ({high}) step ({step}) {{"
        else:
            head = f"scf.for {state.induction} = {low} to {high} step {step} {{"
        types = ", ".join(kind for _, kind in carried)
        if carried:
            results = self.fresh("r")
            state.results = [f"{results}#{number}" for number in range(len(carried))]
            pairs = ", ".join(f"{name} = {value}" for name, (value, _) in zip(state.start, carried, strict=True))
            head = f"{results}:{len(carried)} = {head[:-1]}iter_args({pairs}) -> ({types}) {{"
        with self.region(head, end):
            yield state
            if carried:
                self.line(f"scf.yield {', '.join(state.values)} : {types}")

    def body(self) -> str:
        """The constants and all lines."""
        return "\n".join(
            [*(f"{name} = arith.constant {value}" for value, name in self._constants.items()), *self.lines]
        )

    def function(self, name: str, arguments: Sequence[tuple[str, str]], attributes: str = "") -> str:
        """The whole function, without results; `arguments` are names with their types and attributes."""
        listed = ", ".join(f"{argument}: {kind}" for argument, kind in arguments)
        function = f"func.func private @{name}({listed}) {attributes} {{\n{self.body()}\nreturn\n}}"
        return "\n".join([function, *self.declared])


@dataclass
class Carried:
    """A loop and the values that it carries.

    `start` has their names at the top of the body, `values` the names that the body yields (at first the same ones),
    and `results` their names after the loop.
    """

    induction: str
    start: list[str]
    values: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values = list(self.start)
