"""Are two functions equal? One interface to every way of finding out, strongest first.

    proved-all-sizes   sums of products over Presburger cells (`raising.validate.proof.proof`)
    proved-this-size   the same with the numbers of the files
    bounded            every input at small sizes (`raising.validate.bounded.bounded`)
    tested-field       random points of two finite fields (`raising.validate.field.pair_check`)
    tested-float       random floats, with running error bounds (`raising.validate.run.running_error`)

Each way runs in a forked child, so that none of them can crash or hang the caller, and is bounded by counted work: the
answer is the same on a busy machine. The time limit is the user's, for all of them together.
A proof is compared with a run at small sizes; if the two disagree, that is an internal error and no proof.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from raising.affine.ir.program import Loop, walk
from raising.frontend.mlir.reader import InputError
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.evaluate.size_vectors import Unsizable
from raising.support.errors import OutOfWork
from raising.support.isolate import Failed, Finished, Tell, attempted, run_isolated, run_telling
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.base.assumption import FIXED, INSIDE, REAL, Assumption
from raising.validate.base.verdict import (
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
    level,
)
from raising.validate.reading.overlap_tests import read_tested_pair
from raising.validate.reading.pair import Assumptions, Pair, at_sizes, generalised
from raising.validate.reading.reading import Unreadable

if TYPE_CHECKING:
    pass

T = TypeVar("T")

LEVELS = ("proved-all-sizes", "proved-this-size", "bounded", "tested-field", "tested-float")
"""What can be asked for, strongest first."""

_Begun = tuple["Pair | Unknown | _Bad", "Verdict | None"]

TIMEOUT = 300.0
"""Seconds for a whole check, unless the caller says otherwise; an idle machine takes a tenth for what is bounded."""

PROOF_STEPS, PROOF_STEPS_EACH = 30_000_000, 1_000_000
"""Steps of integer sets (`raising.affine.polyhedral.counted_steps`) for a proof, and more for each statement."""

MEMORY = 8 << 30
"""Address space that a child may take beyond the caller's."""

_LEAST = 0.05  # seconds without which nothing is started


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
    pair, begun = _begun(source, target, options, deadline)
    if isinstance(pair, _Bad):
        raise InputError(pair.where, pair.message)
    if isinstance(pair, Unknown):
        return pair
    options = _with_truths(options, pair)
    return (_of_computed if pair.computed else compare)(pair, options, deadline, begun)


def _of_computed(pair: Pair, options: CheckOptions, deadline: float, begun: Verdict | None) -> Verdict:
    """What the proof of a pair in which sizes are computed from others says; no weaker answer is looked for."""
    found = begun or Unknown("no proof was begun")
    if not isinstance(found, Proved):
        why = (
            found.reason if isinstance(found, Unknown) else "a difference may need other values of sizes than they have"
        )
        return Unknown(f"a product or quotient of sizes is a size of its own: {why}")
    found = _defined(found, pair, options, deadline)
    return _strictly(found, pair, options, deadline) if options.strict else found


def compare(pair: Pair, options: CheckOptions, deadline: float, begun: Verdict | None = None) -> Verdict:
    """The strongest verdict on a pair by a time; if there is none, why the proof failed. `begun` is the first way's."""
    first: Unknown | None = None
    for way in _ways(pair, options):
        found: Verdict = _isolated(way, deadline) if begun is None else begun
        begun = None
        if isinstance(found, Refuted) and pair.gathers:
            found = Unknown("they differ if what they read at positions that are data can be any numbers")
        if isinstance(found, Refuted):
            found = _here(found, pair, options, deadline)
        if isinstance(found, Tested) and first is not None:
            found = replace(found, unproved=first.reason)
        if not isinstance(found, Unknown):
            found = _defined(found, pair, options, deadline)
        if not isinstance(found, Unknown):
            return _strictly(found, pair, options, deadline) if options.strict else found
        first = first or found
        if found.reason.startswith(INTERNAL):
            return found
    return first or Unknown("the files leave no size open: there is only the proof for this size")


def _here(found: Refuted, pair: Pair, options: CheckOptions, deadline: float) -> Verdict:
    """A difference at other sizes than the files', if there is one at theirs, too, or these are too large to run."""
    if found.example is None or options.level == LEVELS[0]:
        return found
    if pair.source.sizes:
        return _at_numbers(found, pair, options, deadline)
    from raising.validate.run.replay import differ_in_files

    if not found.example.sizes:
        return found
    differ = _isolated(partial(differ_in_files, pair, options.assumed, found.example), deadline)
    if isinstance(differ, Unknown):
        return _elsewhere(differ, "sizes", found.example)
    if differ is not False:
        return found
    work = partial(_proved, pair, options.assumed, _numbers(generalised(pair), options), options.files)
    proved = _isolated(work, deadline)
    if isinstance(proved, Unknown):
        return Unknown(f"no input shows a difference at the sizes of the files; at others {found.example.text()}")
    return proved


def _at_numbers(found: Refuted, pair: Pair, options: CheckOptions, deadline: float) -> Verdict:
    """A difference where numbers of the files are others, if there is one at these and some open sizes, too."""
    from raising.validate.run.replay import counterexample_here

    numbers = {n: form.const for n, form in generalised(pair).values.items() if form.is_const}
    if found.example is None or all(numbers.get(n, value) == value for n, value in found.example.sizes):
        return found
    looking = partial(counterexample_here, pair, options.assumed, dict(found.example.sizes))
    shown = _isolated(looking, deadline)
    if isinstance(shown, Counterexample):
        return Refuted(shown.text(), shown)
    if shown is False:
        return Unknown(f"no input shows a difference at the numbers of the files; at others {found.example.text()}")
    if isinstance(shown, Unknown):
        return _elsewhere(shown, "numbers", found.example)
    return found  # at numbers that are too large to run


def _elsewhere(why: Unknown, what: str, example: Counterexample) -> Unknown:
    """The answer where a difference was found at other sizes only, because no run at those of the files ended."""
    return Unknown(f"no difference was found at the {what} of the files ({why.reason}); at others {example.text()}")


def _defined(found: Verdict, pair: Pair, options: CheckOptions, deadline: float) -> Verdict:
    """A verdict with all that it assumes; that nothing is known if the target may be undefined where the source is not.

    A proof says nothing of the source where it is undefined, and so needs no more; runs and the solver leave that out.
    """
    from raising.validate.run.preconditions import preconditions
    from raising.validate.run.run import uses_floats

    if isinstance(found, Refuted | Unknown):
        return found
    if preconditions(pair.target):
        general = pair if options.sizes else generalised(pair)
        left = _isolated(partial(_unmet, general, options.assumed), deadline)
        if isinstance(left, Unknown):
            return left
        if left:
            where = replace(left[0].node.loc, file=options.files[1])
            return Unknown(f"it is not known that {left[0].text} in the target ({where})")
    more = () if isinstance(found, Proved) else _of_source(pair, options.files[0])
    more += (REAL,) if isinstance(found, Tested) and any(map(uses_floats, (pair.source, pair.target))) else ()
    return assuming(found, (*_placed(pair.assumed, options.files), *more))


def _unmet(pair: Pair, assumed: Assumptions) -> list[Any]:
    from raising.validate.proof.definedness import unmet

    return unmet(pair, assumed)


def _of_source(pair: Pair, file: str) -> tuple[Assumption, ...]:
    """The assumption that the operations of the source are defined."""
    from raising.validate.run.preconditions import preconditions

    return tuple(p.assumption("source", replace(p.node.loc, file=file)) for p in preconditions(pair.source))


def _placed(assumptions: tuple[Assumption, ...], files: tuple[str, str]) -> tuple[Assumption, ...]:
    """Assumptions with the names of the files in their places."""
    return tuple(
        replace(a, where=replace(a.where, file=files[a.needed_by == "target"])) if a.where.file == "-" else a
        for a in assumptions
    )


def _strictly(found: Verdict, pair: Pair, options: CheckOptions, deadline: float) -> Verdict:
    """The verdict if both programs round alike (programs without floats do); else an answer that says they do not."""
    from raising.validate.run.run import uses_floats
    from raising.validate.run.strict import check_strict

    if isinstance(found, Refuted) or not any(map(uses_floats, (pair.source, pair.target))):
        return found
    small = pair if options.sizes else generalised(pair)
    unlike = _isolated(partial(check_strict, small, options.assumed), deadline)
    return found if unlike is None else unlike


def reached(verdict: Verdict, asked: str) -> bool:
    """True if a verdict is at least as strong as a level."""
    name = level(verdict)
    return name in LEVELS and LEVELS.index(name) <= LEVELS.index(asked)


# ---- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Bad:
    where: Loc
    message: str


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
    return _kept_apart(pair)


def _kept_apart(pair: Pair) -> Pair:
    """The pair, with the numbers of its files as they are where at others iterations of parallel loops may meet."""
    if not any(isinstance(n, Loop) and n.parallel for p in (pair.source, pair.target) for n in walk(p.body)):
        return pair
    from raising.affine.polyhedral.independence import conflicts

    general = generalised(pair)
    if not any(next(conflicts(p, general.scopes), None) for p in (general.source, general.target)):
        return pair
    return replace(pair, rigid=True, assumed=(*pair.assumed, FIXED))


def _begun(source: str | bytes, target: str | bytes, options: CheckOptions, deadline: float) -> _Begun:
    """The pair, and what the first way finds, from one child; the pair is not lost where that way loses the child."""
    left = deadline - time.monotonic()
    if left < _LEAST:
        return Unknown("no time was left"), None
    (found,) = run_telling([partial(_begin, source, target, options)], timeout=left, extra_bytes=MEMORY)
    if isinstance(found, Finished):
        return found.value
    return (Unknown(found.reason), None) if found.told is None else (found.told, Unknown(found.reason))


def _begin(source: str | bytes, target: str | bytes, options: CheckOptions, tell: Tell) -> _Begun:
    pair = _read(source, target, options)
    if not isinstance(pair, Pair):
        return pair, None
    tell(pair)
    way = next(iter(_ways(pair, _with_truths(options, pair))), None)
    if way is None:
        return pair, None
    found = attempted(way)
    return pair, Unknown(found.reason) if isinstance(found, Failed) else found.value


def _with_truths(options: CheckOptions, pair: Pair) -> CheckOptions:
    return replace(options, assumed=replace(options.assumed, truths=pair.truths))


def _isolated(work: Callable[[], T], deadline: float) -> T | Unknown:
    left = deadline - time.monotonic()
    if left < _LEAST:
        return Unknown("no time was left")
    found = run_isolated(work, timeout=left, extra_bytes=MEMORY)
    return Unknown(found.reason) if isinstance(found, Failed) else found.value


# ---- the ways ------------------------------------------------------------------------------------

INTERNAL = "internal error: "


def _ways(pair: Pair, options: CheckOptions) -> list[Callable[[], Verdict]]:
    """The ways of finding an answer, in the order in which they are tried."""
    ways: list[Callable[[], Verdict]] = []
    general = generalised(pair)
    if pair.computed:
        return [partial(_proved, general, options.assumed, None, options.files)]
    fixed = bool(options.sizes) or not general.source.sizes
    if not fixed:
        ways.append(partial(_proved, general, options.assumed, None, options.files))
    weakest = LEVELS.index(options.lowest or options.level)
    if weakest >= 1 and (fixed or not pair.source.sizes):
        ways.append(partial(_proved, pair, options.assumed, _numbers(general, options), options.files))
    small = pair if fixed else general
    ways += [partial(way, small, options.assumed) for way in (_bounded, _field, _float)[: max(0, weakest - 1)]]
    return ways


def _numbers(general: Pair, options: CheckOptions) -> SizeVector:
    return tuple(sorted((options.sizes or general.sizes).items()))


def _proved(pair: Pair, assumed: Assumptions, sizes: SizeVector | None, files: tuple[str, str] = ("-", "-")) -> Verdict:
    """The proof within counted steps."""
    from raising.affine.polyhedral import counted_steps as steps

    statements = sum(1 for p in (pair.source, pair.target) for _ in p.stores())
    most = PROOF_STEPS + statements * PROOF_STEPS_EACH
    steps.restart()
    try:
        with steps.at_most(most):
            return _confirmed(pair, assumed, sizes, files)
    except OutOfWork:
        return Unknown(f"the proof takes more than {most // 1_000_000} million steps")


def _confirmed(pair: Pair, assumed: Assumptions, sizes: SizeVector | None, files: tuple[str, str]) -> Verdict:
    """The proof, confirmed at small sizes; a difference counts only where it can be replayed."""
    from raising.validate.normal_form.cases import cases
    from raising.validate.normal_form.isl_spaces import holds
    from raising.validate.proof.by_cases import prove_by_cases
    from raising.validate.proof.in_bounds import at_least, check_inbounds
    from raising.validate.proof.proof import Difference, Equal
    from raising.validate.run.of_proof import effect_of_rounding, integers

    bounds = check_inbounds(pair)
    if bounds.source is not None:
        return Unknown(bounds.source.text("source", files[0]) + at_least(bounds.source))
    if bounds.target is not None and holds(bounds.target.sizes, pair.sizes):
        return Refuted(bounds.target.text("target", files[1]) + at_least(bounds.target))
    found = prove_by_cases(pair, assumed, bounds.context)
    if isinstance(found, Difference):
        shown = _shown(pair, assumed, [found.sizes])
        if shown:
            return Refuted(shown.text(), shown)
        found = prove_by_cases(pair, assumed, bounds.context, f"{found.output} may differ; no input shows it")
    if not isinstance(found, Equal):
        return found if isinstance(found, Unknown) else Unknown(f"{found.output} may differ")
    seen = cases(pair, found.sizes)
    runs = [(case.pair, _small(case.sizes)) for case in seen if not case.same]
    shown = next((s for p, vectors in runs if (s := _shown(p, assumed, vectors)) is not None), None)
    if shown is not None and shown.undefined:
        return Refuted(shown.text(), shown)
    if shown is not None:
        return Unknown(f"{INTERNAL}a proof disagrees with a run; please report this: {shown.text()}")
    floats = effect_of_rounding(assumed, seen, [(p, vectors[-1]) for p, vectors in runs if vectors])
    if isinstance(floats, Refuted):
        return Unknown(f"{INTERNAL}a proof disagrees with rounded runs; please report this: {floats.counterexample}")
    finite = (REAL,) if floats.startswith("reassociated") else ()
    inside = (INSIDE,) if bounds.narrowed and not bounds.same_outside else ()
    return Proved((*found.assumptions, *inside, *finite), sizes, integers(pair), floats)


def _small(proved: Any) -> list[Mapping[str, int]]:
    """Small sizes among those that are proved: the least, and some at which every loop has something to do."""
    from raising.validate.normal_form.is_zero import smallest_sizes

    found = (smallest_sizes(proved, least) for least in (-1, 1, 2, 3))
    return list({tuple(v.items()): v for v in found if v is not None}.values())


def _shown(pair: Pair, assumed: Assumptions, vectors: list[Mapping[str, int]]) -> Counterexample | None:
    """The first input at these sizes on which a run shows a difference; None also if they are too large to run."""
    from raising.validate.run.replay import replay
    from raising.validate.run.run import TooLarge

    for vector in vectors:
        with suppress(TooLarge, Unsupported):
            found = replay(pair, vector, assumed)
            if found is not None:
                return found
    return None


def _bounded(pair: Pair, assumed: Assumptions) -> Verdict:
    from raising.validate.bounded.bounded import check_bounded
    from raising.validate.run.replay import sizes_in_regions, untold_at

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
    from raising.validate.run.replay import small_sizes
    from raising.validate.run.running_error import check_float

    try:
        found = check_float(pair, assumed, small_sizes(pair, 1)[0])
    except Unsizable as error:
        return Unknown(str(error))
    return Tested(None, found) if isinstance(found, FloatEvidence) else found
