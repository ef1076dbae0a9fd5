"""Pictures of an e-graph: for graphviz, as SVG, as JSON; `egraph_page` makes a page of the last."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

from raising.eqsat.egraph.engine import Ref
from raising.eqsat.egraph.graph import EGraph, Node, Tables, of_sort, programs
from raising.eqsat.egraph.vocabulary import CannotRead
from raising.support.record import dataclass

_WIDTH, _HEIGHT, _GAP, _PAD = 118, 26, 10, 8  # of a node, between classes, around nodes; in pixels
_TYPE, PAGE = "Type", "html"
_LONGEST = 60  # letters of one attribute
_LETTERS = 16  # of a label in a node


@dataclass(frozen=True)
class Box:
    """A class: its number, whether a result is in it, its nodes, each a label and the classes that it needs; a type."""

    number: int
    is_root: bool
    nodes: tuple[tuple[str, tuple[int, ...]], ...]
    kind: str = ""


def drawn(graph: EGraph, tables: Tables) -> tuple[Box, ...]:
    """The classes of an e-graph below its roots, as boxes to draw."""
    roots = set(graph.roots)
    return tuple(
        Box(
            klass,
            klass in roots,
            tuple((_label(graph.nodes[n], tables), graph.nodes[n].children) for n in graph.members[klass]),
            next(filter(None, (_kind(graph.nodes[n], tables) for n in graph.members[klass])), ""),
        )
        for klass in sorted(graph.reachable())
        if klass in graph.members
    )


def _label(node: Node, tables: Tables) -> str:
    """The name of an operation, without what tells its variants apart, and its numbers and attributes."""
    values = (_said(tables, v) for v in tables.row(node).inputs if not (isinstance(v, Ref) and v.sort == _TYPE))
    return " ".join([node.op.split("|")[0], *filter(None, values)])


def _kind(node: Node, tables: Tables) -> str:
    """The type of a node's first result, if its row has one."""
    return next((_said(tables, r) for r in of_sort(tables.row(node), _TYPE)), "")


def _said(tables: Tables, value: Any) -> str:
    """A number, an attribute or a type in short; nothing for a program."""
    if any(True for _ in programs((value,))):
        return ""
    with contextlib.suppress(CannotRead):
        return _text(tables.tree(value))[:_LONGEST]
    return ""


def _text(tree: Any) -> str:
    if isinstance(tree, list):
        return " ".join(map(_text, tree))
    if not isinstance(tree, tuple):
        return str(tree)
    if tree[0] == "NamedAttr":
        return f"{tree[1]}={_text(tree[2])}"
    return " ".join(filter(None, map(_text, tree[1:]))) or str(tree[0]).lower()


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
    classes = []
    for b in boxes:
        nodes = [{"op": op, "operands": list(c)} for op, c in b.nodes]
        classes.append({"class": b.number, "root": b.is_root, "type": b.kind, "nodes": nodes})
    return json.dumps({"classes": classes}, indent=1) + "\n"


def from_json(text: str) -> tuple[Box, ...]:
    """The boxes that a text of `as_json` says."""
    return tuple(
        Box(c["class"], c["root"], tuple((n["op"], tuple(n["operands"])) for n in c["nodes"]), c["type"])
        for c in json.loads(text)["classes"]
    )


def svg(boxes: tuple[Box, ...]) -> str:
    """Classes in rows, each above what its cheapest node needs; a line from a node to each of its operands."""
    rows = by_depth(boxes)
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
    from html import escape

    width = len(box.nodes) * (_WIDTH + _PAD) + _PAD
    style = 'stroke="black"' if box.is_root else 'stroke="gray" stroke-dasharray="4 2"'
    found = [f'<rect x="{x}" y="{y}" width="{width}" height="{_HEIGHT + 2 * _PAD}" rx="6" fill="none" {style}/>']
    for i, (label, children) in enumerate(box.nodes):
        left = x + _PAD + i * (_WIDTH + _PAD)
        found.append(
            f'<rect x="{left}" y="{y + _PAD}" width="{_WIDTH}" height="{_HEIGHT}" fill="#eef" stroke="#88a"/>'
            f'<text x="{left + _WIDTH // 2}" y="{y + _PAD + 17}" text-anchor="middle"><title>{escape(label)}'
            f"</title>{escape(label[:_LETTERS])}</text>"
        )
        for child in dict.fromkeys(c for c in children if c in place):
            to_x, to_y = place[child]
            found.append(
                f'<line x1="{left + _WIDTH // 2}" y1="{y + _PAD + _HEIGHT}" x2="{to_x + _WIDTH // 2}" y2="{to_y}"'
                ' stroke="#a44" stroke-opacity="0.5"/>'
            )
    return found


def by_depth(boxes: tuple[Box, ...]) -> list[list[Box]]:
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


PICTURES: dict[str, Callable[[tuple[Box, ...]], str]] = {"dot": dot, "svg": svg, "json": as_json, PAGE: as_json}
