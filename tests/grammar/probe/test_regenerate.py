"""Regeneration from the definitions; skipped where the development extra is not installed."""

from __future__ import annotations

import dataclasses
from importlib import resources

import pytest

from raising.grammar.dialects import tablegen
from raising.grammar.dialects.load import load, load_scalars, parse
from raising.grammar.dialects.op_signature import Op, ScalarOp
from raising.grammar.dialects.target_dialect import read_target
from raising.grammar.measure.workbench import ITERATORS, MAPS, Bench, NotStructured, Request, tensor
from raising.grammar.probe.templates import iterators
from raising.grammar.probe.worker_pool import Died, guarded, survivors
from raising.grammar.regenerate import definitions
from raising.grammar.terms.structured_op import Meaning, Production, maps_text


def _definitions() -> str:
    try:
        return str(tablegen.include_folder())
    except tablegen.NoDefinitions as why:
        return f"no: {why}"


needs_definitions = pytest.mark.skipif(_definitions().startswith("no: "), reason=_definitions())

GRAMMAR = load("linalg")
OPS = {op.full_name: op for op in GRAMMAR.operations}


def _committed(file: str) -> str:
    return (resources.files("raising.grammar") / "data" / file).read_text(encoding="utf-8")


SAMPLE = frozenset(sorted(OPS)[1::9]) | {"linalg.matmul"}


@needs_definitions
def test_regenerating_gives_the_committed_files() -> None:
    """A sample of the operations, the scalar signatures whole: `make regenerate` does it for all."""
    from raising.grammar.regenerate import regenerate

    files = regenerate("linalg", SAMPLE)
    assert files["scalar.json"].splitlines() == _committed("scalar.json").splitlines()
    again = parse("linalg", files["linalg.json"])
    assert again.productions == tuple(p for p in GRAMMAR.productions if p.op in SAMPLE), "run make regenerate"
    assert again.excluded == tuple(e for e in GRAMMAR.excluded if e.operation in SAMPLE)
    assert again.operations == GRAMMAR.operations


@needs_definitions
def test_output_is_deterministic() -> None:
    from raising.grammar.regenerate import regenerate

    only = frozenset({"linalg.transpose"})
    assert regenerate("linalg", only) == regenerate("linalg", only)


@needs_definitions
def test_signatures_are_the_committed_ones() -> None:
    ops = {op for td in read_target("linalg").operations for op in tablegen.read(td)}
    assert ops == set(GRAMMAR.operations)


@needs_definitions
def test_a_missing_definition_is_an_error() -> None:
    with pytest.raises(tablegen.NoDefinitions, match="nothing.td"):
        tablegen.read("mlir/nothing.td")


@needs_definitions
@pytest.mark.parametrize("target", ["stablehlo", "tosa"])
def test_signatures_of_tensor_dialects_are_the_committed_ones(target: str) -> None:
    assert set(definitions(read_target(target))) == set(load(target).operations)


# ---- productions against the real dialect --------------------------------------------------------


def _request(p: Production) -> Request:
    """The instance a production stands for, its region written from the recorded body."""
    op, maps = OPS[p.op], p.meaning.maps
    bare = p.zero_rank in ("scalar", "both")
    inputs = [e if bare and not m else tensor(e, len(m)) for e, m in zip(p.elements, maps, strict=True)]
    types = (*inputs[:-1], tensor(p.elements[-1], len(maps[-1])))
    attrs = p.attrs + tuple((name, form.format(", ".join(map(str, held)))) for name, held, form in p.factors)
    if p.free_maps:
        dims = p.meaning.num_dims
        attrs += tuple((a.name, maps_text(maps, dims)) for a in op.attrs if a.kind == MAPS)
        attrs += tuple((a.name, iterators(a, dims, maps[-1])) for a in op.attrs if a.kind == ITERATORS)
    return Request(op, types, attrs, p.meaning.body)


def _bench() -> Bench:
    target = read_target("linalg")
    return Bench(target, OPS[target.result], {name: s.op for name, s in _scalars().items()})


def _scalars() -> dict[str, ScalarOp]:
    scalars, _ = load_scalars()
    constant = Op("arith", "constant", (), (), (), (), ())  # occurs in bodies, but is no function of scalars
    return {**scalars, "arith.constant": ScalarOp(constant, ())}


def test_recorded_meanings_are_those_of_the_dialect() -> None:
    def meanings() -> list[Meaning | str]:
        bench = _bench()
        return [_meaning(bench, p) for p in GRAMMAR.productions]

    for production, meaning in zip(GRAMMAR.productions, guarded(meanings), strict=True):
        assert meaning == production.meaning, production


def _meaning(bench: Bench, p: Production) -> Meaning | str:
    try:
        return bench.meaning(_request(p))
    except NotStructured as why:
        return str(why)


def test_a_region_that_the_operation_does_not_keep_is_refused() -> None:
    """Printed by name, this would come back with the built-in order of operands."""
    p = next(p for p in GRAMMAR.productions if p.op == "linalg.matvec" and p.elements[0] == "f64")
    times, plus = p.meaning.body.instrs
    flipped = dataclasses.replace(plus, args=plus.args[::-1])
    body = dataclasses.replace(p.meaning.body, instrs=(times, flipped))
    request = _request(dataclasses.replace(p, meaning=dataclasses.replace(p.meaning, body=body)))

    def refusal() -> str:
        try:
            return str(_bench().meaning(request))
        except NotStructured as why:
            return str(why)

    assert guarded(refusal) == "the printed form does not keep the region"


# ---- child processes -----------------------------------------------------------------------------


def test_a_child_that_dies_is_reported() -> None:
    import os

    with pytest.raises(Died, match="signal SIGABRT"):
        guarded(os.abort)


def test_survivors_leaves_out_items_that_end_the_process() -> None:
    import os

    def works(n: int) -> bool:
        if n % 3 == 0:
            os.abort()
        return n % 2 == 0

    assert survivors(list(range(10)), works) == [2, 4, 8]
