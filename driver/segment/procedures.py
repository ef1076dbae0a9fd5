"""Recurrences that are one operation of the target: a triangular solve, a factorisation.

None of them is known by name. An operation's own definition (`raising.grammar.terms.procedure`) is run on every way to
fill its operands from what a part reads; it is the part's program if its result is what the part computes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.program import Program
from raising.affine.polyhedral.distribution import Part
from raising.grammar.dialects.function_library import ABOUT, Written
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.evaluate.evaluator import DoesNotFit, Evaluator
from raising.grammar.evaluate.sample import Sample, runs
from raising.grammar.evaluate.size_vectors import Unsizable, places, size_vectors
from raising.grammar.terms.procedure import Procedure
from raising.grammar.terms.structured_op import COPY, Body
from raising.grammar.terms.term import Apply, Call, Input, Mask, TensorType, Term, Window, nodes
from raising.segment.compose_parts import Solved
from raising.support.record import dataclass
from raising.synth.spec.spec import type_of
from raising.validate.reading.reading import read_side

MOST = 4000  # ways to fill the operands of one operation that are tried


def procedures(target: Target) -> tuple[Procedure, ...]:
    """The operations of a target that are recurrences."""
    if target.recurrences is None:
        return ()
    library = Host(target).recurrences
    assert library is not None
    return tuple(_procedure(f, target.recurrences.file) for f in library.functions)


def _procedure(function: Written, file: str) -> Procedure:
    """A function of a definition as a program over arrays."""
    about = {
        name: function.op.attributes[f"{ABOUT}{name}"].value
        for name in ("dims", "symmetric", "assumes")
        if f"{ABOUT}{name}" in function.op.attributes
    }
    side = read_side(_without_foreign(str(function.op)), function.symbol, file)
    operands, _, result = about["dims"].partition("->")
    dims = tuple(tuple(one.split()) for one in (*operands.split(","), result))
    symmetric = frozenset(int(k) for k in about.get("symmetric", "").split())
    operation = ".".join(function.symbol.split(".")[:2])
    return Procedure(
        function.symbol,
        operation,
        function.attributes,
        side.program,
        side.arguments,
        side.results[0],
        dims,
        symmetric,
        about.get("assumes", ""),
        side.types[0][0],
    )


def _without_foreign(text: str) -> str:
    """A function's text without its attributes, which are of another MLIR."""
    head, found, rest = text.partition("attributes {")
    return head + rest[rest.index("} {") + 2 :] if found else text


# ---- which one a part is -------------------------------------------------------------------------


@dataclass(frozen=True)
class Fitter:
    """Finds the operations of a target that compute what a part leaves in its arrays; `select` chooses by a mask."""

    procedures: tuple[Procedure, ...]
    select: Body | None
    seed: int

    def solved(self, part: Part, outputs: Sequence[str], values: Mapping[str, Lin]) -> dict[str, Solved]:
        """A term for each of some outputs; none at all if one of them has none."""
        if not self.procedures:
            return {}
        try:
            samples = _samples(part.program, values, self.seed)
        except Unsizable:
            return {}
        found: dict[str, Solved] = {}
        for output in outputs:
            term = next((t for t in self._candidates(part, output) if _computes(t, output, samples)), None)
            if term is None:
                return {}
            found[output] = Solved(part, output, term, None)
        return found

    def _candidates(self, part: Part, output: str) -> Iterator[Term]:
        """Calls of the type of an output, those of fewer nodes first."""
        wanted = type_of(part.program, output)
        given = [Input(type_of(part.program, i.name), i.name) for i in part.inputs]
        terms = [t for p in self.procedures for t in self._calls(p, given, wanted)]
        yield from sorted(terms, key=lambda t: sum(1 for _ in t.nodes()))

    def _calls(self, procedure: Procedure, given: Sequence[Term], wanted: TensorType) -> Iterator[Term]:
        ways = []
        for k, dims in enumerate(procedure.dims[:-1]):
            fitting = [t for t in given if t.type.element == procedure.element]
            forms = [f for t in fitting for f in _forms(t, len(dims))]
            ways.append([f for t in forms for f in self._symmetric(t)] if k in procedure.symmetric else forms)
        for inputs in itertools.islice(itertools.product(*ways), MOST):
            extents = procedure.extents([t.type.dims for t in inputs])
            if extents is not None:
                call = Call(TensorType(procedure.element, extents), procedure, inputs)
                yield from (t for t in (call, _transposed(call), _flat(call)) if t is not None and t.type == wanted)

    def _symmetric(self, matrix: Term) -> Iterator[Term]:
        """The symmetric matrices of which a square one holds a triangle."""
        kind = matrix.type
        turned = _transposed(matrix)
        if turned is None or turned.type != kind or self.select is None:
            return
        for form in (var("d0") - var("d1"), var("d1") - var("d0")):
            mask = Mask(TensorType("i1", kind.dims), ((Cond(form),),))
            yield Apply(kind, self.select, ((0, 1),) * 4, (mask, matrix, turned))


def _forms(term: Term, rank: int) -> Iterator[Term]:
    """A tensor in the rank wanted: as it is, transposed, or a vector as one column."""
    if term.type.rank == rank:
        yield term
        turned = _transposed(term)
        if turned is not None:
            yield turned
    elif term.type.rank == 1 and rank == 2:
        kind = TensorType(term.type.element, (*term.type.dims, Lin(1)))
        yield Apply(kind, COPY, ((0,), (0, 1)), (term,))


def _transposed(term: Term) -> Term | None:
    kind = term.type
    if kind.rank != 2:
        return None
    return Apply(TensorType(kind.element, kind.dims[::-1]), COPY, ((1, 0), (0, 1)), (term,))


def _flat(term: Term) -> Term | None:
    """A matrix of one column as a vector."""
    kind = term.type
    if kind.rank != 2 or kind.dims[1] != Lin(1):
        return None
    return Window(TensorType(kind.element, kind.dims[:1]), term, (Lin(), Lin()), (0,), (1, 1))


def _samples(program: Program, values: Mapping[str, Lin], seed: int) -> list[Sample]:
    rng = np.random.default_rng(seed)
    vectors = (places(program, values, 2) if program.outer else []) or size_vectors(program, values, 2)
    return list(runs(program, vectors, rng))


def _computes(term: Term, output: str, samples: Sequence[Sample]) -> bool:
    """True if a term has the output's values wherever the program writes it."""
    for sample in samples:
        try:
            value = Evaluator(sample.inputs, sample.sizes)(term)
        except DoesNotFit:
            return False
        wanted, mask = sample.outputs[output], sample.masks[output]
        if not bool(np.all((value.res == wanted.res) | ~mask)):
            return False
    return True


def assumptions(roots: Sequence[Term]) -> tuple[str, ...]:
    """The assumptions that the operations in some terms make."""
    calls = [t.procedure for t in nodes(tuple(roots)) if isinstance(t, Call)]
    return tuple(dict.fromkeys(f"{p.operation} takes {p.assumes}" for p in calls if p.assumes))
