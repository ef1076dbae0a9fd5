"""A module of any dialect, parsed by the first MLIR that knows it: upstream's, then those that targets bring."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from raising.eqsat.egraph.purity import no_modules, walk
from raising.eqsat.persist.xdsl_text import as_generic
from raising.frontend.mlir.parse_module import parse_module
from raising.grammar.dialects.committed import known
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.irdl import register
from raising.grammar.dialects.target_dialect import Source, UnusableTarget, read_target
from raising.support.errors import InputError
from raising.support.source import Loc

_PERSISTED = b"equivalence."
_PLACED = re.compile(r"(\d+):(\d+): (.*)", re.DOTALL)
UPSTREAM = "mlir"  # the bindings that are tried first


def parsed_module(
    text: str | bytes, file: str, unknown: bool = False, dialects: Sequence[Source] = ()
) -> tuple[Host, Any]:
    """The module in the first MLIR that knows its dialects: upstream's, then those that targets bring.

    One that xDSL wrote with e-graphs in it is read by xDSL first.
    """
    data = text if isinstance(text, bytes) else text.encode()
    if _PERSISTED not in data:
        return _parsed_by_hosts(text, file, unknown, dialects)
    try:
        return _parsed_by_hosts(text, file, True, dialects)
    except InputError:
        generic = as_generic(data)
        if generic is None:
            raise
        return _parsed_by_hosts(generic, file, True, dialects)


def _parsed_by_hosts(text: str | bytes, file: str, unknown: bool, dialects: Sequence[Source]) -> tuple[Host, Any]:
    """The module, parsed by the first MLIR that can; where operations may be `unknown`, by one that knows most."""
    errors, read = [], []
    targets = [read_target(name) for name in known()]
    by_bindings = {t.bindings: t for t in targets}
    for bindings in sorted(by_bindings, key=lambda b: b != UPSTREAM):
        host = Host(by_bindings[bindings])
        host.context.allow_unregistered_dialects = unknown
        for source in dialects if bindings == UPSTREAM else ():
            _defined(host, source)
        try:
            with host.context:
                module = parse_module(text, file, host.ir)
        except InputError as error:
            errors.append(error)
            continue
        strange = _strangers(module, host) if unknown else 0
        if not strange:
            return host, module
        read.append((strange, host, module))
    if not read:
        raise errors[0]
    return min(read, key=lambda found: found[0])[1:]


def definitions(path: str | Path) -> Source:
    """The text of a file that defines dialects in IRDL."""
    try:
        return Source(str(path), Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Loc(str(path)), getattr(error, "strerror", None) or "is no text") from None


def _defined(host: Host, source: Source) -> None:
    """Register the dialects of a text with an MLIR."""
    try:
        register(host.context, source)
    except UnusableTarget as error:
        why = str(error).removeprefix(f"{source.file}:").strip()
        placed = _PLACED.fullmatch(why)
        where = Loc(source.file, int(placed[1]), int(placed[2])) if placed else Loc(source.file)
        raise InputError(where, placed[3] if placed else why) from None


def _strangers(module: Any, host: Host) -> int:
    """How many operations of a module an MLIR does not know."""
    no_modules(host.ir)
    with host.context:
        names = [op.name for op, _ in walk(module.operation)]
        return sum(not host.ir.Context.is_registered_operation(host.context, name) for name in names)
