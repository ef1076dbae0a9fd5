"""Ports of the loops of statistics.c to NumPy: right ones, and slightly wrong ones."""

import numpy as np


def mean_port(n: np.int32, x: "f64[n]"):
    return np.sum(x) / n


def mean_wrong(n: np.int32, x: "f64[n]"):
    return np.sum(x) / (n - 1)


def variance_port(n: np.int32, mean: float, x: "f64[n]"):
    return np.sum((x - mean) ** 2) / (n - 1)


def variance_wrong(n: np.int32, mean: float, x: "f64[n]"):
    return np.sum((x - mean) ** 2) / n


def column_sums_port(n: np.int32, m: np.int32, X: "f64[n, m]", s: "f64[m]"):
    s[:] = X.sum(axis=0)


def column_sums_wrong(n: np.int32, m: np.int32, X: "f64[n, m]", s: "f64[m]"):
    s[:] = X[1:].sum(axis=0)


def centred_port(n: np.int32, m: np.int32, X: "f64[n, m]", mean: "f64[m]"):
    X -= mean


def centred_wrong(n: np.int32, m: np.int32, X: "f64[n, m]", mean: "f64[m]"):
    X[:] = mean - X


def scaled_port(n: np.int32, m: np.int32, X: "f64[n, m]", mean: "f64[m]", deviation: "f64[m]", Z: "f64[n, m]"):
    Z[:] = (X - mean[None, :]) / deviation


def scaled_wrong(n: np.int32, m: np.int32, X: "f64[n, m]", mean: "f64[m]", deviation: "f64[m]", Z: "f64[n, m]"):
    Z[:] = X - mean / deviation


def largest_port(n: np.int32, x: "f64[n]"):
    best = -np.inf
    for i in range(n):
        best = np.fmax(best, x[i])
    return best


def largest_wrong(n: np.int32, x: "f64[n]"):
    best = 0.0
    for i in range(n):
        best = np.fmax(best, x[i])
    return best


def clipped_port(n: np.int32, low: float, high: float, x: "f64[n]"):
    x[:] = np.where(x < low, low, x)
    x[:] = np.where(x > high, high, x)


def clipped_wrong(n: np.int32, low: float, high: float, x: "f64[n]"):
    x[:] = np.where(x > high, high, x)
    x[:] = np.where(x < low, low, x)


def weighted_port(n: np.int32, w: "f64[n]", x: "f64[n]"):
    return (w @ x) / np.sum(w)


def weighted_wrong(n: np.int32, w: "f64[n]", x: "f64[n]"):
    return (w @ x) / n


def above_port(n: np.int32, limit: float, x: "f64[n]"):
    return np.int32(np.sum(x > limit))


def above_wrong(n: np.int32, limit: float, x: "f64[n]"):
    return np.int32(np.sum(x >= limit))
