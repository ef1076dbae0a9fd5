# ruff: noqa: F821 (names of sizes)
"""Python's order of evaluation, and what is evaluated only sometimes."""


def _next(x: "f64[N]") -> float:
    x[0] = x[0] + 1
    return x[0]


def operands(x: "f64[N]", y: "f64[N]"):
    y[0] = x[0] + _next(x) * 10 + x[0]
    y[1] = 5.0 if x[0] > 100 or _next(x) < 0 else _next(x)
    y[2] += _next(x)
    if 0 < x[0] < _next(x) < 1000:
        y[3] = -1
    y[0], y[1] = y[1], _next(x)


def while_called(x: "f64[N]", n: int) -> float:
    s = 0
    while n > 0:
        n -= 2
        s += _next(x)
    return s
