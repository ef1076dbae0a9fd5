"""Targets with their grammars, by name or by the path of a `.toml` file.

The grammar of a target outside of the package is built in a child process, as
what it is made of may end it, and kept on disk by the hash of all of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from raising.grammar.dialects.external import is_external, read_external
from raising.grammar.dialects.load import Grammar, load, parse
from raising.grammar.dialects.target_dialect import Source, Target, UnusableTarget, read_target
from raising.support.cache import cached
from raising.support.record import dataclass
from raising.support.versions import source_files, versions

if TYPE_CHECKING:
    from raising.grammar.dialects.host import Host
    from raising.grammar.dialects.op_signature import Op
    from raising.grammar.terms.structured_op import Excluded, Production

_SECONDS = 600
_MEMORY = 16 << 30  # bytes of address space for building a grammar


@dataclass(frozen=True)
class Opened:
    """A target and what it can say."""

    target: Target
    grammar: Grammar


def open_target(name: str, cache: bool = True) -> Opened:
    """The target of a name or of a `.toml` file; with `cache`, a grammar built before is used again.

    Raises `raising.grammar.dialects.load.UnknownTarget` and
    `raising.grammar.dialects.target_dialect.UnusableTarget`, whose
    message names the file.
    """
    if not is_external(name):
        return Opened(read_target(name), load(name))
    target = read_external(name)

    def build() -> str:
        return _in_child(lambda: _built(target), name)

    text = cached("grammar", _parts(target), build) if cache else build()
    grammar = parse(target.name, text)
    return Opened(_registered(target, grammar.operations), grammar)


def probe_again(name: str, td: Path | None, cache: bool) -> Opened:
    """A target probed anew; with `td`, on the operations that this TableGen file defines."""
    if is_external(name):
        if td is not None:
            raise UnusableTarget(f"{name}: names its definitions itself, so there is no use for {td}")
        return open_target(name, cache)
    target = read_target(name)
    if td is not None and target.trait:
        raise UnusableTarget(f"{td}: target '{name}' is read from the files of the installed MLIR only")

    def build() -> str:
        return _in_child(lambda: _again(name, td), str(td or name))

    parts = [*_parts(target), *definition_texts(str(td or ""))]
    return Opened(target, parse(name, cached("grammar", parts, build) if cache else build()))


def _again(name: str, td: Path | None) -> str:
    from raising.grammar.regenerate import from_file, regenerate

    return from_file(name, td) if td is not None else regenerate(name)[f"{name}.json"]


def _in_child(work: Callable[[], str], name: str) -> str:
    """The text that `work` makes, in a child process; `UnusableTarget` if it cannot, or the process ends."""
    from raising.grammar.probe.worker_pool import Died, guarded

    def answer() -> tuple[str, str]:
        from raising.grammar.dialects.tablegen import NoDefinitions

        try:
            return work(), ""
        except (UnusableTarget, NoDefinitions) as error:
            return "", str(error)

    try:
        text, why = guarded(answer, _SECONDS, _MEMORY)
    except Died as how:
        raise UnusableTarget(f"{name}: cannot be read: {how}") from None
    except RuntimeError as error:
        said = str(error).strip().splitlines()[-1]
        raise UnusableTarget(f"{name}: internal error: {said}; please report this") from error
    if why:
        raise UnusableTarget(why)
    return text


def _parts(target: Target) -> list[bytes]:
    """All that a grammar is made of: the target's files, MLIR's version and this package's code."""
    made_by = repr(versions(target.packages))
    return [repr(target).encode(), made_by.encode(), *definition_texts(target.td), *code()]


def definition_texts(td: str) -> list[bytes]:
    """A TableGen file and those beside it, which it may include."""
    return [file.read_bytes() for file in sorted(Path(td).parent.glob("*.td"))] if td else []


def code() -> list[bytes]:
    """The sources by which grammars are built."""
    return [file.read_bytes() for file in source_files("grammar")]


def _registered(target: Target, ops: tuple[Op, ...]) -> Target:
    """The target with definitions to register, where they are not in IRDL already."""
    if not target.td or target.bindings != "mlir":
        return target
    from raising.grammar.dialects.irdl import text_of

    return replace(target, irdl=Source(Path(target.td).name, text_of(ops)))


# ---- building ------------------------------------------------------------------------------------


def _built(target: Target) -> str:
    """The grammar of an external target as the text of a data file."""
    from raising.grammar.dialects.host import Host
    from raising.grammar.dump import document, versions

    ops, excluded = _definitions(target)
    target = _registered(target, ops)
    host = Host(target)
    _check(host, ops, target)
    productions, left_out = _probed(ops, host, {e.operation for e in excluded})
    head = {"command": f"raise-grammar --target {target.name}.toml", "sources": versions(target)}
    return document(head, ops, productions, [*excluded, *left_out])


def _definitions(target: Target) -> tuple[tuple[Op, ...], tuple[Excluded, ...]]:
    if target.irdl is not None:
        from raising.grammar.dialects.irdl import read

        return read(target.irdl)
    from raising.grammar.dialects.tablegen import read_file

    return read_file(Path(target.td))


def _check(host: Host, ops: tuple[Op, ...], target: Target) -> None:
    """Refuses a pipeline that MLIR does not know, and functions that are for no operation."""
    from mlir import ir
    from mlir.passmanager import PassManager

    from raising.grammar.dialects.function_library import unused

    own = host.passes.PassManager, host.context
    for pipeline, (manager, context) in (
        (target.pipeline, own),
        (target.infer, own),
        (target.finish, (PassManager, ir.Context())),
    ):
        try:
            manager.parse(pipeline or "builtin.module()", context)
        except host.errors as error:
            raise UnusableTarget(f"{target.name}.toml: '{pipeline}': {' '.join(str(error).split())}") from None
    names = [op.full_name for op in ops]
    if host.library is not None:
        for symbol in unused(host.library.functions, names):
            raise UnusableTarget(f"{host.library.file}: @{symbol} is for no operation{close(symbol, names)}")


def close(name: str, names: Sequence[str]) -> str:
    """The names like one that is none of them, as a hint."""
    from difflib import get_close_matches  # for messages only

    found = get_close_matches(name, names, 3, 0.7)
    return f" (did you mean {' or '.join(found)}?)" if found else ""


def _probed(ops: tuple[Op, ...], host: Host, skip: set[str]) -> tuple[list[Production], list[Excluded]]:
    from raising.grammar.probe.function_dialects import probe_written
    from raising.grammar.probe.tensor_dialects import filling
    from raising.grammar.regenerate import probed, workshop

    shop = workshop(host)
    wanted = tuple(op for op in ops if op.full_name not in skip)
    if host.library is None:
        productions, excluded = probed(wanted, shop)
    else:
        pairs = [probe_written(op, shop) for op in wanted]
        productions = [p for found, _ in pairs for p in found]
        excluded = [e for _, left_out in pairs for e in left_out]
    more, without = filling(shop)
    return productions + more, excluded + without
