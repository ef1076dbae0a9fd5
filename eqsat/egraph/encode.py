"""One function as terms of an e-graph.

Every operation without effects becomes a term: a constructor over its operands, attributes, regions and result types.
Every other operation is an anchor: it stays where it is, its operands have to be provided by the e-graph, and its
results are leaves. Regions of terms are terms too; their block arguments are named by the number of regions around them
(de Bruijn levels), so that equal bodies are equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from raising.eqsat.egraph.dialegg import Signature
from raising.eqsat.egraph.sexpr import quoted
from raising.eqsat.egraph.vocabulary import Vocabulary
from raising.support.mlir.create import InsertPoint, Shape, create
from raising.support.mlir.operand_segments import SEGMENTS
from raising.support.record import dataclass

_SOURCE = "builtin.unrealized_conversion_cast"
_CACHED = frozenset({"linalg.memoized_indexing_maps"})


@dataclass(frozen=True)
class Original:
    """An operation that became a term: its name, constructor and operands, and the number of regions around it."""

    name: str
    constructor: str
    operands: tuple[str, ...]
    depth: int


@dataclass
class Encoded:
    """Terms of one isolated operation; everything is in the order of the text.

    `leaves` are the values behind `Value` numbers, `scopes` the blocks in which
    they can be used. `term` names the term of a value, `lets` define them.
    `originals` are the operations that became terms, `needed` the terms that
    operations which stay have as operands; what is in `spare` goes if nothing uses it. Terms in
    `equal` are known to be the named ones.
    """

    lets: list[str] = field(default_factory=list)
    leaves: list[Any] = field(default_factory=list)
    scopes: list[Any] = field(default_factory=list)
    term: dict[Any, str] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    declarations: list[str] = field(default_factory=list)
    originals: dict[Any, Original] = field(default_factory=dict)
    needed: list[str] = field(default_factory=list)
    spare: set[Any] = field(default_factory=set)
    equal: list[tuple[str, str]] = field(default_factory=list)


class Encoder:
    """Encodes the body of an operation; `pure` are the operations (by identity of their handles) that are values."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        declared: Mapping[str, Signature],
        pure: frozenset[Any],
        same: Mapping[Any, Any],
    ) -> None:
        self.vocabulary, self.declared, self.pure = vocabulary, declared, pure
        self.same = same  # values that are known to be another one
        self.ir = vocabulary.ir
        self.block: Any = None
        self.out = Encoded()
        self.implied: dict[tuple[Any, ...], bool] = {}
        self.named: dict[str, str] = {}

    def encode(self, op: Any) -> Encoded:
        """All blocks of an isolated operation."""
        self._regions(op, 0)
        return self.out

    # ---- what stays ------------------------------------------------------------------------------

    def _regions(self, op: Any, depth: int) -> None:
        for region in op.regions:
            for block in region.blocks:
                before = dict(self.out.term)
                self._block(block, depth)
                if len(region.blocks) > 1:  # a value of one block is a leaf of its own in each other block
                    self.out.term = before

    def _block(self, block: Any, depth: int) -> None:
        self.block = block
        for argument in block.arguments:
            self._leaf(argument)
        for child in block.operations:
            op = child.operation
            if op in self.pure and self._defined(op, depth):
                continue
            self.out.needed += [t for v in op.operands if (t := self.out.term.get(v, "")).startswith("$")]
            if not isolated(op):
                self._regions(op, depth + 1)
            self.block = block
            for result in op.results:
                self._leaf(result)

    def _leaf(self, value: Any) -> str:
        name = self._let(f"(Value {len(self.out.leaves)} {self.vocabulary.type_term(value.type)})")
        self.out.leaves.append(value)
        self.out.scopes.append(self.block)
        self.out.term[value] = name
        return name

    def _let(self, term: str) -> str:
        """A name for a term; equal terms have one name."""
        if term not in self.named:
            self.named[term] = f"$v{len(self.named)}"
            self.out.lets.append(f"(let {self.named[term]} {term})")
        return self.named[term]

    # ---- what becomes a term ---------------------------------------------------------------------

    def _defined(self, op: Any, depth: int) -> bool:
        """Make a term of an operation and name it; false if it has to stay."""
        constructor, term = self._term(op, depth)
        if not term:
            return False
        known = self._known(op)
        if known:  # a name is dear, and it has one
            self.out.equal.append((known, term))
        name = known or self._let(term)
        operands = tuple(self.out.term[v] for v in op.operands)
        self.out.originals[op] = Original(name, constructor, operands, depth)
        if len(op.results) == 1:
            self.out.term[op.results[0]] = name
        else:
            for n, result in enumerate(op.results):
                self.out.term[result] = self._let(f"(Result {n} {name})")
        return True

    def _known(self, op: Any) -> str:
        """The name of the value that an operation's result is known to be, if that is encoded."""
        return self.out.term.get(self.same.get(op.results[0]), "") if len(op.results) == 1 else ""

    def _term(self, op: Any, depth: int) -> tuple[str, str]:
        """The constructor and the term of an operation; empty if it has to stay."""
        if any(len(r.blocks) != 1 for r in op.regions) or len(op.successors):
            return "", ""
        name, shape = self._constructor(op)
        regions = [self._region(op.regions[n], depth + 1) for n in range(shape.regions)]
        if not all(regions):
            return "", ""
        operands = [self.out.term.get(v) or self._leaf(v) for v in op.operands]
        attributes = [self._pair(a, op.attributes[a]) for a in shape.attributes]
        types = [self.vocabulary.type_term(r.type) for r in op.results]
        return name, f"({' '.join([name, *operands, *attributes, *regions, *types])})"

    def _pair(self, name: str, value: Any) -> str:
        return self._let(f"(NamedAttr {quoted(name)} {self.vocabulary.attribute_term(value)})")

    def _region(self, region: Any, depth: int) -> str:
        """A region of one block: its arguments, then its terminator; values inside are terms where they are used."""
        block = region.blocks[0]
        arguments = []
        for n, argument in enumerate(block.arguments):
            term = self._let(f"(BlockArg {depth} {n} {self.vocabulary.type_term(argument.type)})")
            self.out.term[argument] = term
            arguments.append(term)
        operations = [child.operation for child in block.operations]
        if not operations or not all(op in self.pure and self._defined(op, depth) for op in operations[:-1]):
            return ""
        _, last = self._term(operations[-1], depth)
        return self._let(f"(Reg (vec-of (Blk (vec-of {' '.join([*arguments, last])}))))") if last else ""

    # ---- constructors ----------------------------------------------------------------------------

    def _constructor(self, op: Any) -> tuple[str, Shape]:
        """The constructor of an operation: one that the rules declare if it loses nothing, else one of its own."""
        flat = op.name.replace(".", "_")
        for name in (flat, f"{flat}_{len(op.operands)}"):
            signature = self.declared.get(name)
            shape = self._declared(op, signature) if signature else None
            if shape is not None and self.out.shapes.setdefault(name, shape) == shape:
                return name, shape
        return self._own(op, flat)

    def _declared(self, op: Any, signature: Signature) -> Shape | None:
        attributes = _attributes(op)
        extra = len(attributes) - signature.attributes
        if (signature.operands, signature.types) != (len(op.operands), len(op.results)) or extra < 0:
            return None
        if signature.regions not in (0, len(op.regions)):
            return None
        implied = tuple(a for a in attributes if self._implies(op, a))[:extra] if extra else ()
        kept = tuple(a for a in attributes if a not in implied)
        if len(kept) != signature.attributes or (signature.regions != len(op.regions) and not self._implies(op, "")):
            return None
        return Shape(op.name, len(op.operands), kept, signature.regions, signature.types, _segments(op, kept))

    def _own(self, op: Any, flat: str) -> tuple[str, Shape]:
        attributes = tuple(_attributes(op))
        shape = Shape(op.name, len(op.operands), attributes, len(op.regions), len(op.results), _segments(op, ()))
        parts = [len(op.operands), len(op.regions), len(op.results), *attributes]
        name = "|".join([flat, *map(str, parts), _segments(op, ())]).replace(" ", "").replace(":", "=")
        name = "".join(c if c.isalnum() or c in "_|=<>.,-" else "~" for c in name).replace(",", ".")
        if self.out.shapes.setdefault(name, shape) != shape:
            name += f"|{len(self.out.shapes)}"
            self.out.shapes[name] = shape
        columns = ["Op"] * shape.operands + ["AttrPair"] * len(attributes)
        columns += ["Region"] * shape.regions + ["Type"] * shape.types
        declaration = f"(constructor {name} ({' '.join(columns)}) Op)"
        if declaration not in self.out.declarations:
            self.out.declarations.append(declaration)
        return name, shape

    def _implies(self, op: Any, left_out: str) -> bool:
        """True if an operation made without one attribute (or, without a name, its regions) gets it back by itself."""
        attributes = {a: op.attributes[a] for a in _attributes(op)}
        key = (op.name, left_out, str(attributes), tuple(str(v.type) for v in [*op.operands, *op.results]))
        if key not in self.implied:
            self.implied[key] = self._made_again(op, left_out, attributes)
        return self.implied[key]

    def _made_again(self, op: Any, left_out: str, attributes: dict[str, Any]) -> bool:
        given = {k: v for k, v in attributes.items() if k != left_out}
        if SEGMENTS in op.attributes:
            given[SEGMENTS] = op.attributes[SEGMENTS]
        shape = Shape(op.name, len(op.operands), tuple(given), 0, len(op.results))
        module = self.ir.Module.create(op.location)  # not beside it: to print is to number the whole function
        point = self.ir.InsertionPoint(module.body)
        sources = [self.ir.Operation.create(_SOURCE, results=[v.type], ip=point, loc=op.location) for v in op.operands]
        operands = [source.results[0] for source in sources]
        made = create(self.ir, shape, operands, given, [r.type for r in op.results], InsertPoint(point, op.location))
        if made is None:
            return False
        there = op.clone(ip=point)
        for n, value in enumerate(operands):
            there.operands[n] = value
        return _said(made) == _said(there)


def _attributes(op: Any) -> list[str]:
    return sorted(a for a in op.attributes if a != SEGMENTS and a not in _CACHED)


def _said(op: Any) -> str:
    """The text of an operation without the names of its results: it leaves out what the name implies."""
    text: str = op.get_asm()
    return text.split(" = ", 1)[-1] if len(op.results) else text


def _segments(op: Any, kept: tuple[str, ...]) -> str:
    return str(op.attributes[SEGMENTS]) if SEGMENTS in op.attributes and SEGMENTS not in kept else ""


def isolated(op: Any) -> bool:
    """True for an operation that is optimised on its own: a symbol, such as a function."""
    return "sym_name" in op.attributes
