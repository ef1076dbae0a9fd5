"""Plots as SVG: horizontal bars and dots, drawn so that they can be read in light and dark, and read aloud."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

ROW = 22
LEFT, RIGHT, TOP = 150, 70, 34
WIDTH = 860
Series = Mapping[str, float]


def bars(title: str, values: Series, unit: str, strong: frozenset[str] = frozenset()) -> str:
    """One bar per name, as long as its value; `strong` ones stand out."""
    names = list(values)
    most = max(values.values(), default=1.0) or 1.0
    parts = []
    for k, name in enumerate(names):
        y = TOP + k * ROW
        width = max(1.0, (WIDTH - LEFT - RIGHT) * values[name] / most)
        css = "bar strong" if name in strong else "bar"
        parts.append(_label(LEFT - 8, y + 14, name, "end"))
        parts.append(f'<rect class="{css}" x="{LEFT}" y="{y + 3}" width="{width:.1f}" height="{ROW - 6}" rx="2"/>')
        parts.append(_label(LEFT + width + 6, y + 14, f"{_short(values[name])}{unit}", "start"))
    said = "; ".join(f"{name} {_short(values[name])}{unit}" for name in names)
    return _frame(title, said, TOP + len(names) * ROW + 6, parts)


def dots(title: str, rows: Mapping[str, Series], unit: str, series: Sequence[str], strong: frozenset[str]) -> str:
    """One line per name on a logarithmic axis, a dot per series; the legend is above."""
    marks = _marks(series, strong)
    numbers = [v for row in rows.values() for v in row.values() if v > 0]
    low, high = math.floor(math.log10(min(numbers, default=1))), math.ceil(math.log10(max(numbers, default=10)))
    high = max(high, low + 1)

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(value) - low) / (high - low)

    top = TOP + ROW * math.ceil(len(series) / 5) + 8
    bottom = top + len(rows) * ROW
    parts = [_legend(k, name, marks[name]) for k, name in enumerate(series)]
    for power in range(low, high + 1):
        parts.append(f'<line class="grid" x1="{x(10**power):.1f}" x2="{x(10**power):.1f}" y1="{top}" y2="{bottom}"/>')
        parts.append(_label(x(10**power), bottom + 14, f"{_short(10.0**power)}{unit}", "middle"))
    for k, (name, values) in enumerate(rows.items()):
        y = top + k * ROW + ROW / 2
        parts.append(_label(LEFT - 8, y + 4, name, "end"))
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        for which in sorted(series, key=lambda s: s in strong):  # ours on top
            if values.get(which, 0) > 0:
                told = f"{name}, {which}: {_short(values[which])}{unit}"
                parts.append(_mark(x(values[which]), y, marks[which], told))
    best = "; ".join(
        f"{name}: " + ", ".join(f"{s} {_short(v)}{unit}" for s, v in row.items()) for name, row in rows.items()
    )
    return _frame(title, best, bottom + 22, parts)


def _marks(series: Sequence[str], strong: frozenset[str]) -> dict[str, int]:
    """The mark of each series: numbers below zero are those of ours."""
    others = [name for name in series if name not in strong]
    ours = [name for name in series if name in strong]
    return {name: k for k, name in enumerate(others)} | {name: -1 - k for k, name in enumerate(ours)}


def _legend(k: int, name: str, shape: int) -> str:
    x, y = LEFT + (k % 5) * 135, TOP + (k // 5) * ROW
    return _mark(x, y, shape, name) + _label(x + 10, y + 4, name, "start")


def _mark(x: float, y: float, shape: int, told: str) -> str:
    """A mark that differs in form as well as in colour; those below zero are round, the first of them full."""
    title = f"<title>{escape(told)}</title>"
    if shape < 0:
        css = "dot strong" if shape == -1 else "ring"
        return f'<circle class="{css}" cx="{x:.1f}" cy="{y}" r="{5 - shape}">{title}</circle>'
    css = f"dot c{shape % 8}"
    match shape % 3:
        case 0:
            return f'<rect class="{css}" x="{x - 4:.1f}" y="{y - 4}" width="8" height="8">{title}</rect>'
        case 1:
            points = f"{x:.1f},{y - 5} {x + 5:.1f},{y + 4} {x - 5:.1f},{y + 4}"
            return f'<polygon class="{css}" points="{points}">{title}</polygon>'
        case _:
            points = f"{x:.1f},{y - 5} {x + 5:.1f},{y} {x:.1f},{y + 5} {x - 5:.1f},{y}"
            return f'<polygon class="{css}" points="{points}">{title}</polygon>'


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _short(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _frame(title: str, said: str, height: float, parts: Sequence[str]) -> str:
    head = f'<svg role="img" viewBox="0 0 {WIDTH} {height:.0f}" xmlns="http://www.w3.org/2000/svg">'
    told = f"<title>{escape(title)}</title><desc>{escape(said)}</desc>"
    return f'{head}{told}<text class="head" x="8" y="18">{escape(title)}</text>{"".join(parts)}</svg>'
