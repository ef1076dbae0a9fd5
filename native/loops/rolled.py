"""Statements that write all members of a stride, done to all of them at once, on contiguous vectors.

`x[3 i] += v[3 i]`, `x[3 i + 1] += v[3 i + 1]` and `x[3 i + 2] += v[3 i + 2]` are one statement on neighbours in memory:
nothing has to be taken apart and put together again (superword-level parallelism, Larsen and Amarasinghe 2000). Where
members differ, they are put together as early as that pays: numbers and what does not move along the vector once before
the loop, a value that all of them share by repeating its lanes, other members of a stride by one permutation.

    before  for i: y[2 * i] += 3 * x[2 * i]; y[2 * i + 1] += 5 * x[2 * i + 1]
    after   for i in 0 .. 2 * n by 8: y[i .. i + 8] += [3, 5, 3, 5, 3, 5, 3, 5] * x[i .. i + 8]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from typing import Any

from raising.native.loops.body import Body, Memory, Point, run_at, store_whole, subscripted, zero
from raising.native.loops.interleave import Form, Group, Place, blend, interleaved, part_of, permuted, place_of
from raising.native.loops.vector_ops import MASKED as WORD
from raising.native.loops.vector_ops import Lane, element_bits, joined, printed, vector_type, widened
from raising.native.nest.nest import Access, Array, Nest, Scalar
from raising.support.record import dataclass

_OWN_SCHEME = 3
"""Members of a stride for which LLVM has a scheme of its own where it sees one store of all, of too many shuffles."""
_TAKEN_APART = {2: 2, 3: 6, 4: 8}
"""Permutations that take whole vectors of so many members apart, or put them together."""


@dataclass(frozen=True)
class Statement:
    """A write of a nest, by its number."""

    nest: Nest
    number: int


@dataclass(frozen=True)
class Wide:
    """A value for all members of a stride, by its name in the nest of each, and how vectors of all come about.

    `fixed`: it does not move along the vector. `memory`: it is read as it lies there. `picked`: it is read, and
    permuted. `repeated`: all members share it. `each`: one operation on the `parts`. `negated`: the part, of some
    members with the other sign. `joined`: it is computed for each member by itself, and put together.
    """

    how: str
    names: tuple[tuple[Nest, str], ...]
    parts: tuple[Wide, ...] = ()

    def walk(self) -> Iterator[Wide]:
        """This value and all that it is made of."""
        yield self
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True)
class Flat:
    """All statements of a loop: `before` are the nests that compute what they share, `rows` what each group gets.

    A row has the write to the first member of its group.
    """

    step: int
    before: tuple[Nest, ...]
    rows: tuple[tuple[Access, Wide], ...]

    @property
    def maskable(self) -> bool:
        """Whether nothing is computed for vectors of one member."""
        return next(_alone(self), None) is None


def rolled(nests: tuple[Nest, ...], d: int, temporary: frozenset[str], form: Form) -> Flat | None:
    """The statements of a loop as those of whole strides; None if they are none, or if that costs more.

    Of what is written, a statement may read its own element only, so only the order of those of one member matters.
    """
    before = tuple(nest for nest in nests if all(write.array.root in temporary for write in nest.writes))
    rest = tuple(nest for nest in nests if nest not in before)
    groups = _groups(rest, d, temporary)
    shared = [write.array for nest in before for write in nest.writes if d in write.dims]
    written = [group.array for group in groups]
    arrays = [*shared, *written]
    sums = len(shared) != sum(len(nest.writes) for nest in before)
    if not groups or sums or any(one.may_overlap(two) for k, one in enumerate(arrays) for two in arrays[:k]):
        return None
    if any(read.array.may_overlap(array) for nest in before for read in nest.reads for array in written):
        return None
    plan, rows = _Plan(d, tuple(written), _ends(nests, d)), []
    for group, layers in groups.items():
        value = None
        for members in layers:
            value = plan.written(group, members, value)
            if value is None:
                return None
        first = layers[-1][0]
        rows.append((first.nest.writes[first.number], value))
    found = Flat(next(iter(groups)).step, before, tuple(rows))  # type: ignore[arg-type]
    return found if _pays(found, nests, d, form) else None


def _groups(nests: tuple[Nest, ...], d: int, temporary: frozenset[str]) -> dict[Group, list[tuple[Statement, ...]]]:
    """The statements of each group that is written, in the order of memory, as often as all of it is written.

    None if not all groups are whole and of one stride.
    """
    groups: dict[Group, dict[int, list[Statement]]] = {}
    for nest in nests:
        for number, write in enumerate(nest.writes):
            place = place_of(write, d)
            if place is None or write.array.root in temporary:
                return {}
            phases = groups.setdefault(place.group, {})
            phases.setdefault(place.phase, []).append(Statement(nest, number))
    whole = all(
        len(phases) == group.step and len(set(map(len, phases.values()))) == 1 for group, phases in groups.items()
    )
    if not whole or len({group.step for group in groups}) != 1:
        return {}
    return {
        group: list(zip(*(phases[phase] for phase in range(group.step)), strict=True))
        for group, phases in groups.items()
    }


def _ends(nests: tuple[Nest, ...], d: int) -> frozenset[Group]:
    """The groups of which the first and the last member are read: all of what lies between may be loaded."""
    places = {place for nest in nests for read in nest.needed if (place := place_of(read, d)) is not None}
    return frozenset(
        each.group for each in places if each.phase == 0 and Place(each.group, each.group.step - 1) in places
    )


@dataclass
class _Plan:
    """How the values of statements are computed for all members; `results` is what is written, `ends` as `_ends` says.

    `group` is written now, and `old` is what it holds, if it was written before.
    """

    d: int
    results: tuple[Array, ...]
    ends: frozenset[Group]
    group: Group | None = None
    old: Wide | None = None

    def written(self, group: Group, members: tuple[Statement, ...], old: Wide | None) -> Wide | None:
        """What these statements write to their group; None if the order of others may matter."""
        self.group, self.old = group, old
        return self._value(tuple((each.nest, each.nest.yields[each.number]) for each in members))

    def _value(self, names: tuple[tuple[Nest, str], ...]) -> Wide | None:
        if not any(self._moves(*name) for name in names):
            return Wide("fixed", names)
        if all(name.startswith("in") for _, name in names):
            return self._read(names)
        alike = _alike(names)
        if not any(self._reads_results(*name) for name in names):
            if len({_said(*name) for name in names}) == 1:
                return Wide("repeated", names)
            if not alike:
                return self._negated(names) or Wide("joined", names)
        if not alike:
            return None
        arguments = [[(nest, arg) for arg in nest.body[int(name[1:])].args] for nest, name in names]
        parts = tuple(map(self._value, zip(*arguments, strict=True)))
        return None if None in parts else Wide("each", names, parts)  # type: ignore[arg-type]

    def _negated(self, names: tuple[tuple[Nest, str], ...]) -> Wide | None:
        """A value of which some members change the sign."""
        inner = tuple(
            (nest, nest.body[int(name[1:])].args[0] if _negates(nest, name) else name) for nest, name in names
        )
        found = None if inner == names else self._value(inner)
        return Wide("negated", names, (found,)) if found is not None and found.how != "joined" else None

    def _read(self, names: tuple[tuple[Nest, str], ...]) -> Wide | None:
        """Members of one stride, in any order, or elements that lie elsewhere."""
        reads = [nest.reads[int(name[2:])] for nest, name in names]
        places = [place for read in reads if (place := place_of(read, self.d)) is not None]
        group = places[0].group if len({place.group for place in places}) == 1 else None
        whole = group is not None and len(places) == len(names) == group.step
        phases = [place.phase for place in places]
        if whole and phases == sorted(set(phases)) and (group == self.group or not any(map(self._is_result, reads))):
            return self.old if group == self.group and self.old is not None else Wide("memory", names)
        if any(map(self._is_result, reads)):
            return None
        if whole and group in self.ends:
            return Wide("picked", names)
        return Wide("repeated" if len(set(reads)) == 1 else "joined", names)

    def _moves(self, nest: Nest, name: str) -> bool:
        """Whether a value may change along the vector, or with what is written."""
        return any(
            scalar is not None and (scalar.name, scalar.properties) == ("linalg.index", str(self.d))
            or read is not None and (self.d in read.dims or self._is_result(read))
            for scalar, read in _made_of(nest, name)
        )  # fmt: skip

    def _reads_results(self, nest: Nest, name: str) -> bool:
        return any(read is not None and self._is_result(read) for _, read in _made_of(nest, name))

    def _is_result(self, read: Access) -> bool:
        return any(read.array.may_overlap(array) for array in self.results)


def _alike(names: tuple[tuple[Nest, str], ...]) -> bool:
    """Whether one operation computes a value of each member, on values that may differ."""
    if not all(name.startswith("v") for _, name in names):
        return False
    scalars = [nest.body[int(name[1:])] for nest, name in names]
    forms = {(each.name, each.properties, each.operands, each.result) for each in scalars}
    return len(forms) == 1 and scalars[0].name != "linalg.index"


def _is_number(nest: Nest, name: str) -> bool:
    return name.startswith("v") and nest.body[int(name[1:])].name == "arith.constant"


def _negates(nest: Nest, name: str) -> bool:
    return name.startswith("v") and nest.body[int(name[1:])].name == "arith.negf"


def _phases(wide: Wide, d: int) -> list[int]:
    """Which members of their group are read."""
    places = (place_of(nest.reads[int(name[2:])], d) for nest, name in wide.names)
    return [place.phase for place in places if place is not None]


def _made_of(nest: Nest, name: str) -> Iterator[tuple[Scalar | None, Access | None]]:
    """The operations and the reads that a value is made of."""
    if name.startswith("in"):
        yield None, nest.reads[int(name[2:])]
    elif name.startswith("v"):
        scalar = nest.body[int(name[1:])]
        yield scalar, None
        for arg in scalar.args:
            yield from _made_of(nest, arg)


def _said(nest: Nest, name: str) -> Any:
    """A value in a form that is the same for nests that compute the same."""
    if name.startswith("in"):
        return nest.reads[int(name[2:])]
    if not name.startswith("v"):
        return name
    scalar = nest.body[int(name[1:])]
    args = tuple(_said(nest, arg) for arg in scalar.args)
    return scalar.name, scalar.properties, scalar.operands, scalar.result, args


def _pays(flat: Flat, nests: tuple[Nest, ...], d: int, form: Form) -> bool:
    """Whether vectors of whole strides take no more permutations than those of one member."""
    values = {value for _, row in flat.rows for value in row.walk()}
    cost = sum(_permutations(value, flat.step, d, form) for value in values)
    read = _groups_of((read for nest in nests for read in nest.needed), d)
    apart = _groups_of((read for side in _alone(flat) for _, read in _made_of(*side) if read is not None), d)
    cost += sum(_TAKEN_APART[group.step] for group in apart)
    arrays = [group.array for group in read] + [write.array for write, _ in flat.rows]
    if form.chunk or any(
        element_bits(array.element) < max(form.bits, 0 if form.permutes else WORD) for array in arrays
    ):
        return cost == 0  # pairs are parts of words, or shuffles stay within halves of a vector
    return cost <= sum(_TAKEN_APART[group.step] for group in read) + len(flat.rows) * _TAKEN_APART[flat.step]


def _permutations(value: Wide, step: int, d: int, form: Form) -> int:
    """Those that put a value together.

    Of members of three, a vector takes its lanes from two vectors, or from three; where no instruction permutes two,
    that is three of them.
    """
    if value.how == "joined":
        return _TAKEN_APART[step]
    if value.how == "picked" and step == 3:
        phases = _phases(value, d)
        far = phases != sorted(phases) and max(phases) - min(phases) > 1
        return step + far if form.permutes else 3 * step
    return step if value.how in ("picked", "repeated") else 0


def _groups_of(reads: Iterable[Access], d: int) -> set[Group]:
    return {place.group for read in reads if (place := place_of(read, d)) is not None}


def _alone(flat: Flat) -> Iterator[tuple[Nest, str]]:
    """The values that are computed for one member at a time."""
    yield from ((nest, name) for nest in flat.before for name in nest.yields)
    for _, row in flat.rows:
        for value in row.walk():
            if value.how in ("repeated", "joined"):
                yield from value.names


def write_rolled(flat: Flat, point: Point, memory: Memory) -> None:
    """The statements at one vector of points."""
    code, lanes = memory.code, point.lanes * flat.step
    for nest in flat.before:
        run_at(code, nest, point, memory)
    values = _Values(point, memory, lanes)
    for write, value in flat.rows:
        name, array = widened(code, values.value(value), lanes), write.array
        kind = vector_type(array.element, lanes)
        if point.mask is not None:
            where = subscripted(code, point.element(write), point.names)
            code.line(f"vector.maskedstore {where}, {point.mask}, {name} : {array.type}, vector<{lanes}xi1>, {kind}")
            continue
        size = point.lanes if flat.step == _OWN_SCHEME else lanes
        for start in range(0, lanes, size):
            part = name if size == lanes else part_of(code, name, (start, lanes), array.element, size)
            where = subscripted(code, point.element(write), point.names, -start)
            store_whole(code, part, where, (array, vector_type(array.element, size)), point, start)


@dataclass
class _Values:
    """Values at one vector of points, on so many lanes: each is computed once."""

    point: Point
    memory: Memory
    lanes: int
    known: dict[Wide, Lane] = field(default_factory=dict)
    bodies: dict[Nest, Body] = field(default_factory=dict)

    def value(self, wide: Wide) -> Lane:
        """A value for all members."""
        if wide not in self.known:
            how = {"fixed": self._fixed, "memory": self._read, "picked": self._picked, "repeated": self._repeated,
                   "each": self._each, "negated": self._negated, "joined": self._joined}  # fmt: skip
            self.known[wide] = how[wide.how](wide)
        return self.known[wide]

    def _alone(self, nest: Nest, name: str) -> Lane:
        """A value for one member, on a vector of as many lanes as there are points."""
        if nest not in self.bodies:
            here, permutes = replace(self.point, mask=None), self.memory.form.permutes
            self.bodies[nest] = Body(self.memory.code, nest, here, self.memory, permutes=permutes)
        return self.bodies[nest].value(name)

    def _each(self, wide: Wide) -> Lane:
        nest, name = wide.names[0]
        args = [self.value(part) for part in wide.parts]
        return printed(self.memory.code, nest.body[int(name[1:])], args, self.lanes, self.memory.form.permutes)

    def _negated(self, wide: Wide) -> Lane:
        """Bits of signs that are the other ones: of a NaN, too."""
        code, value = self.memory.code, self.value(wide.parts[0])
        element = value.element.replace("bf", "i").replace("f", "i")
        kind, integers = vector_type(value.element, self.lanes), vector_type(element, self.lanes)
        sign = str(-1 << (element_bits(element) - 1))
        chosen = [sign if _negates(*name) else "0" for name in wide.names] * self.point.lanes
        signs = code.op(f"arith.constant dense<[{', '.join(chosen)}]> : {integers}")
        bits = code.op(f"arith.bitcast {widened(code, value, self.lanes)} : {kind} to {integers}")
        bits = code.op(f"arith.xori {bits}, {signs} : {integers}")
        return Lane(code.op(f"arith.bitcast {bits} : {integers} to {kind}", "v"), value.element, True)

    def _fixed(self, wide: Wide) -> Lane:
        """A vector of which all strides are the same: whole before the loop."""
        code, lanes, step = self.memory.code, self.point.lanes, len(wide.names)
        values = [self._alone(*name) for name in wide.names]
        if len({_said(*name) for name in wide.names}) == 1:
            return values[0]
        element, kind = values[0].element, vector_type(values[0].element, lanes)
        vectors = [widened(code, value, lanes) for value in values]
        if not all(_is_number(*name) for name in wide.names):
            vectors = [self._opaque(each, element) for each in vectors]
        starts = range(0, self.lanes, lanes)
        parts = [blend(code, vectors, [(start + lane) % step for lane in range(lanes)], kind) for start in starts]
        return self._whole(parts, element)

    def _opaque(self, vector: str, element: str) -> str:
        """A vector of which LLVM does not see that lanes are equal: it would blend them one by one, in the loop."""
        code, lanes = self.memory.code, self.point.lanes
        kind, words = vector_type(element, lanes), lanes * element_bits(element) // WORD
        if element == "i1" or words < 2:
            return vector
        floats = vector_type("f32", words)
        found = code.op(f"vector.bitcast {vector} : {kind} to {floats}", "b")
        found = code.op(f'llvm.call_intrinsic "llvm.arithmetic.fence"({found}) : ({floats}) -> {floats}', "b")
        return code.op(f"vector.bitcast {found} : {floats} to {kind}", "b")

    def _read(self, wide: Wide) -> Lane:
        """All members of a group, as they lie in memory."""
        (nest, name), code, point = wide.names[0], self.memory.code, self.point
        read = nest.reads[int(name[2:])]
        place, array, kind = place_of(read, point.dim), read.array, vector_type(read.array.element, self.lanes)
        assert place is not None
        where = subscripted(code, point.element(read), point.names, place.phase)
        text = f"vector.load {where} : {array.type}, {kind}"
        if point.mask is not None:
            types = f"{array.type}, vector<{self.lanes}xi1>, {kind} into {kind}"
            text = f"vector.maskedload {where}, {point.mask}, {zero(code, array.element, self.lanes)} : {types}"
        return Lane(code.op(text, "l"), array.element, True)

    def _picked(self, wide: Wide) -> Lane:
        phases, step, lanes = _phases(wide, self.point.dim), len(wide.names), self.point.lanes
        read, code = self._read(wide), self.memory.code
        starts = range(0, self.lanes, lanes)
        vectors = [part_of(code, read.name, (start, self.lanes), read.element, lanes) for start in starts]
        order = [k // step * step + phases[k % step] for k in range(self.lanes)]
        parts = [permuted(code, vectors, order[start : start + lanes], read.element, lanes) for start in starts]
        return self._whole(parts, read.element)

    def _repeated(self, wide: Wide) -> Lane:
        lanes, code = self.point.lanes, self.memory.code
        points, value = self.memory.form.points(lanes), self._alone(*wide.names[0])
        order = [points[k // len(wide.names)] for k in range(self.lanes)]
        starts = range(0, self.lanes, lanes)
        parts = [permuted(code, [value.name], order[start : start + lanes], value.element, lanes) for start in starts]
        return self._whole(parts, value.element)

    def _joined(self, wide: Wide) -> Lane:
        code, lanes, form = self.memory.code, self.point.lanes, self.memory.form
        values = [self._alone(*name) for name in wide.names]
        element = values[0].element
        vectors = interleaved(code, [widened(code, value, lanes) for value in values], element, lanes, form)
        return self._whole([name for name, _, _ in vectors], element)

    def _whole(self, vectors: list[str], element: str) -> Lane:
        """Vectors of as many lanes as there are points, or one of all members, as one vector."""
        if len(vectors) == 1:
            return Lane(vectors[0], element, True)
        code, size = self.memory.code, self.point.lanes << (len(vectors) - 1).bit_length()
        found, kind = joined(code, vectors, element, self.point.lanes), vector_type(element, size)
        order = list(range(self.lanes))
        return Lane(code.op(f"vector.shuffle {found}, {found} {order} : {kind}, {kind}", "v"), element, True)
