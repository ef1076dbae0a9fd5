# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# n=0,1,6 | a=n o=n
def ramped(a: "float64[n]", o: "float64[n]"):
    for k in range(len(a)):
        o[k] = (k + 1) * a[k]


# n=1,2,8 | a=n
def argmax(a: "float64[n]") -> int:
    best = 0
    for i in range(1, len(a)):
        if a[i] > a[best]:
            best = i
    return best


# n=1,2,8 | a=n
def argmin_with_value(a: "float32[n]") -> int:
    low = a[0]
    at = 0
    for i in range(1, len(a)):
        if a[i] < low:
            low = a[i]
            at = i
    return at


# n=0,1,8 v=0,1,2 | a=n
def index_of(a: "int32[n]", v: int32) -> int:
    for i in range(len(a)):
        if a[i] == v:
            return i
    return -1


# n=0,1,8 | a=n
def first_positive(a: "float64[n]") -> int:
    r = len(a)
    for i in range(len(a)):
        if a[i] > 0:
            r = i
            break
    return r


# n=0,1,8 | a=n
def how_many_negative(a: "float64[n]") -> int:
    c = 0
    for v in a:
        if v < 0:
            c += 1
    return c


# n=0,1,8 | a=n
def any_nan_like(a: "float64[n]") -> int:
    found = 0
    for i in range(len(a)):
        if a[i] != a[i]:
            found = 1
    return found


# n=0,1,5 m=1,1,4 | a=n,m o=n
def argmax_rows(a: "float64[n, m]", o: "int64[n]"):
    for i in range(a.shape[0]):
        best = 0
        top = a[i, 0]
        for j in range(1, a.shape[1]):
            if a[i, j] > top:
                top = a[i, j]
                best = j
        o[i] = best


# n=0,1,5 | o=n
def grid(o: "float64[n]"):
    for i in range(len(o)):
        o[i] = i * 0.1
