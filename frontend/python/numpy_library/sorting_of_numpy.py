"""Sorting, searching and counting of NumPy's as loops, of vectors; as in `loops_of_numpy`, nothing of this is run.

NaN counts as greater than every number, as where NumPy sorts.
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
            left = low
            right = middle
            for k in range(low, high):
                if right < high and (left >= middle or smaller(found[right], found[left])):
                    other[k] = found[right]
                    right += 1
                else:
                    other[k] = found[left]
                    left += 1
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
            left = low
            right = middle
            for k in range(low, high):
                if right < high and (left >= middle or smaller(a[found[right]], a[found[left]])):
                    other[k] = found[right]
                    right += 1
                else:
                    other[k] = found[left]
                    left += 1
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


def sort_of_matrix(a: Any) -> Any:
    """Each row of a matrix, sorted."""
    found = a.copy()
    for i in range(a.shape[0]):
        found[i] = sort(a[i])
    return found


def argsort_of_matrix(a: Any) -> Any:
    """The places in the order of the elements, in each row of a matrix."""
    found = numpy.empty((a.shape[0], a.shape[1]), dtype=numpy.int64)
    for i in range(a.shape[0]):
        found[i] = argsort(a[i])
    return found


def median_of_matrix(a: Any) -> Any:
    """The median of all elements."""
    return median(a.reshape(-1))


def median_of_rows(a: Any) -> Any:
    """The median of each row of a matrix."""
    found = numpy.empty(a.shape[0], dtype=numpy.result_type(a, 1.0))
    for i in range(a.shape[0]):
        found[i] = median(a[i])
    return found


def quantile(a: Any, q: Any) -> Any:
    """Between the two sorted elements at the place `q * (n - 1)`, in proportion; there is none beyond the ends."""
    n = len(a)
    found = sort(a)
    place = q * (n - 1)
    low = int(place)
    if not (q >= 0 and q <= 1):
        low = n
    below = found[low] * 1.0
    if found[n - 1] != found[n - 1]:
        return found[n - 1] * 1.0
    above = found[min(low + 1, n - 1)] * 1.0
    part = place - low
    if part >= 0.5:
        return above - (above - below) * (1 - part)
    return below + (above - below) * part


def quantile_of_matrix(a: Any, q: Any) -> Any:
    """The quantile of all elements."""
    return quantile(a.reshape(-1), q)


def quantile_of_rows(a: Any, q: Any) -> Any:
    """The quantile of each row of a matrix."""
    found = numpy.empty(a.shape[0], dtype=numpy.result_type(a, 1.0))
    for i in range(a.shape[0]):
        found[i] = quantile(a[i], q)
    return found


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
    """The line between the neighbours of `v` in a sorted array; their values beyond its ends. One point is enough."""
    n = len(xp)
    found = numpy.float64(v)
    if v == v or n == 1:
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


def counted(places: Any, bins: Any) -> Any:
    """How many bins begin before some places among them in rising order; of those that fall, how many behind."""
    found = places.copy()
    if len(bins) > 0 and bins[len(bins) - 1] < bins[0]:
        found[:] = len(bins) - places
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


def bincount(x: Any, minlength: Any) -> Any:
    """How often each number occurs; all are below the length of the result."""
    found = numpy.zeros(minlength, dtype=numpy.int64)
    for i in range(len(x)):
        found[int(x[i]) if x[i] >= 0 else int(minlength)] += 1
    return found


def bincount_of_weights(x: Any, weights: Any, minlength: Any) -> Any:
    """The sum of the weights of each number; all are below the length of the result."""
    found = numpy.zeros(minlength, dtype=numpy.float64)
    if len(weights) != len(x):
        found[minlength] = 0
    for i in range(len(x)):
        found[int(x[i]) if x[i] >= 0 else int(minlength)] += weights[i]
    return found


def place_of_extreme(a: Any, least: Any) -> Any:
    """The first place of the least or greatest element that is a number; there has to be one."""
    place = -1
    for i in range(len(a)):
        if a[i] == a[i] and (place < 0 or (a[i] < a[place] if least else a[i] > a[place])):
            place = i
    best = numpy.empty(1, dtype=numpy.result_type(a, a))
    best[0] = a[place if place >= 0 else len(a)]
    return numpy.int64(place)
