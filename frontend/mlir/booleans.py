"""Truth values as numbers: comparisons that are stored, added up and accumulated.

C's `f = f || a[i] > t` tests a number, takes two truth values together and makes a number of the result. In a memory
that never holds anything but 0 and 1 this is an accumulation of numbers by their bits, `f | (a[i] > t ? 1 : 0)`, and
so is `if (a[i] > t) f = 1`. Every target can select between numbers; not every target can convert truth values.

    before  memref.store (arith.extui (arith.ori %old_is_1, %test)), %m    # %m holds nothing but 0 and 1
    after   m = arith.ori(m, arith.select(test, 1, 0))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.program import Compute, Guard, Load, Loop, Node, Scalar, Store
from raising.support.mlir.walk import constant_number, maker
from raising.support.record import dataclass

_WIDENED = ("arith.extui", "arith.uitofp")
_TOGETHER = ("arith.ori", "arith.andi", "arith.xori")
_NEUTRAL = {"arith.ori": "0", "arith.andi": "1", "arith.xori": "0"}
_NOT_EQUAL = "1"  # the number of the predicate of arith.cmpi
_DEEPEST = 16


def holds_boolean(memory: Any) -> bool:
    """True for a local memory (an MLIR value) in which nothing but 0 and 1 is stored."""
    for use in memory.uses:
        user = use.owner.operation
        if user.name in ("affine.store", "memref.store"):
            if user.operands[0] == memory or not _is_truth(user.operands[0], memory, _DEEPEST):
                return False
        elif user.name not in ("affine.load", "memref.load", "memref.dealloc"):
            return False
    return True


def _is_truth(value: Any, memory: Any, deepest: int) -> bool:
    """True if an integer is 0 or 1, as long as what is loaded from a memory is."""
    op = maker(value)
    if op is None or not deepest or not isinstance(value.type, ir.IntegerType):
        return False
    match op.name:
        case "arith.constant":
            return constant_number(value) in (0, 1)
        case "arith.extui":
            return bool(ir.IntegerType(op.operands[0].type).width == 1)
        case "affine.load" | "memref.load":
            return bool(op.operands[0] == memory)
        case "arith.select":
            return all(_is_truth(v, memory, deepest - 1) for v in list(op.operands)[1:])
        case "arith.ori" | "arith.andi":
            return all(_is_truth(v, memory, deepest - 1) for v in op.operands)
    return False


def as_numbers(
    nodes: tuple[Node, ...], scalars: Mapping[str, Scalar], truths: frozenset[str]
) -> tuple[tuple[Node, ...], dict[str, Scalar]]:
    """Nodes in which truth values become numbers by selections, and the scalars; `truths` are memories of 0 and 1."""
    rewrite = _Rewrite(dict(scalars), truths, {}, {}, set())
    return rewrite.block(nodes), rewrite.scalars


@dataclass
class _Rewrite:
    """Nodes while they are written again: what computes each name, other names for some, and those loaded as truths."""

    scalars: dict[str, Scalar]
    truths: frozenset[str]
    known: dict[str, Compute]
    names: dict[str, str]
    loaded: set[str]

    def block(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        out: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop | Guard):
                out.append(replace(node, body=self.block(node.body)))
            elif isinstance(node, Compute):
                self._compute(replace(node, args=tuple(self.names.get(a, a) for a in node.args)), out)
            elif isinstance(node, Load):
                self.loaded |= {node.dst} if node.array in self.truths else set()
                out.append(node)
            elif isinstance(node, Store):
                out.append(replace(node, value=self.names.get(node.value, node.value)))
            else:
                out.append(node)
        return tuple(out)

    def _compute(self, node: Compute, out: list[Node]) -> None:
        if node.op in _WIDENED and self._element(node.args[0]) == "i1":
            self.names[node.dst] = self._number(node.args[0], node, node.dst, out)
        elif node.op == "arith.select" and (found := self._accumulated(node)) is not None:
            op, kept, arms = found
            mask = replace(node, dst=f"{node.dst}_t", args=(node.args[0], *arms))
            out += [mask, replace(node, op=op, args=(kept, mask.dst), attrs=())]
        else:
            self.known[node.dst] = node
            out.append(node)

    def _accumulated(self, node: Compute) -> tuple[str, str, tuple[str, str]] | None:
        """`c ? 1 : f` and its like as an operation on f, which is 0 or 1, and on a selection of numbers."""
        _, yes, no = node.args
        for kept, other, turned in ((no, yes, False), (yes, no, True)):
            number = self._literal(other)
            if kept in self.loaded and number in (0, 1):
                op, arms = ("arith.ori", ("1", "0")) if number else ("arith.andi", ("0", "1"))
                first, second = (self._constant(text, node.element) for text in (arms[::-1] if turned else arms))
                return op, kept, (first, second)
        return None

    def _number(self, name: str, node: Compute, dst: str, out: list[Node]) -> str:
        """The name of a truth value as a number; what computes it is appended."""
        step = self.known.get(name)
        tested = self._tested(step)
        if tested is not None and node.op == "arith.extui":
            return tested
        if step is not None and node.op == "arith.extui" and step.op in _TOGETHER and self._tests(name, _DEEPEST):
            left, right = step.args
            for one, other in ((left, right), (right, left)):
                if self._literal(other) == int(_NEUTRAL[step.op]):
                    return self._number(one, node, dst, out)
            args = tuple(self._number(a, node, f"{dst}_{k}", out) for k, a in enumerate(step.args))
            out.append(replace(node, dst=dst, op=step.op, args=args, attrs=()))
            return dst
        one, zero = (self._constant(text, node.element) for text in ("1", "0"))
        out.append(replace(node, dst=dst, op="arith.select", args=(name, one, zero), attrs=()))
        return dst

    def _tests(self, name: str, deepest: int) -> bool:
        """True if a truth value is made of a test whether a number that is 0 or 1 is not 0."""
        step = self.known.get(name)
        if step is None or not deepest:
            return False
        deeper = step.op in _TOGETHER and any(self._tests(a, deepest - 1) for a in step.args)
        return deeper or self._tested(step) is not None

    def _tested(self, step: Compute | None) -> str | None:
        """The number of 0 and 1 that a comparison tests for not being 0."""
        if step is None or step.op != "arith.cmpi" or dict(step.attrs)["predicate"].split(" ")[0] != _NOT_EQUAL:
            return None
        number, other = step.args
        return number if number in self.loaded and self._literal(other) == 0 else None

    def _element(self, name: str) -> str:
        if name in self.known:
            return self.known[name].element
        return self.scalars[name].element if name in self.scalars else ""

    def _literal(self, name: str) -> int | None:
        """The integer that a scalar is; None if it is no constant."""
        scalar = self.scalars.get(name)
        if scalar is None or scalar.literal is None or not scalar.element.startswith("i"):
            return None
        return abs(int(scalar.literal)) if scalar.element == "i1" else int(scalar.literal)

    def _constant(self, text: str, element: str) -> str:
        name = f"truth_{text}_{element}"
        self.scalars[name] = Scalar(name, element, text if element.startswith("i") else f"{text}.0")
        return name
