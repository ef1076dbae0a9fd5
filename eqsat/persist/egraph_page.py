"""E-graphs as one page that needs nothing else: searched, zoomed, each class folded until it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from raising.eqsat.egraph.graph import STRUCTURE
from raising.eqsat.persist.picture import Box, by_depth, from_json

_HERE = Path(__file__).parent
_WIDE, _HIGH, _ACROSS, _DOWN = 170, 24, 186, 56  # of a class, and from one to the next; in pixels
_LETTERS = 24  # of what is written in a class
_LINE = 14  # classes side by side: more of one depth stand below

Drawn = tuple[str, str]
"""The name of a function, and its classes as `picture` has them in JSON."""


def page(functions: Sequence[Drawn], file: str) -> str:
    """The e-graphs of the functions of a file as HTML."""
    style, script = ((_HERE / name).read_text(encoding="utf-8") for name in ("egraph_page.css", "egraph_page.js"))
    drawn = ((f"f{n}", name, from_json(text)) for n, (name, text) in enumerate(functions))
    sections = "\n".join(line for function in drawn for line in _section(*function))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{escape(file)}: e-graphs</title>
<style>{style}</style>
</head>
<body>
<header><label>Search <input id="search" type="search" placeholder="operation, value, type"></label>
<span id="found"></span></header>
{sections}
<script>{script}</script>
</body>
</html>
"""


def _section(key: str, name: str, boxes: tuple[Box, ...]) -> Iterator[str]:
    yield f"<section><h2>{escape(name)}: {sum(len(b.nodes) for b in boxes)} nodes in {len(boxes)} classes</h2>"
    yield '<figure><div><button data-by="0.7">+</button> <button data-by="1.43">-</button></div>'
    yield from _map(key, boxes)
    yield "</figure>"
    users: dict[int, list[int]] = {}
    for box in boxes:
        for child in dict.fromkeys(c for _, children in box.nodes for c in children):
            users.setdefault(child, []).append(box.number)
    for box in boxes:
        yield from _entry(key, box, users.get(box.number, []))
    yield "</section>"


def _entry(key: str, box: Box, users: Sequence[int]) -> Iterator[str]:
    """A class with all of its nodes, operands in their order."""
    kind = f' <span class="type">{escape(box.kind)}</span>' if box.kind else ""
    more = f", {len(box.nodes)} nodes" if len(box.nodes) > 1 else ""
    root = ", a result" if box.is_root else ""
    said = f"{box.number}: {escape(_title(box))}{more}{root}{kind}"
    yield f'<details class="class" id="{key}-{box.number}"><summary>{said}</summary><ul>'
    for label, children in box.nodes:
        yield f"<li>{escape(label)}({', '.join(_link(key, c) for c in children)})</li>"
    yield f"</ul>{'used by ' + ', '.join(_link(key, u) for u in users) if users else ''}</details>"


def _link(key: str, number: int) -> str:
    return f'<a href="#{key}-{number}">{number}</a>'


def _title(box: Box) -> str:
    """The most telling of its nodes: an operation, if there is one."""
    labels = [label for label, _ in box.nodes]
    return next((label for label in labels if label.split()[0] not in STRUCTURE), labels[0])


def _map(key: str, boxes: tuple[Box, ...]) -> Iterator[str]:
    """One rectangle for each class, above what its smallest program needs, and a line to each class that it needs."""
    lines = [row[n : n + _LINE] for row in by_depth(boxes) for n in range(0, len(row), _LINE)]
    place = {box.number: (x * _ACROSS, y * _DOWN) for y, line in enumerate(lines) for x, box in enumerate(line)}
    width, height = _ACROSS * max(map(len, lines), default=1), _DOWN * max(len(lines), 1)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 {width} {height}">'
    for box in boxes:
        x, y = place[box.number]
        for child in dict.fromkeys(c for _, children in box.nodes for c in children if c in place):
            u, v = place[child]
            ends = f'x1="{x + _WIDE // 2}" y1="{y + _HIGH}" x2="{u + _WIDE // 2}" y2="{v}"'
            yield f'<line data-from="{key}-{box.number}" {ends}/>'
    for box in boxes:
        x, y = place[box.number]
        text = f"{box.number}: {_title(box)}"[:_LETTERS] + (f" +{len(box.nodes) - 1}" if len(box.nodes) > 1 else "")
        root = ' class="root"' if box.is_root else ""
        yield f'<g id="box-{key}-{box.number}"{root}><rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="4"/>'
        yield f'<text x="{x + 6}" y="{y + 16}">{escape(text)}</text></g>'
    yield "</svg>"
