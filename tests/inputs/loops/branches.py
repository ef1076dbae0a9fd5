# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# n=0,1,7 | a=n b=n o=n
def divide_where(a: "float64[n]", b: "float64[n]", o: "float64[n]"):
    for i in range(len(a)):
        if b[i] != 0:
            o[i] = a[i] / b[i]
        else:
            o[i] = 0


# n=0,1,7 | c=n a=n b=n
def assign_where(c: "int32[n]", a: "float64[n]", b: "float64[n]"):
    for i in range(len(c)):
        if c[i]:
            b[i] = a[i]


# n=0,1,7 | x=n
def rectified(x: "float32[n]"):
    for i in range(len(x)):
        if x[i] < 0:
            x[i] = 0


# n=0,1,7 | x=n o=n
def clipped(x: "float64[n]", o: "float64[n]"):
    for i in range(len(x)):
        o[i] = min(max(x[i], -1.0), 1.0)


# n=0,1,7 flag=0,1,1 | x=n
def negate_if(x: "float64[n]", flag: int):
    if flag:
        for i in range(len(x)):
            x[i] = -x[i]


# n=0,1,7 | x=n
def sum_of_positive(x: "float64[n]") -> float:
    s = 0.0
    for v in x:
        if v <= 0:
            continue
        s += v
    return s


# n=0,1,7 | x=n o=n
def signs(x: "float64[n]", o: "float64[n]"):
    for i in range(len(x)):
        if x[i] > 0:
            o[i] = 1
        elif x[i] < 0:
            o[i] = -1
        else:
            o[i] = 0


# n=0,1,7 | x=n o=n
def safe_log(x: "float64[n]", o: "float64[n]"):
    for i in range(len(x)):
        o[i] = math.log(x[i]) if x[i] > 0 else -1e9
