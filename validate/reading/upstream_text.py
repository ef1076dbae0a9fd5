"""A module in upstream's dialects: one in the dialect of a target goes through that target's own lowering."""

from __future__ import annotations

import re
from collections.abc import Iterator

from raising.frontend.mlir.reader import InputError
from raising.grammar.dialects.target_dialect import Target, read_target, targets
from raising.support.mlir.diagnostics import first_error
from raising.support.mlir.inline import keep_only
from raising.support.source import Loc
from raising.validate.base.unreadable import Unreadable
from raising.validate.reading.target_control_flow import Settled, counted, is_counted

_OTHERWISE: tuple[Settled, ...] = ("all", "new")
_UNSIGNED = re.compile(r"(?<=[<x( ])ui(?=\d+\b)")
_PLACE = re.compile(r'"-":(\d+):(\d+): (.*)')


def upstream_texts(text: str | bytes, function: str | None, file: str) -> Iterator[str | bytes]:
    """The module in upstream's dialects, in each way to try: see `Settled`. One in no target's dialect is as it is."""
    shown = _shown(text)
    known = (t for t in map(read_target, targets()) if not t.general)
    target = next((t for t in known if any(_has_dialect(shown, name) for name in (t.name, *t.beside))), None)
    if target is None:
        yield text
        return
    lowered = _lowered(shown, function, file, target)
    if not is_counted(lowered, target):
        yield lowered
        return
    yield (first := counted(lowered, target, "none"))
    for settled in _OTHERWISE:
        if (other := counted(lowered, target, settled)) == first:
            return
        yield other


def _has_dialect(text: str, name: str) -> bool:
    """Whether a text has an operation, a type or an attribute of a dialect."""
    return f"{name}." in text and re.search(rf"(?<![\w.%@]){re.escape(name)}\.\w", text) is not None


def left_over(lowered: str, text: str | bytes, error: InputError, file: str) -> Unreadable:
    """What is said of the first operation of its own that a dialect's lowering leaves, where the user's text has it."""
    line = "".join(lowered.splitlines()[error.loc.line - 1 : error.loc.line])
    found = re.search(r'"([\w.]+)"\(', line)
    if found is None:
        return Unreadable(f"its dialect's lowering leaves operations of its own: {error.message}")
    lines = enumerate(_shown(text).splitlines(), 1)
    places = (Loc(file, k, at + 1) for k, line in lines if (at := line.find(found[1])) >= 0)
    return Unreadable(f"its dialect's lowering leaves '{found[1]}' as it is", next(places, None))


def _shown(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode(errors="replace")


def _lowered(text: str, function: str | None, file: str, target: Target) -> str:
    """The module in generic form, with what a function needs lowered by a target dialect's own pipeline."""
    from raising.grammar.dialects.host import Host  # takes long, and is of use here only

    host = Host(target)
    try:
        module = host.ir.Module.parse(text, host.context)
    except host.errors as error:
        raise _input_error(error, file) from None
    try:
        with host.context:
            host.prepare(module)
            keep_only(module, function, host.ir)
            host.lower(module)
    except host.errors as error:
        raise Unreadable(f"the lowering of '{target.name}' fails: {first_error(error)}") from None
    lowered = str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
    return _UNSIGNED.sub("i", lowered)  # what is done to them is said by the operations that they are lowered to


def _input_error(error: Exception, file: str) -> InputError:
    """The message of a parser, with its place in the file."""
    found = _PLACE.search(first_error(error))
    if found is None:
        return InputError(Loc(file), first_error(error))
    return InputError(Loc(file, int(found[1]), int(found[2])), found[3])
