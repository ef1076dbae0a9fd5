"""Timing several programs side by side: samples in turns, a cold cache before each, medians and minima.

Programs that are compared are sampled in turns in one process, so that whatever else the machine does
meets all of them alike; before each sample the inputs are restored, threads of other programs come to rest, and the
last-level cache is flushed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from statistics import median

import numpy as np

from raising.polybench.suite.values import Array, Value
from raising.support.record import dataclass

FLUSH_BYTES = 96 << 20
"""What is read to empty the caches: three times the last level of the machines we know."""
_LOOK, _RESTING, _LOOKS = 0.004, 0.001, 100
"""Seconds for which threads are watched, of processor time that they may use meanwhile, and how often."""
NOISY = 0.25
"""A measurement is noisy if its median lies further above its minimum than this part of it."""


@dataclass(frozen=True)
class OnXla:
    """A text of StableHLO that XLA runs; `named` gives its results their names."""

    text: str
    named: Callable[[Sequence[Array]], Mapping[str, Array]]


@dataclass(frozen=True)
class Program:
    """Something that runs: `reset` restores its inputs, `run` is what is timed, `results` its outputs by name.

    `notes` are figures that were found when it was made, `on_xla` is what XLA runs, if it does. `stoppable` is
    what runs Python between short calls, so that an alarm can end it; machine code runs to its end. `rehearse` runs
    it once where it can be ended, for so many seconds at most, and raises what goes wrong.
    """

    reset: Callable[[], None]
    run: Callable[[], object]
    results: Callable[[], Mapping[str, Array]]
    notes: Mapping[str, float] = field(default_factory=dict)
    on_xla: OnXla | None = None
    stoppable: bool = False
    rehearse: Callable[[float], object] | None = None


@dataclass(frozen=True)
class Measurement:
    """Seconds of each sample, in the order they were taken."""

    samples: tuple[float, ...]

    @property
    def best(self) -> float:
        """The fastest sample."""
        return min(self.samples)

    @property
    def median(self) -> float:
        """The middle sample."""
        return median(self.samples)

    @property
    def noisy(self) -> bool:
        """True if the median is so far above the minimum that the figure should not be relied on, or nothing tells."""
        return len(self.samples) < 3 or self.median > (1 + NOISY) * self.best


def flusher() -> Callable[[], None]:
    """Something that puts FLUSH_BYTES bytes of its own in the cache.

    They are read only, as PolyBench does it: what is written would be brought
    back to memory at the expense of the program that is timed next.
    """
    block = np.ones(FLUSH_BYTES // 8)

    def flush() -> None:
        np.add.reduce(block)

    return flush


def settle() -> None:
    """Wait until other threads of this process rest: pools spin for more work, on cores that others need."""
    for _ in range(_LOOKS):
        before = time.process_time()
        time.sleep(_LOOK)
        if time.process_time() - before < _RESTING:
            return


def interleaved(programs: Mapping[str, Program], repeat: int, budget: float) -> dict[str, Measurement]:
    """Sample every program `repeat` times in turns; one that has used up `budget` seconds is not sampled again."""
    flush = flusher()
    samples: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(repeat):
        for name, program in programs.items():
            if not samples[name] or sum(samples[name]) + min(samples[name]) <= budget:
                samples[name].append(sampled(program, flush))
    return {name: Measurement(tuple(found)) for name, found in samples.items()}


def sampled(program: Program, flush: Callable[[], None]) -> float:
    """Seconds of one run on fresh inputs with a cold cache."""
    program.reset()
    settle()
    flush()
    started = time.perf_counter()
    program.run()
    return time.perf_counter() - started


def in_place(call: Callable[..., object], values: Mapping[str, Value], outputs: tuple[str, ...]) -> Program:
    """A program that overwrites its own copy of `values`: `call` takes them in order."""
    own = {name: value.copy() for name, value in values.items()}

    def reset() -> None:
        for name, value in values.items():
            kept = own[name]
            if isinstance(kept, np.ndarray):
                np.copyto(kept, value)

    return Program(reset, lambda: call(*own.values()), lambda: {name: np.asarray(own[name]) for name in outputs})


def functional(call: Callable[[], Mapping[str, Array]], outputs: tuple[str, ...]) -> Program:
    """A program that returns its results by name and leaves its inputs as they are."""
    last: dict[str, Array] = {}

    def run() -> None:
        last.update(call())

    return Program(last.clear, run, lambda: {name: np.asarray(last[name]) for name in outputs})
