"""A kernel's tree as a function in C, with open sizes: arrays as C declares them, or flat."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tests.kernels.printing import parameters
from tests.kernels.rewrite import Tree

_OPERATIONS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/"}
_COMPARISONS = {ast.GtE: ">=", ast.LtE: "<=", ast.Lt: "<", ast.Gt: ">", ast.Eq: "=="}
_FUNCTIONS = {"sqrt": "sqrt", "exp": "exp", "powf": "pow", "float": "(double)"}


def c_text(tree: Tree, sizes: Iterable[str], flat: bool = False) -> str:
    """The text: sizes first, as integers, then the kernel's own parameters."""
    return _Printer(tree, list(sizes), flat).function(tree)


class _Printer:
    def __init__(self, tree: Tree, sizes: list[str], flat: bool) -> None:
        self.sizes, self.flat = sizes, flat
        self.shapes = dict(parameters(tree))

    def function(self, tree: Tree) -> str:
        """The whole function."""
        arguments = [f"int {size}" for size in self.sizes] + [self._parameter(n, s) for n, s in self.shapes.items()]
        body = "\n".join(self._block(tree.body, set()))
        return f"#include <math.h>\nvoid {tree.name}({', '.join(arguments)})\n{{\n{body}\n}}\n"

    def _parameter(self, name: str, shape: tuple[str, ...]) -> str:
        if not shape:
            return f"double {name}"
        return f"double *{name}" if self.flat else f"double {name}{''.join(f'[{n}]' for n in shape)}"

    def _block(self, body: list[ast.stmt], known: set[str]) -> Iterator[str]:
        known = set(known)
        for node in body:
            yield from self._statement(node, known)

    def _statement(self, node: ast.stmt, known: set[str]) -> Iterator[str]:
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=args)):
                low, high, step = [*(["0"] if len(args) == 1 else []), *map(self._text, args), "1"][:3]
                yield f"for (int {name} = {low}; {name} < {high}; {name} += {step}) {{"
                yield from self._block(node.body, known)
                yield "}"
            case ast.If():
                yield f"if ({self._text(node.test)}) {{"
                yield from self._block(node.body, known)
                yield "}"
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield f"{'' if name in known else 'double '}{name} = {self._text(node.value)};"
                known.add(name)
            case ast.Assign(targets=[target]):
                yield f"{self._text(target)} = {self._text(node.value)};"

    def _text(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=value):
                return repr(value)
            case ast.Name(id=name):
                return name
            case ast.UnaryOp(operand=operand):
                return f"(-{self._text(operand)})"
            case ast.BinOp(left=left, op=op, right=right):
                return f"({self._text(left)} {_OPERATIONS[type(op)]} {self._text(right)})"
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return f"{self._text(left)} {_COMPARISONS[type(op)]} {self._text(right)}"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return f"({self._text(test)} ? {self._text(body)} : {self._text(orelse)})"
            case ast.Call(func=ast.Name(id="min"), args=[a, b]):
                return f"({self._text(a)} < {self._text(b)} ? {self._text(a)} : {self._text(b)})"
            case ast.Call(func=ast.Name(id=name), args=args):
                return f"{_FUNCTIONS[name]}({', '.join(map(self._text, args))})"
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self._element(name, index.elts if isinstance(index, ast.Tuple) else [index])
        raise ValueError(ast.dump(node))

    def _element(self, name: str, places: list[ast.expr]) -> str:
        texts = [self._text(place) for place in places]
        if not self.flat:
            return name + "".join(f"[{text}]" for text in texts)
        offset = texts[0]
        for text, extent in zip(texts[1:], self.shapes[name][1:], strict=True):
            offset = f"({offset}) * {extent} + {text}"
        return f"{name}[{offset}]"
