"""Common names of NumPy, each with a use of it: `ARGUMENTS` says what the names in it are.

`python -m tests.bench.numpy_names` runs each beside NumPy and writes `docs/numpy.md`.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

ARGUMENTS = "x, y, w: vectors of floats; a, s: matrices, the second square; i: small integers; b: truth values; "
ARGUMENTS += "z: complex numbers; p, q: vectors of three in rows; k: an integer"

NAMES = """
abs: np.abs(x)
absolute: np.absolute(x)
add: np.add(x, y)
all: np.all(b)
allclose: np.allclose(x, y)
amax: np.amax(a, axis=0)
amin: np.amin(a, axis=1)
angle: np.angle(z)
any: np.any(b)
append: np.append(x, y)
arange: np.arange(len(x))
arccos: np.arccos(np.clip(x, -1, 1))
arccosh: np.arccosh(np.abs(x) + 1)
arcsin: np.arcsin(np.clip(x, -1, 1))
arcsinh: np.arcsinh(x)
arctan: np.arctan(x)
arctan2: np.arctan2(x, y)
arctanh: np.arctanh(np.clip(x, -0.9, 0.9))
argmax: np.argmax(x)
argmin: np.argmin(a, axis=1)
argpartition: np.argpartition(x, 1)
argsort: np.argsort(x)
argwhere: np.argwhere(b)
around: np.around(x, 2)
around(decimals=-1): np.around(x * 100, -1)
array: np.array([x[0], x[1], 2.0])
array_equal: np.array_equal(x, y)
array_equal(matrices): np.array_equal(a, a)
asarray: np.asarray(x) + 1
ascontiguousarray: np.ascontiguousarray(a.T) + 0
atleast_1d: np.atleast_1d(x) + 0
atleast_2d: np.atleast_2d(x) + 0
average: np.average(x, weights=np.abs(y))
average of all: np.average(a)
average(axis): np.average(a, axis=1)
bincount: np.bincount(i)
bincount(minlength): np.bincount(i, minlength=16)
bitwise_and: np.bitwise_and(i, 3)
bitwise_or: np.bitwise_or(i, 3)
bitwise_xor: np.bitwise_xor(i, 3)
broadcast_to: np.broadcast_to(x, (3, len(x))) + 0
cbrt: np.cbrt(x)
ceil: np.ceil(x)
clip: np.clip(x, 0, 1)
column_stack: np.column_stack((x, y))
compress: np.compress(b, x)
concatenate: np.concatenate((x, y))
conj: np.conj(z)
convolve: np.convolve(x, w)
convolve(mode="same"): np.convolve(x, w, mode="same")
convolve(mode="valid"): np.convolve(x, w, "valid")
copy: np.copy(x)
copysign: np.copysign(x, y)
copyto: np.copyto(y, x); return y
corrcoef: np.corrcoef(x, y)
corrcoef(rowvar=False): np.corrcoef(a, rowvar=False)
correlate: np.correlate(x, w)
correlate(mode="full"): np.correlate(x, w, mode="full")
cos: np.cos(x)
cosh: np.cosh(x)
cosh(complex): np.cosh(z)
count_nonzero: np.count_nonzero(b)
cov: np.cov(x, y)
cross: np.cross(p, q)
cumprod: np.cumprod(x)
cumsum: np.cumsum(a, axis=1)
deg2rad: np.deg2rad(x)
degrees: np.degrees(x)
delete: np.delete(x, 1)
delete(from the end): np.delete(x, -1)
diag: np.diag(x)
diagonal: np.diagonal(s).copy()
diff: np.diff(x)
diff(axis): np.diff(a, axis=0)
diff(n=2): np.diff(x, n=2)
digitize(right): np.digitize(x, np.arange(3)[::-1] * 1.0, right=True)
digitize: np.digitize(x, np.arange(3) * 1.0)
divide: np.divide(x, y)
divmod: d, m = np.divmod(i, 3); return d, m
dot: np.dot(x, y)
dstack: np.dstack((a, a))
ediff1d: np.ediff1d(x)
einsum: np.einsum("ij,j->i", a, np.arange(a.shape[1]) * 1.0)
empty: t = np.empty(3); t[:] = 1; return t
empty_like: t = np.empty_like(x); t[:] = 1; return t
equal: np.equal(i, 2)
exp: np.exp(x)
exp2: np.exp2(x)
expand_dims: np.expand_dims(x, 0) + 0
expm1: np.expm1(x)
eye: np.eye(len(x))
fabs: np.fabs(x)
fft.fft: np.fft.fft(x)
fix: np.fix(x)
flatnonzero: np.flatnonzero(b)
flip: np.flip(x).copy()
fliplr: np.fliplr(a).copy()
flipud: np.flipud(a).copy()
float_power: np.float_power(np.abs(x), 2)
floor: np.floor(x)
floor_divide: np.floor_divide(i, 3)
fmax: np.fmax(x, y)
fmax(integers): np.fmax(i, 2)
fmin: np.fmin(x, y)
fmod: np.fmod(x, 2.0)
fmod(integers): np.fmod(i - 3, 2)
full: np.full(4, 2.5)
full_like: np.full_like(x, 7)
gcd: np.gcd(i, 6)
geomspace: np.geomspace(1.0, 8.0, 4)
gradient: np.gradient(x)
gradient(h): np.gradient(x, 0.5)
gradient(axis): np.gradient(a.T @ a, axis=1)
greater: np.greater(x, y)
greater_equal: np.greater_equal(x, y)
heaviside: np.heaviside(x, 0.5)
histogram: h, e = np.histogram(x, 4, (-2.0, 2.0)); return h, e
histogram(one result): np.histogram(x, 4, (-2.0, 2.0))[0]
hstack: np.hstack((x, y))
hypot: np.hypot(x, y)
identity: np.identity(3)
imag: np.imag(z)
indices: u, v = np.indices(a.shape); return u - v
isin: np.isin(i, 2)
isin(list): np.isin(i, [1, 3])
inner: np.inner(x, y)
insert: np.insert(x, 1, 5.0)
interp: np.interp(x, np.arange(5) * 1.0, np.arange(5) * 2.0)
invert: np.invert(i)
isclose: np.isclose(x, y)
isfinite: np.isfinite(x)
isinf: np.isinf(x)
isnan: np.isnan(x)
kron: np.kron(a, np.eye(2))
lcm: np.lcm(i + 1, 6)
left_shift: np.left_shift(i, 2)
less: np.less(x, y)
less_equal: np.less_equal(x, y)
linalg.cholesky: np.linalg.cholesky(s @ s.T + np.eye(len(s)))
linalg.det: np.linalg.det(s)
linalg.eigh: np.linalg.eigh(s)[0]
linalg.inv: np.linalg.inv(s)
linalg.matrix_power: np.linalg.matrix_power(s, 3)
linalg.norm: np.linalg.norm(x)
linalg.norm(axis): np.linalg.norm(a, axis=1)
linalg.norm(ord, axis): np.linalg.norm(a, 1, axis=1) + np.linalg.norm(a, 2, axis=1)
linalg.norm(ord=1): np.linalg.norm(x, 1)
linalg.norm(ord=inf): np.linalg.norm(x, np.inf)
linalg.solve(matrix): np.linalg.solve(s, s.T)
linalg.solve: np.linalg.solve(s, x)
linspace: np.linspace(0.0, 1.0, 7)
log: np.log(np.abs(x) + 1)
log(complex): np.log(z)
log10: np.log10(np.abs(x) + 1)
log1p: np.log1p(np.abs(x))
log2: np.log2(np.abs(x) + 1)
logaddexp: np.logaddexp(x, y)
logaddexp2: np.logaddexp2(x, y)
logical_and: np.logical_and(b, x > 0)
logical_and.reduce: np.logical_and.reduce(a > 0, axis=1)
logical_not: np.logical_not(b)
logical_or: np.logical_or(b, x > 0)
logical_xor: np.logical_xor(b, x > 0)
logspace: np.logspace(0.0, 1.0, 4)
matmul: np.matmul(a, a.T)
max: np.max(x)
maximum: np.maximum(x, y)
maximum.accumulate: np.maximum.accumulate(x)
add.reduce: np.add.reduce(x)
multiply.outer: np.multiply.outer(x, y)
mean: np.mean(a, axis=0)
median: np.median(x)
median(axis): np.median(a, axis=1)
meshgrid: u, v = np.meshgrid(x, y); return u - v
mgrid: u, v = np.mgrid[0:3, 1 : len(x)]; return u - v
min: np.min(x)
minimum: np.minimum(x, y)
mod: np.mod(i, 3)
modf: f, w = np.modf(x); return f, w
moveaxis: np.moveaxis(a, 0, 1).copy()
multiply: np.multiply(x, y)
nan_to_num: np.nan_to_num(x)
nanargmax: np.nanargmax(x)
nanargmin: np.nanargmin(x)
nancumsum: np.nancumsum(x)
nanmax: np.nanmax(x)
nanmean: np.nanmean(x)
nanmin: np.nanmin(x)
nanprod: np.nanprod(x)
nanstd: np.nanstd(x)
nansum: np.nansum(x)
nanvar: np.nanvar(x)
negative: np.negative(x)
nonzero: np.nonzero(b)[0]
not_equal: np.not_equal(i, 2)
ones: np.ones(3)
ones_like: np.ones_like(x)
outer: np.outer(x, y)
pad: np.pad(x, 2)
partition: np.partition(x, 1)
percentile: np.percentile(x, 30)
percentile(axis): np.percentile(a, 30, axis=1)
percentile(several): low, high = np.percentile(x, [25, 75]); return low, high
polyfit: np.polyfit(x, y, 1)
polyval: np.polyval(w, x)
positive: np.positive(x)
power: np.power(np.abs(x), 1.5)
prod: np.prod(x)
ptp: np.ptp(x)
quantile: np.quantile(x, 0.3)
rad2deg: np.rad2deg(x)
radians: np.radians(x)
ravel: np.ravel(a) + 0
real: np.real(z)
reciprocal: np.reciprocal(x)
remainder: np.remainder(i, 3)
repeat: np.repeat(x, 2)
repeat(by an argument): np.repeat(x, k)
reshape: np.reshape(a, (a.shape[0] * a.shape[1],)) + 0
right_shift: np.right_shift(i, 1)
rint: np.rint(x)
roll: np.roll(x, 2)
roll(by an argument): np.roll(x, k)
roll(axis): np.roll(a, 1, axis=0)
roll(by an argument, axis): np.roll(a, k, axis=1)
rot90: np.rot90(a).copy()
round: np.round(x, 1)
searchsorted: np.searchsorted(np.arange(5) * 1.0, x)
setdiff1d: np.setdiff1d(i, i)
sign: np.sign(x)
signbit: np.signbit(x)
sin: np.sin(x)
sin(complex): np.sin(z)
sinc: np.sinc(x)
sinh: np.sinh(x)
sort: np.sort(x)
sort(axis): np.sort(a, axis=0)
split: u, v = np.split(np.append(x, x), 2); return u - v
split(at places): u, v = np.split(x, [1]); return u, v
sqrt: np.sqrt(np.abs(x))
sqrt(complex): np.sqrt(z)
square: np.square(x)
squeeze: np.squeeze(x[None, :], axis=0) + 0
stack: np.stack((x, y))
std: np.std(x)
subtract: np.subtract(x, y)
sum: np.sum(a, axis=1)
swapaxes: np.swapaxes(a, 0, 1).copy()
take: np.take(x, i)
take_along_axis: np.take_along_axis(x, i, 0)
tan: np.tan(x)
tanh: np.tanh(x)
tensordot: np.tensordot(a, a.T, 1)
tile: np.tile(x, 2)
tile(by lengths): np.tile(x, (len(x), 1))
trace: np.trace(s)
transpose: np.transpose(a).copy()
trapezoid: np.trapezoid(y, x)
trapezoid(dx): np.trapezoid(y, dx=0.5)
tri: np.tri(4)
tri(N, M, k): np.tri(4, 3, 1)
tril: np.tril(s)
triu: np.triu(s, 1)
true_divide: np.true_divide(x, y)
trunc: np.trunc(x)
unique: np.unique(i)
unwrap: np.unwrap(x)
vander: np.vander(x, 3)
var: np.var(x)
vdot: np.vdot(x, y)
vstack: np.vstack((x, y))
where: np.where(b, x, y)
zeros: np.zeros(4)
zeros_like: np.zeros_like(x)
"""


def uses() -> dict[str, str]:
    """The body of a function for each name."""
    found = {}
    for line in NAMES.strip().splitlines():
        name, _, text = line.partition(": ")
        found[name] = text if "return " in text else f"return {text}"
    return found


def source(name: str, text: str) -> tuple[str, list[str]]:
    """A function that uses a name, and its parameters."""
    words = {word for word in ("x", "y", "w", "a", "s", "i", "b", "z", "p", "q", "k") if _mentions(text, word)}
    return f"def f({', '.join(sorted(words))}):\n" + "".join(f"    {t.strip()}\n" for t in text.split(";")), sorted(
        words
    )


def _mentions(text: str, word: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == word for n in ast.walk(ast.parse(text.replace("return ", ""))))


def arguments(names: list[str], n: int, kind: str = "float64", seed: int = 1) -> list[Any]:
    """Arguments with vectors of `n` elements."""
    rng = np.random.default_rng(seed + n)

    def floats(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(kind)

    made = {
        "x": lambda: floats(n), "y": lambda: floats(n), "w": lambda: floats(min(3, n)), "a": lambda: floats(n, n + 1),
        "s": lambda: floats(n, n) + 3 * np.eye(n, dtype=kind), "i": lambda: rng.integers(0, max(n, 1), n),
        "b": lambda: floats(n) > 0, "z": lambda: floats(n) + 1j * floats(n), "p": lambda: floats(n, 3),
        "q": lambda: floats(n, 3), "k": lambda: 2,
    }  # fmt: skip
    return [made[name]() for name in names]
