"""Loop programs of MLIR functions as text: every item of a function, and nests as loops, loads and stores."""

from __future__ import annotations

from collections.abc import Iterator

from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Store
from raising.frontend.mlir.reader import Function, parse
from raising.frontend.mlir.segments import segments


def programs(text: str, file: str) -> str:
    """The items of each function, then the program of each of its segments."""
    source = parse(text, file)  # has the module, which must outlive the functions
    return "\n".join(line for function in source.functions for line in _function(function)) + "\n"


def _function(function: Function) -> Iterator[str]:
    yield f"function {function.name}("
    for item in function.items:
        if item.kind != "plain" or item.reason:
            yield f"  {item.kind} {function.operations()[item.position].name}{': ' if item.reason else ''}{item.reason}"
    for segment in segments(function):
        program = segment.program
        arrays = (
            f"{a.kind} {a.name}: {a.element}{''.join(f'[{e}]' for e in a.shape)}" for a in program.arrays.values()
        )
        yield f"  program: {', '.join(arrays)}; live {', '.join(sorted(program.live_out))}"
        yield from ("    " + line for line in _block(program.body))
        for array in program.arrays.values():
            if (what := array.gathered) is not None:
                forms = ", ".join("whole" if form is None else str(form) for form in what.forms)
                positions = ", ".join(f"p{k} = {name}" for k, (name, *_) in enumerate(what.positions))
                yield f"    {array.name} is {what.array}[{forms}] with {positions}"


def _block(nodes: tuple[Node, ...]) -> Iterator[str]:
    for node in nodes:
        match node:
            case Loop():
                step = "" if node.step == 1 else f" step {node.step}"
                yield f"for {node.iv} = {_bound('max', node.lower)} to {_bound('min', node.upper)}{step}"
                yield from ("  " + line for line in _block(node.body))
            case Guard():
                conditions = (f"{c.form} {'==' if c.equality else '>='} 0" for c in node.conds)
                yield f"if {' and '.join(conditions)}"
                yield from ("  " + line for line in _block(node.body))
            case Load():
                yield f"{node.dst} = {node.array}{_place(node)}"
            case Store():
                yield f"{node.array}{_place(node)} = {node.value}"
            case IndexValue():
                yield f"{node.dst} = {node.form} : {node.element}"
            case Compute():
                attributes = f" {', '.join(text for _, text in node.attrs)}" if node.attrs else ""
                yield f"{node.dst} = {node.op}({', '.join(node.args)}){attributes} : {node.element}"


def _bound(name: str, forms: tuple[object, ...]) -> str:
    return str(forms[0]) if len(forms) == 1 else f"{name}({', '.join(map(str, forms))})"


def _place(node: Load | Store) -> str:
    return "".join(f"[{subscript}]" for subscript in node.subscripts)
