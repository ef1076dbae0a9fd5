"""Calibration: how long operations take on this machine, measured with our own back end and kept on disk.

The model is linear: bytes moved, whole-tensor operations, and each scalar operation by itself, in nanoseconds. It is
meant to order programs, not to predict times.
"""

from __future__ import annotations

import json
import math
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from raising.eqsat.extract.op_work import BYTES, OPERATIONS, REDUCED
from raising.eqsat.extract.prices import Prices
from raising.grammar.dialects.load import load_scalars
from raising.native.base.compile_options import CompileOptions
from raising.native.base.unsupported import CompileError
from raising.native.call.compiled import load
from raising.native.compile import build
from raising.support import cache
from raising.validate.native.foreign_call import Compiled, Value

_ELEMENTS = 1 << 12  # of one array that stays near the processor
_TIMES = 32  # how often they are gone through in one call, which itself takes microseconds
_MANY = 1 << 22  # of one that does not stay there
_SIDE = 192  # of the matrices whose product is measured
_CHAIN = 16  # operations in a row, to see what each adds
_REPEATS = 7
_LEAST = 0.02  # nanoseconds: nothing is free
_ELEMENT = 8  # bytes of f64

_LOOP = """%zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %times = arith.constant {times} : index
        scf.for %t = %zero to %times step %one {{"""

Run = Callable[[str, Sequence[Value]], float]
"""The least time of one call of a module's function `f`, in seconds."""


def calibrated(again: bool = False) -> Prices:
    """The prices of this machine, in nanoseconds; measured if they are not on disk yet, or `again`."""
    file = _place()
    known = None if again else cache.read(file)
    if known is None:
        known = json.dumps(measured(least_time), sort_keys=True)
        cache.write(file, known)
    features: dict[str, float] = json.loads(known)
    return Prices(features, default=max(v for k, v in features.items() if k not in (BYTES, OPERATIONS)))


def _place() -> Path:
    """Another processor, or another version of what compiles, has times of its own."""
    from importlib.metadata import version

    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line for line in lines if line.startswith("model name")), platform.processor())
    except OSError:
        model = platform.processor()
    return cache.entry("calibration", [model.encode(), version("xtc-mlir-python-bindings").encode(), b"2"])


def least_time(text: str, arguments: Sequence[Value]) -> float:
    """Compile as `raise-compile` does and call a few times; what it refuses, by stock passes; NaN if these do, too."""
    from mlir.ir import MLIRError

    try:
        call = _compiled(text)
    except CompileError:
        try:
            stock = Compiled(text, "f", level=3)
        except MLIRError:
            return math.nan
        return min(stock.call(list(arguments)).seconds for _ in range(_REPEATS))
    times = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        call(*arguments)
        times.append(time.perf_counter() - began)
    return min(times)


def _compiled(text: str) -> Callable[..., object]:
    """The function of a module, by our own back end, on one thread."""
    built = build(text.encode(), "calibration", CompileOptions(), workspace=True)
    return load(built.code.object, built.signatures, built.target, built.libraries)


def measured(run: Run) -> dict[str, float]:
    """The price of each feature; comparisons, casts and the like cost next to nothing."""
    call = _pointwise(run, 1, 1, "", 1, "f64")
    copy = _pointwise(run, _ELEMENTS, _TIMES, "", 1, "f64")
    far = _pointwise(run, _MANY, 1, "", 1, "f64") - call
    found = {BYTES: _price(far, 2 * _ELEMENT * _MANY), OPERATIONS: _price(_chain(run) - call, _CHAIN * _TIMES)}
    scalars, _ = load_scalars()
    for name, scalar in sorted(scalars.items()):
        arity = len(scalar.op.operands)
        element = next((e for e in ("f64", "i32") if (e,) * (arity + 1) in scalar.types), "")
        if element and not scalar.op.required:
            seconds = _pointwise(run, _ELEMENTS, _TIMES, name, arity, element) - copy
            found[name] = _price(seconds, _ELEMENTS * _TIMES)
        else:
            found[name] = _LEAST
    product = _price(_product(run) - call, 2 * _SIDE**3)
    found |= {REDUCED + name: product for name in ("arith.mulf", "arith.addf")}
    return {name: price for name, price in found.items() if not math.isnan(price)}


def _price(seconds: float, count: int) -> float:
    price = seconds * 1e9 / count
    return price if math.isnan(price) else max(_LEAST, round(price, 4))


def _pointwise(run: Run, count: int, times: int, name: str, arity: int, element: str) -> float:
    """The time of one scalar operation on each element of arrays, a number of times; of a copy without a name."""
    array = f"memref<{count}x{element}>"
    dims = ", ".join(["affine_map<(i) -> (i)>"] * (arity + 1))
    inputs = [f"%x{n}" for n in range(arity)]
    values = [f"%v{n}" for n in range(arity)]
    types = ", ".join([element] * arity)
    body = f'%r = "{name}"({", ".join(values)}) : ({types}) -> {element}' if name else ""
    text = f"""
      func.func @f({", ".join(f"{x}: {array}" for x in [*inputs, "%o"])}) {{
        {_LOOP.format(times=times)}
        linalg.generic {{indexing_maps = [{dims}], iterator_types = ["parallel"]}}
            ins({", ".join(inputs)} : {", ".join([array] * arity)}) outs(%o : {array}) {{
        ^bb0({", ".join(f"{v}: {element}" for v in [*values, "%old"])}):
          {body}
          linalg.yield {"%r" if name else "%v0"} : {element}
        }}
        }}
        return
      }}"""
    rng = np.random.default_rng(0)
    kind = np.float64 if element == "f64" else np.int32
    low, high = (0.5, 0.9) if element == "f64" else (1, 9)
    return run(text, [rng.uniform(low, high, count).astype(kind) for _ in range(arity + 1)])


def _chain(run: Run) -> float:
    """The time of operations on small tensors in a row, each of them with a result of its own."""
    lines, last = [], "%a"
    for n in range(_CHAIN):
        lines += [f"%e{n} = tensor.empty() : tensor<8xf64>"]
        lines += [
            f"%r{n} = linalg.exp ins({last} : tensor<8xf64>) outs(%e{n} : tensor<8xf64>) -> tensor<8xf64>"
            if n % 2
            else f"%r{n} = linalg.add ins({last}, %a : tensor<8xf64>, tensor<8xf64>)"
            f" outs(%e{n} : tensor<8xf64>) -> tensor<8xf64>"
        ]
        last = f"%r{n}"
    text = "\n".join(lines)
    return run(
        f"""func.func @f(%m: memref<8xf64>) {{
          {_LOOP.format(times=_TIMES)}
          %a = bufferization.to_tensor %m restrict : memref<8xf64> to tensor<8xf64>
          {text}
          bufferization.materialize_in_destination {last} in restrict writable %m : (tensor<8xf64>, memref<8xf64>) -> ()
          }}
          return
        }}""",
        [np.full(8, 0.01)],
    )


def _product(run: Run) -> float:
    """The time of a product of square matrices."""
    kind = f"memref<{_SIDE}x{_SIDE}xf64>"
    text = f"""func.func @f(%a: {kind}, %b: {kind}, %c: {kind}) {{
      linalg.matmul ins(%a, %b : {kind}, {kind}) outs(%c : {kind})
      return
    }}"""
    return run(text, [np.random.default_rng(n).random((_SIDE, _SIDE)) for n in range(3)])
