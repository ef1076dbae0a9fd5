"""Instruction selection: which operation of the target says a structured computation, the most specific one first.

An operation that can say few things is more specific than one that can say many; how many is counted in the grammar.
Whether an operation with free maps accepts an application is asked of the real verifier, once per signature.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from raising.affine.ir.affine_expr import Lin, var
from raising.grammar.dialects.load import Grammar
from raising.grammar.dialects.op_signature import Op
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.select.match import Matcher, Said, reordered
from raising.grammar.terms.literal import retyped, same_kind
from raising.grammar.terms.scalar_ops import CASTS, SCALARS
from raising.grammar.terms.structured_op import Body, Instr, Map, Production, combiner, dims_of, maps_text
from raising.grammar.terms.term import Apply, Literal, TensorType, Term
from raising.support.mlir.operand_segments import SEGMENTS, segments_text
from raising.support.record import dataclass

UNSAYABLE = 99


class CannotSay(Exception):
    """The target has no operation for an application; the message says which."""


class OpenSize(CannotSay):
    """The target needs constant sizes, and this form over the program's names is none."""

    def __init__(self, form: Lin) -> None:
        super().__init__(f"its sizes have to be constant, and {form} is not")
        self.form = form

    def renamed(self, names: Mapping[str, str]) -> OpenSize:
        """The same about a form over the source's names."""

        def named(name: str) -> Lin:
            array, _, dim = name.rpartition("_")
            return var(f"extent {dim} of '{names[array]}'" if array in names else f"'{names.get(name, name)}'")

        return OpenSize(self.form.substitute(named))


@dataclass(frozen=True)
class Argument:
    """How an operand stands in the program: its SSA name and MLIR type."""

    name: str
    type: str

    @property
    def is_scalar(self) -> bool:
        """True for a value that is no tensor."""
        return not self.type.startswith("tensor<")


class _Index:
    """An index of a grammar for selection, shared by all selectors."""

    def __init__(self, grammar: Grammar, max_rank: int) -> None:
        self.ops: dict[str, Op] = {op.full_name: op for op in grammar.operations}
        bodies: dict[str, set[Body]] = {}
        for p in grammar.productions:
            bodies.setdefault(p.op, set()).add(p.meaning.body)
        self.breadth = {name: len(found) for name, found in bodies.items()}
        self.summing = {p.op for p in grammar.productions if p.meaning.body.reads_output and not p.free_maps}
        self.count = Counter(p.op for p in grammar.productions)
        self.families: dict[str, list[Production]] = {}
        for p in grammar.productions:
            if p.family:
                self.families.setdefault(p.family, []).append(p)
        self.matcher = Matcher(grammar.productions, max_rank)


_indexed = lru_cache(maxsize=8)(_Index)


class Selector:
    """Spells applications with the productions of one grammar."""

    def __init__(self, grammar: Grammar, target: Target, verify: Callable[[str], bool]) -> None:
        self.target = target
        self.verify = verify
        self._index = _indexed(grammar, target.max_rank)
        self.families = self._index.families
        self._accepted: dict[tuple[object, ...], bool] = {}

    def candidates(self, term: Apply) -> list[Production]:
        """Productions that mean this application with its inputs in order, the most specific first."""
        return [s.production for s in self.said(term) if s.in_order]

    def said(self, term: Apply) -> list[Said]:
        """Productions that mean this application, the most specific first."""
        found = list(self._index.matcher.said(term))
        if not term.body.reads_output:  # a contraction that contracts nothing is no natural way to say a product
            found = [s for s in found if s.production.op not in self._index.summing or s.production.free_maps]
        return sorted(found, key=self._order)

    def _order(self, said: Said) -> tuple[object, ...]:
        p = said.production
        return self._index.breadth[p.op], p.free_maps, self._index.count[p.op], len(p.attrs), p.op, p.attrs, said.order

    def generality(self, term: Apply) -> int:
        """The generality of the operation for `term`: 0 if it computes nothing else, `UNSAYABLE` if there is none."""
        scalars = self.target.general  # elsewhere all values are tensors
        symbolic = [Argument("%x", "f64" if isinstance(t, Literal) and scalars else "tensor<>") for t in term.inputs]
        for said in self.said(term):
            p = said.production
            if _zero_rank_fits(p, [symbolic[k] for k in said.order], reordered(term, said.order).maps):
                return self._index.breadth[p.op].bit_length() + p.free_maps
        return UNSAYABLE

    def text(self, term: Apply, arguments: list[Argument], init: Argument, result: str) -> str:
        """The operation in MLIR's generic form; `CannotSay` if no production is accepted."""
        for said in self.said(term):
            p, whole, given = said.production, reordered(term, said.order), [arguments[k] for k in said.order]
            if not _zero_rank_fits(p, given, whole.maps):
                continue
            text = self._print(p, whole, given, init, result)
            key = (p, whole.maps, tuple(a.type for a in given), init.type)
            if key not in self._accepted:
                self._accepted[key] = self.verify(_probe_module(text, [*arguments, init], result))
            if self._accepted[key]:
                return text
        region = self.region(term.body, tuple(t.type.element for t in term.inputs) + (term.type.element,))
        return self.general(term.maps, region, arguments, init, result, describe(term))

    def general(
        self,
        maps: tuple[Map, ...],
        region: str,
        arguments: list[Argument],
        init: Argument,
        result: str,
        what: str,
    ) -> str:
        """The lowering's own result form, which says any scalar body, where it belongs to the target."""
        if not self.target.general:
            raise CannotSay(f"target '{self.target.name}' has no operation for {what}")
        rank = 1 + max((d for m in maps for d in dims_of(m)), default=-1)
        operands = [*arguments, init]
        return (
            f'{result} = "{self.target.result}"({", ".join(a.name for a in operands)}) '
            f"<{{indexing_maps = {maps_text(maps, rank)}, "
            f"iterator_types = {iterators_attribute(self.target, maps[-1], rank)}, "
            f"{SEGMENTS} = {segments_text(len(arguments), 1)}}}> ({{\n{region}\n}}) "
            f": ({', '.join(a.type for a in operands)}) -> {init.type}"
        )

    def _print(self, p: Production, term: Apply, arguments: list[Argument], init: Argument, result: str) -> str:
        op = self._index.ops[p.op]
        attrs = dict(p.attrs)
        rank = len(term.extents())
        for a in op.attrs:
            if a.kind == "AffineMapArrayAttr" and p.free_maps:
                attrs[a.name] = maps_text(term.maps, rank)
            elif a.kind == "IteratorTypeArrayAttr":
                attrs[a.name] = iterators_attribute(self.target, term.maps[-1], rank)
        if "AttrSizedOperandSegments" in op.traits:
            attrs[SEGMENTS] = segments_text(len(arguments), 1)
        operands = [*arguments, init]
        properties = ", ".join(f"{k} = {v}" for k, v in sorted(attrs.items()))
        region = self.region(p.meaning.body, tuple(t.type.element for t in term.inputs) + (term.type.element,))
        types = ", ".join(a.type for a in operands)
        names = ", ".join(a.name for a in operands)
        return f'{result} = "{p.op}"({names}) <{{{properties}}}> ({{\n{region}\n}}) : ({types}) -> {init.type}'

    def region(self, body: Body, elements: tuple[str, ...]) -> str:
        """A scalar body as the text of a block."""
        return region_text(body, elements, self.target.terminator)


def region_text(body: Body, elements: tuple[str, ...], terminator: str) -> str:
    """A scalar body as the text of a block; `elements` are the types of its arguments, the result's last."""
    names = [f"%b{k}" for k in range(body.arity)]
    head = "^bb0(" + ", ".join(f"{n}: {t}" for n, t in zip(names, elements, strict=True)) + "):"
    fresh = (f"%s{k}" for k in itertools.count())
    lines, result = body_lines(body, names, elements, fresh.__next__)
    return "\n".join([head, *lines, f'"{terminator}"({result.name}) : ({result.type}) -> ()'])


def body_lines(
    body: Body, names: Sequence[str], elements: Sequence[str], fresh: Callable[[], str]
) -> tuple[list[str], Argument]:
    """The operations of a scalar body, and its result.

    `names` and `elements` are those of its arguments, the output's old element last; `fresh` makes new names.
    """
    values, types, lines = list(names), list(elements), list[str]()
    for instr in body.instrs:
        args = [types[a] for a in instr.args]
        types.append(scalar_type(instr, args, elements[-1]))
        values.append(fresh())
        lines.append(scalar_text(values[-1], instr.op, [values[a] for a in instr.args], args, types[-1], instr.attrs))
    return lines, Argument(values[body.result], types[body.result])


def scalar_type(instr: Instr, args: list[str], result: str) -> str:
    """The type of a scalar operation's result: a truth value, the result's own, or its operands'."""
    kind = SCALARS[instr.op].residue if instr.op in SCALARS else ""
    if instr.type:
        return instr.type
    if kind in ("compare", "truth"):
        return "i1"
    if kind == "select":
        return args[1]
    if not args and instr.attrs:
        own = instr.attrs[0][1].rpartition(" : ")[2]
        return result if same_kind(own, result) else own
    return result if not args or instr.op in CASTS else args[0]


def scalar_text(
    name: str, op: str, args: list[str], types: list[str], result: str, attrs: tuple[tuple[str, str], ...]
) -> str:
    """One scalar operation in MLIR's generic form."""
    if not args:  # a constant of the body: it was measured at one element type and is said at another
        attrs = tuple((k, retyped(v, result)) for k, v in attrs)
    properties = f" <{{{', '.join(f'{k} = {v}' for k, v in attrs)}}}>" if attrs else ""
    return f'{name} = "{op}"({", ".join(args)}){properties} : ({", ".join(types)}) -> {result}'


def iterators_attribute(target: Target, out: Map, rank: int) -> str:
    """Iterator kinds as MLIR text: dimensions that do not reach the output are reduced."""
    kinds = ("parallel" if d in out else "reduction" for d in range(rank))
    return "[" + ", ".join(f"#{target.iterator}<{k}>" for k in kinds) + "]"


def tensor_text(kind: TensorType, extents: tuple[Lin, ...]) -> str:
    """A tensor type with resolved extents, `?` where one is not constant."""
    dims = "".join(f"{e.const}x" if e.is_const else "?x" for e in extents)
    return f"tensor<{dims}{kind.element}>"


def _zero_rank_fits(p: Production, arguments: list[Argument], maps: tuple[Map, ...]) -> bool:
    forms = {"scalar" if a.is_scalar else "tensor" for a, m in zip(arguments, maps, strict=False) if not m}
    return not forms or p.zero_rank == "both" or forms == {p.zero_rank}


def _probe_module(text: str, operands: list[Argument], result: str) -> str:
    known = {a.name: a.type for a in operands}
    arguments = ", ".join(f"{n}: {t}" for n, t in known.items())
    return f"func.func @probe({arguments}) {{\n{text}\nreturn\n}}"


def describe(term: Term) -> str:
    """An application in a few words, for messages."""
    if not isinstance(term, Apply):
        return type(term).__name__
    ops = ", ".join(i.op for i in term.body.instrs) or "a copy"
    return f"{ops} on maps {term.maps} of element type {term.type.element}" + (
        f" reduced by {combiner(term.body)}" if term.body.reads_output else ""
    )
