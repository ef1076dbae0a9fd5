# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# n=0,1,7 | x=n o=n
def doubled_by_buffer(x: "float64[n]", o: "float64[n]"):
    t = np.empty(len(x))
    for i in range(len(x)):
        t[i] = 2 * x[i]
    for i in range(len(x)):
        o[i] = t[i]


# n=0,1,5 m=0,1,3 | A=n,m o=m
def column_sums_buffer(A: "float64[n, m]", o: "float64[m]"):
    t = np.zeros(A.shape[1])
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            t[j] += A[i, j]
    for j in range(A.shape[1]):
        o[j] = t[j]


# n=0,1,6 | x=n o=n
def backup_and_blend(x: "float32[n]", o: "float32[n]"):
    old = np.zeros_like(o)
    for i in range(len(o)):
        old[i] = o[i]
    for i in range(len(o)):
        o[i] = float32(0.5) * old[i] + float32(0.5) * x[i]


# n=0,1,6 | x=n
def variance_buffer(x: "float64[n]") -> float:
    d = np.zeros(len(x))
    m = 0.0
    for i in range(len(x)):
        m += x[i]
    m /= len(x) + 1
    for i in range(len(x)):
        d[i] = x[i] - m
    s = 0.0
    for i in range(len(x)):
        s += d[i] * d[i]
    return s


# n=0,1,4 | a=n,n b=n,n c=n,n
def triple_product(a: "float64[n, n]", b: "float64[n, n]", c: "float64[n, n]"):
    n = a.shape[0]
    t = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for k in range(n):
                t[i, j] += a[i, k] * b[k, j]
    for i in range(n):
        for j in range(n):
            c[i, j] = 0
            for k in range(n):
                c[i, j] += t[i, k] * a[k, j]
