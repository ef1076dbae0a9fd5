"""Run the optimiser on text, as the command does."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import mlir.ir as ir
from mlir import passmanager

from raising.eqsat.egraph.dialegg import load, translate
from raising.eqsat.egraph.engine import Limits
from raising.eqsat.extract.op_work import Lowerer
from raising.eqsat.extract.prices import BY_SHAPE, Pricing
from raising.eqsat.one_function import Optimised
from raising.eqsat.optimise import optimise
from raising.eqsat.saturate import Settings
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.target_dialect import read_target
from raising.optimise.pricing import compiles

RULES = Path(__file__).parent.parent / "inputs" / "rules"
POLYNOMIAL = """
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %x2 = math.powf %x, %two fastmath<fast> : f64
  %x3 = math.powf %x, %three fastmath<fast> : f64
  %ax3 = arith.mulf %a, %x3 fastmath<fast> : f64
  %bx2 = arith.mulf %b, %x2 fastmath<fast> : f64
  %cx = arith.mulf %c, %x fastmath<fast> : f64
  %s = arith.addf %ax3, %bx2 fastmath<fast> : f64
  %t = arith.addf %s, %cx fastmath<fast> : f64
  %u = arith.addf %t, %d fastmath<fast> : f64
  return %u : f64"""
CHAIN = str(Path(__file__).parent.parent.parent / "examples" / "chain.egg")

NO_RULES = "(ruleset rules)"


def host(target: str) -> Host:
    """The MLIR that knows a target."""
    return Host(read_target(target))


@cache
def lowerer(where: Host) -> Lowerer:
    return Lowerer(where)


def counted(
    where: Host, text: str, cost: str = "flops", rules: str = NO_RULES, extract: str = "tree", macros: bool = False
) -> Optimised:
    """The report on the only function of a module, optimised by a cost that is counted from shapes."""
    with where.context:
        module = where.ir.Module.parse(text)
        pricing = Pricing(BY_SHAPE[cost], lowerer(where), compiles)
        loaded = translate([(rules, "test.egg")])
        (report,) = optimise(module, where.ir, where.passes, Settings(loaded, Limits(), extract, pricing, macros))
        return replace(report, op=str(module))


def parsed(text: str) -> ir.Module:
    """A module in a context of its own that knows every dialect and allows unknown ones."""
    context = ir.Context()
    context.allow_unregistered_dialects = True
    context.load_all_available_dialects()
    return ir.Module.parse(text, context)


def optimised(text: str, rules: str, extraction: str = "tree", seconds: float = 30.0) -> tuple[str, Optimised]:
    """The module after optimisation and the report on its only function; `rules` is a file name or rule text."""
    module = parsed(text)
    loaded = load([RULES / rules]) if rules.endswith(".egg") else translate([(rules, "test.egg")])
    (report,) = optimise(module, ir, passmanager, Settings(loaded, Limits(seconds=seconds), extraction))
    module.operation.verify()
    return str(module), report


def function(signature: str, body: str) -> str:
    """A module with one function."""
    return f"func.func @f{signature} {{\n{body}\n}}"
