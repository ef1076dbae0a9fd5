"""Specifications and stores for tests of the search, from affine MLIR."""

from __future__ import annotations

import math
import time
from functools import cache

import numpy as np

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.polyhedral.distribution import distribute
from raising.affine.polyhedral.expansion import expand
from raising.affine.polyhedral.scop import build
from raising.affine.sizes.symbolic_sizes import generalise
from raising.frontend.mlir.reader import parse
from raising.frontend.mlir.segments import segments
from raising.grammar.dialects.load import Grammar, load
from raising.grammar.evaluate.number import Num
from raising.grammar.evaluate.sample import random_numbers
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import Body
from raising.grammar.terms.term import Apply, Input, TensorType, Term
from raising.synth.enumerate.limits import Limits
from raising.synth.enumerate.store import Store
from raising.synth.search import NotRaised, Raised, search
from raising.synth.search_options import Options
from raising.synth.spec.schemes import Scheme, schemes
from raising.synth.spec.spec import Spec
from raising.synth.spec.specify import specify

SIZES = [{"M": 3, "N": 4}, {"M": 5, "N": 3}]
M, N = var("M"), var("N")
SOURCE = {"M": Lin(300), "N": Lin(400)}


@cache
def grammar() -> Grammar:
    """The grammar of linalg."""
    return load("linalg")


def select() -> Body:
    """The body of the selection."""
    bodies = [p.meaning.body for p in grammar().productions]
    return next(b for b in bodies if len(b.instrs) == 1 and SCALARS[b.instrs[0].op].residue == "select")


@cache
def every() -> tuple[Scheme, ...]:
    """The schemes of the grammar."""
    return schemes(grammar())


def available(*operations: str) -> tuple[Scheme, ...]:
    """The schemes over these scalar operations."""
    return tuple(s for s in every() if s.operations <= set(operations))


def limits(options: Options | None = None) -> Limits:
    """The bounds of these options, for tensors of at most three dimensions, within 20 seconds from now."""
    return Limits(options or Options(), time.monotonic() + 20.0, 3)


def matrix(name: str, *dims: Lin, element: str = "f64") -> Input:
    """An input tensor."""
    return Input(TensorType(element, dims), name)


def store(*terms: Input, seed: int = 0) -> tuple[Store, dict[str, list[Num]]]:
    """A store that holds these inputs at random values, and the values per sample."""
    made = Store(SIZES, SOURCE, seed)
    rng = np.random.default_rng(seed + 1)
    values: dict[str, list[Num]] = {}
    for term in terms:
        values[term.name] = []
        for sizes in SIZES:
            shape = tuple(d.evaluate(sizes) for d in term.type.dims)
            drawn = random_numbers(term.type.element, math.prod(shape), rng)
            values[term.name].append(Num(drawn.res.reshape(shape), drawn.flt.reshape(shape)))
        made.bucket(term.type).add_one(values[term.name], term, 0, (True, 0))
    return made, values


def spec_of(text: str, part: int = 0) -> Spec:
    """The first specification of a part's only output."""
    source = parse(text)
    (segment,) = segments(source.functions[0])
    general = generalise(segment.program)
    chosen = distribute(expand(build(general.program))).parts[part]
    (output,) = chosen.outputs
    return specify(chosen, output, general.values, select(), 0)[0]


def found(spec: Spec, **options: object) -> Raised | NotRaised:
    """What a search finds, any term that meets the samples being right."""
    return search(spec, every(), lambda _: True, lambda _: 0, Options(**options))  # type: ignore[arg-type]


def operations(term: Term) -> list[str]:
    """The scalar operations of each application in a term, sorted."""
    return sorted(" ".join(i.op for i in t.body.instrs) for t in term.nodes() if isinstance(t, Apply))
