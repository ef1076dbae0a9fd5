"""Functions of NumPy's as expressions, in its own words; their text is read and never run.

Several definitions of one name differ in their arguments: a constant behind a colon has to be given as it is there. A
call is replaced by the first that it fits. What is in `numpy._loops` are functions of `loops_of_numpy` and beside it.
"""

from __future__ import annotations

DEFINITIONS = """
def var(a, axis=None, *, ddof=0, keepdims=False, where=True):
    return numpy._mean(
        numpy._squared(a - numpy.mean(a, axis=axis, keepdims=True, where=where)), axis=axis, keepdims=keepdims,
        ddof=ddof, where=where)
def std(a, axis=None, *, ddof=0, keepdims=False, where=True):
    return numpy.sqrt(numpy.var(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where))
def ptp(a, axis=None, keepdims=False):
    return numpy.max(a, axis=axis, keepdims=keepdims) - numpy.min(a, axis=axis, keepdims=keepdims)
def any(a, axis=None, keepdims=False, *, where=True):
    return numpy._any(a != 0, axis=axis, keepdims=keepdims, where=where)
def all(a, axis=None, keepdims=False, *, where=True):
    return numpy._all(a != 0, axis=axis, keepdims=keepdims, where=where)
def count_nonzero(a, axis=None, keepdims=False): return numpy.sum(a != 0, axis=axis, keepdims=keepdims)
def nansum(a, axis=None, keepdims=False):
    return numpy.sum(numpy.where(numpy.isnan(a), 0, a), axis=axis, keepdims=keepdims)
def nanmean(a, axis=None, keepdims=False):
    return numpy._as(
        numpy.nansum(a, axis=axis, keepdims=keepdims) / numpy.sum(a == a, axis=axis, keepdims=keepdims),
        numpy.nansum(a * 1.0, axis=axis, keepdims=keepdims))
def norm(x, *, axis=None, keepdims=False):
    return numpy.sqrt(numpy.sum(numpy._squared(x * 1.0), axis=axis, keepdims=keepdims))
def average(a, axis=None): return numpy.mean(a, axis=axis)
def average(a, *, weights):
    return numpy.sum(a * 1.0 * weights) / numpy.sum(numpy.where(True, weights, a * 1.0))
def trapezoid(y, x): return numpy.sum((x[..., 1:] - x[..., :-1]) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
def norm(x, ord: 1, axis, keepdims=False): return numpy.sum(numpy.abs(x), axis=axis, keepdims=keepdims)
def norm(x, ord: 2, axis, keepdims=False): return numpy.linalg.norm(x, axis=axis, keepdims=keepdims)
def norm(x, ord: numpy.inf, axis, keepdims=False): return numpy.max(numpy.abs(x), axis=axis, keepdims=keepdims)
def norm(x, ord: "fro"): return numpy.sqrt(numpy.sum(numpy._squared(x * 1.0)))
def trace(a, offset=0): return numpy.sum(numpy.diagonal(a, offset))
def fill_diagonal(a, val): return numpy._loops.fill_diagonal(a, val)
def diff(a): return a[..., 1:] - a[..., :-1]
def sign(x): return numpy.where(x > 0, 1, numpy.where(x < 0, -1, numpy.where(x == 0, 0, x)))
def heaviside(x, h): return numpy.where(x < 0, 0.0, numpy.where(x == 0, h, numpy.where(x > 0, 1.0, x)))
def isclose(a, b, rtol=1e-05, atol=1e-08): return numpy._isclose(a, b * 1.0, rtol, atol)
def _isclose(a, b, rtol, atol):
    return (numpy.abs(a - b) <= atol + rtol * numpy.abs(b)) & numpy.isfinite(b) | (a == b)
def allclose(a, b, rtol=1e-05, atol=1e-08): return bool(numpy.all(numpy.isclose(a, b, rtol, atol)))
def logical_and(x, y): return (x != 0) & (y != 0)
def logical_or(x, y): return (x != 0) | (y != 0)
def logical_xor(x, y): return (x != 0) ^ (y != 0)
def logical_not(x): return x == 0
def equal(x, y): return x == y
def not_equal(x, y): return x != y
def less(x, y): return x < y
def less_equal(x, y): return x <= y
def greater(x, y): return x > y
def greater_equal(x, y): return x >= y
def negative(x): return -x
def clip(a, a_min, a_max: None): return numpy.maximum(a, a_min)
def clip(a, a_min: None, a_max): return numpy.minimum(a, a_max)
def clip(a, a_min, a_max): return numpy._clip(a, a_min, a_max)
def clip(a, min): return numpy.maximum(a, min)
def clip(a, max): return numpy.minimum(a, max)
def clip(a, min, max): return numpy.clip(a, min, max)
def degrees(x): return numpy._floating(x) * 57.29577951308232
def radians(x): return numpy._floating(x) * 0.017453292519943295
def sinc(x): return numpy.where(x == 0, 1.0, numpy.sin(3.141592653589793 * x) / (3.141592653589793 * x))
def _joined(x, y): return numpy._as(x, numpy._floating(x) + numpy._floating(y))
def logaddexp(x, y): return numpy._logaddexp(numpy._joined(x, y), numpy._joined(y, x))
def _logaddexp(x, y):
    return numpy.where(x == y, x + 0.6931471805599453, numpy.maximum(x, y) + numpy.log1p(numpy.exp(-numpy.abs(x - y))))
def diff(a, *, axis: -1): return a[..., 1:] - a[..., :-1]
def diff(a, *, axis: 0): return a[1:] - a[:-1]
def diff(a, n: 1): return a[..., 1:] - a[..., :-1]
def diff(a, n: 2): return numpy.diff(numpy.diff(a))
def diff(a, *, prepend): return numpy.diff(numpy.concatenate((numpy.atleast_1d(prepend), a)))
def diff(a, *, append): return numpy.diff(numpy.concatenate((a, numpy.atleast_1d(append))))
def diff(a, *, prepend, append):
    return numpy.diff(numpy.concatenate((numpy.atleast_1d(prepend), a, numpy.atleast_1d(append))))
def ediff1d(ary): return numpy.diff(ary)
def trapezoid(y): return numpy.sum((y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
def trapezoid(y, *, dx): return numpy.sum(dx * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
def bitwise_and(x, y): return x & y
def bitwise_or(x, y): return x | y
def bitwise_xor(x, y): return x ^ y
def invert(x): return ~x
def left_shift(x, y): return x << y
def right_shift(x, y): return x >> y
def positive(x): return +x
def copy(a): return a.copy()
def diagflat(v, k=0): return numpy.diag(v, k)
def array(a, dtype: None = None): return numpy._array(a)
def array(a, dtype): return numpy._array(a).astype(dtype)
def asarray(a): return a
def fix(x): return numpy.trunc(x)
def math_degrees(x): return float(x) * 57.29577951308232
def math_radians(x): return float(x) * 0.017453292519943295
def math_isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    return math._close(float(a), float(b), float(rel_tol), float(abs_tol))
def math__close(a, b, relative, absolute):
    return a == b or abs(a - b) <= max(relative * max(abs(a), abs(b)), absolute) and abs(a - b) < math.inf
def fliplr(m): return m[:, ::-1]
def flipud(m): return m[::-1]
def rot90(m): return m[:, ::-1].T
def vdot(a, b): return numpy.sum(numpy.conjugate(a) * b)
def inner(a, b): return numpy.dot(a, b.T)
def take(a, indices, *, axis: 0): return a[indices].copy()
def take(a, indices, *, axis: 1): return a[:, indices].copy()
def tri(N): return numpy.tril(numpy.ones((N, N)))
def tri(N, M, k=0): return numpy.tril(numpy.ones((N, M)), k)
def cross(a, b):
    return numpy.stack((a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1], a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
        a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]), axis=-1)
def cov(m): return numpy._loops.comoments(m)
def cov(m, *, rowvar: False): return numpy._loops.comoments(m.T)
def cov(m, y): return numpy.cov(numpy.stack((m, y)))
def corrcoef(x):
    return numpy.clip(numpy._loops.scaled(numpy.cov(x)), -1.0, 1.0)
def corrcoef(x, *, rowvar: False): return numpy.corrcoef(x.T)
def corrcoef(x, y): return numpy.corrcoef(numpy.stack((x, y)))
def nanvar(a, axis=None, *, ddof: 0 = 0, keepdims=False):
    return numpy._as(
        numpy.sum(
            numpy.where(numpy.isnan(a), 0, numpy.square(a - numpy.nanmean(a, axis=axis, keepdims=True))),
            axis=axis, keepdims=keepdims)
        / numpy.sum(a == a, axis=axis, keepdims=keepdims),
        numpy.nansum(a * 1.0, axis=axis, keepdims=keepdims))
def nanstd(a, axis=None, *, ddof: 0 = 0, keepdims=False):
    return numpy.sqrt(numpy.nanvar(a, axis=axis, keepdims=keepdims))
def nanmax(a, axis=None, keepdims=False):
    return numpy.where(
        numpy._any(a == a, axis=axis, keepdims=keepdims),
        numpy.max(numpy.where(numpy.isnan(a), -numpy.inf, numpy._of_floats(a)), axis=axis, keepdims=keepdims),
        numpy.nan)
def nanmin(a, axis=None, keepdims=False):
    return numpy.where(
        numpy._any(a == a, axis=axis, keepdims=keepdims),
        numpy.min(numpy.where(numpy.isnan(a), numpy.inf, numpy._of_floats(a)), axis=axis, keepdims=keepdims),
        numpy.nan)
def reciprocal(x): return 1.0 / numpy._of_floats(x)
def nanprod(a, axis=None, keepdims=False):
    return numpy.prod(numpy.where(numpy.isnan(a), 1, a), axis=axis, keepdims=keepdims)
def nancumsum(a, axis=None): return numpy.cumsum(numpy.where(numpy.isnan(a), 0, a), axis=axis)
def logaddexp2(x, y): return numpy._logaddexp2(numpy._joined(x, y), numpy._joined(y, x))
def _logaddexp2(x, y):
    return numpy.where(
        x == y, x + 1, numpy.maximum(x, y) + numpy.log1p(numpy.exp2(-numpy.abs(x - y))) * 1.4426950408889634)
def sort(a, axis: -1 = -1): return numpy._loops.sort(a)
def sort(a, axis: 1): return numpy._loops.sort(a)
def sort(a, axis: 0): return numpy.sort(a.T).T
def sort(a, *, kind): return numpy._loops.sort(a)
def argsort(a, axis: -1 = -1): return numpy._loops.argsort(a)
def argsort(a, axis: 1): return numpy._loops.argsort(a)
def argsort(a, axis: 0): return numpy.argsort(a.T.copy()).T
def argsort(a, *, kind): return numpy._loops.argsort(a)
def median(a, axis, *, keepdims: True): return numpy.expand_dims(numpy.median(a, axis=axis), axis)
def median(a): return numpy._loops.median(a)
def median(a, axis: 0): return numpy._loops.median_of_rows(a.T)
def median(a, axis: 1): return numpy._loops.median_of_rows(a)
def quantile(a, q): return numpy._loops.quantile(a, q)
def percentile(a, q): return numpy._loops.quantile(a, q / 100)
def quantile(a, q, axis: 0): return numpy._loops.quantile_of_rows(a.T, q)
def quantile(a, q, axis: 1): return numpy._loops.quantile_of_rows(a, q)
def percentile(a, q, axis): return numpy.quantile(a, q / 100, axis=axis)
def searchsorted(a, v, side: "left" = "left"): return numpy._loops.places_left(v, a)
def searchsorted(a, v, side: "right"): return numpy._loops.places_right(v, a)
def interp(x, xp, fp): return numpy._loops.interp(x, xp, fp)
def convolve(a, v, mode: "full" = "full"): return numpy._loops.convolve_full(a, v)
def convolve(a, v, mode: "valid"): return numpy._loops.correlate_valid(a, v[::-1])
def correlate(a, v, mode: "valid" = "valid"): return numpy._loops.correlate_valid(a, v)
def gradient(f, h=1.0): return numpy._loops.gradient(f, h)
def gradient(f, h=1.0, *, axis: 0): return numpy._loops.gradient_of_rows(f.T, h).T
def gradient(f, h=1.0, *, axis: 1): return numpy._loops.gradient_of_rows(f, h)
def histogram(a, bins, range): return numpy._loops.histogram(a, bins, range[0], range[1])
def bincount(x, *, minlength): return numpy._loops.bincount(x, minlength)
def bincount(x, weights, minlength): return numpy._loops.bincount_of_weights(x, weights, minlength)
def polyval(p, x): return numpy._loops.polyval(p, x)
def kron(a, b): return numpy._loops.kron(a, b)
def around(x): return numpy._rounded(x)
def around(x, decimals: 0): return numpy._rounded(x)
def around(x, decimals): return numpy._decimals(x, decimals)
def append(arr, values): return numpy.concatenate((numpy.atleast_1d(arr), numpy.atleast_1d(values)))
def append(arr, values, axis): return numpy.concatenate((arr, values), axis=axis)
def array_equal(a1, a2): return numpy._loops.array_equal(a1, a2)
def digitize(x, bins, right: False = False):
    return numpy._loops.counted(numpy._loops.places_right(x, numpy._loops.rising(bins)), bins)
def digitize(x, bins, right: True):
    return numpy._loops.counted(numpy._loops.places_left(x, numpy._loops.rising(bins)), bins)
def divmod(x, y): return x // y, x % y
def modf(x): return numpy._modf(numpy._floating(x))
def _modf(x):
    return numpy.copysign(numpy.where(numpy.isinf(x), 0.0, x - numpy.trunc(x)), x), numpy.trunc(x)
def float_power(x, y): return numpy.power(numpy.float64(x), numpy.float64(y))
def logspace(start, stop, num=50): return numpy.power(10.0, numpy.linspace(start, stop, num))
def nan_to_num(x, *, nan=0.0):
    return numpy.nan_to_num(x, nan=nan, posinf=numpy._greatest(x), neginf=-numpy._greatest(x))
def nan_to_num(x, *, nan=0.0, posinf, neginf):
    return numpy.where(
        numpy.isnan(x), nan,
        numpy.where(x == numpy.inf, posinf, numpy.where(x == -numpy.inf, neginf, numpy._of_floats(x))))
def nanargmax(a): return numpy._loops.place_of_extreme(a, False)
def nanargmin(a): return numpy._loops.place_of_extreme(a, True)
def take(a, indices): return numpy._loops.take(indices, a)
def take_along_axis(arr, indices, axis: 1): return numpy._loops.take_along_rows(arr, indices)
def take_along_axis(arr, indices, axis: 0): return numpy._loops.take_along_columns(arr, indices)
def unwrap(p): return numpy._loops.unwrap(p)
def vander(x): return numpy.power(x[:, None], numpy.arange(len(x))[::-1])
def vander(x, N): return numpy.power(x[:, None], numpy.arange(N)[::-1])
def convolve(a, v, mode: "same"): return numpy._loops.convolve_same(a, v)
def correlate(a, v, mode: "full"): return numpy._loops.convolve_full(a, v[::-1])
def norm(x, ord: 1): return numpy.sum(numpy.abs(numpy.einsum("i->i", x * 1.0)))
def norm(x, ord: 2): return numpy.sqrt(numpy.sum(numpy._squared(numpy.einsum("i->i", x * 1.0))))
def norm(x, ord: numpy.inf): return numpy.max(numpy.abs(numpy.einsum("i->i", x * 1.0)))
def det(a): return numpy._loops.det(a)
def inv(a): return numpy._loops.inverse(a)
def solve(a, b): return numpy._loops.solve(b, a)
def add_reduce(array, axis=0, keepdims=False): return numpy.sum(array, axis=axis, keepdims=keepdims)
def multiply_reduce(array, axis=0, keepdims=False): return numpy.prod(array, axis=axis, keepdims=keepdims)
def logical_and_reduce(array, axis=0, keepdims=False): return numpy.all(array, axis=axis, keepdims=keepdims)
def logical_or_reduce(array, axis=0, keepdims=False): return numpy.any(array, axis=axis, keepdims=keepdims)
def matrix_power(a, n: 1): return a.copy()
def matrix_power(a, n: 2): return a @ a
def matrix_power(a, n: 3): return a @ a @ a
def cholesky(a): return numpy._loops.cholesky(a)
def insert(arr, obj, values): return numpy._loops.insert(arr, obj, values)
def delete(arr, obj): return numpy._loops.delete(arr, obj)
def isin(element, test_elements): return numpy._any(element[..., None] == numpy.atleast_1d(test_elements), axis=-1)
def geomspace(start, stop, num=50):
    return numpy.power(10.0, numpy.linspace(numpy.log10(start), numpy.log10(stop), num))
def maximum_reduce(array, axis=0, keepdims=False): return numpy.max(array, axis=axis, keepdims=keepdims)
def minimum_reduce(array, axis=0, keepdims=False): return numpy.min(array, axis=axis, keepdims=keepdims)
def multiply_outer(A, B): return numpy.outer(A, B)
"""
