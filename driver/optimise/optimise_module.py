"""`optimise_module`: equality saturation with rules, over any module of MLIR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from raising.api.result import Remark
from raising.eqsat.egraph.dialegg import load
from raising.eqsat.egraph.engine import EngineError, Limits
from raising.eqsat.egraph.through_memory import forward, share_views
from raising.eqsat.egraph.vocabulary import CannotRead
from raising.eqsat.extents.fix import fix_extents
from raising.eqsat.extents.numbering import Fixed
from raising.eqsat.extents.reopen import StillFixed, reopen_extents
from raising.eqsat.extract.greedy import NoProgram
from raising.eqsat.extract.op_work import OPEN_EXTENT
from raising.eqsat.extract.prices import Pricing
from raising.eqsat.one_function import EQUIVALENCE, PROGRAM, Optimised
from raising.eqsat.optimise import optimise
from raising.eqsat.persist.picture import PAGE
from raising.eqsat.persist.read_egraph import NoOrder
from raising.eqsat.persist.xdsl_text import PatternError, with_patterns
from raising.eqsat.ruleset.rule_sets import RuleSet
from raising.eqsat.saturate import Settings
from raising.frontend.mlir.attributes import location
from raising.frontend.mlir.variables import as_arguments, text_with_globals
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.irdl import declared_pure
from raising.grammar.dialects.target_dialect import Source
from raising.optimise.explain import Chosen, Program, explain
from raising.optimise.optimise_remarks import left_fixed, remarks, taken_for_equal
from raising.optimise.parse_by_hosts import UPSTREAM, definitions, parsed_module
from raising.optimise.pricing import DECLARED, ESTIMATED, pricing_of
from raising.optimise.replaced_places import from_replaced, locations
from raising.optimise.rules import TABLE, tabled, tensor_rules
from raising.support.errors import InputError
from raising.support.mlir.dialects import prefer
from raising.support.mlir.inline import inline_calls
from raising.support.mlir.lowering import mlir_opt
from raising.support.record import dataclass
from raising.support.source import Loc

__all__ = ["OptimiseResult", "explained", "optimise_module", "optimised_if_possible"]

_BYTECODE = b"ML\xefR"
_PUBLIC = "builtin.module(symbol-dce)"


@dataclass(frozen=True)
class OptimiseResult:
    """The module's text after optimisation, what there is to say, and a report per function."""

    text: str
    remarks: tuple[Remark, ...]
    functions: tuple[Optimised, ...]


def optimise_module(
    text: str | bytes,
    *,
    file: str = "-",
    rules: Sequence[str | Path] = (),
    rulesets: Sequence[str] = (),
    fp: str = "",
    extract: str = "",
    cost: str = "",
    macros: bool = False,
    emit: str = PROGRAM,
    pdl: str = "",
    unregistered: bool = False,
    limits: Limits | None = None,
    own: RuleSet | None = None,
    places: bool = False,
    irdl: Sequence[str | Path] = (),
) -> OptimiseResult:
    """Rewrite every function of a module to its cheapest form under rules.

    `rules` are files of rules: tables (`.toml`), which are checked, or `.egg`
    files, which are trusted. `rulesets` are names of our own; without either it
    is `default`. `fp` is `strict`, `reassoc` or `fast`; nothing: as each
    function's flags say.

    `extract` is `tree` (the default for `.egg` files alone), `dag`, or `ilp` (the default
    otherwise). `cost` is what `.egg` files declare (`rules`, the default with these), or
    counted from shapes: `estimate` (the default otherwise), `flops`, `bytes`,
    `size` (operations), or `calibrated` (nanoseconds as measured here).
    `macros` associates chains of products as a whole, by a cost from shapes;
    with them, `rulesets` are used only where they are named. With `emit`, the
    text is the module with its e-graphs (`equivalence`), or a picture of them
    (`dot`, `svg`, `json`, `html`), and nothing is extracted. `pdl` is a file of `pdl`
    patterns that xDSL adds to the e-graphs first. With `unregistered`, operations of
    dialects that nothing knows stay where they are. A module in which nothing is cheaper
    is the text that was given. `own` are rules that `raising.rule` made and checked, used beside the others. With
    `places`, the text has MLIR's locations; what rules make gets those of what it stands for. `irdl` are files that
    define dialects; operations with the attribute `raise.pure` there have no effects.

    Raises `InputError` if the text is not valid MLIR, `RuleError` or
    `EngineError` (each with file and line) if a rule file is wrong,
    `UnknownRuleset` for a name that is none.
    """
    paths = [Path(rule) for rule in rules]
    dialects = tuple(map(definitions, irdl))
    how = How(file, fp, extract, cost, macros, emit, limits or Limits(), unregistered, places, dialects)
    found = OptimiseResult(_with_patterns(text, pdl, how) if pdl else text, (), ())  # type: ignore[arg-type]
    for stage in (*own.granted(), ()) if own is not None else ((),):  # at last ours alone: fewer, they go further
        chosen = Chosen(load(_programs(paths)), tabled(paths, rulesets, not macros, stage))
        after = _optimised(found.text, chosen, how)
        found = replace(after, remarks=found.remarks + after.remarks, functions=found.functions + after.functions)
    return found


def optimised_if_possible(text: str, *, file: str, fp: str, **options: Any) -> OptimiseResult:
    """A raised program under our own rules; where these fail, the program as it was, with a remark.

    `fp` is an option of the compiler: of its values, `strict` is said of the rules, too.
    """
    try:
        return optimise_module(text, file=file, fp="strict" if fp == "strict" else "", **options)
    except (EngineError, NoProgram, CannotRead) as error:
        why = f"compiled as it was raised: {' '.join(str(error).split())}"
        return OptimiseResult(text, (Remark("note", Loc(file), why),), ())


def _with_patterns(text: str | bytes, patterns: str, how: How) -> str:
    """The module with its e-graphs, and in them what xDSL makes of them by patterns."""
    if not Path(patterns).is_file():
        raise InputError(Loc(patterns), "no such file")
    plain = replace(how, emit=EQUIVALENCE, macros=False, cost=DECLARED)
    written = _optimised(text, Chosen(load(()), ()), plain).text
    try:
        return with_patterns(written, patterns, str(mlir_opt().parent))
    except PatternError as error:
        raise InputError(Loc(patterns), f"xDSL cannot apply these patterns: {error}") from None


def explained(text: str | bytes, file: str, result: OptimiseResult, **options: Any) -> tuple[Remark, ...]:
    """The rules that led to a result of `optimise_module`, by step, each step checked; `options` are those it had."""
    paths = [Path(rule) for rule in options.get("rules", ())]
    own = {f: options[f] for f in ("fp", "extract", "unregistered") if f in options}
    how = How(file, macros=bool(options.get("macros", False)), limits=options.get("limits") or Limits(), **own)
    chosen = Chosen(load(_programs(paths)), tabled(paths, options.get("rulesets", ()), bare=not how.macros))
    cost = options.get("cost", "") or (DECLARED if _programs(paths) else ESTIMATED)
    how = replace(how, cost=cost, dialects=tuple(map(definitions, options.get("irdl", ()))))

    def run(source: str, rules: Chosen, rounds: int) -> Program:
        bounds = replace(how.limits, iterations=rounds or how.limits.iterations)
        found = _optimised(source, rules, replace(how, limits=bounds))
        cost = sum(report.after for report in found.functions)
        return Program(found.text, cost, max((report.iterations for report in found.functions), default=0))

    source = text if isinstance(text, str) else text.decode()
    steps = explain(source, chosen, [report.name for report in result.functions], run)
    return tuple(Remark("note", Loc(file), f"step {n}: {step}") for n, step in enumerate(steps, start=1))


@dataclass(frozen=True)
class How:
    """All that an optimisation is told but the module and the rules."""

    file: str
    fp: str = ""
    extract: str = ""
    cost: str = ""
    macros: bool = False
    emit: str = PROGRAM
    limits: Limits = field(default_factory=Limits)
    unregistered: bool = False
    places: bool = False
    dialects: tuple[Source, ...] = ()


def _programs(paths: Sequence[Path]) -> list[Path]:
    return [path for path in paths if path.suffix != TABLE]


def _optimised(text: str | bytes, rules: Chosen, how: How) -> OptimiseResult:
    prefer()
    host, module = parsed_module(text, how.file, how.unregistered, how.dialects)
    as_read = str(module)
    with host.context:
        run = _Run(host, module, rules, how)
        run.saturate()
        if run.is_unchanged():
            return OptimiseResult(_as_given(text, as_read), tuple(run.remarks), tuple(run.reports))
        return OptimiseResult(run.text(), tuple(run.remarks), tuple(run.reports))


class _Run:
    """One module on its way to its cheapest form: prepared, saturated, and written."""

    def __init__(self, host: Host, module: Any, rules: Chosen, how: How) -> None:
        self.host, self.module, self.rules, self.how = host, module, rules, how
        self.declared = frozenset(name for source in how.dialects for name in declared_pure(source))
        self.reports: list[Optimised] = []
        self.remarks: list[Remark] = []
        self.fixed: Fixed | None = None
        self.same_as = self._prepare()

    def _prepare(self) -> tuple[str, str]:
        """Take in calls, and the values behind memory; both texts of a module in which nothing is cheaper."""
        host, module = self.host, self.module
        if host.target.bindings == UPSTREAM:
            with host.ir.Location.unknown():
                as_arguments(module)
        before = str(module)
        if inline_calls(module, host.ir):
            host.run(_PUBLIC, module)
        if self.how.emit == PROGRAM:
            forward(module, host.ir)
            share_views(module, host.ir, host.passes, self.declared)
        return before, str(module)

    def _pricing(self) -> Pricing | None:
        """The pricing of operations; open extents get numbers for it."""
        declares = bool(self.rules.files.texts)
        pricing = pricing_of(self.how.cost or (DECLARED if declares else ESTIMATED), self.host)
        if pricing is None or declares or self.how.emit != PROGRAM or "?" not in self.same_as[1]:
            return pricing
        self.fixed = fix_extents(self.module, self.host.ir, pricing.lowerer.lowered)
        return replace(pricing, extents=dict.fromkeys(self.fixed.numbers, OPEN_EXTENT))

    def saturate(self) -> None:
        """Bring every function to its cheapest form; `reports` and `remarks` say how it went."""
        host, how, pricing = self.host, self.how, self._pricing()
        own = tensor_rules(self.rules.tables, how.fp, host) if self.rules.tables else None
        extraction = how.extract or ("tree" if own is None else "ilp")
        before = locations(self.module) if how.places else {}
        files, declared = self.rules.files, self.declared
        settings = Settings(files, how.limits, extraction, pricing, how.macros, how.emit, own, declared)
        try:
            self.reports = optimise(self.module, host.ir, host.passes, settings)
        except NoOrder as error:
            raise InputError(replace(location(error.op), file=how.file), str(error)) from None
        if how.places:
            from_replaced(self.module, host.ir, before)
        self.remarks = [remark for report in self.reports for remark in remarks(report, how.file)]

    def is_unchanged(self) -> bool:
        """Whether nothing is cheaper, or only for known extents; extents that got numbers are open again if not."""
        if self.how.emit == PROGRAM and str(self.module) in self.same_as:
            return True
        if self.fixed is None:
            return False
        if not any(report.after < report.before for report in self.reports):
            return True
        try:
            reopen_extents(self.module, self.host.ir, self.fixed)
        except StillFixed as error:
            self.remarks += [left_fixed(report, self.how.file, str(error)) for report in self.reports]
            return True
        for report in self.reports:
            self.remarks += taken_for_equal(report, self.how.file, self.fixed)
        return False

    def text(self) -> str:
        """The text of the module (in generic form if it has an e-graph), or pictures of all functions."""
        how = self.how
        if how.emit == PROGRAM:
            upstream = self.host.target.bindings == UPSTREAM
            return text_with_globals(self.module, places=how.places) if upstream else str(self.module)
        if how.emit == EQUIVALENCE:
            return str(self.module.operation.get_asm(print_generic_op_form=True))
        if how.emit == PAGE:
            from raising.eqsat.persist.egraph_page import page

            return page([(report.name, report.picture) for report in self.reports], how.file)
        return "".join(report.picture for report in self.reports)


def _as_given(text: str | bytes, said: str) -> str:
    """The text that a module was read from, with its comments; of bytecode, its text."""
    if isinstance(text, str):
        return text
    return said if text.startswith(_BYTECODE) else text.decode()
