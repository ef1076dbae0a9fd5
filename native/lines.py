"""Text of a function in the scf, vector and memref dialects, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field

from affine.record import dataclass
from native.affine_index import Affine, Term


@dataclass
class Lines:
    """Lines of a function while they are written; every value gets a fresh name."""

    lines: list[str] = field(default_factory=list)
    constants: dict[int, str] = field(default_factory=dict)
    declared: list[str] = field(default_factory=list)
    _count: int = 0

    def fresh(self, stem: str = "t") -> str:
        """A name that no value has yet."""
        self._count += 1
        return f"%{stem}{self._count}"

    def op(self, text: str, stem: str = "t") -> str:
        """Write an operation with one result; the result's name."""
        name = self.fresh(stem)
        self.lines.append(f"{name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Write an operation without results, or a part of one."""
        self.lines.append(text)

    def declare(self, text: str) -> None:
        """A function that is called and stands elsewhere."""
        self.declared.append(text)

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
        self, bounds: tuple[str, str, str], carried: Sequence[tuple[str, str]] = (), parallel: str | bool = False
    ) -> Iterator[Carried]:
        """An `scf.for` from, to, step; `carried` has the first value and the type of each value carried along.

        With `parallel` it is an `scf.parallel`, that carries nothing; it may name an attribute of the loop.
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
            self.do(f"scf.parallel ({induction}) = ({low}) to ({high}) step ({step}) {{")
        else:
            self.do(f"{assign}scf.for {induction} = {low} to {high} step {step}{head} {{")
        yield state
        if carried:
            self.do(f"scf.yield {', '.join(state.values)} : {types}")
        self.do(f"}} {{{parallel}}}" if isinstance(parallel, str) else "}")
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
