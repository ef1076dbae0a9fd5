"""What became of each loop of a C file: the front end's list beside what raising says of the module's functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from raising.support.record import dataclass

if TYPE_CHECKING:
    from raising.frontend.c import SourceLoop

RAISED, ESSENTIAL, KEPT, REFUSED = "raised", "essential", "kept", "refused"
_BEST = (RAISED, ESSENTIAL, KEPT)
_FORM = re.compile(r"^subscript .* of '")
_QUOTED = re.compile(r"'[^']*'")
_PLACE = re.compile(r" \([^()]*:\d+:\d+\)$| \(statement at [^()]*\)$| at \S+:\d+:\d+(?= is| came)")
_AT = re.compile(r"(.*?):(\d+):(\d+): ")
_NUMBER = re.compile(r"\d+(\.\d+)?")


@dataclass(frozen=True)
class LoopFate:
    """A loop of the file: `raised`; `essential`, if it stays over tensors; `kept`; or `refused`, if it stays in C.

    `inside` is the function of the module that has it, and `reason` why it is not raised.
    """

    place: str
    function: str
    fate: str
    inside: str = ""
    reason: str = ""

    def record(self) -> dict[str, str]:
        """The fate in JSON."""
        found = {"where": self.place, "function": self.function, "fate": self.fate}
        return (
            found | ({"inside": self.inside} if self.inside else {}) | ({"reason": self.reason} if self.reason else {})
        )


def fates(loops: Iterable[SourceLoop], functions: list[dict[str, Any]]) -> list[LoopFate]:
    """The fates of the loops of a file, in its order; `functions` are those of `report.statistics`."""
    said = {f["name"]: {entry["where"]: entry for entry in f["loops"]} for f in functions}
    return [_fate(loop, said) for loop in loops]


def _fate(loop: SourceLoop, said: dict[str, dict[str, dict[str, str]]]) -> LoopFate:
    place = str(loop.place)
    if not loop.within:
        return LoopFate(place, loop.function, REFUSED, "", loop.reason)
    found = []
    for name, around in loop.within:
        entry = _decides([str(p) for p in around], said.get(name))
        found.append(LoopFate(place, loop.function, entry[0], name if name != loop.function else "", entry[1]))
    return min(found, key=lambda fate: _BEST.index(fate.fate))


def _decides(around: list[str], said: dict[str, dict[str, str]] | None) -> tuple[str, str]:
    """The fate of a loop and the reason, from those of the loops around it (itself last)."""
    if said is None:
        return KEPT, "nothing was finished before the time limit"
    for k, place in enumerate(reversed(around)):
        entry = said.get(place)
        if entry is None:
            continue
        if entry["fate"] == "sequential":
            return (ESSENTIAL, entry["reason"]) if k == 0 else (RAISED, "")
        return (KEPT, entry.get("reason", "")) if entry["fate"] == "kept" else (RAISED, "")
    return RAISED, ""


# ---- numbers and lines ------------------------------------------------------------------------------


def counts(found: list[LoopFate]) -> dict[str, Any]:
    """The numbers of loops that were seen, are static control, and were raised, and the reasons why others were not."""
    by_fate = Counter(fate.fate for fate in found)
    return {
        "seen": len(found),
        "static_control": len(found) - by_fate[REFUSED],
        "raised": by_fate[RAISED],
        "essential": by_fate[ESSENTIAL],
        "kept": by_fate[KEPT],
        "refused": by_fate[REFUSED],
        "kept_because": _reasons(found, KEPT),
        "refused_because": _reasons(found, REFUSED),
    }


def _reasons(found: list[LoopFate], kind: str) -> dict[str, int]:
    return dict(Counter(in_general(fate.reason) for fate in found if fate.fate == kind).most_common())


def in_general(reason: str) -> str:
    """A reason without the names, numbers and places of one loop."""
    short = _FORM.sub("a subscript of '", _PLACE.sub("", reason))
    return _NUMBER.sub("N", _QUOTED.sub("'...'", short))


def stays_in_c(found: list[LoopFate]) -> list[str]:
    """A remark for each loop that the module does not have."""
    return [f"{f.place}: remark: loop stays in C: {f.reason}" for f in found if f.fate == REFUSED]


def in_order(lines: Iterable[str], file: str) -> list[str]:
    """Remarks in the order of the file; those of one place, and those without a place there, stay as they come."""

    def key(line: str) -> tuple[bool, int, int]:
        at = _AT.match(line)
        placed = at is not None and at[1] == file
        return (False, int(at[2]), int(at[3])) if placed and at is not None else (True, 0, 0)

    return sorted(lines, key=key)
