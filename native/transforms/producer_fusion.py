"""Producer fusion: an elementwise nest is computed where its result is read, so that no array is between the two.

A temporary that only one nest reads, each element at one point or none, costs its way to memory and back. It also ties
the loops of the reader to its own layout: the columns of a matrix may be summed row by row, those of its transpose not.
Where several nests read it, each computes it again if that is cheaper than to store and load it.

    before  for i, j: t[i, j] = a[i, j] * x; for j, i: out[j, i] += t[i, j]
    after   for j, i: out[j, i] += a[i, j] * x
"""

from __future__ import annotations

from dataclasses import replace

from raising.affine.ir.affine_expr import dim
from raising.native.loops.loop_plan import expressible
from raising.native.nest.dataflow import Flow, Leaf
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import Rewrite
from raising.native.nest.nest import Access, Nest
from raising.native.nest.read_nests import Item
from raising.native.transforms.copy_elimination import undisturbed

AGAIN = 2
"""Operations, at most, that are done again for each reader."""
_LIGHT = frozenset(f"arith.{name}" for name in ("addf", "subf", "mulf", "addi", "subi", "negf", "select"))


def inlined(items: list[Item], local: frozenset[str]) -> list[Item]:
    """The items, with such temporaries read by nobody; `local` are the buffers that nothing outside can see.

    A nest that no loops are written for stays the operation that it is, and reads what that reads.
    """
    what = [item.what for item in items]
    flow = Flow(what, local)
    for at, nest in enumerate(what):
        if isinstance(nest, Nest):
            what[at] = _inlined(flow, at, nest)
    return [replace(item, what=new) for item, new in zip(items, what, strict=True)]


def _inlined(flow: Flow, at: int, nest: Nest) -> Nest:
    for read in nest.reads:
        alone = read.array.root in flow.local and _each_once(read, nest)
        made = flow.producer(read, at, nest.extents) if alone else None
        if made is None:
            continue
        source, code = made
        if flow.readers(source) != [at] and not _cheap(code, read):
            continue
        if all(flow.stable(Leaf(access, source), at) and undisturbed(access, nest) for access in code.reads):
            new = _with(nest, read, code)
            nest = new if _knows_its_extents(new) and expressible(new) else nest
    return nest


def _cheap(code: Fragment, read: Access) -> bool:
    """Whether code does a sum, a difference or a product or two with an array as large as its result, along its rows.

    What it computes of smaller arrays does not count, nor what chooses a part of the array by its subscripts.
    """
    sides = [access for access in code.reads if access.dims == read.dims]
    if read.map and any(access.map[-1].dims != read.map[-1].dims for access in sides):
        return False
    large = {f"in{number}" for number, access in enumerate(code.reads) if access in sides}
    names, operations = set(large), []
    for number, scalar in enumerate(code.body):
        if names.intersection(scalar.args):
            names.add(f"v{number}")
            operations.append(scalar.name)
    return len(large) == 1 and len(operations) <= AGAIN and all(name in _LIGHT for name in operations)


def _knows_its_extents(nest: Nest) -> bool:
    """Whether what is not known when compiling can be asked of the arrays that the nest has."""
    arrays = {access.array.name for access in (*nest.reads, *nest.writes)}
    return all("." not in symbol or symbol.partition(".")[0] in arrays for symbol in nest.symbols)


def _each_once(read: Access, nest: Nest) -> bool:
    """Whether every point of a nest reads an element of its own, in an array that the nest does not write.

    Where it reads a part only, nothing else of the array is read: three neighbours would be computed three times.
    """
    alone = {min(index.dims) for index in read.map if len(index.dims) == 1}
    whole = all(index == dim(min(index.dims, default=-1)) for index in read.map)
    others = [access for access in nest.reads if access.array == read.array and access != read]
    written = any(write.array.may_overlap(read.array) for write in nest.writes)
    return len(alone) == len(nest.extents) and (whole or not others) and not written


def _with(nest: Nest, read: Access, code: Fragment) -> Nest:
    """The nest with code in place of an element that it reads."""
    whole = Fragment(nest.reads, nest.body, "", "")
    copy = Rewrite(whole, lambda _: None)
    value = Rewrite(code, lambda _: None, copy.reads, copy.body).value(code.result)
    copy.swap = lambda name: value if name.startswith("in") and nest.reads[int(name[2:])] == read else None
    yields = tuple(copy.value(name) for name in nest.yields)
    captured = tuple({**dict(nest.captured), **dict(code.captured)}.items())
    return replace(nest, reads=tuple(copy.reads), body=tuple(copy.body), yields=yields, captured=captured)
