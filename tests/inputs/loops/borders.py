# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# n=0,1,8 k=1,2,3 | x=n h=k o=n
def causal_fir(x: "float64[n]", h: "float64[k]", o: "float64[n]"):
    for i in range(len(x)):
        s = 0.0
        for j in range(len(h)):
            if i - j >= 0:
                s += h[j] * x[i - j]
        o[i] = s


# n=0,1,8 m=1,2,4 | x=n r=m
def lags(x: "float64[n]", r: "float64[m]"):
    for k in range(len(r)):
        r[k] = 0
        for i in range(len(x) - k):
            r[k] += x[i] * x[i + k]


# n=0,1,6 b=0,1,2 | A=n,n x=n y=n
def banded(A: "float64[n, n]", x: "float64[n]", y: "float64[n]", b: int):
    n = len(x)
    for i in range(n):
        y[i] = 0
        for j in range(max(0, i - b), min(n, i + b + 1)):
            y[i] += A[i, j] * x[j]


# h=1,2,5 w=1,3,4 | a=h,w k=3,3 o=h,w
def same_convolution(a: "float64[h, w]", k: "float64[3, 3]", o: "float64[h, w]"):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s = 0.0
            for p in range(-1, 2):
                for q in range(-1, 2):
                    if 0 <= i + p < a.shape[0] and 0 <= j + q < a.shape[1]:
                        s += a[i + p, j + q] * k[p + 1, q + 1]
            o[i, j] = s


# n=0,1,6 p=0,1,2 | x=n o=n+2*p
def padded(x: "float64[n]", o: "float64[m]", p: int):
    for i in range(len(o)):
        o[i] = 0
    for i in range(len(x)):
        o[i + p] = x[i]


# t=0,1,5 | s=t,t
def future_masked(s: "float32[t, t]"):
    for i in range(s.shape[0]):
        for j in range(s.shape[1]):
            if j > i:
                s[i, j] = float32(-1e9)
