# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# n=0,1,7 | x=n o=n | none: scan
def running_total(x: "float64[n]", o: "float64[n]"):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        o[i] = s


# n=0,1,7 | x=n | none: scan
def running_maximum(x: "float32[n]"):
    for i in range(1, len(x)):
        x[i] = max(x[i], x[i - 1])


# n=0,1,7 | x=n y=n | none: scan
def smoothed(x: "float64[n]", y: "float64[n]", a: float64):
    s = 0.0
    for i in range(len(x)):
        s = a * x[i] + (1 - a) * s
        y[i] = s


# n=0,1,5 m=0,2,3 | a=n,m | none: scan
def cumulative_rows(a: "float64[n, m]"):
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] += a[i, j - 1]


# n=0,1,7 | x=n o=n
def differences(x: "int64[n]", o: "int64[n]"):
    last = 0
    for i in range(len(x)):
        o[i] = x[i] - last
        last = x[i]
