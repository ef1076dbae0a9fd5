"""Signals: filters, windows and transforms."""

import numpy as np

from tests.bench.programs.register import double, program, single


@program(lambda g, n: (single(g, n), single(g, 16)), 40, 50000)
def fir(signal, taps):
    count = signal.shape[0] - taps.shape[0] + 1
    out = np.zeros(count, dtype=np.float32)
    for k in range(taps.shape[0]):
        out += taps[k] * signal[k : k + count]
    return out


@program(lambda g, n: (double(g, n), 0.2, 0.3), 10, 20000)
def smoothed(signal, a, b):
    out = np.empty_like(signal)
    out[0] = a * signal[0]
    for t in range(1, signal.shape[0]):
        out[t] = a * signal[t] + b * out[t - 1]
    return out


@program(lambda g, n: (double(g, n),), 12, 300)
def real_dft(signal):
    n = signal.shape[0]
    k = np.arange(n)
    angle = -2.0 * np.pi * np.outer(k, k) / n
    return np.cos(angle) @ signal, np.sin(angle) @ signal


@program(lambda g, n: (double(g, n), 8), 20, 20000)
def autocorrelation(signal, lags):
    n = signal.shape[0]
    centred = signal - np.mean(signal)
    out = np.zeros(lags)
    for lag in range(lags):
        out[lag] = np.dot(centred[: n - lag], centred[lag:])
    return out / out[0]


@program(lambda g, n: (double(g, 2 * n),), 8, 50000)
def haar(signal):
    even, odd = signal[::2], signal[1::2]
    return (even + odd) / np.sqrt(2.0), (even - odd) / np.sqrt(2.0)


@program(lambda g, n: (double(g, n),), 9, 50000)
def windowed(signal):
    n = signal.shape[0]
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(n) / (n - 1))
    return signal * window


@program(lambda g, n: (single(g, n),), 10, 50000)
def normalised(signal):
    low, high = np.min(signal), np.max(signal)
    return (signal - low) / (high - low)


@program(lambda g, n: (double(g, n),), 10, 20000)
def running_total(signal):
    return np.cumsum(signal) / np.arange(1, signal.shape[0] + 1)


@program(lambda g, n: (single(g, n, n), 2.0), 10, 300)
def sobel(image, gain):
    gx = image[:-2, 2:] + 2 * image[1:-1, 2:] + image[2:, 2:] - image[:-2, :-2] - 2 * image[1:-1, :-2] - image[2:, :-2]
    gy = image[2:, :-2] + 2 * image[2:, 1:-1] + image[2:, 2:] - image[:-2, :-2] - 2 * image[:-2, 1:-1] - image[:-2, 2:]
    return np.clip(gain * np.sqrt(gx * gx + gy * gy), 0, 1)
