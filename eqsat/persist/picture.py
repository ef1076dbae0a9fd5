"""Pictures of an e-graph: for graphviz, as SVG, as JSON."""

from __future__ import annotations

import html
import json
from collections.abc import Callable

from raising.eqsat.egraph.graph import STRUCTURE, EGraph, Tables
from raising.support.record import dataclass

_WIDTH, _HEIGHT, _GAP, _PAD = 118, 26, 10, 8  # of a node, between classes, around nodes; in pixels
_LETTERS = 16  # of a label in a node


@dataclass(frozen=True)
class Box:
    """A class: its number, whether a result is in it, and its nodes, each a label and the classes that it needs."""

    number: int
    is_root: bool
    nodes: tuple[tuple[str, tuple[int, ...]], ...]


def drawn(graph: EGraph, tables: Tables) -> tuple[Box, ...]:
    """The classes of an e-graph below its roots, as boxes to draw."""
    roots = set(graph.roots)
    return tuple(
        Box(
            klass,
            klass in roots,
            tuple((_label(graph.nodes[n].op, tables, n, graph), graph.nodes[n].children) for n in graph.members[klass]),
        )
        for klass in sorted(graph.reachable())
        if klass in graph.members
    )


def _label(op: str, tables: Tables, position: int, graph: EGraph) -> str:
    """The name of an operation, without what tells its variants apart; numbers of a leaf."""
    if op not in STRUCTURE:
        return op.split("|")[0]
    numbers = [str(v) for v in tables.row(graph.nodes[position]).inputs if isinstance(v, int)]
    return " ".join([op, *numbers])


def dot(boxes: tuple[Box, ...]) -> str:
    """For graphviz: a cluster for each class, an edge from each operand of a node."""
    drawn_in = {b.number for b in boxes}
    lines = ["digraph egraph {", "  compound=true; rankdir=BT; node [shape=box, fontsize=10];"]
    for box in boxes:
        style = "solid" if box.is_root else "dashed"
        lines.append(f"  subgraph cluster_{box.number} {{ style={style};")
        lines += [f"    n{box.number}_{i} [label={json.dumps(label)}];" for i, (label, _) in enumerate(box.nodes)]
        lines.append("  }")
    for box in boxes:
        for i, (_, children) in enumerate(box.nodes):
            lines += [
                f"  n{c}_0 -> n{box.number}_{i} [ltail=cluster_{c}];" for c in dict.fromkeys(children) if c in drawn_in
            ]
    return "\n".join([*lines, "}", ""])


def as_json(boxes: tuple[Box, ...]) -> str:
    """Classes with their nodes, as data."""
    classes = [
        {"class": b.number, "root": b.is_root, "nodes": [{"op": op, "operands": list(c)} for op, c in b.nodes]}
        for b in boxes
    ]
    return json.dumps({"classes": classes}, indent=1) + "\n"


def svg(boxes: tuple[Box, ...]) -> str:
    """Classes in rows, each above what its cheapest node needs; a line from a node to each of its operands."""
    rows = _rows(boxes)
    place: dict[int, tuple[int, int]] = {}
    top = _GAP
    for row in rows:
        left = _GAP
        for box in row:
            place[box.number] = (left, top)
            left += len(box.nodes) * (_WIDTH + _PAD) + _PAD + _GAP
        top += _HEIGHT + 2 * _PAD + 5 * _GAP
    width = max((x + len(b.nodes) * (_WIDTH + _PAD) + 2 * _PAD for b in boxes for x in [place[b.number][0]]), default=0)
    lines = [line for box in boxes for line in _box(box, place)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + _GAP}" height="{top}" font-family="sans-serif"'
    return "\n".join([f'{head} font-size="11">', *lines, "</svg>", ""])


def _box(box: Box, place: dict[int, tuple[int, int]]) -> list[str]:
    x, y = place[box.number]
    width = len(box.nodes) * (_WIDTH + _PAD) + _PAD
    style = 'stroke="black"' if box.is_root else 'stroke="gray" stroke-dasharray="4 2"'
    found = [f'<rect x="{x}" y="{y}" width="{width}" height="{_HEIGHT + 2 * _PAD}" rx="6" fill="none" {style}/>']
    for i, (label, children) in enumerate(box.nodes):
        left = x + _PAD + i * (_WIDTH + _PAD)
        found.append(
            f'<rect x="{left}" y="{y + _PAD}" width="{_WIDTH}" height="{_HEIGHT}" fill="#eef" stroke="#88a"/>'
            f'<text x="{left + _WIDTH // 2}" y="{y + _PAD + 17}" text-anchor="middle"><title>{html.escape(label)}'
            f"</title>{html.escape(label[:_LETTERS])}</text>"
        )
        for child in dict.fromkeys(c for c in children if c in place):
            to_x, to_y = place[child]
            found.append(
                f'<line x1="{left + _WIDTH // 2}" y1="{y + _PAD + _HEIGHT}" x2="{to_x + _WIDTH // 2}" y2="{to_y}"'
                ' stroke="#a44" stroke-opacity="0.5"/>'
            )
    return found


def _rows(boxes: tuple[Box, ...]) -> list[list[Box]]:
    """Classes by how deep the smallest program below them is, the deepest first."""
    depth: dict[int, int] = {}
    changed = True
    while changed:
        changed = False
        for box in boxes:
            known = [max((depth[c] for c in cs), default=-1) + 1 for _, cs in box.nodes if all(c in depth for c in cs)]
            if known and min(known) < depth.get(box.number, 1 << 30):
                depth[box.number], changed = min(known), True
    rows: dict[int, list[Box]] = {}
    for box in boxes:
        rows.setdefault(depth.get(box.number, 0), []).append(box)
    return [rows[d] for d in sorted(rows, reverse=True)]


PICTURES: dict[str, Callable[[tuple[Box, ...]], str]] = {"dot": dot, "svg": svg, "json": as_json}
