# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# n=0,1,7 m=1,1,5 | x=m idx=n<m y=n
def take(x: "float64[m]", idx: "int64[n]", y: "float64[n]"):
    for i in range(len(idx)):
        y[i] = x[idx[i]]


# n=0,1,7 m=1,1,5 d=0,1,3 | x=m,d idx=n<m y=n,d
def take_rows(x: "float32[m, d]", idx: "int32[n]", y: "float32[n, d]"):
    for i in range(len(idx)):
        for j in range(x.shape[1]):
            y[i, j] = x[idx[i], j]


# n=0,1,7 m=1,2,4 | b=n<m h=m | none: scatter
def bin_counts(b: "int64[n]", h: "int64[m]"):
    for i in range(len(b)):
        h[b[i]] += 1


# n=0,1,7 m=1,2,4 | x=m w=n idx=n<m
def gathered_dot(x: "float64[m]", w: "float64[n]", idx: "int64[n]") -> float:
    s = 0.0
    for i in range(len(idx)):
        s += w[i] * x[idx[i]]
    return s


# n=0,1,7 m=1,2,4 | a=n,m label=n<m o=n
def picked(a: "float64[n, m]", label: "int64[n]", o: "float64[n]"):
    for i in range(a.shape[0]):
        o[i] = a[i, label[i]]
