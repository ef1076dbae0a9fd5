"""Saturation in a child process: stepped, limited, and never without an answer.

One iteration of egglog cannot be interrupted and a panic in it ends the process, so it runs in a child that sends its
tables now and then. When a limit is reached the parent kills it and goes on with the last tables that came. The limits
are counted in rounds and rows; the seconds are a guard against a round that explodes. The engine starts threads, which
a fork does not copy: nothing else in the program may run it.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any

from raising.support.isolate import Finished, Tell, run_telling
from raising.support.record import dataclass

Schedule = tuple[Any, ...]
"""`("run", ruleset)`, `("saturate", …)`, `("repeat", n, …)` or `("seq", …)`."""

_SORT = re.compile(r"\(sort\s+(\S+)\s+\(Vec\s+(\S+)\)\)")
_PLACE = re.compile(r"(?:Panic: )?In (?P<line>\d+):\S+ of (?P<file>.*?): (?P<rest>.*)")
_PIECE = re.compile(r';[^\n]*|"(?:\\.|[^"\\])*"|[()\n]')
_PANIC = re.compile(r"Panic: .*:\d+: panic: ")
_INTERIM = "time"  # why saturation stopped, if these tables turn out to be the last that came
_GROWN = 2  # times as many rows as were sent last are worth sending: a constant part of the work, whatever the clock
_BEYOND = 2  # times the limit: a round that ends above is undone, as if its rules had not matched


@dataclass(frozen=True)
class Limits:
    """When to stop: rounds of rules, rows in all tables, seconds of the clock (rarely), bytes of memory."""

    iterations: int = 1000
    nodes: int = 5_000
    seconds: float = 300.0
    memory: int = 4 << 30


@dataclass(frozen=True)
class Ref:
    """An e-class: its sort and its number among those of that sort."""

    sort: str
    number: int


@dataclass(frozen=True)
class Row:
    """One node: a constructor with its inputs (`Ref`, number, text, or a tuple of such), and its class."""

    name: str
    inputs: tuple[Any, ...]
    output: Any


@dataclass(frozen=True)
class Saturated:
    """The tables of an e-graph, why saturation stopped, and how often each rule matched."""

    rows: tuple[Row, ...]
    stopped: str
    iterations: int
    matches: dict[str, int] = field(default_factory=dict)


class EngineError(Exception):
    """The engine refused a program, or a rule failed while it ran; the message begins with the place if it has one."""


Program = Sequence[tuple[str, str]]
"""Texts in egglog, each with the name of the file it is from."""


def saturate(program: Program, schedule: Schedule, limits: Limits, last: str = "") -> Saturated:
    """Load `program`, run `schedule` until nothing changes or a limit is reached, and read the tables.

    The rules of `last` make no nodes: they run to their end also when a limit on nodes or rounds was reached.
    `EngineError` if the program is refused, or if not even it could be loaded within the limits.
    """

    def work(tell: Tell) -> Saturated | str:
        try:
            return _Run(program, limits, tell).run(schedule, last)
        except Exception as error:
            return _one_line(str(error))

    (found,) = run_telling([work], timeout=limits.seconds, extra_bytes=limits.memory)
    message = found.value if isinstance(found, Finished) else found.told
    if message is None:
        raise EngineError(f"the program alone takes more than {limits.seconds:g} s or {limits.memory >> 20} MiB")
    if isinstance(message, str):
        raise EngineError(message)
    return message


def commands(text: str) -> Iterator[str]:
    """A program in egglog by the lines that hold whole commands, each behind as many line ends as it was before.

    The engine takes time that grows with the square of what it is given at once.
    """
    depth = start = line = 0
    for piece in _PIECE.finditer(text):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if piece[0] == "\n" and depth == 0:
            here = text[start : piece.end()]
            if here.strip():
                yield "\n" * line + here
            line, start = line + here.count("\n"), piece.end()
    if text[start:].strip():
        yield "\n" * line + text[start:]


def _engine() -> Any:
    """The extension module of the engine alone: importing its package takes longer than most saturations."""
    package = importlib.util.find_spec("egglog")
    places = None if package is None else package.submodule_search_locations
    found = importlib.machinery.PathFinder.find_spec("egglog.bindings", places)
    if found is None or found.loader is None:
        raise EngineError("egglog is not installed")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


class _Stop(Exception):
    """A limit was reached; the message names it."""


class _Run:
    """One saturation: steps, counts, and sends tables before a step that may not end in time."""

    def __init__(self, program: Program, limits: Limits, send: Tell) -> None:
        self.started = time.monotonic()
        self.limits, self.send = limits, send
        self.vectors = {name: of for text, _ in program for name, of in _SORT.findall(text)}
        self.program, self.engine = program, _engine()
        self.rounds: list[str] = []
        self.matches: dict[str, int] = {}
        self.nodes = self.sent_nodes = 0
        self._load()

    def _load(self) -> None:
        self.graph: Any = self.engine.EGraph()
        for text, filename in self.program:
            for command in commands(text):
                self.graph.run_program(*self.graph.parse_program(command, filename))

    def run(self, schedule: Schedule, last: str) -> Saturated:
        self._report()
        stopped = "saturated"
        try:
            self._do(schedule)
        except _Stop as stop:
            stopped = str(stop)
            if last:
                self._run(f"(run-schedule (saturate (run {last})))")
        return self._tables(stopped)

    def _do(self, schedule: Schedule) -> bool:
        """Run a schedule; true if it changed anything."""
        kind, rest = schedule[0], schedule[1:]
        if kind == "run":
            return self._step(rest[0])
        if kind == "seq":
            return any([self._do(s) for s in rest])
        if kind == "repeat":
            return any([self._do(("seq", *rest[1:])) for _ in range(rest[0])])
        changed = False
        while self._do(("seq", *rest)):
            changed = True
        return changed

    def _step(self, ruleset: str) -> bool:
        if len(self.rounds) >= self.limits.iterations:
            raise _Stop("iterations")
        if self.rounds and self._worth_sending():
            self._report()
        outputs = self._round(ruleset)
        nodes = sum(count for _, count in outputs[1].sizes)
        if nodes > _BEYOND * self.limits.nodes:
            self._undo()
            raise _Stop("nodes")
        self.rounds.append(ruleset)
        self.nodes = nodes
        report = outputs[0].report
        for rule, count in report.num_matches_per_rule.items():
            self.matches[rule] = self.matches.get(rule, 0) + count
        if self.nodes > self.limits.nodes:
            raise _Stop("nodes")
        return bool(report.updated)

    def _undo(self) -> None:
        """All rounds but the last, again: the engine's own way is to copy the graph, with all rules, for each round."""
        self._load()
        for ruleset in self.rounds:
            self._round(ruleset)

    def _round(self, ruleset: str) -> Any:
        return self._run(f"(run {ruleset} 1) (print-size)")

    def _run(self, text: str) -> Any:
        """Run some commands; the engine's output."""
        return self.graph.run_program(*self.graph.parse_program(text))

    def _worth_sending(self) -> bool:
        """Any step may be the one that does not end; but tables cost time, and few are looked at."""
        return self.nodes > _GROWN * self.sent_nodes

    def _report(self) -> None:
        tables = self._tables(_INTERIM)
        self.send(tables)
        self.sent_nodes = max(self.nodes, len(tables.rows))

    def _tables(self, stopped: str) -> Saturated:
        rows = tuple(_Reader(self.graph, self.vectors).rows())
        return Saturated(rows, stopped, len(self.rounds), dict(self.matches))


class _Reader:
    """The tables of an engine as plain values."""

    def __init__(self, graph: Any, vectors: dict[str, str]) -> None:
        self.graph, self.vectors = graph, vectors
        self.numbers: dict[tuple[str, Any], Ref] = {}
        self.plain: dict[str, Callable[[Any], Any]] = {
            "i64": graph.value_to_i64,
            "BigInt": graph.value_to_bigint,
            "f64": graph.value_to_f64,
            "String": graph.value_to_string,
            "bool": graph.value_to_bool,
            "Unit": lambda _: None,
        }

    def rows(self) -> Iterator[Row]:
        for name, table in self.graph.freeze().functions.items():
            sorts, out = list(table.input_sorts), table.output_sort
            for row in table.rows:
                if not row.subsumed:
                    inputs = tuple(self.value(s, v) for s, v in zip(sorts, row.inputs, strict=True))
                    yield Row(name, inputs, self.value(out, row.output))

    def value(self, sort: str, value: Any) -> Any:
        if sort in self.plain:
            return self.plain[sort](value)
        if sort in self.vectors:
            return tuple(self.value(self.vectors[sort], v) for v in self.graph.value_to_vec(value))
        key = (sort, value)
        if key not in self.numbers:
            self.numbers[key] = Ref(sort, len(self.numbers))
        return self.numbers[key]


def _one_line(text: str) -> str:
    """A complaint of the engine with its place in front, as `file:line`."""
    line = " ".join(text.split())[:500]
    placed = _PLACE.fullmatch(line)
    if _PANIC.match(line):
        return line.removeprefix("Panic: ")
    return f"{placed['file']}:{placed['line']}: {placed['rest']}" if placed else line
