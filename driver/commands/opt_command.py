"""The command `raise-opt`. Only the standard library is imported here, so that `--help` is immediate."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from raising.commands.preload import import_beside_mlir
from raising.commands.raise_task import Outcome
from raising.commands.split_input import add_splitting, complain, joined, modules
from raising.support.cli_options import DONE, MEMORY, Parser, count, finish, is_awaited, isolated, seconds, write
from raising.support.record import dataclass, replace
from raising.support.streams import interruptible, say

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from raising.support.isolate import Failed, Finished, Tell

    Worker = Callable[["Task", float], Finished[Outcome] | Failed]

CALIBRATION = 120.0  # seconds that measuring this machine may take
EXPLANATION = 300.0  # seconds that --explain may take beyond that
GRACE = 60.0  # seconds beyond the limit on saturation for reading, extracting and writing

CIRCUITS = ("area", "delay", "area-delay")  # costs of circuits

_BEFORE = ("numpy", "heapq", "json", "hashlib", "base64", "fcntl")  # libraries of their own
_BESIDE = (
    "raising.eqsat.extract.node_cost",
    "raising.eqsat.ruleset.rule_sets",
    "raising.eqsat.egraph.unsaturated",
    "raising.eqsat.extract.ilp",
    "raising.eqsat.persist.picture",
    "raising.eqsat.persist.graph_scopes",
    "raising.affine.ir.c_parameters",
    "raising.grammar.dialects.host",
    "raising.optimise.explain",
    "logging",
    "tomllib",
)
_FOR_TENSORS = ("raising.eqsat.lift.lift", "raising.eqsat.rebuild.compose_term")

DESCRIPTION = """\
Rewrite functions to their cheapest form under rules, by equality saturation.
Without --rules, the rules of tensor algebra that come with the program are used,
each of them checked. Rules of your own are tables (.toml, checked when they are
loaded) or .egg files in the vocabulary of DialEgg (trusted). What no rule touches
stays as it is."""

EPILOG = """\
exit status: 0 done; 2 bad input, wrong rules, or usage"""


@dataclass(frozen=True)
class Task:
    """One call of the command: a module, the name of its file, and the options as they were given."""

    data: bytes
    file: str
    given: argparse.Namespace


def parser() -> Parser:
    """The options of the command."""
    p = Parser("raise-opt", DESCRIPTION, EPILOG)
    p.add_argument("file", metavar="FILE", nargs="?", help="a module in MLIR, as text or bytecode; - is standard input")
    p.add_argument("-o", metavar="OUT", dest="output", help="write the module to OUT, whole or not at all")
    p.add_argument(
        "--rules", metavar="R.egg|R.toml", action="append", default=[], help="a file of rules; may be repeated"
    )
    p.add_argument(
        "--ruleset",
        dest="rulesets",
        metavar="NAME",
        action="append",
        default=[],
        help="rules that come with the program: a family of docs/rules.md, 'default' (all that do not explode), or"
        " 'all'; may be repeated (default: 'default' without --rules, none with)",
    )
    p.add_argument(
        "--fp",
        default="",
        choices=("strict", "reassoc", "fast"),
        help="what floating-point results allow of the rules in tables: the same bits, other rounding, or also no NaN"
        " and no infinities (default: what each function's flags say, strict without any)",
    )
    p.add_argument(
        "--extract",
        default="",
        choices=("tree", "dag", "ilp"),
        help="cheapest as a tree (default for .egg files alone), with sharing by a greedy bound, or with sharing and"
        " proved so (default otherwise)",
    )
    p.add_argument(
        "--cost",
        default="",
        choices=("rules", "estimate", "flops", "bytes", "size", "calibrated", *CIRCUITS),
        help="what is made small: what .egg files declare (default with them), scalar operations and bytes weighed"
        " (default otherwise), scalar operations, bytes moved, operations, nanoseconds as measured on this machine;"
        " of circuits (hw.module), gates, levels of gates, or their product",
    )
    p.add_argument(
        "--emit",
        default="mlir",
        choices=("mlir", "equivalence", "dot", "svg", "json", "html", "verilog"),
        help="the cheapest program (default), the module with its e-graphs in xDSL's equivalence dialect"
        " (which is read back as any module is), a picture of the e-graphs, or (of circuits) SystemVerilog",
    )
    p.add_argument(
        "--pdl", metavar="P.mlir", default="", help="patterns in the pdl dialect, which xDSL adds to the e-graphs first"
    )
    p.add_argument(
        "--explain", action="store_true", help="say which rules led to the result, step by step, and check each step"
    )
    p.add_argument("--macros", action="store_true", help="associate chains of products at once (reassociates sums)")
    p.add_argument(
        "--accuracy",
        action="store_true",
        help="in place of cheaper programs, forms of scalar expressions whose floats are nearer to the real numbers",
    )
    p.add_argument(
        "--range",
        type=_range,
        default=(-1e300, 1e300),
        metavar="LO:HI",
        help="the floats that --accuracy samples, all alike (default: -1e300:1e300)",
    )
    p.add_argument(
        "--calibrate", action="store_true", help="measure this machine for --cost calibrated, again if it was"
    )
    p.add_argument(
        "--irdl-file",
        dest="irdl",
        metavar="D.irdl",
        action="append",
        default=[],
        help="a file that defines dialects in IRDL; operations with the attribute raise.pure there have no effects",
    )
    p.add_argument(
        "--allow-unregistered-dialect",
        dest="unregistered",
        action="store_true",
        help="operations that no dialect defines stay where they are",
    )
    add_splitting(p)
    p.add_argument("--iterations", type=count, default=1000, metavar="N", help="rounds of rules (default: 1000)")
    p.add_argument("--nodes", type=count, default=5_000, metavar="N", help="size of the e-graph (default: 5000)")
    p.add_argument(
        "--time",
        type=seconds,
        default=300.0,
        metavar="S",
        help="seconds of saturation, and again of extraction: rounds and nodes end them before (default: 300)",
    )
    return p


def _range(text: str) -> tuple[float, float]:
    """Two finite numbers in order."""
    low, colon, high = text.partition(":")
    try:
        found = float(low), float(high)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no LO:HI") from None
    if not colon or not -math.inf < found[0] < found[1] < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' are no two finite numbers, the smaller one first")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    return finish(lambda: _run(_arguments(argv)))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    options = parser()
    arguments = options.parsed(argv)
    for name in ("rules", "rulesets", "irdl"):
        setattr(arguments, name, tuple(getattr(arguments, name)))
    if arguments.split and arguments.emit in ("dot", "svg", "json", "html"):
        options.error("--split-input-file joins modules, not pictures: --emit mlir or equivalence")
    if arguments.emit == "verilog" and arguments.cost not in CIRCUITS:
        options.error(f"--emit verilog is for circuits: --cost {', '.join(CIRCUITS)}")
    if arguments.cost in CIRCUITS and _other_than_circuits(arguments):
        options.error(f"--cost {arguments.cost} is for circuits, which have rules of their own")
    if arguments.macros and arguments.cost == "rules":
        options.error("--macros needs a cost that is counted from shapes, such as --cost flops")
    return arguments


def _other_than_circuits(arguments: argparse.Namespace) -> bool:
    """Whether there is an option that means nothing for circuits."""
    names = ("rules", "rulesets", "fp", "extract", "pdl", "explain", "macros", "accuracy", "irdl", "unregistered")
    other = any(getattr(arguments, name) for name in names)
    return other or arguments.emit not in ("mlir", "verilog")


def _run(arguments: argparse.Namespace) -> int:
    if arguments.calibrate:
        _calibrate()
    return _optimise(arguments) if arguments.file is not None else DONE


def _calibrate() -> None:
    """Measure, and say the prices."""
    from raising.optimise.calibrate import calibrated
    from raising.support.files import UserError
    from raising.support.isolate import Finished

    found = isolated(partial(calibrated, again=True), CALIBRATION)
    if not isinstance(found, Finished):
        raise UserError(f"raise-opt: error: calibration: the worker {found.reason}")
    for name, price in sorted(found.value.features.items()):
        say(f"{name}: {price:g} ns")


def _optimise(arguments: argparse.Namespace) -> int:
    from raising.support.files import check_outputs, read_input

    with _beginning(arguments) as worker:
        data, file = read_input(arguments.file)
        in_place = arguments.emit in ("mlir", "equivalence")
        read = (*arguments.rules, *arguments.irdl, arguments.pdl, *(() if in_place else (arguments.file,)))
        check_outputs((arguments.output,), [path for path in read if path])
        task = Task(data, file, arguments)
        found = [_found(replace(task, data=module), worker) for module in modules(data, arguments.split)]
    for line in (line for one in found for line in one.lines):
        say(line)
    complain(one.error for one in found)
    write(joined(one.text for one in found).encode(), arguments.output)
    return DONE


def _beginning(arguments: argparse.Namespace) -> AbstractContextManager[Worker | None]:
    """A child that gets ready while another program makes the input; None where nobody does, or for many modules."""
    if arguments.split or arguments.cost in CIRCUITS or not is_awaited(arguments.file):
        return nullcontext()
    from raising.support.isolate import waiting

    return waiting(_prepare, _worked, timeout=_seconds(arguments), extra_bytes=MEMORY)


def _worked(task: Task, _: Tell) -> Outcome:
    return _work(task)


def _seconds(arguments: argparse.Namespace) -> float:
    """The seconds that a child may take."""
    return float(3 * arguments.time + GRACE + (EXPLANATION if arguments.explain else 0.0))


def _found(task: Task, worker: Worker | None) -> Outcome:
    """The result of a task in a child process."""
    from raising.support.isolate import Finished, failure

    timeout = _seconds(task.given)
    with interruptible():
        found = worker(task, timeout) if worker is not None else isolated(partial(_work, task), timeout)
    return found.value if isinstance(found, Finished) else Outcome(error=failure(task.file, found))


def _accurate(task: Task) -> Outcome:
    """The most accurate forms of the expressions of a module."""
    from raising.optimise.accuracy import more_accurate
    from raising.support.errors import InputError

    try:
        result = more_accurate(task.data, file=task.file, low=task.given.range[0], high=task.given.range[1])
    except InputError as error:
        return Outcome(error=" ".join(str(error).split()))
    return Outcome(result.text, tuple(str(remark) for remark in result.remarks))


def _circuits(task: Task) -> Outcome:
    """The best circuits of the modules of a text."""
    from raising.eqsat.egraph.engine import EngineError, Limits
    from raising.optimise.hardware import better_circuits
    from raising.support.errors import InputError

    limits = Limits(iterations=task.given.iterations, nodes=task.given.nodes, seconds=task.given.time)
    try:
        result = better_circuits(
            task.data, file=task.file, goal=task.given.cost, verilog=task.given.emit == "verilog", limits=limits
        )
    except (InputError, EngineError) as error:
        return Outcome(error=" ".join(str(error).split()))
    return Outcome(result.text, tuple(str(remark) for remark in result.remarks))


def _tables_for_tensors(task: Task) -> bool:
    """Whether rules of tables may find something in the module, as far as one look at its text tells."""
    programs = [rule for rule in task.given.rules if rule.endswith(".egg")]
    return b"tensor" in task.data and (
        bool(task.given.rulesets) or not programs or len(programs) < len(task.given.rules)
    )


def _prepare(tensors: bool = True) -> None:
    """Import what optimising needs."""
    import_beside_mlir(_BEFORE, (*_BESIDE, *(_FOR_TENSORS if tensors else ())))


def _work(task: Task) -> Outcome:
    """The work of the child process, since some inputs crash MLIR."""
    given = task.given
    if given.cost in CIRCUITS:
        return _circuits(task)
    _prepare(_tables_for_tensors(task))
    from raising.eqsat.egraph.engine import EngineError, Limits
    from raising.eqsat.egraph.sexpr import RuleError
    from raising.eqsat.egraph.vocabulary import CannotRead
    from raising.eqsat.extract.greedy import NoProgram
    from raising.eqsat.ruleset.table import UnknownRuleset
    from raising.optimise.optimise_module import explained, optimise_module
    from raising.support.errors import InputError

    if given.accuracy:
        return _accurate(task)
    limits = Limits(iterations=given.iterations, nodes=given.nodes, seconds=given.time)
    names = ("rules", "rulesets", "fp", "extract", "cost", "macros", "unregistered", "irdl")
    options: dict[str, Any] = {name: getattr(given, name) for name in names} | {"limits": limits}
    try:
        result = optimise_module(task.data, file=task.file, emit=given.emit, pdl=given.pdl, **options)
        steps = explained(task.data, task.file, result, **options) if given.explain else ()
    except UnknownRuleset as error:
        return Outcome(error=f"raise-opt: error: {error}")
    except (InputError, EngineError, RuleError) as error:
        return Outcome(error=" ".join(str(error).split()))
    except (NoProgram, CannotRead) as error:
        return Outcome(error=f"{(*given.rules, task.file)[0]}: error: {' '.join(str(error).split())}")
    return Outcome(result.text, tuple(str(remark) for remark in (*result.remarks, *steps)))


if __name__ == "__main__":
    sys.exit(main())
