"""The products that are measured: each is what one routine of BLAS does, for square matrices."""

from __future__ import annotations

from collections.abc import Sequence

_ADD_PRODUCT = ["%p = arith.mulf %in0, %in1 : T", "%s = arith.addf %out, %p : T", "linalg.yield %s : T"]
_ADD = ["%s = arith.addf %in0, %out : T", "linalg.yield %s : T"]
_BELOW = ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index", "%c = arith.cmpi sge, %i, %j : index"]
_CLEARED = ["%z = arith.constant 0.0 : T", "linalg.yield %z : T"]
_LOWER = ["%z = arith.constant 0.0 : T", *_BELOW, "%r = arith.select %c, %in0, %z : T", "linalg.yield %r : T"]
_ADD_BELOW = [
    "%s = arith.addf %in0, %out : T", *_BELOW, "%r = arith.select %c, %s, %out : T", "linalg.yield %r : T",
]  # fmt: skip
_MIRRORED = [*_BELOW, "%r = arith.select %c, %in0, %in1 : T", "linalg.yield %r : T"]


def program(routine: str, element: str, size: int) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """The text of a function and the shapes of its arguments."""
    matrix, vector = (size, size), (size,)
    shapes = (matrix, vector, vector) if routine == "gemv" else (matrix,) * 3
    kinds = [_kind(shape) for shape in shapes]
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in zip("ABC", kinds, strict=True))
    lines = [f"func.func @product({arguments}) {{", *_steps(routine), "  return", "}"]
    text = "\n".join(lines).replace("MATRIX", _kind(matrix)).replace("VECTOR", _kind(vector))
    return text.replace("xT>", f"x{element}>").replace(": T", f": {element}"), shapes


def _kind(shape: tuple[int, ...]) -> str:
    return f"memref<{'x'.join(map(str, shape))}xT>"


def _steps(routine: str) -> list[str]:
    local, other = ("  %t = memref.alloc() : MATRIX", "  %m = memref.alloc() : MATRIX")
    cleared = _generic(["i, j"], "ij", ["t"], _CLEARED)
    product = ["i, k", "k, j", "i, j"]
    match routine:
        case "gemv":
            return [_generic(["i, k", "k", "i"], "ik", ["A", "B", "C"], _ADD_PRODUCT)]
        case "gemm":
            return [_generic(product, "ijk", ["A", "B", "C"], _ADD_PRODUCT)]
        case "syrk" | "syr2k":
            pairs = ("AA",) if routine == "syrk" else ("AB", "BA")
            terms = [_generic(["i, k", "j, k", "i, j"], "ijk", [*pair, "t"], _ADD_PRODUCT) for pair in pairs]
            return [local, cleared, *terms, _generic(["i, j", "i, j"], "ij", ["t", "C"], _ADD_BELOW)]
        case "trmm":
            special = _generic(["i, j", "i, j"], "ij", ["A", "m"], _LOWER)
        case "symm":
            special = _generic(["i, j", "j, i", "i, j"], "ij", ["A", "A", "m"], _MIRRORED)
        case _:
            raise ValueError(f"no program for '{routine}'")
    result = _generic(["i, j", "i, j"], "ij", ["t", "C"], ["linalg.yield %in0 : T"] if routine == "trmm" else _ADD)
    return [other, special, local, cleared, _generic(product, "ijk", ["m", "B", "t"], _ADD_PRODUCT), result]


def _generic(maps: Sequence[str], dims: str, names: Sequence[str], body: Sequence[str]) -> str:
    """An operation; k is summed."""
    texts = ", ".join(f"affine_map<({', '.join(dims)}) -> ({one})>" for one in maps)
    iterators = ", ".join('"reduction"' if each == "k" else '"parallel"' for each in dims)
    kinds = ["MATRIX" if ", " in one else "VECTOR" for one in maps]
    inputs = ", ".join(f"%{name}" for name in names[:-1])
    given = f"ins({inputs} : {', '.join(kinds[:-1])}) " if inputs else ""
    values = ", ".join(f"%{name}: T" for name in [*(f"in{k}" for k in range(len(maps) - 1)), "out"])
    head = f"linalg.generic {{indexing_maps = [{texts}], iterator_types = [{iterators}]}}"
    lines = [f"{head} {given}outs(%{names[-1]} : {kinds[-1]}) {{", f"^bb0({values}):", *body, "}"]
    return "\n".join(lines)
