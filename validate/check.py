"""Are two functions equal? One interface to every way of finding out, strongest first.

    proved-all-sizes   sums of products over Presburger cells (`raising.validate.proof.confirmed`)
    proved-this-size   the same with the numbers of the files
    bounded            every input at small sizes (`raising.validate.bounded.bounded`)
    tested-field       random points of two finite fields (`raising.validate.field.pair_check`)
    tested-float       random floats, with running error bounds (`raising.validate.run.running_error`)

Each way runs in a forked child, so that none of them can crash or hang the caller, and is bounded by counted work: the
answer is the same on a busy machine. The time limit is the user's, for all of them together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from raising.frontend.mlir.reader import InputError
from raising.grammar.evaluate.size_vectors import Unsizable
from raising.support.isolate import Failed, Finished, Tell, attempted, run_isolated, run_telling
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.base.assumption import REAL, Assumption
from raising.validate.base.unreadable import Unreadable
from raising.validate.base.verdict import (
    EXACT,
    INTERNAL,
    Bounded,
    Counterexample,
    FieldEvidence,
    FloatEvidence,
    Proved,
    Refuted,
    SizeVector,
    Tested,
    Unknown,
    Verdict,
    assuming,
)
from raising.validate.reading.overlap_tests import read_tested_pair
from raising.validate.reading.pair import Assumptions, Pair, at_sizes, generalised, kept_apart

T = TypeVar("T")

LEVELS = ("proved-all-sizes", "proved-this-size", "bounded", "tested-field", "tested-float")
"""What can be asked for, strongest first."""

TIMEOUT = 300.0
"""Seconds for a whole check, unless the caller says otherwise; an idle machine takes a tenth for what is bounded."""

MEMORY = 8 << 30
"""Address space that a child may take beyond the caller's."""

_LEAST = 0.05  # seconds without which nothing is started
_NO_TIME = Unknown("no time was left")


@dataclass(frozen=True)
class CheckOptions:
    """Options of the comparison of two functions.

    `functions` names them (None is the only one of a module), `files` are the names that messages give to the texts.
    `level` is the weakest answer that is of use, `lowest` the weakest that is looked for (of itself, `level`): what
    does not do may still refute. `sizes` fixes open sizes by name, `timeout` is in seconds. If it is `strict`, floats
    have to be equal to the last bit.
    """

    functions: tuple[str | None, str | None] = (None, None)
    files: tuple[str, str] = ("-", "-")
    level: str = "tested-field"
    lowest: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    assumed: Assumptions = Assumptions()
    timeout: float = TIMEOUT
    strict: bool = False

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise ValueError(f"unknown level '{self.level}' (known: {', '.join(LEVELS)})")


def check(source: str | bytes, target: str | bytes, options: CheckOptions | None = None) -> Verdict:
    """Compare a function of each module; `InputError` if a module is not valid or has no such function."""
    options = options or CheckOptions()
    deadline = time.monotonic() + options.timeout
    pair, first = _begun(source, target, options, deadline)
    if isinstance(pair, _Bad):
        raise InputError(pair.where, pair.message)
    if isinstance(pair, Unknown):
        return _on_each_side(source, target, replace(options, timeout=deadline - time.monotonic()), pair)
    comparison = _Comparison(pair, options, deadline)
    return comparison.of_computed(first) if pair.computed else comparison.strongest(first)


def difference(source: str | bytes, target: str | bytes, options: CheckOptions) -> Refuted | None:
    """A difference on inputs that tell much, at small sizes. Nothing else is tried; none that is found says nothing."""
    from raising.validate.run.replay import counterexample

    pair = _read(source, target, options)
    if not isinstance(pair, Pair):
        return None
    comparison = _Comparison(pair, options, time.monotonic() + options.timeout)
    example = counterexample(comparison.small, comparison.assumed)
    found = None if example is None else comparison._here(Refuted(example.text(), example))
    return found if isinstance(found, Refuted) else None


def _on_each_side(source: str | bytes, target: str | bytes, options: CheckOptions, why: Unknown) -> Verdict:
    """Proved if two functions are so on each side of their branches on numbers; else why they could not be read."""
    from raising.validate.sides_of_branches import cases

    if options.timeout < _LEAST or why.reason.startswith(INTERNAL):
        return why
    made = partial(cases, (source, target), options.functions, options.files)
    each_side = run_isolated(made, timeout=options.timeout, extra_bytes=MEMORY)
    found: list[Proved] = []
    for case in () if isinstance(each_side, Failed) else each_side.value:
        verdict = check(*case.texts, options)
        if not isinstance(verdict, Proved):
            reason = verdict.reason if isinstance(verdict, Unknown) else "they are not proved equal"
            return Unknown(f"{case.what}: {reason}")
        found.append(verdict)
    return _weakest(found) if found else why


def _weakest(found: list[Proved]) -> Proved:
    """What is proved where each of these is."""
    assumed = tuple(dict.fromkeys(a for each in found for a in each.assumptions))
    sizes = next((each.sizes for each in found if each.sizes is not None), None)
    rounding = dict.fromkeys(each.floats for each in found if each.floats)
    floats = "; ".join(text for text in rounding if text != EXACT) or next(iter(rounding), "")
    return Proved(assumed, sizes, next((each.integers for each in found if each.integers), ""), floats)


# ---- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Bad:
    """Input that is not valid; an exception would not come out of the child."""

    where: Loc
    message: str


_Begun = tuple[Pair | Unknown | _Bad, Verdict | None]
"""A pair or why there is none, and what the first way found."""


def _begun(source: str | bytes, target: str | bytes, options: CheckOptions, deadline: float) -> _Begun:
    """Reading and the first way, in one child; the pair is not lost where that way loses the child."""
    left = deadline - time.monotonic()
    if left < _LEAST:
        return _NO_TIME, None
    (found,) = run_telling([partial(_begin, source, target, options, deadline)], timeout=left, extra_bytes=MEMORY)
    if isinstance(found, Finished):
        return found.value
    return (Unknown(found.reason), None) if found.told is None else (found.told, Unknown(found.reason))


def _begin(source: str | bytes, target: str | bytes, options: CheckOptions, deadline: float, tell: Tell) -> _Begun:
    pair = _read(source, target, options)
    if not isinstance(pair, Pair):
        return pair, None
    tell(pair)
    way = next(iter(_Comparison(pair, options, deadline).ways()), None)
    if way is None:
        return pair, None
    found = attempted(way)
    return pair, Unknown(found.reason) if isinstance(found, Failed) else found.value


def _read(source: str | bytes, target: str | bytes, options: CheckOptions) -> Pair | Unknown | _Bad:
    try:
        pair = read_tested_pair(source, target, options.functions, options.files)
    except InputError as error:
        return _Bad(error.loc, error.message)
    except Unreadable as error:
        return Unknown(str(error))
    missing = sorted(set(options.sizes) - set(pair.source.sizes))
    if missing:
        known = ", ".join(pair.source.sizes) or "none"
        return _Bad(Loc(options.files[0]), f"there is no open size '{missing[0]}' (there are: {known})")
    pair = at_sizes(pair, options.sizes)
    for extent in pair.owed:
        if options.sizes.get(name := f"a{extent.argument}_{extent.dim}") != extent.number:
            where = replace(extent.where, file=options.files[1])
            return Unknown(f"the target takes {name} to be {extent.number} ({where}), which the source does not say")
    return kept_apart(pair)


# ---- comparing -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Comparison:
    """A pair that was read, what is asked of it, and when the time for it is over."""

    pair: Pair
    options: CheckOptions
    deadline: float

    @cached_property
    def general(self) -> Pair:
        """The pair with the sizes of its files made symbols."""
        return generalised(self.pair)

    @property
    def fixed(self) -> bool:
        """Whether no size is open, because the caller fixes them or there are none."""
        return bool(self.options.sizes) or not self.general.source.sizes

    @property
    def small(self) -> Pair:
        """The pair that runs are small for: at any sizes, unless these are fixed."""
        return self.pair if self.fixed else self.general

    @property
    def assumed(self) -> Assumptions:
        """The facts that may be assumed about arguments."""
        return replace(self.options.assumed, truths=self.pair.truths)

    @property
    def floats(self) -> bool:
        """Whether either program computes with floats."""
        from raising.validate.run.run import uses_floats

        return any(map(uses_floats, (self.pair.source, self.pair.target)))

    def ways(self) -> list[Callable[[], Verdict]]:
        """The ways of finding an answer, in the order in which they are tried."""
        for_all = partial(_proved, self.general, self.assumed, None, self.options.files)
        if self.pair.computed:
            return [for_all]
        ways: list[Callable[[], Verdict]] = [] if self.fixed else [for_all]
        weakest = LEVELS.index(self.options.lowest or self.options.level)
        if weakest >= 1 and (self.fixed or not self.pair.source.sizes):
            ways.append(self._for_this_size())
        weaker = (_bounded, _field, _float)[: max(0, weakest - 1)]
        return [*ways, *(partial(way, self.small, self.assumed) for way in weaker)]

    def _for_this_size(self) -> Callable[[], Verdict]:
        numbers = tuple(sorted((self.options.sizes or self.general.sizes).items()))
        return partial(_proved, self.pair, self.assumed, numbers, self.options.files)

    def _isolated(self, work: Callable[[], T]) -> T | Unknown:
        left = self.deadline - time.monotonic()
        if left < _LEAST:
            return _NO_TIME
        found = run_isolated(work, timeout=left, extra_bytes=MEMORY)
        return Unknown(found.reason) if isinstance(found, Failed) else found.value

    # ---- answers ---------------------------------------------------------------------------------

    def strongest(self, begun: Verdict | None) -> Verdict:
        """The strongest verdict; if there is none, why the proof failed. `begun` is the first way's."""
        first: Unknown | None = None
        for way in self.ways():
            found = self._isolated(way) if begun is None else begun
            begun = None
            if isinstance(found, Refuted):
                found = self._here(found)
            if isinstance(found, Bounded | Tested):
                found = self._unwrapped(found)
            if isinstance(found, Tested) and first is not None:
                found = replace(found, unproved=first.reason)
            found = self._defined(found)
            if not isinstance(found, Unknown):
                return self._strictly(found)
            first = first or found
            if found.reason.startswith(INTERNAL):
                return found
        return first or Unknown("the files leave no size open: there is only the proof for this size")

    def of_computed(self, begun: Verdict | None) -> Verdict:
        """What the proof says where sizes are computed from others; no weaker answer is looked for."""
        found = begun or Unknown("no proof was begun")
        if isinstance(found, Proved):
            return self._strictly(self._defined(found))
        other = "a difference may need other values of sizes than they have"
        why = found.reason if isinstance(found, Unknown) else other
        return Unknown(f"a product or quotient of sizes is a size of its own: {why}")

    def _here(self, found: Refuted) -> Verdict:
        """A difference at other sizes than the files', if there is one at theirs or no run at these ends."""
        from raising.validate.run.replay import differ_in_files

        example = found.example
        if self.pair.gathers:
            return Unknown("they differ if what they read at positions that are data can be any numbers")
        if example is None or self.options.level == LEVELS[0]:
            return found
        if self.pair.source.sizes:
            return self._at_numbers(found, example)
        if not example.sizes:
            return found
        differ = self._isolated(partial(differ_in_files, self.pair, self.assumed, example))
        if isinstance(differ, Unknown):
            return _elsewhere(differ, "sizes", example)
        if differ is not False:
            return found
        answer = self._isolated(self._for_this_size())
        if isinstance(answer, Unknown):
            return Unknown(f"no input shows a difference at the sizes of the files; at others {example.text()}")
        return answer

    def _unwrapped(self, found: Verdict) -> Verdict:
        """What runs of a few steps say, unless longer ones show that narrow integers wrap around."""
        from raising.validate.run.narrow_sums import unlike_sums, wrapped

        if not unlike_sums(self.small):
            return found
        shown = self._isolated(partial(wrapped, self.small, self.assumed))
        return self._here(Refuted(shown.text(), shown)) if isinstance(shown, Counterexample) else found

    def _at_numbers(self, found: Refuted, example: Counterexample) -> Verdict:
        """A difference where numbers of the files are others, if there is one at these and some open sizes, too."""
        from raising.validate.run.replay import counterexample_here

        numbers = {n: form.const for n, form in self.general.values.items() if form.is_const}
        if all(numbers.get(n, value) == value for n, value in example.sizes):
            return found
        shown = self._isolated(partial(counterexample_here, self.pair, self.assumed, dict(example.sizes)))
        if isinstance(shown, Counterexample):
            return Refuted(shown.text(), shown)
        if shown is False:
            return Unknown(f"no input shows a difference at the numbers of the files; at others {example.text()}")
        if isinstance(shown, Unknown):
            return _elsewhere(shown, "numbers", example)
        return found  # at numbers that are too large to run

    def _defined(self, found: Verdict) -> Verdict:
        """A verdict with all that it assumes; that nothing is known if only the target may be undefined.

        A proof says nothing of the source where it is undefined, and so needs no more; runs and the solver leave that
        out.
        """
        if isinstance(found, Refuted | Unknown):
            return found
        from raising.validate.run.preconditions import preconditions

        if preconditions(self.pair.target):
            left = self._isolated(partial(_unmet, self.small, self.assumed))
            if isinstance(left, Unknown):
                return left
            if left:
                where = replace(left[0].node.loc, file=self.options.files[1])
                return Unknown(f"it is not known that {left[0].text} in the target ({where})")
        assumed = list(_placed(self.pair.assumed, self.options.files))
        if not isinstance(found, Proved):
            file = self.options.files[0]
            needed = preconditions(self.pair.source)
            assumed += [p.assumption(replace(p.node.loc, file=file)) for p in needed]
        if isinstance(found, Tested) and self.floats:
            assumed.append(REAL)
        return assuming(found, tuple(assumed))

    def _strictly(self, found: Verdict) -> Verdict:
        """The verdict if both programs have to round alike and do; else an answer that says they do not."""
        if not self.options.strict or isinstance(found, Refuted | Unknown) or not self.floats:
            return found
        from raising.validate.run.strict import check_strict

        unlike = self._isolated(partial(check_strict, self.small, self.assumed))
        if unlike is not None and self.small is not self.pair and any(a.kind == "numbers" for a in found.assumptions):
            unlike = self._isolated(partial(check_strict, self.pair, self.assumed))  # at others nothing is said
        return found if unlike is None else unlike


def _elsewhere(why: Unknown, what: str, example: Counterexample) -> Unknown:
    """The answer where a difference was found at other sizes only, because no run at those of the files ended."""
    return Unknown(f"no difference was found at the {what} of the files ({why.reason}); at others {example.text()}")


def _placed(assumptions: tuple[Assumption, ...], files: tuple[str, str]) -> tuple[Assumption, ...]:
    """Assumptions with the names of the files in their places."""
    return tuple(
        replace(a, where=replace(a.where, file=files[a.needed_by == "target"])) if a.where.file == "-" else a
        for a in assumptions
    )


# ---- the ways, each with what only it imports ----------------------------------------------------


def _proved(pair: Pair, assumed: Assumptions, sizes: SizeVector | None, files: tuple[str, str]) -> Verdict:
    from raising.validate.proof.confirmed import proved

    return proved(pair, assumed, sizes, files)


def _bounded(pair: Pair, assumed: Assumptions) -> Verdict:
    from raising.validate.bounded.bounded import check_bounded
    from raising.validate.run.sizes_to_run import sizes_in_regions, untold_at

    try:
        vectors = sizes_in_regions(pair)[0]
        untold = untold_at(pair, vectors)
        return Unknown(untold) if untold else check_bounded(pair, vectors, assumed)
    except Unsizable as error:
        return Unknown(str(error))


def _field(pair: Pair, assumed: Assumptions) -> Verdict:
    from raising.validate.field.pair_check import check_field_pair

    found = check_field_pair(pair, assumed)
    return Tested(found, None) if isinstance(found, FieldEvidence) else found


def _float(pair: Pair, assumed: Assumptions) -> Verdict:
    from raising.validate.run.running_error import check_float_at
    from raising.validate.run.sizes_to_run import sizes_in_regions

    try:
        found = check_float_at(pair, assumed, sizes_in_regions(pair)[0])
    except Unsizable as error:
        return Unknown(str(error))
    return Tested(None, found) if isinstance(found, FloatEvidence) else found


def _unmet(pair: Pair, assumed: Assumptions) -> list[Any]:
    from raising.validate.proof.definedness import unmet

    return unmet(pair, assumed)
