# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# n=0,1,9 | x=n
def sum_in_blocks(x: "float64[n]") -> float:
    total = 0.0
    for b in range(0, len(x), 4):
        for i in range(b, min(b + 4, len(x))):
            total += x[i]
    return total


# n=0,1,6 m=0,2,5 | a=n,m o=m,n
def transpose_in_tiles(a: "float64[n, m]", o: "float64[m, n]"):
    n, m = a.shape
    for ii in range(0, n, 3):
        for jj in range(0, m, 3):
            for i in range(ii, min(ii + 3, n)):
                for j in range(jj, min(jj + 3, m)):
                    o[j, i] = a[i, j]


# n=0,1,6 k=0,1,5 m=0,2,7 | a=n,k b=k,m c=n,m
def matmul_in_tiles(a: "float64[n, k]", b: "float64[k, m]", c: "float64[n, m]"):
    n, m = c.shape
    q = a.shape[1]
    for ii in range(0, n, 2):
        for jj in range(0, m, 4):
            for kk in range(0, q, 3):
                for i in range(ii, min(ii + 2, n)):
                    for j in range(jj, min(jj + 4, m)):
                        for p in range(kk, min(kk + 3, q)):
                            c[i, j] += a[i, p] * b[p, j]
