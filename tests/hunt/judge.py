"""One function through every stage, held against gcc: a finding for each thing that it shows."""

from __future__ import annotations

import ctypes
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.hunt import ways
from tests.hunt.calls import Call, Placed, difference, is_finite, passing, placed, positive, shaped
from tests.hunt.drawn import shadow
from tests.hunt.drawn.tastes import Taste
from tests.hunt.drawn.tree import Elem, Function, If, Sel, Set, walk
from tests.hunt.spell import mlir as spell_mlir
from tests.hunt.spell import python as spell_python


@dataclass(frozen=True)
class Finding:
    """What came of one function: its state after raising, and what is wrong, if anything is.

    `kind` is empty, or `wrong`, `error`, `crash`, `hang`; `way` is the stage after which it shows.
    """

    state: str
    kind: str = ""
    way: str = ""
    detail: str = ""
    verdict: str = ""
    caught: str = ""
    runs: int = 0
    seconds: float = 0.0
    times: dict[str, float] = field(default_factory=dict)

    @property
    def family(self) -> tuple[str, ...]:
        """What findings of one cause have in common."""
        told = EMPTY if self.detail.startswith(EMPTY) else "" if self.kind == "wrong" else self.detail[:40]
        return self.kind, self.way, told

    @property
    def bad(self) -> bool:
        """Whether this is a defect."""
        return bool(self.kind)


OPTIMISED = {"optimised": "", "reassociated": "reassoc"}
"""Stages after which a module was under the rules of raise-opt: the rounding that is allowed."""

EMPTY = "some size is below 1: "


def plan(seed: int, raised: bool) -> tuple[str, tuple[str, ...]]:
    """What is done with a function: the check, and after which stages it is compiled."""
    if not raised:
        return "", ("loops",)
    rng = random.Random(f"plan {seed}")
    check = rng.choice(["native", "proof", "field", "field", "full"])
    more = rng.choice([(), (), ("loops",), ("optimised",), ("reassociated",)])
    return check, ("raised", *more)


def judged(
    function: Function, name: str, calls: list[Call], seed: int, folder: Path, taste: Taste, at: Callable[[str], None]
) -> Finding:
    """A function through the stages that its number says; `at` is told which is begun."""
    begun, language = time.perf_counter(), taste.language
    check, after = plan(seed, taste.raised)
    state, verdict, caught, runs = "refused", "", "", 0
    try:
        at("read")
        read = ways.read(spelled(function, name, language), language)
        if read.refused:
            return Finding("refused", detail=read.refused)
        result = ways.Raised(read.mlir, "loops", "")
        if read.written:
            result, after = ways.Raised(read.mlir, "written", ""), ("loops",)
        elif check:
            at(f"raise --check {check}")
            result = ways.raised(read.mlir, check, taste.target)
        state, verdict, caught = result.state, result.verdict, result.caught
        for way in after:
            if way in ("raised", "loops") or state != "kept":
                at(f"compile {way}")
                module = read.mlir if way == "loops" else result.text
                module = ways.optimised(module, OPTIMISED[way]) if way in OPTIMISED else module
                if taste.target == "stablehlo" and "memref<" not in module:  # it returns what it changes
                    entry = _on_tensors(function, name, module)
                else:
                    entry = _entry(function, name, ways.with_guards(module, read.guards), folder, language)
                real = result.real if way != "loops" else False
                compared = [c for c in map(partial(_told, real or way in OPTIMISED), calls) if c is not None]
                wrong, made = _compared(shadow.shadow(function), compared, entry)
                runs += made
                if wrong:
                    return Finding(state, "wrong", way, wrong, verdict, caught)
    except ways.Broken as error:
        return Finding(state, "error", error.stage, error.why, verdict, caught)
    return Finding(state, verdict=verdict, caught=caught, runs=runs, seconds=time.perf_counter() - begun)


def _told(real: bool, call: Call) -> Call | None:
    """A call as it may be compared: none with special floats where these are taken to be real numbers."""
    if not (real and call.exact):
        return call
    return replace(call, exact=False) if is_finite(call) else None


def spelled(function: Function, name: str, language: str) -> str:
    """The text of a function in its language."""
    match language:
        case "mlir":
            return spell_mlir.function(function, name)
        case "python":
            return spell_python.HEADER + spell_python.function(function, name)
    return shadow.text(function, name)


def _entry(function: Function, name: str, module: str, folder: Path, language: str) -> Callable[[Placed], None]:
    """What calls the compiled function: as C does, or as Python does."""
    if language == "python":
        call = ways.from_python(module, name)
        return lambda ready: call(*shaped(function, ready))
    path = folder / f"{name}_{time.monotonic_ns()}.so"
    ways.compiled(module, path)
    library = ctypes.CDLL(str(path))
    if language == "mlir":
        return lambda ready: getattr(library, name)(*passing(function, ready, True))
    if wrong := shadow.starts_right(function, name, library):
        raise ways.Broken("globals", wrong)
    return shadow.entry(function, name, library)


def _on_tensors(function: Function, name: str, module: str) -> Callable[[Placed], None]:
    """What calls a function on tensors, which returns the arrays that it changes, and puts these in their places."""
    call = ways.from_python(module, name)
    stores = {n.target.array for n in walk(function.body) if isinstance(n, Set) and isinstance(n.target, Elem)}
    changed = [k for k, p in enumerate(function.params) if p.name in stores]

    def entry(ready: Placed) -> None:
        given = shaped(function, ready)
        found = call(*map(_without_name_of_sign, given))
        for k, value in zip(changed, found if isinstance(found, tuple) else (found,), strict=True):
            given[k][...] = value

    return entry


def _without_name_of_sign(value: Any) -> Any:
    """A value as a function on tensors takes it: its integers have no sign of their own."""
    if isinstance(value, int):
        return np.int32(value)
    return value.view(f"i{value.dtype.itemsize}") if value.dtype.kind == "u" else value


def _compared(function: Function, calls: list[Call], entry: Callable[[Placed], None]) -> tuple[str, int]:
    """How compiled code differs from the other implementation (empty if it does not), and the number of calls."""
    made = 0
    for call in calls:
        ready = placed(function, call.arguments)
        try:
            entry(ready)
        except ways.Declined as error:
            if not any(isinstance(n, If | Sel) for n in walk(function.body)):  # which may never get to an access
                raise ways.Broken("call", str(error)) from error
            continue
        made += 1
        wrong = difference(function, call, ready)
        if wrong:
            return (wrong if positive(function, call) else f"{EMPTY}{wrong}"), made
    return "", made
