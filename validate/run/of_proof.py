"""What a proof says of machine arithmetic, beside that two programs are equal: integers wrap, floats round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raising.affine.ir.value_names import computes_of
from raising.validate.base.verdict import EXACT, FloatEvidence, Refuted
from raising.validate.normal_form.cases import Case
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.run import uses_floats


def integers(pair: Pair) -> str:
    """How integers are equal; empty if there are none."""
    elements = (n.element for n in computes_of(pair.source).values())
    found = any(e.startswith("i") and e != "i1" for e in elements)
    return "exact mod 2^w" if found else ""


def effect_of_rounding(
    assumed: Assumptions, seen: list[Case], runs: list[tuple[Pair, Mapping[str, int]]]
) -> str | Refuted:
    """The effect of rounding, from runs with error bounds at these sizes; empty if there are no floats."""
    if not any(uses_floats(p) for case in seen for p in (case.pair.source, case.pair.target)):
        return ""
    from raising.validate.run.running_error import check_float  # here: programs without floats do without them
    from raising.validate.run.strict import all_in_order

    found = [check_float(pair, assumed, vector) for pair, vector in runs]
    wrong = next((one for one in found if isinstance(one, Refuted)), None)
    if wrong is not None:
        return wrong
    if all_in_order(seen, assumed):
        return EXACT
    known = [one for one in found if isinstance(one, FloatEvidence)]
    worst = max(known, key=lambda one: one.ratio or 0.0, default=None)
    return "reassociated" if worst is None else replace(worst, exact=False).rounding
