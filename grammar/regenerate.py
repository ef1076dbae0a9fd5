"""Writes `grammar/data/*.json` from the definitions: `python -m raising.grammar.regenerate TARGET`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from raising.grammar.crosscheck.crosscheck import RANGES, Executor, is_known, job_of
from raising.grammar.dialects import bindings, tablegen
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.load import load_scalars
from raising.grammar.dialects.op_signature import Op
from raising.grammar.dialects.target_dialect import Target, read_target
from raising.grammar.dump import document, scalar_document, versions
from raising.grammar.measure.lower_instance import Lowering
from raising.grammar.measure.verifier import Verifier
from raising.grammar.measure.workbench import Bench
from raising.grammar.probe.probe import probe
from raising.grammar.probe.templates import Region, Template, regions, scalar_signatures, templates
from raising.grammar.probe.tensor_dialects import guarded_probe
from raising.grammar.probe.worker_pool import Died, guarded, spread
from raising.grammar.probe.workshop import Workshop
from raising.grammar.terms.structured_op import Excluded, Production

_DATA = Path(__file__).resolve().parent / "data"


def regenerate(name: str, only: frozenset[str] = frozenset()) -> dict[str, str]:
    """The contents of the data files of a target, by file name; `only` restricts the operations probed."""
    target = read_target(name)
    if target.trait:
        return _structured(target, only)
    return {f"{name}.json": _tensors(target, definitions(target), only)}


def from_file(name: str, td: Path) -> str:
    """The grammar of the operations that a user's TableGen file defines, in the MLIR of a target."""
    target = read_target(name)
    ops, unread = tablegen.read_file(td)
    return _tensors(target, ops, frozenset(), unread)


def definitions(target: Target) -> tuple[Op, ...]:
    """The signatures of a target's operations, from its own sources."""
    ops = [op for file in target.operations for op in tablegen.read(file)]
    ops += bindings.read(target.bindings_module) if target.bindings_module else []
    return tuple(dict.fromkeys(ops))


def _tensors(target: Target, ops: tuple[Op, ...], only: frozenset[str], unread: tuple[Excluded, ...] = ()) -> str:
    """The grammar of a dialect of pure tensor operations; those with regions last, made of the others."""
    shop = workshop(Host(target))
    skip = {e.operation for e in unread}
    wanted = tuple(op for op in ops if op.full_name not in skip and (not only or op.full_name in only))
    productions, excluded = probed(wanted, shop)
    return document(_head(target), ops, productions, [*unread, *excluded])


def workshop(host: Host) -> Workshop:
    """The tools of probing, over one MLIR."""
    scalars = {name: s.op for name, s in load_scalars()[0].items()}
    return Workshop(host.target, host, Verifier(host, host.target.max_rank), Lowering(host, scalars), Executor(host))


def probed(ops: tuple[Op, ...], shop: Workshop) -> tuple[list[Production], list[Excluded]]:
    """The productions of operations; those with regions come last, because they are made of the others."""
    productions: list[Production] = []
    excluded: list[Excluded] = []
    chosen = sorted(ops, key=lambda o: o.full_name)
    _probe_all([o for o in chosen if not o.regions], shop, (), productions, excluded)
    bodies = regions(productions, shop.target.terminator)
    _probe_all([o for o in chosen if o.regions], shop, bodies, productions, excluded)
    return productions, excluded


def _probe_all(
    ops: list[Op],
    shop: Workshop,
    bodies: tuple[Region, ...],
    productions: list[Production],
    excluded: list[Excluded],
) -> None:
    """Adds what operations can say, or why they are left out."""

    def work(op: Op) -> tuple[list[Production], str]:
        if not shop.host.context.is_registered_operation(op.full_name):
            return [], "the installed MLIR has no operation of this name"
        return guarded_probe(op, replace(shop, verifier=shop.verifier.alone()), bodies)

    for op, (found, why) in zip(ops, spread(ops, work), strict=True):
        productions += found
        excluded += [] if found else [Excluded(op.full_name, why)]


def _head(target: Target) -> dict[str, Any]:
    return {"command": f"python -m raising.grammar.regenerate {target.name}", "sources": versions(target)}


def _structured(target: Target, only: frozenset[str]) -> dict[str, str]:
    """The grammar of a dialect of structured operations in destination style."""
    scalar_ops = tuple(op for td in target.scalars for op in tablegen.read(td))
    ops = tuple(dict.fromkeys(op for td in target.operations for op in tablegen.read(td)))
    by_name = {op.full_name: op for op in scalar_ops}
    result = next(op for op in ops if op.full_name == target.result)

    bench = Bench(target, result, by_name)  # made once; each child process inherits it
    scalars, no_scalars = guarded(lambda: scalar_signatures(scalar_ops, bench))
    bodies = templates(scalars)
    productions: list[Production] = []
    excluded: list[Excluded] = []
    chosen = sorted((o for o in ops if not only or o.full_name in only), key=lambda o: o.full_name)
    executor = Executor(Host(target))
    answers = spread(chosen, lambda op: _probe(op, target, bench, executor, bodies))
    for op, (found, why) in zip(chosen, answers, strict=True):
        productions += found
        excluded += [] if found else [Excluded(op.full_name, why)]
    head = _head(target)
    return {
        f"{target.name}.json": document(head, ops, productions, excluded),
        "scalar.json": scalar_document(head, scalars, no_scalars),
    }


def _probe(
    op: Op, target: Target, bench: Bench, executor: Executor, bodies: tuple[Template, ...]
) -> tuple[list[Production], str]:
    try:
        found, why = guarded(lambda: probe(op, target, bench, bodies))
        return guarded(lambda: _agreeing(found, op, target, executor)) if found else ([], why)
    except Died as how:
        return [], str(how)


def _agreeing(found: list[Production], op: Op, target: Target, executor: Executor) -> tuple[list[Production], str]:
    """The productions that compiled code confirms, as far as it can be compared; the reason if none is left."""
    known = [p for p in found if is_known(p)]
    answers = executor.check([job_of(p, op, target) for p in known], RANGES)
    wrong = {p: why for p, why in zip(known, answers, strict=True) if why}
    return [p for p in found if p not in wrong], next(iter(wrong.values()), "")


def main(args: list[str]) -> int:
    """Writes the data files of the targets named."""
    for name in args:
        for file, text in regenerate(name).items():
            (_DATA / file).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
