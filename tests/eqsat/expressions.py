"""Tensor expressions as modules of a dialect, spelled as written: what the optimiser is tried on."""

from functools import cache

from raising.affine.ir.affine_expr import Lin
from raising.eqsat.lift.algebra_terms import algebra_shape
from raising.eqsat.rebuild.algebra_to_term import View, computed, given, literal, returned, spread, summed, transposed
from raising.eqsat.ruleset.algebra import FLOAT, Shape, operation, summing
from raising.eqsat.ruleset.expression import Expr, Node, Number, Var, parse, variables
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.load import load
from raising.grammar.dialects.target_dialect import read_target
from raising.grammar.emit.term_builder import Builder
from raising.grammar.emit.value_targets import PureBuilder
from raising.grammar.select.selector import Argument, Selector
from raising.grammar.terms.structured_op import Instr
from raising.grammar.terms.term import Input, TensorType

# Each with the shapes of its arrays; a column has one extent, a number none.
EXPRESSIONS: dict[str, tuple[str, dict[str, Shape]]] = {
    "chain": ("((A @ B) @ C) @ x", {"A": (300, 40), "B": (40, 300), "C": (300, 200), "x": (200,)}),
    "scaled product": ("(s * A) @ (t * B)", {"s": (), "t": (), "A": (400, 30), "B": (30, 400)}),
    "two products": ("A @ B + A @ C", {"A": (200, 150), "B": (150, 90), "C": (150, 90)}),
    "sum of rows of a product": ("rowsum(A @ B)", {"A": (250, 120), "B": (120, 310)}),
    "quadratic form": ("rowsum(colsum((x @ x.T) * A))", {"x": (300,), "A": (300, 300)}),
    "rank one applied": ("(A + u @ v.T) @ x", {"A": (400, 400), "u": (400,), "v": (400,), "x": (400,)}),
    "scaled symmetric product": ("(s * A) @ A.T", {"s": (), "A": (300, 250)}),
    "symmetric product twice": ("A @ B.T + B @ A.T", {"A": (150, 170), "B": (150, 170)}),
    "diagonal between": ("(A * d.T) @ (d * B)", {"A": (300, 200), "B": (200, 20), "d": (200,)}),
    "normal equations": ("(A.T @ A) @ x - A.T @ b", {"A": (400, 200), "x": (200,), "b": (400,)}),
    "transposed chain": (
        "((A @ B).T @ C).T @ x",
        {"A": (200, 180), "B": (180, 190), "C": (200, 210), "x": (190,)},
    ),
}


@cache
def selector(target: str) -> Selector:
    """The speller of a target that is known to the repository."""
    host = Host(read_target(target))

    def accepted(text: str) -> bool:
        try:
            host.ir.Module.parse(text, host.context)
        except host.errors:
            return False
        return True

    return Selector(load(target), host.target, accepted)


def module(text: str, shapes: dict[str, Shape], target: str, element: str = "f64") -> str:
    """A function `f` of the expression's arrays, with an operation for each of its operations."""
    spell = selector(target)
    scalars = spell.target.general
    builder = Builder(spell, {}, {}) if scalars else PureBuilder(spell, {})
    views, arguments = {}, []
    for name, shape in shapes.items():
        term = Input(TensorType(element, tuple(map(Lin, shape))), name)
        kind = builder.tensor(term.type) if shape or not scalars else element
        builder.values[term.digest] = Argument(f"%{name}", kind) if scalars else f"%{name}"
        views[name] = given(term, algebra_shape(shape))
        arguments.append(f"%{name}: {kind}")
    assert set(variables(parse(text))) == set(shapes)
    view = _view(parse(text), views, element)
    columns = view.shape[-1] == 1
    shape = () if view.shape == (1, 1) else view.shape[:-1] if columns and len(view.shape) == 2 else view.shape
    term = returned(view, shape)
    (built,) = builder.build([term])
    if scalars:
        built = builder.as_tensor(built, term.type).name
    kind = builder.tensor(term.type)
    body = "\n".join(builder.lines)
    return f"func.func @f({', '.join(arguments)}) -> {kind} {{\n{body}\nfunc.return {built} : {kind}\n}}"


def _view(expr: Expr, views: dict[str, View], element: str) -> View:
    if isinstance(expr, Var):
        return views[expr.name]
    if isinstance(expr, Number):
        return literal(repr(expr.value), element)
    operands = [_view(a, views, element) for a in expr.args]
    assert isinstance(expr, Node)
    op = operation(expr.op, FLOAT)
    if op.name == "transpose":
        return transposed(operands[0])
    if op.name == "like":
        return spread(operands[0], operands[1].shape)
    return summed(op.name, operands) if summing(op.name) else computed(op.name, operands, Instr(op.scalar, ()))
