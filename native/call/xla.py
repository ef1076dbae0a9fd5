"""StableHLO through XLA, on a GPU if jax sees one, else on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from raising.affine.ir.c_parameters import C_PARAMETERS
from raising.frontend.mlir.parse_module import parse_module
from raising.native.base.read_signature import signature_of
from raising.native.base.signature import Parameter, Signature
from raising.native.base.unsupported import CallError, CompileError
from raising.native.call.arguments import check_shapes, checked, dtype_for
from raising.native.call.compiled import Compiled, CompiledFunction
from raising.native.call.xla_cholesky import factor_by_library
from raising.native.call.xla_in_place import update_in_place
from raising.native.input.read_module import is_stablehlo, new_context
from raising.support.mlir.inline import inline_calls, keep_only, public_functions
from raising.support.mlir.walk import operations

PRODUCTS = ("stablehlo.dot", "stablehlo.dot_general", "stablehlo.convolution")
PRECISION = "precision_config"


class XlaFunction:
    """A function that XLA runs: arrays in, new arrays out."""

    def __init__(self, signature: Signature, jax: Any, run: Any, device: Any) -> None:
        self.signature, self._jax, self._run, self._device = signature, jax, run, device
        self._inputs = [p for p in signature.parameters if not p.result]

    @property
    def device(self) -> str:
        """The device that the function runs on, as jax names it."""
        return str(self._device.device_kind)

    def place(self, *arguments: Any) -> list[Any]:
        """The arguments as arrays on the function's device, to be given to several calls; CallError as for a call.

        Those that are there already stay; others are copied, unless they lie in the CPU's memory as XLA wants it.
        """
        if len(arguments) != len(self._inputs):
            raise CallError(f"{self.signature.name} takes {len(self._inputs)} arguments, not {len(arguments)}")
        if all(map(self._is_placed, self._inputs, arguments)):
            return list(arguments)
        there = [isinstance(v, self._jax.Array) for v in arguments]
        seen = [np.empty(v.shape, v.dtype) if on else v for v, on in zip(arguments, there, strict=True)]
        values = [checked(p, v) for p, v in zip(self._inputs, seen, strict=True)]
        check_shapes(Signature(self.signature.name, tuple(self._inputs)), values)
        with self._jax.enable_x64(True):
            return [
                self._jax.device_put(old if on else np.asarray(v, dtype_for(p)), self._device)
                for p, v, old, on in zip(self._inputs, values, arguments, there, strict=True)
            ]

    def _is_placed(self, parameter: Parameter, value: Any) -> bool:
        """Whether an argument fits as it is: which is said quickly, as calls may be short."""
        is_array = isinstance(value, self._jax.Array) and value.shape == parameter.shape
        return bool(is_array and value.dtype == dtype_for(parameter) and value.devices() == {self._device})

    def on_device(self, *arguments: Any) -> list[Any]:
        """Call the function, as `__call__` does, but leave the results on the device, as arrays of jax.

        XLA may still be at work when they are returned: jax waits where one is read.
        """
        if all(isinstance(value, self._jax.Array) for value in arguments):
            with suppress(TypeError, ValueError):  # of jax's own check, which is quicker than ours
                return list(self._run(*arguments))
        return list(self._run(*self.place(*arguments)))

    def __call__(self, *arguments: Any, out: Sequence[NDArray[Any]] | None = None) -> Any:
        """Call the function; CallError, before anything is run, for arguments that do not fit."""
        results = [np.asarray(result) for result in self.on_device(*arguments)]
        if out is not None:
            for place, result in zip(out, results, strict=True):
                np.copyto(place, result, casting="no")
        return results[0] if len(results) == 1 else tuple(results)


def compile_for_xla(data: bytes, file: str) -> Compiled:
    """The public functions of a StableHLO module; CompileError for anything else, or where jax is not installed."""
    if not is_stablehlo(data):
        raise CompileError(f"{file}: error: the back end xla takes StableHLO (raise with --target stablehlo)")
    try:
        jax = import_module("jax")
        lowering = import_module("jax._src.interpreters.mlir")
    except ImportError:
        raise CompileError("the back end xla needs the package jax") from None
    hlo = import_module("jaxlib.mlir.ir")
    device = jax.devices()[0]
    found: dict[str, CompiledFunction] = {}
    with lowering.make_ir_context():
        module = parse_module(data, file, hlo)
        inline_calls(module, hlo)
        for name in public_functions(module, hlo):
            single, signature = _alone(module, name, jax, device.platform != "cpu")
            try:
                run = _run_of(lowering.module_to_bytecode(single), signature, jax, device)
            except Exception as error:  # XLA's own exception has no public name
                raise CompileError(f"{file}: error: XLA refuses it: {' '.join(str(error).split())[:300]}") from None
            found[name] = XlaFunction(signature, jax, run, device)
    if not found:
        raise CompileError(f"{file}: error: the back end xla takes public functions, and there is none")
    return Compiled(found)


def _run_of(single: bytes, signature: Signature, jax: Any, device: Any) -> Any:
    """The `main` of a module in bytecode, compiled, as jax calls its own functions: in C++, with results on the device.

    jax compiles exported functions; the module takes the place of one that has the same arguments and results.
    """
    export = import_module("jax.export")
    with jax.enable_x64(True):
        taken, given = (
            [jax.ShapeDtypeStruct(p.shape or (), dtype_for(p)) for p in signature.parameters if p.result is result]
            for result in (False, True)
        )
        same = jax.jit(lambda *_: [jax.numpy.zeros(s.shape, s.dtype) for s in given], keep_unused=True, device=device)
        exported = replace(export.export(same)(*taken), mlir_module_serialized=single)
        return jax.jit(exported.call, device=device).lower(*taken).compile()


def _alone(module: Any, name: str, jax: Any, precise: bool) -> tuple[Any, Signature]:
    """A module whose `main` is one of a module's functions, and the signature of that."""
    hlo = import_module("jaxlib.mlir.ir")
    single = hlo.Module.parse(str(module))
    keep_only(single, name, hlo)
    function = next(op for op in single.body.operations if op.attributes["sym_name"] == hlo.StringAttr.get(name))
    signature = _signature(function)
    function.attributes["sym_name"] = hlo.StringAttr.get("main")
    if precise:
        in_full_precision(function, hlo)
    update_in_place(function, hlo)
    with jax.enable_x64(True):
        factor_by_library(function, jax, hlo)
    return single, signature


def in_full_precision(function: Any, hlo: Any) -> None:
    """Ask for products in the precision of their type: by default, GPUs round the factors of `f32` to TF32."""
    highest = hlo.Attribute.parse("[#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]")

    for op in operations(function, lambda op: op.name in PRODUCTS and PRECISION not in op.attributes):
        op.attributes[PRECISION] = highest


def _signature(function: Any) -> Signature:
    """The signature of a function in jaxlib's MLIR, by way of its declaration in upstream's."""
    from_c = C_PARAMETERS in function.attributes
    told = f"attributes {{{C_PARAMETERS} = {function.attributes[C_PARAMETERS]}}}" if from_c else ""
    text = f"func.func private @{function.name.value}{function.type} {told}"
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        return signature_of(module.body.operations[0])
