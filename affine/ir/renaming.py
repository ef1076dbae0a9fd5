"""A loop program with other names, or with numbers in place of its sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Program
from raising.affine.ir.rewriting import rewritten, with_all_forms, with_arrays, with_names


def renamed(program: Program, name: Callable[[str], str]) -> Program:
    """The program with `name` applied to every array, scalar, value, statement, iterator and size."""
    arrays = [replace(a, name=name(a.name)) for a in program.arrays.values()]
    scalars = [replace(s, name=name(s.name)) for s in program.scalars.values()]
    body = rewritten(program.body, lambda node: (with_names(node, name),))
    other = replace(
        program,
        arrays={a.name: a for a in arrays},
        scalars={s.name: s for s in scalars},
        body=with_arrays(body, name),
        live_out=frozenset(map(name, program.live_out)),
        sizes=tuple(map(name, program.sizes)),
    )
    return _with_forms(other, lambda form: form.substitute(lambda n: var(name(n))))


def with_sizes(program: Program, sizes: Mapping[str, Lin]) -> Program:
    """The program with forms in place of some of its sizes."""
    left = tuple(n for n in program.sizes if n not in sizes)
    return replace(_with_forms(program, lambda form: form.substitute(sizes.get)), sizes=left)


def _with_forms(program: Program, form: Callable[[Lin], Lin]) -> Program:
    """The program with `form` applied to all of its affine forms: extents, what its nodes hold, what is known."""
    return replace(
        program,
        arrays={n: replace(a, shape=tuple(map(form, a.shape))) for n, a in program.arrays.items()},
        body=with_all_forms(program.body, form),
        context=tuple(c.with_form(form) for c in program.context),
    )
