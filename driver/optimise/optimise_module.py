"""`optimise_module`: equality saturation with rules, over any module of MLIR."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from raising.api.result import Remark, remark_in_file
from raising.eqsat.egraph.dialegg import load
from raising.eqsat.egraph.engine import Limits
from raising.eqsat.egraph.purity import no_modules, walk
from raising.eqsat.egraph.through_memory import forward, share_views
from raising.eqsat.extents.fix import Fixed, fix_extents
from raising.eqsat.extents.reopen import StillFixed, reopen_extents
from raising.eqsat.extract.op_work import OPEN_EXTENT
from raising.eqsat.optimise import EQUIVALENCE, PROGRAM, Optimised, optimise
from raising.eqsat.persist.picture import PAGE
from raising.eqsat.persist.read_egraph import NoOrder, PatternError, as_generic, with_patterns
from raising.eqsat.ruleset.rule_sets import RuleSet
from raising.eqsat.saturate import Settings
from raising.frontend.mlir.attributes import location
from raising.frontend.mlir.parse_module import parse_module
from raising.frontend.mlir.variables import as_arguments, text_with_globals
from raising.grammar.dialects.committed import known
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.irdl import declared_pure, register
from raising.grammar.dialects.target_dialect import Source, UnusableTarget, read_target
from raising.optimise.explain import Chosen, Program, explain
from raising.optimise.pricing import DECLARED, ESTIMATED, pricing_of
from raising.optimise.replaced_places import from_replaced, locations
from raising.optimise.rules import TABLE, tabled, tensor_rules
from raising.support.errors import InputError
from raising.support.mlir.dialects import prefer
from raising.support.mlir.inline import inline_calls
from raising.support.mlir.lowering import mlir_opt
from raising.support.record import dataclass
from raising.support.source import Loc

__all__ = ["OptimiseResult", "explained", "optimise_module"]

_PERSISTED = b"equivalence."
_BYTECODE = b"ML\xefR"
_PLACED = re.compile(r"(\d+):(\d+): (.*)", re.DOTALL)
_PUBLIC = "builtin.module(symbol-dce)"
UPSTREAM = "mlir"  # the bindings that are tried first


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
    macros = bool(options.get("macros", False))
    chosen = Chosen(load(_programs(paths)), tabled(paths, options.get("rulesets", ()), bare=not macros))
    limits = options.get("limits") or Limits()
    cost = options.get("cost", "") or (DECLARED if _programs(paths) else ESTIMATED)
    unregistered = bool(options.get("unregistered", False))
    how = How(file, options.get("fp", ""), options.get("extract", ""), cost, macros, PROGRAM, limits, unregistered)
    how = replace(how, dialects=tuple(map(definitions, options.get("irdl", ()))))

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
    fp: str
    extract: str
    cost: str
    macros: bool
    emit: str
    limits: Limits
    unregistered: bool = False
    places: bool = False
    dialects: tuple[Source, ...] = ()


def _programs(paths: Sequence[Path]) -> list[Path]:
    return [path for path in paths if path.suffix != TABLE]


def _optimised(text: str | bytes, rules: Chosen, how: How) -> OptimiseResult:
    prefer()
    host, module = parsed_module(text, how.file, how.unregistered, how.dialects)
    declared = frozenset(name for source in how.dialects for name in declared_pure(source))
    given, upstream = str(module), host.target.bindings == UPSTREAM
    with host.context:
        if upstream:
            with host.ir.Location.unknown():
                as_arguments(module)
        taken = str(module)
        if inline_calls(module, host.ir):
            host.run(_PUBLIC, module)
        if how.emit == PROGRAM:
            forward(module, host.ir)
            share_views(module, host.ir, host.passes, declared)
        taken_in = str(module)
        pricing = pricing_of(how.cost or (DECLARED if rules.files.texts else ESTIMATED), host)
        fixed = None
        if pricing is not None and not rules.files.texts and how.emit == PROGRAM and "?" in taken_in:
            fixed = fix_extents(module, host.ir, pricing.lowerer.lowered)
            pricing = replace(pricing, extents=dict.fromkeys(fixed.numbers, OPEN_EXTENT))
        own = tensor_rules(rules.tables, how.fp, host) if rules.tables else None
        extraction = how.extract or ("tree" if own is None else "ilp")
        before = locations(module) if how.places else {}
        settings = Settings(rules.files, how.limits, extraction, pricing, how.macros, how.emit, own, declared)
        try:
            reports = optimise(module, host.ir, host.passes, settings)
        except NoOrder as error:
            raise InputError(replace(location(error.op), file=how.file), str(error)) from None
        if how.places:
            from_replaced(module, host.ir, before)
        remarks = tuple(remark_in_file(remark, how.file) for report in reports for remark in _remarks(report))
        same = how.emit == PROGRAM and str(module) in (taken, taken_in)
        if fixed is not None and not same:
            cheaper = any(report.after < report.before for report in reports)
            left = _reopened(module, host, fixed) if cheaper else ""
            same = not cheaper or bool(left)
            remarks += tuple(_left_fixed(report, how.file, left) for report in reports if left)
            remarks += tuple(r for report in reports if not left for r in _taken_for_equal(report, how.file, fixed))
        said = "" if same and fixed is not None else _text(module, how, reports, upstream)
        return OptimiseResult(_as_given(text, given) if same else said, remarks, tuple(reports))


def _reopened(module: Any, host: Host, fixed: Fixed) -> str:
    """Make the extents of a module open again; why that cannot be, if so."""
    try:
        reopen_extents(module, host.ir, fixed)
    except StillFixed as error:
        return str(error)
    return ""


def _left_fixed(report: Optimised, file: str, why: str) -> Remark:
    said = f"function '{report.name}': left as it was, its cheaper form is for known extents only: {why}"
    return remark_in_file(Remark("note", location(report.op), said), file)


def _taken_for_equal(report: Optimised, file: str, fixed: Fixed) -> list[Remark]:
    """Which extents of arguments a cheaper form takes for equal: the operations that were there demand it."""
    said = fixed.equal.get(report.name, ()) if report.after < report.before else ()
    texts = (f"function '{report.name}': equal, as its operations demand: {places}" for places in said)
    return [remark_in_file(Remark("note", location(report.op), text), file) for text in texts]


def _as_given(text: str | bytes, said: str) -> str:
    """The text that a module was read from, with its comments; of bytecode, its text."""
    if isinstance(text, str):
        return text
    return said if text.startswith(_BYTECODE) else text.decode()


def _text(module: Any, how: How, reports: Sequence[Optimised], upstream: bool) -> str:
    """The module; an e-graph in it in generic form, which other tools read too; or the pictures of all functions."""
    if how.emit == PROGRAM:
        return text_with_globals(module, places=how.places) if upstream else str(module)
    if how.emit == EQUIVALENCE:
        text: str = module.operation.get_asm(print_generic_op_form=True)
        return text
    if how.emit == PAGE:
        from raising.eqsat.persist.egraph_page import page

        return page([(report.name, report.picture) for report in reports], how.file)
    return "".join(report.picture for report in reports)


def parsed_module(
    text: str | bytes, file: str, unknown: bool = False, dialects: Sequence[Source] = ()
) -> tuple[Host, Any]:
    """The module in the first MLIR that knows its dialects: upstream's, then those that targets bring.

    One that xDSL wrote with e-graphs in it is read by xDSL first.
    """
    data = text if isinstance(text, bytes) else text.encode()
    if _PERSISTED not in data:
        return _parsed_by_hosts(text, file, unknown, dialects)
    try:
        return _parsed_by_hosts(text, file, True, dialects)
    except InputError:
        generic = as_generic(data)
        if generic is None:
            raise
        return _parsed_by_hosts(generic, file, True, dialects)


def _parsed_by_hosts(text: str | bytes, file: str, unknown: bool, dialects: Sequence[Source]) -> tuple[Host, Any]:
    """The module, parsed by the first MLIR that can; where operations may be `unknown`, by one that knows most."""
    errors, read = [], []
    targets = [read_target(name) for name in known()]
    by_bindings = {t.bindings: t for t in targets}
    for bindings in sorted(by_bindings, key=lambda b: b != UPSTREAM):
        host = Host(by_bindings[bindings])
        host.context.allow_unregistered_dialects = unknown
        for source in dialects if bindings == UPSTREAM else ():
            _defined(host, source)
        try:
            with host.context:
                module = parse_module(text, file, host.ir)
        except InputError as error:
            errors.append(error)
            continue
        strange = _strangers(module, host) if unknown else 0
        if not strange:
            return host, module
        read.append((strange, host, module))
    if not read:
        raise errors[0]
    return min(read, key=lambda found: found[0])[1:]


def definitions(path: str | Path) -> Source:
    """The text of a file that defines dialects in IRDL."""
    try:
        return Source(str(path), Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Loc(str(path)), getattr(error, "strerror", None) or "is no text") from None


def _defined(host: Host, source: Source) -> None:
    """Register the dialects of a text with an MLIR."""
    try:
        register(host.context, source)
    except UnusableTarget as error:
        why = str(error).removeprefix(f"{source.file}:").strip()
        placed = _PLACED.fullmatch(why)
        where = Loc(source.file, int(placed[1]), int(placed[2])) if placed else Loc(source.file)
        raise InputError(where, placed[3] if placed else why) from None


def _strangers(module: Any, host: Host) -> int:
    """How many operations of a module an MLIR does not know."""
    no_modules(host.ir)
    with host.context:
        names = [op.name for op, _ in walk(module.operation)]
        return sum(not host.ir.Context.is_registered_operation(host.context, name) for name in names)


def _written(report: Optimised, where: Any, about: str) -> list[Remark]:
    """The remarks on an e-graph that was not extracted."""
    size = f"{report.nodes} nodes in {report.classes} classes"
    found = [Remark("e-graph", where, f"{about}: {size} [{report.iterations} iterations]")]
    if report.stopped != "saturated":
        found.append(Remark("note", where, f"{about}: the limit on {report.stopped} was reached before saturation"))
    return found + [Remark("note", where, f"{about}: {n}") for n in report.notes]


def _remarks(report: Optimised) -> list[Remark]:
    """The gain, the reason for an early end, and the nodes that could not be written."""
    where = location(report.op)
    about = f"function '{report.name}'"
    if report.after == report.before == 0.0 and "export" in report.times:
        return _written(report, where, about)
    gained = f"cost {report.before:.6g} -> {report.after:.6g}" if report.after < report.before else "nothing is cheaper"
    how = f"{report.iterations} iterations, {report.nodes} nodes in {report.classes} classes"
    gap = "" if math.isnan(report.gap) else f", at most {report.gap:.1%} from the best"
    found = [Remark("optimised", where, f"{about}: {gained} [{how}{gap}]")]
    if report.chains:
        lengths = ", ".join(map(str, sorted(report.chains, reverse=True)))
        found.append(Remark("note", where, f"{about}: products associated by the macro rule, factors: {lengths}"))
    if report.stopped != "saturated":
        found.append(Remark("note", where, f"{about}: the limit on {report.stopped} was reached before saturation"))
    found += [Remark("note", where, f"{about}: {text}") for text in report.assumed]
    return found + [Remark("note", where, f"{about}: something was left as it was: {n}") for n in report.notes]
