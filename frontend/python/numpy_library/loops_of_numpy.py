"""Functions of NumPy's as loops, of vectors: their text is read and never run.

Where a function has the name of another one and `_of_number` or `_of_vector` behind it, it is taken for a first
argument that is a number or a vector. NaN counts as greater than every number, as where NumPy sorts. Where NumPy has an
error, an element behind the end of an array is written, which is an `IndexError`.
"""

from __future__ import annotations

from typing import Any

import numpy


def smaller(a: Any, b: Any) -> Any:
    """Whether `a` stands before `b`."""
    return a < b or (b != b and a == a)


def sort(a: Any) -> Any:
    """Runs of growing lengths are merged."""
    n = len(a)
    found = a.copy()
    other = a.copy()
    width = 1
    while width < n:
        low = 0
        while low < n:
            middle = min(low + width, n)
            high = min(low + 2 * width, n)
            p = low
            q = middle
            for k in range(low, high):
                if q < high and (p >= middle or smaller(found[q], found[p])):
                    other[k] = found[q]
                    q += 1
                else:
                    other[k] = found[p]
                    p += 1
            low += 2 * width
        found[:] = other
        width *= 2
    return found


def argsort(a: Any) -> Any:
    """The places in the order of the elements; those of equal ones stay in order."""
    n = len(a)
    found = numpy.arange(len(a))
    other = numpy.arange(len(a))
    width = 1
    while width < n:
        low = 0
        while low < n:
            middle = min(low + width, n)
            high = min(low + 2 * width, n)
            p = low
            q = middle
            for k in range(low, high):
                if q < high and (p >= middle or smaller(a[found[q]], a[found[p]])):
                    other[k] = found[q]
                    q += 1
                else:
                    other[k] = found[p]
                    p += 1
            low += 2 * width
        found[:] = other
        width *= 2
    return found


def median(a: Any) -> Any:
    """The middle of the sorted elements, or the mean of the two there; NaN if there is one, or no element."""
    n = len(a)
    if n == 0:
        return numpy.nan
    found = sort(a)
    if found[n - 1] != found[n - 1]:
        return found[n - 1] * 1.0
    if n % 2 == 1:
        return found[n // 2] * 1.0
    return (found[n // 2 - 1] * 1.0 + found[n // 2] * 1.0) / 2


def quantile(a: Any, q: Any) -> Any:
    """Between the two sorted elements at the place `q * (n - 1)`, in proportion; there is none beyond the ends."""
    n = len(a)
    found = sort(a)
    place = q * (n - 1)
    low = int(place)
    if not (q >= 0 and q <= 1):
        low = -1
    below = found[low] * 1.0
    if found[n - 1] != found[n - 1]:
        return found[n - 1] * 1.0
    above = found[min(low + 1, n - 1)] * 1.0
    part = place - low
    if part >= 0.5:
        return above - (above - below) * (1 - part)
    return below + (above - below) * part


def places_left_of_number(v: Any, a: Any) -> Any:
    """The first place of a sorted array in front of which everything is smaller than `v`."""
    low = 0
    high = len(a)
    while low < high:
        middle = (low + high) // 2
        if smaller(a[middle], v):
            low = middle + 1
        else:
            high = middle
    return numpy.int64(low)


def places_left(v: Any, a: Any) -> Any:
    """The same of each element."""
    found = numpy.empty(len(v), dtype=numpy.int64)
    for i in range(len(v)):
        found[i] = places_left_of_number(v[i], a)
    return found


def places_right_of_number(v: Any, a: Any) -> Any:
    """The first place of a sorted array behind everything that is not greater than `v`."""
    low = 0
    high = len(a)
    while low < high:
        middle = (low + high) // 2
        if smaller(v, a[middle]):
            high = middle
        else:
            low = middle + 1
    return numpy.int64(low)


def places_right(v: Any, a: Any) -> Any:
    """The same of each element."""
    found = numpy.empty(len(v), dtype=numpy.int64)
    for i in range(len(v)):
        found[i] = places_right_of_number(v[i], a)
    return found


def interp_of_number(v: Any, xp: Any, fp: Any) -> Any:
    """The line between the neighbours of `v` in a sorted array; their values beyond its ends."""
    n = len(xp)
    found = numpy.float64(v)
    if v == v:
        low = 0
        high = n
        while low < high:
            middle = (low + high) // 2
            if v < xp[middle]:
                high = middle
            else:
                low = middle + 1
        if low == 0:
            found = numpy.float64(fp[0])
        elif low == n or v == xp[low - 1]:
            found = numpy.float64(fp[low - 1])
        else:
            gap = numpy.float64(xp[low]) - numpy.float64(xp[low - 1])
            slope = (numpy.float64(fp[low]) - numpy.float64(fp[low - 1])) / gap
            found = slope * (numpy.float64(v) - numpy.float64(xp[low - 1])) + numpy.float64(fp[low - 1])
    return found


def interp(v: Any, xp: Any, fp: Any) -> Any:
    """The same of each element."""
    found = numpy.empty(len(v))
    for i in range(len(v)):
        found[i] = interp_of_number(v[i], xp, fp)
    return found


def convolve_full(a: Any, v: Any) -> Any:
    """The sums of products that meet as one is moved along the other; both have an element."""
    numpy.argmin(a)
    numpy.argmin(v)
    found = numpy.zeros(len(a) + len(v) - 1, dtype=numpy.result_type(a, v))
    for i in range(len(a)):
        for j in range(len(v)):
            found[i + j] += a[i] * v[j]
    return found


def correlate_valid(a: Any, v: Any) -> Any:
    """The sums of products where the second, which has an element, lies in the first."""
    numpy.argmin(v)
    found = numpy.zeros(len(a) - len(v) + 1, dtype=numpy.result_type(a, v))
    for i in range(len(a) - len(v) + 1):
        for j in range(len(v)):
            found[i] += a[i + j] * v[j]
    return found


def gradient(f: Any, h: Any) -> Any:
    """Central differences, and one-sided ones at both ends."""
    found = numpy.empty(len(f), dtype=numpy.result_type(f, 1.0))
    found[1:-1] = (f[2:] - f[:-2]) / (2.0 * h)
    found[0] = (f[1] - f[0]) / h
    found[len(f) - 1] = (f[len(f) - 1] - f[len(f) - 2]) / h
    return found


def histogram(a: Any, bins: Any, low: Any, high: Any) -> Any:
    """How many elements lie in each of some equal bins, and the ends of these; a range has a length."""
    edges = numpy.linspace(low, high, bins + 1).astype(numpy.result_type(a, 1.0))
    counts = numpy.zeros(bins, dtype=numpy.int64)
    if not low < high:
        counts[bins] = 0
    for i in range(len(a)):
        v = a[i]
        if v >= low and v <= high:
            k = min(int((v - low) / (high - low) * bins), bins - 1)
            if v < edges[k]:
                k -= 1
            elif k < bins - 1 and v >= edges[k + 1]:
                k += 1
            counts[k] += 1
    return counts, edges


def rolled(a: Any, shift: Any) -> Any:
    """Each element some places further, from the end to the start."""
    n = len(a)
    found = a.copy()
    if n > 0:
        first = (n - shift % n) % n
        for i in range(len(a)):
            place = first + i
            if place >= n:
                place -= n
            found[i] = a[place]
    return found


def polyval(p: Any, x: Any) -> Any:
    """A polynomial, its highest power first, by Horner's rule."""
    found = numpy.zeros(len(x), dtype=numpy.result_type(p, x))
    for i in range(len(p)):
        found[:] = found * x + p[i]
    return found


def kron(a: Any, b: Any) -> Any:
    """Each element of the first matrix times the second."""
    found = numpy.zeros((a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]), dtype=numpy.result_type(a, b))
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(b.shape[0]):
                for m in range(b.shape[1]):
                    found[i * b.shape[0] + k, j * b.shape[1] + m] = a[i, j] * b[k, m]
    return found


def scaled(c: Any) -> Any:
    """A matrix over the roots of its diagonal, in rows and columns."""
    found = numpy.empty((c.shape[0], c.shape[0]), dtype=numpy.result_type(c, 1.0))
    for i in range(c.shape[0]):
        for j in range(c.shape[0]):
            found[i, j] = c[i, j] / numpy.sqrt(c[i, i]) / numpy.sqrt(c[j, j])
    return found


def comoments(m: Any) -> Any:
    """The products of the rows' deviations, by the number of columns less one."""
    d = m.astype(numpy.float64)
    e = d - numpy.mean(d, axis=1, keepdims=True)
    found = e @ e.T
    found /= max(m.shape[1] - 1, 0)
    return found


def append(arr: Any, values: Any) -> Any:
    """The second vector behind the first."""
    return numpy.concatenate((arr[: len(arr)], values[: len(values)]))


def array_equal(a: Any, b: Any) -> Any:
    """Whether two vectors have the same length and elements."""
    same = len(a) == len(b)
    if len(a) == len(b):
        for i in range(len(a)):
            if a[i] != b[i]:
                same = False
    return same


def rising(bins: Any) -> Any:
    """The ends of bins in rising order; they have to be sorted."""
    n = len(bins)
    found = bins.copy()
    if n > 0 and bins[n - 1] < bins[0]:
        found[:] = bins[::-1]
    for k in range(n - 1):
        if not found[k] <= found[k + 1]:
            found[n] = found[k]
    return found


def digitize_right(x: Any, bins: Any) -> Any:
    """How many bins begin at or before each element; where bins fall, how many begin behind it."""
    found = places_right(x, rising(bins))
    if len(bins) > 0 and bins[len(bins) - 1] < bins[0]:
        found[:] = len(bins) - found
    return found


def digitize_left(x: Any, bins: Any) -> Any:
    """The same, where a bin has its end and not its beginning."""
    found = places_left(x, rising(bins))
    if len(bins) > 0 and bins[len(bins) - 1] < bins[0]:
        found[:] = len(bins) - found
    return found


def nanargmax(a: Any) -> Any:
    """The first place of the greatest element that is a number; there has to be one."""
    place = -1
    for i in range(len(a)):
        if a[i] == a[i] and (place < 0 or a[i] > a[place]):
            place = i
    best = numpy.empty(1, dtype=numpy.result_type(a, a))
    best[0] = a[place]
    return numpy.int64(place)


def take(indices: Any, a: Any) -> Any:
    """The elements of a vector at some places."""
    found = numpy.empty(len(indices), dtype=numpy.result_type(a, a))
    for i in range(len(indices)):
        found[i] = a[indices[i]]
    return found


def take_of_number(indices: Any, a: Any) -> Any:
    """The element of a vector at a place."""
    return a[indices]


def take_along_rows(a: Any, indices: Any) -> Any:
    """Elements of each row, at the places in the same row of another matrix."""
    found = numpy.empty((indices.shape[0], indices.shape[1]), dtype=numpy.result_type(a, a))
    if a.shape[0] != indices.shape[0]:
        found[indices.shape[0], 0] = 0
    for i in range(indices.shape[0]):
        for j in range(indices.shape[1]):
            found[i, j] = a[i, indices[i, j]]
    return found


def take_along_columns(a: Any, indices: Any) -> Any:
    """Elements of each column, at the places in the same column of another matrix."""
    found = numpy.empty((indices.shape[0], indices.shape[1]), dtype=numpy.result_type(a, a))
    if a.shape[1] != indices.shape[1]:
        found[indices.shape[0], 0] = 0
    for i in range(indices.shape[0]):
        for j in range(indices.shape[1]):
            found[i, j] = a[indices[i, j], j]
    return found


def take_along_columns_of_vector(a: Any, indices: Any) -> Any:
    """The elements of a vector at some places."""
    return take(indices, a)


def unwrap(p: Any) -> Any:
    """Angles without the jumps of more than half a turn: each is a sum of steps within half a turn."""
    half = numpy.pi
    found = p * 1.0
    moved = numpy.zeros(1, dtype=numpy.result_type(p, 1.0))
    for i in range(1, len(p)):
        step = (p[i] - p[i - 1]) * 1.0
        short = (step + half) % (2 * half) - half
        if short == -half and step > 0:
            short = short + 2 * half
        if not numpy.abs(step) < half:
            moved[0] += short - step
        found[i] += moved[0]
    return found


def convolve_same(a: Any, v: Any) -> Any:
    """The middle of the sums of products, as long as the longer vector."""
    numpy.argmin(a)
    numpy.argmin(v)
    n = max(len(a), len(v))
    found = numpy.zeros(n, dtype=numpy.result_type(a, v))
    first = (min(len(a), len(v)) - 1) // 2
    for i in range(len(a)):
        for j in range(len(v)):
            k = i + j - first
            if k >= 0 and k < n:
                found[k] += a[i] * v[j]
    return found
