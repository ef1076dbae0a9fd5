# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# n=0,1,2,9 | x=n
def every_second(x: "float64[n]") -> float:
    s = 0.0
    for i in range(0, len(x), 2):
        s += x[i]
    return s


# n=0,1,2,9 | x=n y=n
def dot_two_at_a_time(x: "float64[n]", y: "float64[n]") -> float:
    s = 0.0
    n = len(x)
    for i in range(0, n - 1, 2):
        s += x[i] * y[i] + x[i + 1] * y[i + 1]
    if n % 2:
        s += x[n - 1] * y[n - 1]
    return s


# n=0,1,4,11 | x=n
def scaled_four_at_a_time(a: float64, x: "float64[n]"):
    m = len(x) // 4 * 4
    for i in range(0, m, 4):
        x[i] *= a
        x[i + 1] *= a
        x[i + 2] *= a
        x[i + 3] *= a
    for i in range(m, len(x)):
        x[i] *= a


# n=0,2,6 | x=n
def swap_neighbours(x: "float32[n]"):
    for i in range(0, len(x) - 1, 2):
        t = x[i]
        x[i] = x[i + 1]
        x[i + 1] = t


# n=0,1,5 | z=2*n re=n im=n
def pull_apart(z: "float64[m]", re: "float64[n]", im: "float64[n]"):
    for i in range(len(re)):
        re[i] = z[2 * i]
        im[i] = z[2 * i + 1]


# n=0,1,9 | x=n y=n
def two_accumulators(x: "float32[n]", y: "float32[n]") -> float32:
    s = float32(0)
    t = float32(0)
    n = len(x) // 2
    for i in range(n):
        s += x[2 * i] * y[2 * i]
        t += x[2 * i + 1] * y[2 * i + 1]
    return s + t
