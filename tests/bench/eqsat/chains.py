"""Equality saturation by stage, and chains of products: `python -m tests.bench.eqsat.chains`.

Writes `results/chains.json` and `results/chains.md`. The first table runs the rules of the published
tool, written anew: seconds to make terms of a function (`translate`), to saturate, to extract, and to
write back. The second one has no rules: the macro rule for chains. Then: whether the result is the
optimum of the O(n^3) dynamic program for every length up to 100; what it takes to write a saturated
e-graph into the IR and whether it comes back the same; and how long a set of rules that explodes takes.
"""

from __future__ import annotations

import random
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import mlir.ir as ir
from mlir import passmanager

from raising.eqsat.egraph.dialegg import Rules, load, translate
from raising.eqsat.egraph.engine import Limits
from raising.eqsat.extract.prices import BY_SHAPE, Pricing
from raising.eqsat.one_function import Optimised
from raising.eqsat.optimise import optimise
from raising.eqsat.saturate import Settings
from raising.grammar.dialects.host import Host
from tests.bench.record import write
from tests.eqsat.chains.test_chains import products
from tests.eqsat.optimising import CHAIN, NO_RULES, POLYNOMIAL, RULES, function, host, lowerer, parsed
from tests.eqsat.test_optimise import chain, least

COMMAND = "python -m tests.bench.eqsat.chains"
REPEATS = 3
LONG = 80  # products without the macro rule, from which one run has to do
STAGES = ("translate", "saturate", "macros", "extract", "back")
PLAIN, MACRO, EVERY = (2, 3, 10, 20, 40, 80), (3, 20, 80, 160), range(3, 101)
TARGETS = {"80": 0.5, "160": 3.0, "export_20": 0.05, "over_limit": 0.1}
EXPLODING_SECONDS = 10.0
GREEDY_TRIED = 1000

IMAGE = """
  %c77 = arith.constant 77 : i32
  %c151 = arith.constant 151 : i32
  %c28 = arith.constant 28 : i32
  %c256 = arith.constant 256 : i32
  %r77 = arith.muli %r, %c77 : i32
  %g151 = arith.muli %g, %c151 : i32
  %b28 = arith.muli %b, %c28 : i32
  %s = arith.addi %r77, %g151 : i32
  %t = arith.addi %s, %b28 : i32
  %q = arith.divui %t, %c256 : i32
  return %q : i32"""
VECTOR = """
  %one = arith.constant 1.0 : f32
  %x2 = arith.mulf %x, %x fastmath<fast> : f32
  %y2 = arith.mulf %y, %y fastmath<fast> : f32
  %z2 = arith.mulf %z, %z fastmath<fast> : f32
  %s = arith.addf %x2, %y2 fastmath<fast> : f32
  %t = arith.addf %s, %z2 fastmath<fast> : f32
  %n = math.sqrt %t fastmath<fast> : f32
  %r = arith.divf %one, %n fastmath<fast> : f32
  return %r : f32"""
CASES = {
    "Img": (function("(%r: i32, %g: i32, %b: i32) -> i32", IMAGE), "image.egg"),
    "Vec": (
        "func.func private @quick(f32) -> f32\n" + function("(%x: f32, %y: f32, %z: f32) -> f32", VECTOR),
        "rsqrt.egg",
    ),
    "Poly": (function("(%x: f64, %a: f64, %b: f64, %c: f64, %d: f64) -> f64", POLYNOMIAL), "horner.egg"),
}


def main() -> None:
    """Measure and write the records, again after each measurement."""
    rows: list[dict[str, Any]] = []
    summary: dict[str, Any] = {"targets": TARGETS}
    tasks = [partial(timed, name, text, load([RULES / rules])) for name, (text, rules) in CASES.items()]
    tasks += [partial(timed, f"{n}MM by macro", chain(dims(n)), None, n) for n in MACRO]
    tasks += [partial(timed, f"{n}MM", chain(dims(n)), load([Path(CHAIN)]), n) for n in PLAIN if n < LONG]
    for task in tasks:
        _written(rows, summary, row=task())
    for name, what in (("greedy_3mm", greedy), ("export", exported), ("exploding", exploding)):
        _written(rows, summary, **{name: what()})
    _written(rows, summary, not_optimal=not_optimal(), lengths_tried=len(EVERY))
    for n in (n for n in PLAIN if n >= LONG):
        _written(rows, summary, row=timed(f"{n}MM", chain(dims(n)), load([Path(CHAIN)]), n))


def _written(
    rows: list[dict[str, Any]], summary: dict[str, Any], row: dict[str, Any] | None = None, **found: Any
) -> None:
    """Add a row or a part of the summary, and write everything that there is."""
    rows += [] if row is None else [row]
    summary |= found
    print(row or found, flush=True)
    write("chains", COMMAND, rows, summary).with_suffix(".md").write_text(table(rows, summary))


def not_optimal() -> list[int]:
    """The lengths of chains for which the macro rule misses the optimum."""
    return [n for n in EVERY if products(optimised(chain(dims(n)), None)[0]) != least(dims(n))]


def dims(count: int) -> tuple[int, ...]:
    """The extents of a chain, the same in every run."""
    rng = random.Random(count)
    return tuple(rng.randint(2, 100) for _ in range(count + 1))


def optimised(
    text: str, rules: Rules | None, limits: Limits | None = None, emit: str = "mlir"
) -> tuple[str, Optimised]:
    """The module and the report; without rules, by the macro rule and counted operations."""
    bounds = limits or Limits(seconds=120.0, nodes=500_000)
    if rules is None:
        where = linalg()
        with where.context:
            module = where.ir.Module.parse(text)
            pricing = Pricing(BY_SHAPE["flops"], lowerer(where))
            nothing = translate([(NO_RULES, "none")])
            reports = optimise(module, where.ir, where.passes, Settings(nothing, bounds, "tree", pricing, True))
            return str(module), reports[-1]
    module = parsed(text)
    reports = optimise(module, ir, passmanager, Settings(rules, bounds, emit=emit))
    form = emit == "equivalence"
    return module.operation.get_asm(print_generic_op_form=form), reports[-1]


@cache
def linalg() -> Host:
    """The MLIR in which the macro rule is measured."""
    return host("linalg")


def timed(name: str, text: str, rules: Rules | None, count: int = 0) -> dict[str, Any]:
    """The least times of some runs, by stage."""
    best: dict[str, Any] = {}
    for _ in range(REPEATS if count < LONG or rules is None else 1):
        began = time.perf_counter()
        result, report = optimised(text, rules)
        total = time.perf_counter() - began
        if not best or total < best["total"]:
            stages = {s: round(report.times[s], 4) for s in STAGES if s in report.times}
            best = {"name": name, "total": round(total, 4), **stages, "nodes": report.nodes, "classes": report.classes}
            if count:
                best["optimal"] = products(result) == least(dims(count))
    return best


Tree = Any
"""A factor's number, or a pair of trees."""


def greedy() -> dict[str, Any]:
    """How often a local pass misses the optimum of chains with three products, and by how much at most.

    The pass turns (X Y) Z into X (Y Z), or back, wherever that alone takes fewer multiplications, until nothing does.
    """
    rng = random.Random(0)
    worst, missed = 1.0, 0
    for _ in range(GREEDY_TRIED):
        extents = tuple(rng.randint(2, 100) for _ in range(5))
        tree: Tree = (((0, 1), 2), 3)
        while (better := _turned(tree, extents)) is not None:
            tree = better
        ratio = _multiplications(tree, extents)[0] / least(extents)
        worst, missed = max(worst, ratio), missed + (ratio > 1)
    return {"tried": GREEDY_TRIED, "missed": missed, "worst_ratio": round(worst, 2)}


def _turned(tree: Tree, extents: tuple[int, ...]) -> Tree:
    """The tree after one local step that gains; None if there is none."""
    if isinstance(tree, int):
        return None
    left, right = tree
    turned = []
    if not isinstance(left, int):
        turned.append((left[0], (left[1], right)))
    if not isinstance(right, int):
        turned.append(((left, right[0]), right[1]))
    for other in turned:
        if _multiplications(other, extents)[0] < _multiplications(tree, extents)[0]:
            return other
    below = _turned(left, extents)
    if below is not None:
        return below, right
    below = _turned(right, extents)
    return None if below is None else (left, below)


def _multiplications(tree: Tree, extents: tuple[int, ...]) -> tuple[int, int, int]:
    """The multiplications of a tree, its first factor and its last one."""
    if isinstance(tree, int):
        return 0, tree, tree
    (a, first, middle), (b, _, last) = (_multiplications(t, extents) for t in tree)
    return a + b + extents[first] * extents[middle + 1] * extents[last + 1], first, last


def exported() -> dict[str, Any]:
    """A saturated chain of 20 matrices written into the IR and read back."""
    rules = load([Path(CHAIN)])
    declared = translate([("(function linalg_matmul (Op Op Op Type) Op) (function tensor_empty (Type) Op)", "d")])
    runs = [optimised(chain(dims(20)), rules, emit="equivalence") for _ in range(REPEATS)]
    text, report = min(runs, key=lambda run: run[1].times["export"])
    again, second = optimised(text, declared, emit="equivalence")
    same = (report.nodes, report.classes, shape(text)) == (second.nodes, second.classes, shape(again))
    return {"export_s": round(report.times["export"], 4), "bytes": len(text), "nodes": report.nodes, "same": same}


def shape(text: str) -> list[str]:
    """The classes of an e-graph by their number of nodes and their type, in order."""
    lines = [line.split(" : ")[-1] for line in text.splitlines() if '"equivalence.class"' in line]
    return sorted(lines)


def exploding() -> dict[str, Any]:
    """Twelve terms under rules that have no end."""
    terms = "\n".join(
        f"%p{i} = arith.mulf %a{i % 3}, %b{i} : f32\n"
        + (f"%s{i} = arith.addf %{'s' if i > 1 else 'p'}{i - 1}, %p{i} : f32" if i else "")
        for i in range(12)
    )
    arguments = ", ".join([*(f"%a{i}: f32" for i in range(3)), *(f"%b{i}: f32" for i in range(12))])
    text = function(f"({arguments}) -> f32", f"{terms}\nreturn %s11 : f32")
    began = time.perf_counter()
    limits = Limits(seconds=EXPLODING_SECONDS, nodes=10**9)
    _, report = optimised(text, load([RULES / "explode.egg"]), limits)
    total = time.perf_counter() - began
    return {
        "limit_s": EXPLODING_SECONDS,
        "total_s": round(total, 2),
        "stopped": report.stopped,
        "before": report.before,
        "after": report.after,
        "nodes": report.nodes,
    }


def table(rows: list[dict[str, Any]], summary: dict[str, Any]) -> str:
    """The rows for people."""
    columns = ("name", "total", *STAGES, "nodes", "classes", "optimal")
    lines = [f"Made by `{COMMAND}`. Seconds, the least of {REPEATS} runs.", "", "| " + " | ".join(columns) + " |"]
    lines.append("|" + "---|" * len(columns))
    lines += ["| " + " | ".join(str(row.get(c, "")) for c in columns) + " |" for row in rows]
    lines += ["", *(f"- {key}: {value}" for key, value in summary.items()), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
