# ruff: noqa: F821, F841 (names of sizes; what an iteration leaves to the next one)
"""Variables that nothing may have set where they are read, and calls that return their own argument."""


def by_sizes(x: "f64[N]", k: int) -> float:
    if k > 2:
        s = x[0]
    return s


def by_counter(x: "f64[N]", y: "f64[N]"):
    for i in range(len(x)):
        if i > 0:
            y[i] = x[i] - before
        before = x[i]


def by_data(x: "f64[N]") -> float:
    for i in range(len(x)):
        if x[i] > 0:
            last = x[i]
    return last


def _clamped(x: "f64[N]", low: float):
    for i in range(len(x)):
        x[i] = max(x[i], low)
    return x


def same_memory(x: "f64[N]", y: "f64[N]"):
    z = _clamped(x, 0.0)
    for i in range(len(y)):
        y[i] = z[i]
