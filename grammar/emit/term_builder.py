"""Terms as MLIR text, each distinct node once, operands first and readers before writers.

Bufferization lets an insertion, or a loop, take over the memory of the tensor that it starts from if nobody reads that
tensor afterwards. So every operation that reads a tensor is written before the one that updates it in place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from raising.affine.ir.affine_expr import Cond, Lin, compared, var
from raising.grammar.emit.carried_loops import looped
from raising.grammar.emit.guarded_choices import Facts, branched, is_harmless, iterations, kept_in_branches
from raising.grammar.emit.mask_fusion import fused, index_value, is_inlined, joined, reversed_
from raising.grammar.emit.operation_lines import OperationLines
from raising.grammar.evaluate.evaluator import neutral_literal
from raising.grammar.select.selector import Argument, Selector, body_lines, tensor_text
from raising.grammar.terms.literal import literal_text
from raising.grammar.terms.structured_op import COPY
from raising.grammar.terms.term import (
    Apply,
    Either,
    Input,
    Insert,
    Literal,
    Mask,
    Recur,
    Reshape,
    Reverse,
    Step,
    TensorType,
    Term,
    Undefined,
    Window,
    box_extents,
    nodes,
)


def leaves(term: Term, kept: Set[bytes] = frozenset()) -> list[Term]:
    """The operands a node takes as values, seen through those inlined into it and those `kept` in its branches."""
    found: list[Term] = []
    seen = {term.digest}
    stack = [term]
    while stack:
        user = stack.pop()
        for operand in user.operands:
            if operand.digest not in kept and not (is_inlined(operand) and isinstance(user, Apply)):
                found.append(operand)
            elif operand.digest not in seen:
                seen.add(operand.digest)
                stack.append(operand)
    return found


def writes_last(order: list[Term], kept: Set[bytes]) -> list[Term]:
    """The nodes of `order` with each write as late as what needs it allows, after those who read what it changes."""
    users: dict[bytes, list[Term]] = defaultdict(list)
    for node in order:
        for operand in leaves(node, kept):
            users[operand.digest].append(node)
    result: list[Term] = []
    waiting = {n.digest for n in order}

    def ready(node: Term) -> bool:
        return not any(o.digest in waiting for o in leaves(node, kept))

    def readers(tensor: Term, write: Term) -> int:
        """How many that wait read a tensor, or a view of it, besides a write."""
        found = [u for u in users[tensor.digest] if u != write]
        views = sum(readers(u, write) for u in found if isinstance(u, Window | Reshape))
        return views + sum(u.digest in waiting for u in found)

    while order:
        left: list[Term] = []
        for node in order:
            if isinstance(node, Insert | Recur) or any(o.digest in kept for o in node.operands) or not ready(node):
                left.append(node)
            else:
                result.append(node)
                waiting.discard(node.digest)
        writes = [n for n in left if ready(n)]
        if writes:
            next_ = min(writes, key=lambda w: sum(readers(t, w) for t in _changed(w, kept)))
            result.append(next_)
            waiting.discard(next_.digest)
            left.remove(next_)
        order = left
    return result


def _changed(write: Term, kept: Set[bytes]) -> Sequence[Term]:
    """The tensors that a write may take over."""
    if isinstance(write, Insert):
        return (write.into,)
    return write.inits if isinstance(write, Recur) else leaves(write, kept)


class Builder(OperationLines):
    """Appends operations to `lines`; remembers each term's value, each constant and each size.

    `made` has the digest of the term for which an SSA name was made first.
    `names` gives the SSA value of each name of the function; those in `positive` are never negative.
    The values of terms in `copied` get memory of their own.
    """

    def __init__(self, selector: Selector, sizes: Mapping[str, Lin], names: Mapping[str, str]) -> None:
        super().__init__(selector, sizes)
        self.names = dict(names)
        self.positive: set[str] = set()
        self.copied: set[bytes] = set()
        self.facts: Facts = ()  # what holds where this builder writes, over names of the function
        self.kept: set[bytes] = set()  # what choices compute in their branches
        self.values: dict[bytes, Argument] = {}
        self.made: dict[str, bytes] = {}
        self.loops: dict[tuple[object, ...], list[Argument]] = {}

    def inside(self, step: Step) -> Builder:
        """A builder for the iterations of a loop, which see all that is known here."""
        inner = Builder(self.selector, {**self.sizes, step.iv: var(step.iv)}, {**self.names, step.iv: f"%{step.iv}"})
        return self._continued(inner, iterations(step, self.resolved))

    def branch(self, conds: Sequence[Cond]) -> Builder:
        """A builder for one side of a choice, taken where `conds` hold, which sees all that is known here."""
        inner = Builder(self.selector, self.sizes, self.names)
        inner.values, inner.loops = dict(self.values), dict(self.loops)
        return self._continued(inner, tuple(Cond(self.resolved(c.form), c.equality) for c in conds))

    def _continued(self, inner: Builder, facts: Facts) -> Builder:
        inner._continues(self)
        inner.positive, inner.made, inner.facts = self.positive, self.made, (*self.facts, *facts)
        inner.copied = self.copied
        return inner

    def _harmless(self, node: Term) -> bool:
        facts = (*self.facts, *(Cond(var(n)) for n in sorted(self.positive)))
        return is_harmless(node, facts, self.resolved)

    # ---- sizes -----------------------------------------------------------------------------------

    def index(self, form: Lin) -> str:
        """The SSA index value of a resolved form."""
        return index_value(form, self.names, self.once, self.once)

    def size(self, form: Lin) -> str:
        """The SSA value of a resolved extent: a loop that runs a negative number of times runs not at all."""
        name = form.as_offset()
        if name is not None and name[1] == 0 and name[0] in self.positive:
            return self.names[name[0]]
        zero = self.once("arith.constant 0 : index")
        return self.once(f"arith.maxsi {self.index(form)}, {zero} : index")

    def extents(self, kind: TensorType) -> tuple[Lin, ...]:
        """A type's extents, resolved."""
        return tuple(self.resolved(d) for d in kind.dims)

    def tensor(self, kind: TensorType) -> str:
        """A type as MLIR text."""
        return tensor_text(kind, self.extents(kind))

    def empty(self, kind: TensorType) -> Argument:
        """A tensor without contents."""
        dynamic = ", ".join(self.size(e) for e in self.extents(kind) if not e.is_const)
        return Argument(self.once(f"tensor.empty({dynamic}) : {self.tensor(kind)}"), self.tensor(kind))

    # ---- terms -----------------------------------------------------------------------------------

    def build(self, roots: Sequence[Term]) -> list[Argument]:
        """The values of terms, appending what they need."""
        known = set(self.values)
        self.kept = kept_in_branches(roots, known, self._harmless)
        for node in _materialised(tuple(roots), known, self.kept):
            if node.digest not in self.values:
                begun = len(self.lines)
                value = self._node(node)
                self.values[node.digest] = self._copy(value) if node.digest in self.copied else value
                for line in self.lines[begun:]:
                    self.made.setdefault(line.partition(" ")[0].partition(":")[0], node.digest)
        return [self.values[r.digest] for r in roots]

    def _node(self, term: Term) -> Argument:
        match term:
            case Literal():
                return self.literal(term)
            case Undefined() | Reverse():
                return self.empty(term.type) if isinstance(term, Undefined) else reversed_(self, term)
            case Window() | Reshape():
                return self._window(term) if isinstance(term, Window) else self._reshape(term)
            case Insert():
                return self._insert(term)
            case Either():
                return self._either(term)
            case Mask() | Apply():
                return fused(self, term) if isinstance(term, Mask) else self._apply(term)
            case Recur():
                if term.loop not in self.loops:
                    self.loops[term.loop] = looped(self, term)
                return self.loops[term.loop][term.number]
            case Input():
                raise KeyError(f"input '{term.name}' has no value")
        raise TypeError(f"unknown term {type(term).__name__}")

    def _copy(self, value: Argument) -> Argument:
        if value.is_scalar:
            return value
        name = self.fresh()
        self.lines.append(f"{name} = bufferization.alloc_tensor() copy({value.name}) : {value.type}")
        return Argument(name, value.type)

    def literal(self, term: Literal) -> Argument:
        """A scalar constant."""
        element = term.type.element
        kind = "" if element == "i1" else f" : {element}"
        return Argument(self.once(f"arith.constant {literal_text(term.text, element)}{kind}"), element)

    def _apply(self, term: Apply) -> Argument:
        if any(is_inlined(t) for t in term.inputs):
            return fused(self, term)
        arguments = [self.values[t.digest] for t in term.inputs]
        if term.type.rank == 0 and not term.body.reads_output and all(t.type.rank == 0 for t in term.inputs):
            return self._scalar(term, arguments)
        init = self.init(term)
        name = self.fresh()
        self.say(self.selector.text(term, arguments, init, name))
        return Argument(name, init.type)

    def say(self, text: str) -> None:
        """Append an operation of the target, and note its name."""
        self.lines.append(text)
        self.said.append(text.split('"')[1])

    def init(self, term: Apply) -> Argument:
        """The tensor that a computation starts from."""
        if not term.body.reads_output:
            return self.empty(term.type)
        if term.init is not None:
            return self.as_tensor(self.values[term.init.digest], term.type)
        start = neutral_literal(term.body, term.type.element)
        return self.filled(self.literal(start), term.type)

    def filled(self, value: Argument, kind: TensorType) -> Argument:
        """A tensor of one value."""
        scalar = Literal(TensorType(kind.element, ()), "0")
        copy = Apply(kind, COPY, ((), tuple(range(kind.rank))), (scalar,))
        name = self.fresh()
        self.say(self.selector.text(copy, [value], self.empty(kind), name))
        return Argument(name, self.tensor(kind))

    def as_tensor(self, value: Argument, kind: TensorType) -> Argument:
        """A scalar value as a tensor of rank 0; tensors as they are."""
        if not value.is_scalar:
            return value
        return Argument(self.once(f"tensor.from_elements {value.name} : {self.tensor(kind)}"), self.tensor(kind))

    def as_scalar(self, value: Argument, element: str) -> Argument:
        """The element of a tensor of rank 0; scalars as they are."""
        if value.is_scalar:
            return value
        return Argument(self.once(f"tensor.extract {value.name}[] : {value.type}"), element)

    def _scalar(self, term: Apply, arguments: list[Argument]) -> Argument:
        """A computation without dimensions is plain scalar code."""
        values = [self.as_scalar(a, t.type.element) for a, t in zip(arguments, term.inputs, strict=True)]
        names, types = [v.name for v in values], [v.type for v in values]
        lines, result = body_lines(term.body, [*names, ""], [*types, term.type.element], self.fresh)
        self.lines += lines
        return result

    def holds(self, alternatives: Sequence[Sequence[Cond]]) -> str:
        """The truth that one of some conjunctions of conditions on sizes holds, without those on numbers."""
        truths = []
        for conds in alternatives:
            resolved = [Cond(self.resolved(c.form), c.equality) for c in conds]
            tests = [self._test(c) for c in resolved if not (c.form.is_const and c.holds({}))]
            truths.append(joined(tests, "arith.andi", "true", self.once, self.once))
        return joined(truths, "arith.ori", "false", self.once, self.once)

    def _test(self, cond: Cond) -> str:
        more, less, name = compared(cond)
        sign = name if cond.equality else f"s{name}"
        return self.once(f"arith.cmpi {sign}, {self.index(more)}, {self.index(less)} : index")

    def _either(self, term: Either) -> Argument:
        truth = self.holds([term.conds])
        if {term.yes.digest, term.no.digest} & self.kept:
            return branched(self, term, truth)
        sides = [(self.values[t.digest], t.type) for t in (term.yes, term.no)]
        if not term.type.rank:  # a choice of numbers: what is not chosen need not be one
            yes, no = (self.as_scalar(value, kind.element) for value, kind in sides)
        else:
            yes, no = (self.as_tensor(value, kind) for value, kind in sides)
        return Argument(self.once(f"arith.select {truth}, {yes.name}, {no.name} : {yes.type}"), yes.type)

    def _window(self, term: Window) -> Argument:
        source = self.values[term.source.digest]
        if self._is_whole(term, term.source.type):
            return source
        if not term.kept:
            element = term.type.element
            at = ", ".join(self.index(self.resolved(o)) for o in term.offsets)
            return Argument(self.once(f"tensor.extract {source.name}[{at}] : {source.type}"), element)
        return Argument(
            self.once(
                f"tensor.extract_slice {source.name}{self._box(term)} : {source.type} to {self.tensor(term.type)}"
            ),
            self.tensor(term.type),
        )

    def _reshape(self, term: Reshape) -> Argument:
        """Dimensions as one or as several; all extents are numbers."""
        source, kind = self.values[term.source.digest], self.tensor(term.type)
        dims = iter(range(sum(term.groups)))
        groups = ", ".join(f"[{', '.join(str(next(dims)) for _ in range(n))}]" for n in term.groups)
        if term.type.rank < term.source.type.rank:
            text = f"tensor.collapse_shape {source.name} [{groups}] : {source.type} into {kind}"
        else:
            shape = ", ".join(str(e.const) for e in self.extents(term.type))
            text = f"tensor.expand_shape {source.name} [{groups}] output_shape [{shape}] : {source.type} into {kind}"
        self.said.append(text.split()[0])
        return Argument(self.once(text), kind)

    def _is_whole(self, term: Window | Insert, outer: TensorType) -> bool:
        """True if the box is all of the tensor, at the sizes of the program."""
        inner = term.type if isinstance(term, Window) else term.piece.type
        start = all(self.resolved(o) == Lin(0) for o in term.offsets) and all(s == 1 for s in term.strides)
        return start and self.extents(inner) == self.extents(outer)

    def _insert(self, term: Insert) -> Argument:
        into, piece = self.values[term.into.digest], self.values[term.piece.digest]
        box = self._box(term)
        if self._is_whole(term, term.into.type):
            return piece
        name = self.fresh()
        if not term.kept:
            value = self.as_scalar(piece, term.type.element)
            at = ", ".join(self.index(self.resolved(o)) for o in term.offsets)
            self.lines.append(f"{name} = tensor.insert {value.name} into {into.name}[{at}] : {into.type}")
            return Argument(name, into.type)
        self.lines.append(
            f"{name} = tensor.insert_slice {piece.name} into {into.name}{box} : {piece.type} into {into.type}"
        )
        return Argument(name, into.type)

    def _box(self, window: Window | Insert) -> str:
        offsets = [self._position(o) for o in window.offsets]
        sizes = map(self._extent, box_extents(window))
        strides = [str(s) for s in window.strides]
        return "".join(f"[{', '.join(part)}]" for part in (offsets, sizes, strides))

    def _extent(self, form: Lin) -> str:
        resolved = self.resolved(form)
        return str(resolved.const) if resolved.is_const else self.size(resolved)

    def _position(self, form: Lin) -> str:
        resolved = self.resolved(form)
        return str(resolved.const) if resolved.is_const else self.index(resolved)


def _materialised(roots: tuple[Term, ...], known: set[bytes], kept: set[bytes]) -> list[Term]:
    """Nodes that become values, operands first: what is only inlined into its users, or in a branch, is left out."""
    order = [n for n in nodes(roots) if n.digest not in kept]
    users = {r.digest for r in roots}
    for node in reversed(order):
        if node.digest in users or not is_inlined(node):
            users.update(operand.digest for operand in leaves(node, kept))
    return writes_last([n for n in order if n.digest in users and n.digest not in known], kept)
