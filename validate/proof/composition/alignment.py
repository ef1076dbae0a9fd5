"""The target's nests in the order in which the source computes the same contents.

A tensor program has no order of its own, and its memory is used again. A nest that fills an array anew begins a new
version of it, under another name; then nests change places as far as what they read and write allows. Elements of a
new version that are not written after all hold what nothing is known of, so that nothing wrong follows from a guess.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from raising.affine.ir.program import Compute, IndexValue, Load, Node, Program, Store, walk
from raising.affine.ir.rewriting import with_arrays
from raising.support.graphs import reachable
from raising.validate.proof.composition.cuts import names_used
from raising.validate.proof.composition.states import Effects, Run
from raising.validate.reading.pair import Pair


def aligned(pair: Pair, seen: Sequence[tuple[Run, Run]]) -> Pair:
    """The pair with the target's arrays as versions, and its nests in the order of the source."""
    target, last = _versions(pair, [run for _, run in seen])
    order = _order(target.body, [_made([s.effects for s, _ in seen]), _made([t.effects for _, t in seen])])
    target = replace(target, body=tuple(target.body[k] for k in order))
    outputs = tuple((one, last.get(other, other)) for one, other in pair.outputs)
    return replace(pair, target=target, outputs=outputs)


# ---- versions ------------------------------------------------------------------------------------


def _versions(pair: Pair, seen: Sequence[Run]) -> tuple[Program, dict[str, str]]:
    """A program whose arrays are filled anew once at most, and the names of their last versions."""
    program, called, body = pair.target, dict[str, str](), list[Node]()
    arrays = dict(program.arrays)
    touched = set[str]()
    for k, node in enumerate(program.body):
        for name in sorted(_filled(seen, k) & touched - pair.scopes.keys()):
            version = f"{name}_v{k}"
            called[name] = version
            arrays[version] = replace(program.arrays[name], name=version, kind="local")
        touched |= {n.array for n in walk((node,)) if isinstance(n, Load | Store)}
        body += with_arrays((node,), lambda name: called.get(name, name))
    return replace(program, arrays=arrays, body=tuple(body)), called


def _filled(seen: Sequence[Run], k: int) -> set[str]:
    """The arrays that a nest overwrites entirely, without reading their old contents, in all runs."""
    found = [
        {n for n, at in run.effects[k].written.items() if len(at) == run.counts[n] and n not in run.effects[k].read}
        for run in seen
    ]
    return set.intersection(*found) if found else set()


# ---- order ---------------------------------------------------------------------------------------


def _made(seen: Sequence[Sequence[Effects]]) -> list[list[Hashable]]:
    """For each nest what the arrays hold that it changes, in all runs."""
    return [list(_contents(nest)) for nest in zip(*seen, strict=True)]


def _contents(nest: Sequence[Effects]) -> Iterator[Hashable]:
    held = [effects.held for effects in nest]
    for name in held[0]:
        if all(name in one for one in held):
            yield tuple(one[name] for one in held)


def _order(body: Sequence[Node], made: Sequence[list[list[Hashable]]]) -> list[int]:
    """The target's nests in the order in which the source computes the same; those that are left come last."""
    before = _needs(body)
    makers: dict[Hashable, int] = {}
    for k, contents in enumerate(made[1]):
        for one in contents:
            makers.setdefault(one, k)
    order: list[int] = []
    done = set[int]()
    wanted = [makers[one] for contents in made[0] for one in contents if one in makers]
    for k in (*wanted, *range(len(body))):
        new = set(reachable([k], before.__getitem__)) - done
        order += sorted(new)
        done |= new
    return order


def _needs(body: Sequence[Node]) -> list[set[int]]:
    """For each node, the earlier nodes that it depends on: both touch an array, and one of them writes it."""
    found: list[set[int]] = []
    writers, readers, makers = dict[str, int](), dict[str, set[int]](), dict[str, int]()
    for k, node in enumerate(body):
        inside = list(walk((node,)))
        stored = {n.array for n in inside if isinstance(n, Store)}
        loaded = {n.array for n in inside if isinstance(n, Load)}
        needs = {writers[a] for a in stored | loaded if a in writers}
        needs |= {r for a in stored for r in readers.get(a, ())}
        needs |= {makers[v] for v in names_used((node,)) if v in makers}
        found.append(needs - {k})
        for a in stored:
            writers[a], readers[a] = k, set()
        for a in loaded:
            readers.setdefault(a, set()).add(k)
        if isinstance(node, Load | Compute | IndexValue):
            makers[node.dst] = k
    return found
