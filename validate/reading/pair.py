"""Two functions as programs over the same arguments, ready to be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from raising.affine.ir.affine_expr import Lin, const, var
from raising.affine.ir.program import Loop, Program, Scalar, forms, walk
from raising.affine.ir.renaming import renamed, with_sizes
from raising.affine.sizes.size_classes import NEAR
from raising.affine.sizes.symbolic_sizes import generalise
from raising.support.record import dataclass
from raising.validate.base.assumption import FIXED, NO_OVERLAP, Assumption
from raising.validate.base.unreadable import Unreadable
from raising.validate.reading.function_body import SlotType
from raising.validate.reading.index_arithmetic import fold_indices, is_wide
from raising.validate.reading.memory_use import Extent, Promise
from raising.validate.reading.reading import Side, read_side
from raising.validate.reading.shared_variables import aligned, as_inputs, gathered_names, gathers, with_lookups


@dataclass(frozen=True)
class Assumptions:
    """The facts that may be assumed about arguments, by name (`a0`, `a1`, …).

    Of a `symmetric` array only one half is read; a `lower` (`upper`) one is
    zero above (below) its diagonal. `truths` are of C's `_Bool`, and hold 0 or 1. `sizes` are conditions that sizes
    meet in any case: the names in them, and isl's text.
    """

    symmetric: frozenset[str] = frozenset()
    lower: frozenset[str] = frozenset()
    upper: frozenset[str] = frozenset()
    truths: frozenset[str] = frozenset()
    sizes: tuple[tuple[frozenset[str], str], ...] = ()

    def values(self) -> tuple[Assumption, ...]:
        """All assumptions, one after the other."""
        kinds = (("symmetric", self.symmetric), ("lower triangular", self.lower), ("upper triangular", self.upper))
        texts = (f"argument {name[1:]} is {kind}" for kind, names in kinds for name in sorted(names))
        return tuple(Assumption("argument", text) for text in texts)


@dataclass(frozen=True)
class Pair:
    """Two programs over the same arguments and sizes, and the arrays whose final contents have to agree.

    Arguments have the same names in both (`a0`, `a1`, … by position), every
    other name is distinct. A scalar argument of one side may be an array of
    rank zero on the other. `outputs` are pairs (array of source, array of
    target) with their `labels`; `values` says what each size is in the files,
    itself if it is open. `scopes` are those of `Side`. `assumed` is what reading them took for granted, `owed` what
    only the target takes open extents to be. If it is `rigid`, the numbers of the files stay numbers;
    `truths` are arguments of C's `_Bool`. Of a `computed` pair some sizes follow from others in a way that is not
    known here: only a proof says something of it. `promised` is what flags of the source's operations say.
    """

    source: Program
    target: Program
    outputs: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    values: dict[str, Lin]
    scopes: dict[str, int]
    assumed: tuple[Assumption, ...] = ()
    owed: tuple[Extent, ...] = ()
    rigid: bool = False
    truths: frozenset[str] = frozenset()
    computed: bool = False
    promised: tuple[Promise, ...] = ()

    @property
    def gathers(self) -> bool:
        """Whether what is read at positions that are data is an input beside the arguments."""
        return any(map(gathers, (self.source, self.target)))

    @property
    def numbers(self) -> dict[str, str]:
        """The integer arguments that are sizes, too, with the names of these."""
        scalars = {**self.source.scalars, **self.target.scalars}
        names = ((a, f"n{a[1:]}") for a, scalar in scalars.items() if a[0] == "a" and is_wide(scalar.element))
        return {a: n for a, n in names if n in self.source.sizes}

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that the files fix."""
        return {n: v.const for n, v in self.values.items() if v.is_const}


def turned(pair: Pair) -> Pair:
    """The pair with source and target exchanged."""
    outputs = tuple((other, one) for one, other in pair.outputs)
    return replace(pair, source=pair.target, target=pair.source, outputs=outputs)


def read_pair(
    source: str | bytes,
    target: str | bytes,
    functions: tuple[str | None, str | None] = (None, None),
    files: tuple[str, str] = ("-", "-"),
    computed: bool = False,
) -> Pair:
    """Read both; `InputError` if one is not valid, `Unreadable` if they cannot be compared.

    Sizes that are computed of others are refused, or (`computed`) taken for sizes of their own.
    """
    texts = zip((source, target), functions, files, strict=True)
    return paired(*aligned(*(read_side(text, name, file, computed=computed) for text, name, file in texts)))


def paired(source: Side, target: Side) -> Pair:
    """Two sides with the names of their arguments made the same."""
    source, target = with_lookups(source), with_lookups(target)
    _same_types(source.types, target.types, "arguments")
    _same_places(source, target)
    _same_rows(source, target)
    ports, labels = _outputs(source, target)
    shared = gathered_names(source, target)
    names = _names(source, "s_", shared[0]), _names(target, "t_", shared[1])

    one, other = (as_inputs(renamed(s.program, n)) for s, n in zip((source, target), names, strict=True))
    outputs = tuple((names[0](a), names[1](b)) for a, b in ports)
    one, other, more = _numbers_as_sizes(one, other, source.types)
    fixed = _extents(source, target) | _told(source) | _declared(one, other)
    one, other = with_sizes(one, fixed), with_sizes(other, fixed)
    sizes = tuple(sorted({*one.sizes, *other.sizes}))
    context = tuple(dict.fromkeys((*one.context, *(c for c in other.context if c.form.const == 0))))
    one, other = (replace(p, sizes=sizes, context=context) for p in (one, other))
    scopes = {names[k](n): d for k, side in enumerate((source, target)) for n, d in side.scopes.items()}
    owed = tuple(e for e in target.extents if fixed.get(f"a{e.argument}_{e.dim}") != const(e.number))
    values = {n: var(n) for n in sizes}
    computed = source.computed or target.computed
    assumed = (*_taken_for_granted(source, target), *more)
    return Pair(
        one,
        other,
        outputs,
        labels,
        values,
        scopes,
        assumed,
        owed,
        computed=computed,
        truths=_truths(source, target),
        promised=source.promises,
    )


def _numbers_as_sizes(
    one: Program, other: Program, types: tuple[SlotType, ...]
) -> tuple[Program, Program, tuple[Assumption, ...]]:
    """Both programs with an integer that is a size of one of them known where it is compared; what that assumes."""
    sizes = {*one.sizes, *other.sizes}
    places = (k for k, (element, shape) in enumerate(types) if not shape and is_wide(element))
    given = {f"a{k}": var(f"n{k}") for k in places if f"n{k}" in sizes}
    if not given:
        return one, other, ()
    (one, first), (other, second) = (fold_indices(p, frozenset(p.arrays), given) for p in (one, other))
    return one, other, (*first, *second)


# ---- signatures ----------------------------------------------------------------------------------


def _same_types(one: tuple[SlotType, ...], other: tuple[SlotType, ...], what: str) -> None:
    same = len(one) == len(other) and all(_fit(a, b) for a, b in zip(one, other, strict=True))
    if not same:
        raise Unreadable(f"the {what} differ: ({_texts(one)}) and ({_texts(other)})")


def _truths(source: Side, target: Side) -> frozenset[str]:
    """The arguments that hold 0 or 1 in one of both."""
    places = enumerate(zip(source.arguments, target.arguments, strict=True))
    return frozenset(f"a{k}" for k, (a, b) in places if a in source.truths or b in target.truths)


def _same_places(source: Side, target: Side) -> None:
    """Refuse parameters that C passes at different places: fields of a struct, or a pointer and what is in front."""
    if source.places and target.places:
        for k, (one, other) in enumerate(zip(source.places, target.places, strict=False)):  # variables come behind
            if one != other:
                raise Unreadable(f"argument {k} is found at another place in what C passes: {one} and {other}")


def _same_rows(source: Side, target: Side) -> None:
    """Refuse arrays whose rows are as long as both files say, but not equally: [i][j] is another element in each."""
    for k, (one, other) in enumerate(zip(source.arguments, target.arguments, strict=True)):
        rows = source.rows.get(one), target.rows.get(other)
        if None not in rows and rows[0] != rows[1]:
            texts = (", ".join(map(str, inner or ())) for inner in rows)
            raise Unreadable(f"the rows of argument {k} are not equally long: {' and '.join(texts)} elements")
        if source.flat.get(k) != target.flat.get(k):
            raise Unreadable(f"flat memory is read in other rows: argument {k}")


def _same_memory(source: Side, target: Side) -> None:
    """Refuse a result that is the memory of an argument, or of another result, on one side only: callers may write."""
    for k, places in enumerate(zip(*map(_memory_of_results, (source, target)), strict=True)):
        if not source.on_tensors and places[0] != places[1]:
            raise Unreadable(f"result {k} is {places[0]} in the source, and {places[1]} in the target")


def _memory_of_results(side: Side) -> list[str]:
    places = {name: f"argument {k}" for k, name in enumerate(side.arguments)}
    return [places.setdefault(name, f"memory of its own ({k})") for k, name in enumerate(side.results)]


def _fit(one: SlotType, other: SlotType) -> bool:
    """The same element and extents; a scalar fits an array of rank zero, `?` fits a number."""
    first, second = one[1] or (), other[1] or ()
    if one[0] != other[0] or len(first) != len(second):
        return False
    return all(a == b or a is None or b is None for a, b in zip(first, second, strict=True))


def _texts(types: tuple[SlotType, ...]) -> str:
    return ", ".join(e if s is None else "x".join([*("?" if d is None else str(d) for d in s), e]) for e, s in types)


def _outputs(source: Side, target: Side) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """The outputs that have to agree: arrays that either side writes, and returned values.

    A function on tensors returns what one on memory writes, in the order of
    the arguments, and then what that returns.
    """
    if source.on_tensors == target.on_tensors:
        _same_types(source.result_types, target.result_types, "results")
        _same_memory(source, target)
        written = [] if source.on_tensors else sorted(source.written | target.written)
        ports = [(source.arguments[k], target.arguments[k]) for k in written]
        ports += list(zip(source.results, target.results, strict=True))
    else:
        memory, tensors = (target, source) if source.on_tensors else (source, target)
        written = sorted(memory.written)
        types = (*(memory.types[k] for k in written), *memory.result_types)
        pair = (tensors.result_types, types) if source.on_tensors else (types, tensors.result_types)
        _same_types(*pair, "results")
        names = (*(memory.arguments[k] for k in written), *memory.results)
        ports = list(zip(*((tensors.results, names) if source.on_tensors else (names, tensors.results)), strict=True))
    returned = range(len(ports) - len(written))
    return ports, tuple([f"argument {k}" for k in written] + [f"result {k}" for k in returned])


# ---- names ---------------------------------------------------------------------------------------


def _names(side: Side, prefix: str, shared: dict[str, str]) -> Callable[[str], str]:
    """Arguments by position, everything else that is not `shared` with a prefix of its side; sizes are by position."""
    places = {name: f"a{k}" for k, name in enumerate(side.arguments) if name} | shared
    sizes = set(side.program.sizes)
    return lambda name: places.get(name) or (name if name in sizes else prefix + name)


def _extents(source: Side, target: Side) -> dict[str, Lin]:
    """A `?` extent on one side that is a number on the other."""
    fixed = {}
    for k, (one, other) in enumerate(zip(source.types, target.types, strict=True)):
        for d, (a, b) in enumerate(zip(one[1] or (), other[1] or (), strict=False)):
            number = a if a is not None else b
            if number is not None and a != b:
                fixed[f"a{k}_{d}"] = const(number)
    return fixed


def _told(source: Side) -> dict[str, Lin]:
    """A `?` extent that a cast of the source says is a number."""
    return {f"a{e.argument}_{e.dim}": const(e.number) for e in source.extents}


def _taken_for_granted(source: Side, target: Side) -> tuple[Assumption, ...]:
    """The assumptions that reading two functions as a pair makes."""
    found = [Assumption("extent", f"a{e.argument}_{e.dim} = {e.number}", e.where, "source") for e in source.extents]
    for side, name in ((source, "source"), (target, "target")):
        found += [replace(a, needed_by=name) if a.where.line else a for a in side.assumed]
    found += [Assumption("promise", told.text, told.where, "target") for told in target.promises]
    for k, (one, other) in enumerate(zip(source.types, target.types, strict=True)):
        for d, (a, b) in enumerate(zip(one[1] or (), other[1] or (), strict=False)):
            if a is None and b is not None:
                found.append(Assumption("extent", f"a{k}_{d} = {b}", needed_by="target"))
    memories = sum(shape is not None for _, shape in source.types)
    in_memory = not (source.on_tensors and target.on_tensors)
    return (*found, NO_OVERLAP) if in_memory and memories > 1 and source.written | target.written else tuple(found)


def _declared(one: Program, other: Program) -> dict[str, Lin]:
    """A `?` extent on one side that is a form over other sizes on the other one."""
    fixed = {}
    for name in sorted(one.arrays.keys() & other.arrays.keys()):
        for a, b in zip(one.arrays[name].shape, other.arrays[name].shape, strict=False):
            if a != b and not (a.is_const or b.is_const):
                open_, form = (a, b) if str(a).startswith("a") else (b, a)
                if len(open_.terms) == 1 and open_ == var(str(open_)) and str(open_).startswith("a"):
                    fixed[str(open_)] = form
    return fixed


# ---- sizes ---------------------------------------------------------------------------------------


def generalised(pair: Pair) -> Pair:
    """The pair with the sizes of its files made symbols, the same on both sides.

    A number up to the largest step or divisor that occurs is no size but part of the loops' form, and stays.
    """
    if pair.rigid:
        return pair
    both = _together(pair)
    kept = max(_form_numbers(both), default=0)
    general = generalise(both, small=max(kept, NEAR), tie=False)
    parts = general.program.body[: len(pair.source.body)], general.program.body[len(pair.source.body) :]
    one, other = (
        replace(
            side,
            arrays={n: general.program.arrays[n] for n in side.arrays},
            body=body,
            sizes=general.program.sizes,
            context=general.program.context,
        )
        for side, body in zip((pair.source, pair.target), parts, strict=True)
    )
    return _shared(replace(pair, source=one, target=other, values=general.values))


def _shared(pair: Pair) -> Pair:
    """Merge sizes of either side that are the same number in both files: extents of results, and then trip counts that
    no array fixes.
    """
    pair = _of_one_shape(pair)
    used = [{n for f in _all_forms(p) for n in f.names()} for p in (pair.source, pair.target)]
    free = [n for n in pair.source.sizes if n in used[0] and n not in used[1] and pair.values[n].is_const]
    same: dict[str, Lin] = {}
    for name in (n for n in pair.target.sizes if n in used[1] and n not in used[0]):
        partner = next((n for n in free if pair.values[n] == pair.values[name]), None)
        if partner is not None:
            free.remove(partner)
            same[name] = var(partner)
    return _merged(pair, same)


def _of_one_shape(pair: Pair) -> Pair:
    """The pair with results that have the same extents on both sides, where these are numbers in the files."""
    for one, other in pair.outputs:
        for dim, known in enumerate(pair.source.arrays[one].shape):
            form = pair.target.arrays[other].shape[dim]
            name = next(iter(form.names()), "")
            if form != var(name) or name not in pair.sizes or not known.names() <= pair.sizes.keys() - {name}:
                continue
            if known.evaluate(pair.sizes) == pair.sizes[name]:
                pair = _merged(pair, {name: known})
    return pair


def _merged(pair: Pair, same: Mapping[str, Lin]) -> Pair:
    """The pair without some sizes, each of which is put as a form of the others."""
    values = {n: v for n, v in pair.values.items() if n not in same}
    one, other = with_sizes(pair.source, same), with_sizes(pair.target, same)
    return replace(pair, source=one, target=other, values=values)


def _all_forms(program: Program) -> Iterator[Lin]:
    for array in program.arrays.values():
        yield from array.shape
    for node in walk(program.body):
        yield from forms(node)


def _together(pair: Pair) -> Program:
    """Both programs as one body, so that a loop of one relates its sizes to those of the other."""
    one, other = pair.source, pair.target
    arrays = {**other.arrays, **one.arrays}
    return replace(one, arrays=arrays, scalars={**other.scalars, **one.scalars}, body=one.body + other.body)


def steps(pair: Pair) -> list[int]:
    """Steps of loops and divisors, other than one, of both programs."""
    return list(_form_numbers(_together(pair)))


def _form_numbers(program: Program) -> Iterator[int]:
    """Steps and divisors other than one."""
    for node in walk(program.body):
        if isinstance(node, Loop) and node.step > 1:
            yield node.step
        for form in forms(node):
            yield from (q.divisor for q in form.quotients())


def at_sizes(pair: Pair, sizes: Mapping[str, int]) -> Pair:
    """The pair at these numbers; an integer (`a2`) that is a size, too (`n2`), is that number."""
    given = {n: const(v) for n, v in sizes.items()}
    values = {n: v.substitute(given.get) for n, v in pair.values.items()}
    numbers = {f"a{n[1:]}": str(v) for n, v in sizes.items() if n.startswith("n")}
    one, other = (replace(p, scalars=_told_of(p, numbers)) for p in (pair.source, pair.target))
    return _merged(replace(pair, source=one, target=other, values=values), given)


def _told_of(program: Program, numbers: Mapping[str, str]) -> dict[str, Scalar]:
    scalars = program.scalars.items()
    return {n: replace(s, literal=numbers[n]) if n in numbers and s.literal is None else s for n, s in scalars}


def kept_apart(pair: Pair) -> Pair:
    """The pair, with the numbers of its files as they are where at others iterations of parallel loops may meet."""
    if not any(isinstance(n, Loop) and n.parallel for n in walk(_together(pair).body)):
        return pair
    from raising.affine.polyhedral.independence import conflicts

    general = generalised(pair)
    if not any(next(conflicts(p, general.scopes), None) for p in (general.source, general.target)):
        return pair
    return replace(pair, rigid=True, assumed=(*pair.assumed, FIXED))


def context(pair: Pair) -> Any:
    """The isl set of sizes that the comparison is about."""
    from raising.affine.polyhedral.scop import (
        context_set,  # with islpy, which takes long: to compare at points, nobody needs it
    )

    return context_set(pair.source)
