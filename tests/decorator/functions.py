"""Functions that tests compile: few, since each takes a second to compile, and each used for much."""

import numpy as np

import raising

HALF = np.float32(0.5)
TIMES = 3


def scaled(a, n):
    """A helper without types, with a constant of NumPy's."""
    return a * HALF + n


def several(x, y, *, shift=1):
    """Writes to an argument; gives an array and two numbers."""
    z = scaled(x, TIMES)
    y[:] = z + shift
    return z, np.sum(z), x.shape[0]


def ends(x, y):
    """Extents that differ by one."""
    return x[1:] + y


def greater(x, y):
    """A comparison, which depends on the sign."""
    for i in range(len(x)):
        y[i] = x[i] > 100


def total(x):
    """A number."""
    return np.sum(x * x)


@raising.jit
def decorated(x):
    """A function that its module has as a compiled one."""
    return x


def first(x, n):
    """A slice whose end is an argument."""
    return x[:n]


def bits(x, y):
    """Integers without sign."""
    y[:] = x - 1
    return x + x, np.sum(x)


QUICK = {"check": "none", "optimise": False}
jit_several = raising.jit(**QUICK)(several)
jit_ends = raising.jit(**QUICK)(ends)
jit_first = raising.jit(**QUICK)(first)
jit_bits = raising.jit(**QUICK)(bits)
jit_total = raising.jit(**QUICK)(total)
