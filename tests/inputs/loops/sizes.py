# ruff: noqa: F401, F821 (names of sizes)
"""Loops over NumPy arrays as people write them; the comment above each says how it is called."""

import math

import numpy as np
from numpy import float32, float64, int32


# n=0,1,2,9 | x=n o=n
def haar_step(x: "float64[n]", o: "float64[n]"):
    h = len(x) // 2
    for i in range(h):
        o[i] = (x[2 * i] + x[2 * i + 1]) / 2
        o[h + i] = (x[2 * i] - x[2 * i + 1]) / 2


# n=0,1,2,7,8 | x=n
def reverse(x: "int64[n]"):
    n = len(x)
    for i in range(n // 2):
        x[i], x[n - 1 - i] = x[n - 1 - i], x[i]


# n=1,3,8 k=1,2,3 | x=n w=k o=n-k+1
def valid(x: "float64[n]", w: "float64[k]", o: "float64[m]"):
    for i in range(len(x) - len(w) + 1):
        s = 0.0
        for j in range(len(w)):
            s += x[i + j] * w[j]
        o[i] = s


# h=1,3,6 w=1,4,5 k=1,2,3 | x=h,w o=(h-k+1)*(w-k+1),k*k
def patches(x: "float32[h, w]", k: int, o: "float32[p, q]"):
    ow = x.shape[1] - k + 1
    for i in range(x.shape[0] - k + 1):
        for j in range(ow):
            for a in range(k):
                for b in range(k):
                    o[i * ow + j, a * k + b] = x[i + a, j + b]


# n=0,2,8 | q=n c=n//2 s=n//2
def rope(q: "float32[n]", c: "float32[h]", s: "float32[h]"):
    for i in range(len(q) // 2):
        a = q[2 * i]
        b = q[2 * i + 1]
        q[2 * i] = a * c[i] - b * s[i]
        q[2 * i + 1] = a * s[i] + b * c[i]


# h=0,1,4,7 w=0,2,4,5 | x=h,w o=h//2,w//2
def halved(x: "float64[h, w]", o: "float64[p, q]"):
    for i in range(x.shape[0] // 2):
        for j in range(x.shape[1] // 2):
            o[i, j] = (x[2 * i, 2 * j] + x[2 * i + 1, 2 * j] + x[2 * i, 2 * j + 1] + x[2 * i + 1, 2 * j + 1]) / 4


# n=0,1,5 | x=n o=2*n
def repeated(x: "float64[n]", o: "float64[m]"):
    for i in range(2 * len(x)):
        o[i] = x[i // 2]
