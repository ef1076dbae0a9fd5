"""The guards of raised MLIR (`raise --guard`): arguments are compared by the places of their memory.

What the loops of a function do may depend on whether its arguments overlap, and that they do not is all that raising
assumes of them. Memory of the plain layout lies from its address to behind its last element, so two arguments are apart
if one ends before the other begins; `raising.validate.reading.overlap_tests` reads these tests again.

    before  func.func @scale(%a: memref<8xf32>, %b: memref<8xf32>) { the raised body }
    after   scf.if %a_ends_before_b_or_b_before_a { the raised body } else { the loops as they were }
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from mlir import ir

from raising.affine.ir.c_parameters import UNBOUNDED, declared
from raising.support.mlir.walk import operations
from raising.support.record import dataclass
from raising.validate.reading.overlap_tests import element_bytes

_READS = ("affine.load", "memref.load", "memref.dim")


@dataclass(frozen=True)
class Guard:
    """A function's guard: the text of `@NAME.holds`, the pairs of arguments that it tests, and if these are all."""

    holds: str
    tested: tuple[tuple[int, int], ...]
    complete: bool


def overlap_guard(original: Any, name: str) -> Guard:
    """The guard of a function of MLIR; no text if there is nothing to test. `name` is the function's."""
    block = original.regions[0].blocks[0]
    arguments = list(block.arguments)
    memory = [k for k, a in enumerate(arguments) if isinstance(a.type, ir.MemRefType)]
    written = {k for k in memory if not all(u.owner.operation.name in _READS for u in arguments[k].uses)}
    pairs = [(i, j) for i, j in combinations(memory, 2) if i in written or j in written]
    unknown = _of_unknown_length(original, len(arguments))
    known = {k for k in memory if k not in unknown and element_bytes(arguments[k].type) is not None}
    tested = tuple(p for p in pairs if known.issuperset(p))
    text = _holds(name, [a.type for a in arguments], tested) if tested else ""
    return Guard(text, tested, tested == tuple(pairs) and not operations(original, _is_elsewhere))


def _is_elsewhere(op: Any) -> bool:
    """Whether an operation may use memory that is no argument."""
    return bool(op.name in ("memref.get_global", "func.call"))


def _of_unknown_length(original: Any, count: int) -> set[int]:
    """The arguments of which C does not say how long they are; their types do not know either."""
    return {k for k, (_, _, extents) in enumerate(declared(original, count)) if UNBOUNDED in extents}


def guards_text(original: Any, guards: dict[str, Guard]) -> str:
    """The module of the guards of some functions, for `raising.emit.versioning.guarded`.

    `original` is the module before raising; copies of its functions are added to it.
    """
    for op in [op.operation for op in original.body.operations]:
        name = str(ir.StringAttr(op.attributes["sym_name"]).value) if op.name == "func.func" else ""
        if name in guards:
            test = ir.Module.parse(guards[name].holds)  # it must outlive what is taken from it
            original.body.append(test.body.operations[0].operation.clone())
            copy = op.clone()
            copy.attributes["sym_name"] = ir.StringAttr.get(f"{name}.original")
            original.body.append(copy)
    return str(original)


def _holds(name: str, types: list[Any], pairs: tuple[tuple[int, int], ...]) -> str:
    lines, start, end = list[str](), dict[int, str](), dict[int, str]()
    for k in sorted({k for pair in pairs for k in pair}):
        start[k], end[k] = _span(k, types[k], lines)
    truth = ""
    for n, (i, j) in enumerate(pairs):
        lines.append(f"%p{n} = arith.cmpi ule, {end[i]}, {start[j]} : index")
        lines.append(f"%q{n} = arith.cmpi ule, {end[j]}, {start[i]} : index")
        lines.append(f"%apart{n} = arith.ori %p{n}, %q{n} : i1")
        if truth:
            lines.append(f"%all{n} = arith.andi {truth}, %apart{n} : i1")
        truth = f"%all{n}" if truth else f"%apart{n}"
    arguments = ", ".join(f"%m{k}: {t}" for k, t in enumerate(types))
    symbol = str(ir.StringAttr.get(f"{name}.holds"))
    head = f"func.func private @{symbol}({arguments}) -> i1 {{"
    return "\n".join([head, *lines, f"return {truth} : i1", "}"])


def _span(k: int, kind: Any, lines: list[str]) -> tuple[str, str]:
    """The values that hold an argument's first address and that behind its last element."""
    kind = ir.MemRefType(kind)
    total = element_bytes(kind) or 0
    for d in range(kind.rank):
        total *= 1 if kind.is_dynamic_dim(d) else kind.shape[d]
    start, size = f"%start{k}", f"%bytes{k}"
    lines.append(f"{start} = memref.extract_aligned_pointer_as_index %m{k} : {kind} -> index")
    lines.append(f"{size} = arith.constant {total} : index")
    for d in (d for d in range(kind.rank) if kind.is_dynamic_dim(d)):
        lines.append(f"%at{k}_{d} = arith.constant {d} : index")
        lines.append(f"%dim{k}_{d} = memref.dim %m{k}, %at{k}_{d} : {kind}")
        lines.append(f"%bytes{k}_{d} = arith.muli {size}, %dim{k}_{d} : index")
        size = f"%bytes{k}_{d}"
    lines.append(f"%end{k} = arith.addi {start}, {size} : index")
    return start, f"%end{k}"
