"""Random linalg operations on a few arrays in memory: what fusion and vectors must not change."""

from __future__ import annotations

import random
from dataclasses import dataclass

MAPS = {
    "ij": "(i, j) -> (i, j)",
    "ji": "(i, j) -> (j, i)",
    "i": "(i, j) -> (i)",
    "j": "(i, j) -> (j)",
    "": "(i, j) -> ()",
}
SUMS = {"i": '"parallel", "reduction"', "j": '"reduction", "parallel"', "": '"reduction", "reduction"'}


@dataclass(frozen=True)
class Arrays:
    """Names of arrays by their shape: `ij` is N x M, `ji` M x N, `i` N, `j` M, the empty one a single element."""

    names: dict[str, list[str]]
    types: dict[str, str]

    def pick(self, rng: random.Random, shape: str) -> str:
        return rng.choice(self.names[shape])


def arrays(n: int, m: int, element: str, open_sizes: bool) -> Arrays:
    extents = {"i": str(n), "j": str(m)} if not open_sizes else {"i": "?", "j": "?"}
    names = {shape: [f"%{shape or 's'}{k}" for k in range(2)] for shape in MAPS}
    kinds = {shape: f"memref<{'x'.join([*(extents[d] for d in shape), element])}>" for shape in MAPS}
    return Arrays(names, {name: kinds[shape] for shape, group in names.items() for name in group})


def function(seed: int, n: int, m: int, element: str, open_sizes: bool = False) -> str:
    """A function `@f<seed>` of three to seven operations; integers are small enough not to matter."""
    rng = random.Random(seed)
    known = arrays(n, m, element, open_sizes)
    body = "\n".join(_operation(rng, known, element) for _ in range(rng.randint(3, 7)))
    arguments = ", ".join(f"{name}: {kind}" for name, kind in known.types.items())
    return f"func.func @f{seed}({arguments}) {{\n{body}\nreturn\n}}\n"


def _operation(rng: random.Random, known: Arrays, element: str) -> str:
    output = rng.choice(list(MAPS))
    total = output in SUMS and rng.random() < 0.7
    inside = output if not total and len(output) < 2 else "ij"
    shapes = [shape for shape in MAPS if not (len(inside) < 2 and shape not in (inside, ""))]
    result = known.pick(rng, output)
    inputs = [known.pick(rng, rng.choice(shapes)) for _ in range(rng.randint(1, 3))]
    if inside == "ij" and len(output) < 2:
        inputs[0] = known.pick(rng, rng.choice(["ij", "ji"]))
    inputs = [name for name in inputs if name != result]
    return _generic(rng, known, inputs, result, inside, element, total)


def _generic(
    rng: random.Random, known: Arrays, inputs: list[str], result: str, inside: str, element: str, total: bool
) -> str:
    shape_of = {name: shape for shape, group in known.names.items() for name in group}
    dims = {"ij": "(i, j)", "i": "(i)", "j": "(j)", "ji": "(i, j)", "": "()"}[inside]

    def spelled(name: str) -> str:
        subscripts = ", ".join(shape_of[name])
        return f"affine_map<{dims} -> ({subscripts})>"

    iterators = SUMS[shape_of[result]] if total else ", ".join(['"parallel"'] * len(inside))
    maps = ", ".join(spelled(name) for name in (*inputs, result))
    names = [f"%x{k}" for k in range(len(inputs))]
    lines, value = _expression(rng, names, inside, element)
    if total or rng.random() < 0.3:
        lines.append(f"%y = arith.{'addf' if element[0] == 'f' else 'addi'} %out, {value} : {element}")
        value = "%y"
    kinds = ", ".join(known.types[name] for name in inputs)
    ins = f"ins({', '.join(inputs)} : {kinds})" if inputs else ""
    head = ", ".join(f"{name}: {element}" for name in (*names, "%out"))
    body = "\n  ".join(lines)
    return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
  {ins} outs({result} : {known.types[result]}) {{
  ^bb0({head}):
  {body}
  linalg.yield {value} : {element}
}}"""


def _expression(rng: random.Random, names: list[str], inside: str, element: str) -> tuple[list[str], str]:
    kind = "f" if element[0] == "f" else "i"
    half = "0.5" if kind == "f" else "3"
    lines, value = [f"%h = arith.constant {half} : {element}"], names[0] if names else "%h"
    for number, name in enumerate([*names[1:], "%h"]):
        lines.append(f"%e{number} = arith.{rng.choice(['add', 'sub', 'mul'])}{kind} {value}, {name} : {element}")
        value = f"%e{number}"
    if len(inside) == 2 and rng.random() < 0.3:
        lines += [
            "%p = linalg.index 0 : index",
            "%q = linalg.index 1 : index",
            f"%c = arith.cmpi {rng.choice(['sle', 'sgt', 'eq'])}, %q, %p : index",
            f"%m = arith.select %c, {value}, %h : {element}",
        ]
        value = "%m"
    return lines, value
