# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# n=0,1,6 d=0,1,4 | x=n c=d+1 y=n | none: recurrence
def polynomial(x: "float64[n]", c: "float64[d]", y: "float64[n]"):
    for i in range(len(x)):
        v = 0.0
        for k in range(len(c)):
            v = v * x[i] + c[k]
        y[i] = v


# n=0,2,7 t=0,1,2 | a=n b=n | none: recurrence
def relaxed(a: "float64[n]", b: "float64[n]", t: int):
    for _ in range(t):
        for i in range(1, len(a) - 1):
            b[i] = (a[i - 1] + a[i + 1]) / 2
        for i in range(1, len(a) - 1):
            a[i] = b[i]


# n=0,1,5 | L=n,n b=n | none: recurrence
def substituted(L: "float64[n, n]", b: "float64[n]"):
    for i in range(len(b)):
        for j in range(i):
            b[i] -= L[i, j] * b[j]


# n=0,2,7 | x=n
def moved_left(x: "float64[n]"):
    for i in range(len(x) - 1):
        x[i] = x[i + 1]


# n=0,1,5 | a=n,n
def transposed_in_place(a: "float64[n, n]"):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j], a[j, i] = a[j, i], a[i, j]
