"""Variables back to values: stores of cells forwarded to loads, and what nobody uses left out."""

from __future__ import annotations

from dataclasses import replace

from affine.c.ir import Choose, For, Function, Let, Node, Read, Write, parts, walk, with_parts

_Known = dict[str, int]


def promoted(function: Function) -> Function:
    """The function with cells read only where their value is not known, and without unused values and cells."""
    renamed: dict[int, int] = {}
    cells = {name for name, array in function.arrays.items() if array.kind == "cell"}
    body = _Forwarding(cells, renamed).run(function.body, {})
    result = renamed.get(function.result, function.result) if function.result is not None else None
    body, kept = _swept(body, cells, result)
    arrays = {name: a for name, a in function.arrays.items() if name not in cells or name in kept}
    return replace(function, body=body, arrays=arrays, result=result)


class _Forwarding:
    def __init__(self, cells: set[str], renamed: dict[int, int]) -> None:
        self.cells, self.renamed = cells, renamed

    def run(self, nodes: tuple[Node, ...], known: _Known) -> tuple[Node, ...]:
        """The nodes of a block; `known` is what each cell holds, and is changed."""
        out: list[Node] = []
        for node in nodes:
            if isinstance(node, Read) and node.array in self.cells:
                if node.array in known:
                    self.renamed[node.dst] = known[node.array]
                    continue
                known[node.array] = node.dst
            elif isinstance(node, Write):
                node = replace(node, value=self.of(node.value))
                if node.array in self.cells:
                    known[node.array] = node.value
            elif isinstance(node, Let):
                node = replace(node, args=tuple(self.of(a) for a in node.args))
            out.append(self._structured(node, known))
        return tuple(out)

    def of(self, value: int) -> int:
        """The value that stands for another."""
        return self.renamed.get(value, value)

    def _structured(self, node: Node, known: _Known) -> Node:
        bodies = parts(node)
        if not bodies:
            return node
        changed = {n.array for part in bodies for n in walk(part) if isinstance(n, Write)}
        if isinstance(node, For):
            for cell in changed:
                known.pop(cell, None)
        new = with_parts(node, tuple(self.run(part, dict(known)) for part in bodies))
        for cell in changed:
            known.pop(cell, None)
        return replace(new, cond=self.of(new.cond)) if isinstance(new, Choose) else new


def _swept(body: tuple[Node, ...], cells: set[str], result: int | None) -> tuple[tuple[Node, ...], set[str]]:
    """Without values that nobody uses and cells that nobody reads; also the cells that are read."""
    while True:
        used = {result}
        for node in walk(body):
            if isinstance(node, Let):
                used.update(node.args)
            elif isinstance(node, Write):
                used.add(node.value)
            elif isinstance(node, Choose):
                used.add(node.cond)
        read = {n.array for n in walk(body) if isinstance(n, Read) and n.dst in used}
        smaller = _kept(body, used, cells - read)
        if smaller == body:
            return body, read
        body = smaller


def _kept(nodes: tuple[Node, ...], used: set[int | None], dead: set[str]) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in nodes:
        if isinstance(node, Write):
            if node.array not in dead:
                out.append(node)
            continue
        bodies = tuple(_kept(part, used, dead) for part in parts(node))
        if bodies:
            if any(bodies):
                out.append(with_parts(node, bodies))
        elif getattr(node, "dst", None) in used:
            out.append(node)
    return tuple(out)
