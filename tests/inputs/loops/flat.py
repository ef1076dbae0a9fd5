# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# p=0,1,3 n=0,1,4 | a=p*n x=n o=p
def batch_rows(p: int, a: "float64[m]", x: "float64[n]", o: "float64[p]"):
    n = len(x)
    for b in range(p):
        s = 0.0
        for i in range(n):
            s += a[b * n + i] * x[i]
        o[b] = s


# n=0,1,4 | rgb=3*n y=n
def grey(rgb: "uint8[m]", y: "float32[n]"):
    for i in range(len(y)):
        y[i] = float32(0.25) * rgb[3 * i] + float32(0.5) * rgb[3 * i + 1] + float32(0.25) * rgb[3 * i + 2]


# n=0,1,4 m=0,1,3 | a=n*m o=n,m
def unflatten(a: "float64[k]", o: "float64[n, m]"):
    for i in range(o.shape[0]):
        for j in range(o.shape[1]):
            o[i, j] = a[i * o.shape[1] + j]


# c=0,1,2 h=0,2,3 w=0,1,4 | x=h,w,c o=c,h,w
def planes(x: "float32[h, w, c]", o: "float32[c, h, w]"):
    for k in range(x.shape[2]):
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                o[k, i, j] = x[i, j, k]
