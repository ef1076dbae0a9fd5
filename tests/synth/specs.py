"""Specifications and stores for tests of the search, from affine MLIR."""

from __future__ import annotations

from functools import cache

import numpy as np

from affine.expand import expand
from affine.expr import Lin, var
from affine.mlir_reader import parse
from affine.mlir_segments import segments
from affine.parts import distribute
from affine.scop import build
from affine.sizes import generalise
from grammar.load import Grammar, load
from grammar.meaning import Body
from grammar.number import Num
from grammar.sample import random_point, to_num
from grammar.scalar import SCALARS
from grammar.term import Apply, Input, TensorType, Term
from synth.limits import Limits
from synth.schemes import Scheme, schemes
from synth.search import NotRaised, Options, Raised, search
from synth.spec import Spec
from synth.specify import specify
from synth.store import Store

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
    return schemes(grammar().productions)


def available(*operations: str) -> tuple[Scheme, ...]:
    """The schemes over these scalar operations."""
    return tuple(s for s in every() if s.operations <= set(operations))


def limits(seconds: float = 20.0) -> Limits:
    """Bounds with a deadline from now."""
    import time

    return Limits(3, time.monotonic() + seconds)


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
            points = [random_point(term.type.element, rng) for _ in range(int(np.prod(shape, dtype=int)))]
            values[term.name].append(to_num(points, shape))
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
