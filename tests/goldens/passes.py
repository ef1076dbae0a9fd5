"""The passes that a golden can name: functions on a module, by the file and the function that they are.

A pass of `raise` rewrites a module of MLIR in place, or returns a new one. Its name is its function's, with dashes.
Options are `key=value`; `fp` is strict, reassoc or fast, `cpu` a processor of LLVM's, `threads` a number.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from mlir import ir, passmanager

from raising.native.base.target import Target, target_for
from raising.native.blas.library import find_blas
from raising.native.bufferize.destination_passing import SUFFIX
from raising.native.input.read_module import new_context, read, run

Given = dict[str, str]


def _target(given: Given) -> Target:
    return target_for(given.get("cpu", "x86-64-v3"), int(given.get("threads", "1")))


def _fp(given: Given) -> str:
    return given.get("fp", "reassoc")


def _bodies(module: Any) -> list[Any]:
    return [op for op in module.body.operations if op.operation.name == "func.func" and not op.is_external]


def _workspace(pass_: Callable[..., Any], module: Any, given: Given) -> None:
    for function in _bodies(module):
        name = function.name.value
        if name.endswith(SUFFIX):
            pass_(module, name.removesuffix(SUFFIX), int(given.get("threads", "1")))


def _outline(pass_: Callable[..., Any], module: Any, given: Given) -> None:
    for function in _bodies(module):
        pass_(module, function, function.name.value)


Adapter = Callable[[Callable[..., Any], Any, Given], Any]


def _plain(pass_: Callable[..., Any], module: Any, given: Given) -> Any:
    return pass_(module)


def _for_target(pass_: Callable[..., Any], module: Any, given: Given) -> Any:
    return pass_(module, _target(given))


def _for_target_and_fp(pass_: Callable[..., Any], module: Any, given: Given) -> Any:
    return pass_(module, _target(given), _fp(given))


def _for_fp(pass_: Callable[..., Any], module: Any, given: Given) -> Any:
    return pass_(module, _fp(given))


def _with_blas(pass_: Callable[..., Any], module: Any, given: Given) -> None:
    pass_(module, find_blas(None), _target(given), lambda routine, element, sizes: True)


def _upstream(pass_: Callable[..., Any], module: Any, given: Given) -> None:
    pass_(module, ir)


def _shared(pass_: Callable[..., Any], module: Any, given: Given) -> None:
    pass_(module, ir, passmanager, frozenset())


PASSES: dict[str, tuple[str, Adapter]] = {
    "decompose": ("native/input/decompose", _plain),
    "set-fastmath": ("native/input/read_module", _for_fp),
    "take-variables": ("native/input/variable_symbols", _plain),
    "to-destinations": ("native/bufferize/destination_passing", _plain),
    "put-directly": ("native/bufferize/parts_of_tensors", _plain),
    "to-scalars": ("native/bufferize/elementwise", _plain),
    "choose-elements": ("native/bufferize/elementwise", _plain),
    "fuse-elementwise": ("native/bufferize/elementwise", _plain),
    "without-whole-slices": ("native/bufferize/shapes", _plain),
    "resolve-elements": ("native/bufferize/element_versions", _plain),
    "update-in-place": ("native/bufferize/slice_versions", _plain),
    "duplicate-shared-empties": ("native/bufferize/loop_carried", _plain),
    "duplicate-shared-fills": ("native/bufferize/loop_carried", _plain),
    "write-carried-in-place": ("native/bufferize/loop_carried", _plain),
    "tie-results": ("native/bufferize/loop_carried", _plain),
    "order-updates": ("native/bufferize/in_place_updates", _plain),
    "check-lifetimes": ("native/bufferize/lifetimes", _plain),
    "bufferize": ("native/bufferize/bufferize", _plain),
    "block-loops": ("native/transforms/left_looking_blocks", _for_fp),
    "join-loops": ("native/transforms/join_loops", _plain),
    "columns-as-rows": ("native/transforms/transpose_columns", _plain),
    "schedule-contractions": ("native/contraction/schedule_contractions", _for_target_and_fp),
    "schedule": ("native/schedule", _for_target_and_fp),
    "call-blas": ("native/blas/blas", _with_blas),
    "write-vector-math": ("native/vector_math/expand", _for_target),
    "to-loops": ("native/codegen/lower", _plain),
    "to-bytes": ("native/bufferize/bool_bytes", _plain),
    "take-fallbacks": ("native/abi/overlap_fallback", _plain),
    "to-workspace": ("native/abi/workspace", _workspace),
    "outline": ("native/threads/outline", _outline),
    "forward": ("eqsat/egraph/through_memory", _upstream),
    "share-views": ("eqsat/egraph/through_memory", _shared),
    "to-llvm": ("native/codegen/lower", lambda f, m, given: f(m, reassociate=_fp(given) != "strict")),
}
"""The file of each pass, and how it is called."""


def passes(text: str, file: str, steps: tuple[tuple[str, Given], ...]) -> str:
    """A module after passes, in order; `--mlir=a,b` runs passes of MLIR itself.

    The errors of the passes, and KeyError for a name that is none.
    """
    with new_context() as context, ir.Location.unknown():
        module = read(text.encode(), file, context)
        for name, given in steps:
            if name == "mlir":
                run(module, given[""], "a pass of MLIR refuses it")
                continue
            home, adapter = PASSES[name]
            function = getattr(import_module(f"raising.{home.replace('/', '.')}"), name.replace("-", "_"))
            made = adapter(function, module, given)
            module = made if isinstance(made, ir.Module) else module
        module.operation.verify()
        return str(module)
