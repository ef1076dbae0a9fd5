"""`more_accurate`: the expressions of floats in a module in forms that are nearer to the real numbers."""

from __future__ import annotations

from typing import Any

from raising.api.result import Remark, remark_in_file
from raising.eqsat.accuracy.floats import Range
from raising.eqsat.accuracy.improve import Improved, improve
from raising.eqsat.accuracy.scalar_functions import Place, places, write
from raising.frontend.mlir.attributes import location
from raising.frontend.mlir.reader import InputError
from raising.optimise.optimise_module import OptimiseResult
from raising.optimise.parse_by_hosts import parsed_module
from raising.support.source import Loc

EXTRA = "--accuracy needs python-flint; install the extra 'accuracy'"


def more_accurate(text: str | bytes, *, file: str = "-", low: float, high: float) -> OptimiseResult:
    """Each expression of a module by its most accurate form on floats from `low` to `high`.

    Raises `InputError` if the text is not valid MLIR, or balls are not installed.
    """
    try:
        import flint  # noqa: F401
    except ImportError:
        raise InputError(Loc(file), EXTRA) from None
    host, module = parsed_module(text, file)
    remarks: list[Remark] = []
    changed = False
    with host.context, host.ir.Location.unknown():
        for place in list(places(module.operation, host.ir)):
            improved = improve(place.expr, Range(low, high), place.kind)
            where = location(place.user)
            remarks += [remark_in_file(r, file) for r in _remarks(place, improved, where, Range(low, high))]
            if improved is not None and improved.form.error < improved.before:
                write(place, improved.form, host.ir)
                changed = True
        module.operation.verify()
        given = text if isinstance(text, str) else text.decode(errors="replace")
        return OptimiseResult(str(module) if changed else given, tuple(remarks), ())


def _remarks(place: Place, improved: Improved | None, where: Any, range_: Range) -> list[Remark]:
    about = f"'{place.expr}'"
    if improved is None:
        return [Remark("note", where, f"{about}: hardly any float from {range_} has a value")]
    sampled = f"mean error of {improved.points} floats from {range_}, sampled and not proved"
    form = improved.form
    if form.error >= improved.before:
        return [Remark("accuracy", where, f"{about}: {improved.before:.2f} bits, nothing is better [{sampled}]")]
    said = f"{about}: {improved.before:.2f} -> {form.error:.2f} bits by '{form}' [{sampled}]"
    found = [Remark("accuracy", where, said)]
    others = [f for f in improved.front[:-1] if f.error < improved.before]
    found += [Remark("note", where, f"cheaper, {f.error:.2f} bits: '{f}'") for f in others]
    return found
