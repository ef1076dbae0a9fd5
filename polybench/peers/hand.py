"""Peers written by hand for each kernel: NumPy, BLAS through SciPy, and JAX."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

from raising.polybench.peers.blas_forms import BLAS_FORMS, Blas
from raising.polybench.peers.jax_forms import JAX_FORMS
from raising.polybench.peers.numpy_forms import NUMPY_FORMS
from raising.polybench.peers.peer import Peer, Skipped, Subject, version_of
from raising.polybench.peers.timing import Program, functional, in_place
from raising.polybench.suite.kernel import kernels


def hand_written() -> list[Peer]:
    """NumPy, SciPy's BLAS and JAX."""
    return [
        Peer("numpy", lambda: f"numpy {np.__version__} with {_blas_of_numpy()}, by hand", _numpy),
        Peer("scipy-blas", lambda: f"scipy {version_of('scipy')}, its BLAS by hand", _blas),
        Peer("jax", lambda: f"jax {version_of('jax')} on {_device()}, jit by hand", _jax),
    ]


def _numpy(subject: Subject) -> Program:
    form = NUMPY_FORMS.get(subject.kernel)
    if form is not None:
        return replace(in_place(form, subject.values, subject.outputs), stoppable=True)
    if not subject.kernel:
        raise Skipped("nothing is written by hand for this function")
    oracle = kernels()[subject.kernel].oracle
    given = {**subject.values, **_sizes(subject, oracle)}
    return replace(functional(lambda: oracle(**given), subject.outputs), stoppable=True)


def _sizes(subject: Subject, form: Callable[..., Any]) -> dict[str, int]:
    """The size macros that a form asks for beside the function's own arguments."""
    return {name: int(subject.defines[name]) for name in signature(form).parameters if name in subject.defines}


def _blas(subject: Subject) -> Program:
    if subject.kernel not in BLAS_FORMS:
        raise Skipped("no BLAS form is written by hand for this function")
    dtype = next(v.dtype for v in subject.values.values() if np.ndim(v))
    form, routines = BLAS_FORMS[subject.kernel], Blas(dtype)
    return in_place(lambda *given: form(routines, *given), subject.values, subject.outputs)


def _jax(subject: Subject) -> Program:
    if subject.kernel not in JAX_FORMS:
        raise Skipped("no JAX form is written by hand for this function")
    version_of("jax")
    jax: Any = importlib.import_module("jax")
    jnp: Any = importlib.import_module("jax.numpy")
    jax.config.update("jax_enable_x64", True)
    form = JAX_FORMS[subject.kernel]
    sizes = _sizes(subject, form)
    given = {name: jnp.asarray(value) for name, value in subject.values.items()}
    compiled = jax.jit(lambda given: form(**given, **sizes)).lower(given).compile()
    return functional(lambda: jax.block_until_ready(compiled(given)), subject.outputs)


def _device() -> str:
    jax: Any = importlib.import_module("jax")
    return ", ".join(sorted({d.device_kind for d in jax.devices()}))


def _blas_of_numpy() -> str:
    found: Any = np.show_config(mode="dicts")
    blas = found["Build Dependencies"]["blas"]
    return f"{blas['name']} {blas['version']}"
