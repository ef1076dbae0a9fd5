"""The body of a function of loops over memory as a loop program, through the reader that `raise` starts from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Cond, Lin
from raising.affine.ir.program import Array, Loop, Program, extents_known, forms, walk
from raising.affine.ir.renaming import renamed
from raising.frontend.mlir.attributes import Refusal, location
from raising.frontend.mlir.flat_rows import affine, polynomial
from raising.frontend.mlir.loop_nest import NestReader
from raising.frontend.mlir.reader import again, bind_arguments
from raising.support.mlir.walk import operations, symbol_name
from raising.validate.base.assumption import WITHOUT_SIGN, Assumption
from raising.validate.base.unreadable import Unreadable
from raising.validate.reading.bufferised import CLAMPED
from raising.validate.reading.index_arithmetic import NamedSizes, fold_indices

MOST_OPERATIONS = 20_000
MOST_STORES = 5_000

SlotType = tuple[str, tuple[int | None, ...] | None]
"""An element type, and the extents of an array; None for a scalar, and for each `?`."""


def slot(kind: Any) -> SlotType:
    """What is passed where a value of a type is."""
    if isinstance(kind, ir.MemRefType | ir.RankedTensorType):
        if isinstance(kind, ir.MemRefType) and kind.affine_map != ir.AffineMap.get_identity(kind.rank):
            raise Unreadable(f"the layout of {kind} is not the plain one")
        shape = (None if kind.is_dynamic_dim(d) else int(kind.shape[d]) for d in range(kind.rank))
        return str(kind.element_type), tuple(shape)
    return str(kind), None


class FunctionBody:
    """The body of a function of loops over memory: its `nodes`, and the arrays that hold its `results`.

    `constants` are what its last arguments stand for.
    """

    def __init__(self, op: Any, constants: list[Any], named: NamedSizes) -> None:
        blocks = list(op.regions[0].blocks)
        if len(blocks) > 1:
            raise Refusal(location(op), "the function has unstructured control flow")
        if len(operations(op)) > MOST_OPERATIONS:
            raise Refusal(location(op), f"the function has more than {MOST_OPERATIONS} operations")
        self.op, self.block, self.named = op, blocks[0], named
        values = list(self.block.arguments)
        for value in values:
            if isinstance(value.type, ir.MemRefType):
                slot(value.type)  # its layout is the plain one
        self.reader = NestReader(named)
        bind_arguments(self.reader, op, values, constants)
        self._collect()
        if self.reader.flat.to_read_again:
            self.reader = again(self.reader, NestReader(named.afresh()), op, values, constants)
            self._collect()
        own = values[: len(values) - len(constants)]  # an index argument is a size, or of a type that nothing reads
        self.arguments = tuple(self.reader.memory.get(v, self.reader.data.get(v, "")) for v in own)

    def _collect(self) -> None:
        self.results: list[str] = []
        self.nodes = self.reader.collected(self._read)

    def _read(self) -> None:
        for op in (o.operation for o in self.block.operations):
            if op.name == "func.return":
                self.results.extend(self._result(value, op) for value in op.operands)
            else:
                self.reader.read(op)

    def _result(self, value: Any, op: Any) -> str:
        """The array that holds a value which is returned: a number goes to memory of its own."""
        if isinstance(value.type, ir.MemRefType):
            return self.reader.array_of(value, op)
        cell = self.reader.carried(str(value.type), op)
        self.reader.store(cell, (), self.reader.number_of(value, op), location(op))
        return cell

    def program(self) -> tuple[Program, tuple[Assumption, ...]]:
        """The function as a program, and what that assumes."""
        reader = self.reader
        known = extents_known(reader.arrays.values(), reader.positive)
        program = Program(
            symbol_name(self.op), reader.arrays, reader.scalars, self.nodes, frozenset(), self._sizes(), known
        )
        program = self._sizes_by_position(program)
        rows = self._long_enough(known, program.context)
        program, folded = fold_indices(program, frozenset(self.results))
        signs = (Assumption("sign", WITHOUT_SIGN, loc) for loc in reader.unsigned)
        program = replace(program, arrays={n: self._clamped(a) for n, a in program.arrays.items()})
        if len(list(program.stores())) > MOST_STORES:
            raise Refusal(location(self.op), f"the function stores in more than {MOST_STORES} places")
        return program, (*folded, *rows, *signs)

    def written(self, program: Program) -> frozenset[int]:
        """The positions of arguments that it stores to."""
        stored = {n.array for n in program.stores()}
        return frozenset(k for k, name in enumerate(self.arguments) if name in stored)

    def scopes(self) -> dict[str, int]:
        """The number of loops around the allocation of arrays that are allocated inside of loops."""
        arrays = (n for n, a in self.reader.arrays.items() if a.kind == "local")
        return {n: depth for n in arrays if (depth := _loops_around(self.reader.values[n]))}

    def flat(self, program: Program) -> dict[int, tuple[Lin, ...]]:
        """The inner extents of arguments that are memory of one dimension and read in rows."""
        rows = self.reader.flat.rows
        return {k: program.arrays[a].shape[1:] for k, a in enumerate(self.arguments) if a in rows}

    def has_computed_sizes(self) -> bool:
        """Whether a size of the program is computed of others."""
        return not self.named.made.keys().isdisjoint(self._sizes())

    def _sizes(self) -> tuple[str, ...]:
        """The names of sizes: `?` extents, and integers that are cast to index. Computed ones have to be used."""
        reader = self.reader
        iterators = {n.iv for n in walk(self.nodes) if isinstance(n, Loop)}
        extents = {n for a in reader.arrays.values() for form in a.shape for n in form.names()}
        plain = (f.terms[0][0] for f in reader.index.values() if isinstance(f, Lin) and len(f.terms) == 1)
        cast = {str(n) for n in plain if n in reader.values}
        used = extents | {n for node in walk(self.nodes) for form in forms(node) for n in form.names()}
        return tuple(n for n in sorted(extents - iterators | cast) if n in used or n not in self.named.made)

    def _sizes_by_position(self, program: Program) -> Program:
        """Sizes named by where they come from (`n3` is argument 3, `a3_0` its first extent), others by their text."""
        positions = {n: position for n in program.sizes if (position := self._position(n))}
        if any(n not in positions and n not in self.named.made for n in program.sizes):
            raise Unreadable("a size is computed from data")
        names = self.named.names(positions)
        program = replace(program, sizes=tuple({names.get(n, n): n for n in program.sizes}.values()))
        return renamed(program, lambda n: names.get(n, n))

    def _position(self, size: str) -> str | None:
        """The name of a size after the argument that it comes from; None if it comes from none."""
        reader = self.reader
        value = reader.values.get(size)
        array, _, dim = size.rpartition("_")
        if isinstance(value, ir.BlockArgument):
            return f"n{value.arg_number}"
        if isinstance(owner := reader.values.get(array), ir.BlockArgument):
            return f"a{owner.arg_number}_{dim}"
        defined = value.owner.operation if isinstance(value, ir.OpResult) else None
        memory = defined.operands[0] if defined is not None and defined.name == "memref.dim" else None
        if not isinstance(memory, ir.BlockArgument) or reader.memory.get(memory) not in reader.flat.rows:
            return None
        rank = len(reader.arrays[reader.memory[memory]].shape)
        return f"a{memory.arg_number}_{rank}"  # the length is as one extent more

    def _long_enough(self, known: Sequence[Cond], named: Sequence[Cond]) -> Iterator[Assumption]:
        """The conditions under which flat memory is read in rows; conditions `known` are `named` by position."""
        rows = {Cond(affine(form)) for rows in self.reader.flat.rows.values() for form in rows.assumed}
        for cond, name in zip(known, named, strict=True):
            if cond in rows:
                yield Assumption("sizes", polynomial(name.form).at_least_zero)

    def _clamped(self, array: Array) -> Array:
        """The array with the rule of its allocation for negative sizes."""
        owner = self.reader.values[array.name].owner if array.kind == "local" else None
        return replace(array, clamped=True) if owner is not None and CLAMPED in owner.operation.attributes else array


def _loops_around(value: Any) -> int:
    depth, parent = 0, value.owner.parent if hasattr(value.owner, "parent") else None
    while parent is not None and parent.operation.name != "func.func":
        depth += parent.operation.name.endswith((".for", ".parallel"))
        parent = parent.operation.parent
    return depth
