"""A loop program with other names, or with numbers in place of its sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.program import Array, Compute, Guard, IndexValue, Load, Loop, Node, Program, Store


def renamed(program: Program, name: Callable[[str], str]) -> Program:
    """The program with `name` applied to every array, scalar, value, statement, iterator and size."""
    form = _renaming(name)
    arrays = [replace(a, name=name(a.name), shape=tuple(map(form, a.shape))) for a in program.arrays.values()]
    scalars = [replace(s, name=name(s.name)) for s in program.scalars.values()]
    return replace(
        program,
        arrays={a.name: a for a in arrays},
        scalars={s.name: s for s in scalars},
        body=tuple(_node(n, name, form) for n in program.body),
        live_out=frozenset(map(name, program.live_out)),
        sizes=tuple(map(name, program.sizes)),
        context=tuple(Cond(form(c.form), c.equality) for c in program.context),
    )


def _renaming(name: Callable[[str], str]) -> Callable[[Lin], Lin]:
    return lambda form: form.substitute(lambda n: var(name(n)))


def with_sizes(program: Program, sizes: Mapping[str, Lin]) -> Program:
    """The program with forms in place of some of its sizes."""

    def form(f: Lin) -> Lin:
        return f.substitute(sizes.get)

    def array(a: Array) -> Array:
        return replace(a, shape=tuple(map(form, a.shape)))

    return replace(
        program,
        arrays={n: array(a) for n, a in program.arrays.items()},
        body=tuple(_node(n, lambda x: x, form) for n in program.body),
        sizes=tuple(n for n in program.sizes if n not in sizes),
        context=tuple(Cond(form(c.form), c.equality) for c in program.context),
    )


def with_arrays(nodes: tuple[Node, ...], called: Mapping[str, str]) -> tuple[Node, ...]:
    """Nodes with other names for some arrays."""
    return tuple(_node(n, lambda name: called.get(name, name), lambda form: form) for n in nodes)


def _node(node: Node, name: Callable[[str], str], form: Callable[[Lin], Lin]) -> Node:
    match node:
        case Loop():
            lower, upper = tuple(map(form, node.lower)), tuple(map(form, node.upper))
            body = tuple(_node(n, name, form) for n in node.body)
            return replace(node, iv=name(node.iv), lower=lower, upper=upper, body=body)
        case Guard():
            conds = tuple(Cond(form(c.form), c.equality) for c in node.conds)
            return replace(node, conds=conds, body=tuple(_node(n, name, form) for n in node.body))
        case Load():
            subscripts = tuple(map(form, node.subscripts))
            return replace(node, dst=name(node.dst), array=name(node.array), subscripts=subscripts)
        case Store():
            subscripts = tuple(map(form, node.subscripts))
            label, array, value = name(node.label), name(node.array), name(node.value)
            return replace(node, label=label, array=array, subscripts=subscripts, value=value)
        case Compute():
            return replace(node, dst=name(node.dst), args=tuple(map(name, node.args)))
        case IndexValue():
            return replace(node, dst=name(node.dst), form=form(node.form))
