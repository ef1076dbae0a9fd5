"""Functions of many loop nests of mixed kinds, as C: elementwise, products of matrices, stencils, updates in place.

Each nest goes on from what the ones before it left, so that none of them can be looked at without the others' states.
"""

from __future__ import annotations

import re

_ARRAYS = 4
_KINDS = (
    "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {o}[i][j] = {a}[i][j] * {b}[i][j] + s;",
    "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {o}[i][j] -= {k}.0 * {a}[i][j];",
    "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ {o}[i][j] = 0.0;"
    " for (int k = 0; k < n; k++) {o}[i][j] += {a}[i][k] * {b}[k][j]; }}",
    "for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
    " {o}[i][j] = {a}[i][j-1] + {a}[i][j+1] - 0.5 * {a}[i-1][j] * {b}[i+1][j];",
    "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {o}[i][j] = {o}[i][j] / (1.0 + {a}[j][i] * {a}[j][i]);",
)


def many_parts(count: int, size: str = "n", wrong: int = -1) -> str:
    """A C function of `count` nests over four matrices of that extent; after nest `wrong` one element is wrong."""
    lines = []
    for k in range(count):
        text = _KINDS[k % len(_KINDS)]
        step = k // len(_KINDS)
        out, one, other = (k + 1) % _ARRAYS, (k + step) % _ARRAYS, (k + 2 * step + 3) % _ARRAYS
        one, other = ((x + (x == out)) % _ARRAYS for x in (one, other))
        names = {"o": "ABCD"[out], "a": "ABCD"[one], "b": "ABCD"[other], "k": str(k % 7 + 2)}
        lines.append("  " + text.format(**names))
        if k == wrong:
            lines.append(f"  {names['o']}[0][0] += 1.0;")
    arrays = ", ".join(f"double {name}[n][n]" for name in "ABCD"[:_ARRAYS])
    text = f"void parts(int n, double s, {arrays}) {{\n" + "\n".join(lines) + "\n}\n"
    return text if size == "n" else re.sub(r"\bn\b", size, text.replace("int n, ", ""))
