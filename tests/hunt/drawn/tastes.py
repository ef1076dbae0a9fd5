"""What generators draw: their elements, shapes, bounds, subscripts and statements."""

from __future__ import annotations

from dataclasses import dataclass

from tests.hunt.calls import POOL
from tests.hunt.drawn.idioms import IDIOMS
from tests.hunt.drawn.strides import POOL as SIGNED
from tests.hunt.drawn.strides import STRIDES
from tests.hunt.drawn.windows import POOL as WIDER
from tests.hunt.drawn.windows import WINDOWS

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "bool")


@dataclass(frozen=True)
class Taste:
    """What a generator draws: each field is a tuple from which one is chosen, or a chance."""

    elements: tuple[str, ...] = ("f64", "f64", "f64", "f32", "i32")
    shapes: tuple[str, ...] = ("pointer", "fixed", "grid", "vla", "rows")
    bounds: tuple[str, ...] = ("open", "open", "open", "fixed", "shifted", "triangle", "down", "strided")
    subscripts: tuple[str, ...] = ("plain", "plain", "plain", "plain", "shift", "reverse", "constant")
    statements: tuple[str, ...] = ("assign", "assign", "assign", "sum", "scalar", "branch")
    counters: tuple[str, ...] = ("i32",)
    offsets: tuple[str, ...] = ()
    starts: tuple[int, ...] = (0,)
    nests: tuple[int, ...] = (1, 1, 1, 1, 1, 2)
    depths: tuple[int, ...] = (1, 1, 1, 2, 2, 3)
    mixed: float = 0.0
    inplace: float = 0.3
    index_data: float = 0.1
    functions: float = 0.05
    restrict: float = 1.0
    language: str = "c"
    globals: bool = False
    idiom: str = ""
    special: bool = False
    target: str = "linalg"
    raised: bool = True
    sizes: tuple[int, ...] = POOL


TASTES: dict[str, Taste] = {
    "open": Taste(),
    "distance": Taste(
        shapes=("pointer", "pointer", "rows", "grid"),
        subscripts=("plain", "plain", "plain", "offset", "offset", "place", "stride"),
        bounds=("open", "open", "open", "fixed", "shifted", "down"),
        offsets=("k", "p", "s"),
        depths=(1, 1, 1, 2),
        nests=(1, 1, 2),
    ),
    "far": Taste(
        shapes=("pointer", "pointer", "fixed"),
        starts=(20, 137, 137, 1000, 1000000),
        bounds=("open", "open", "fixed", "shifted", "down", "strided", "size"),
        index_data=0.3,
        depths=(1, 1, 2),
    ),
    "integers": Taste(
        elements=INTEGERS,
        mixed=0.5,
        index_data=0.2,
        shapes=("pointer", "fixed"),
        depths=(1, 1, 2),
        counters=("i32", "i32", "u32", "i64", "u64", "i16", "u8"),
    ),
    "reductions": Taste(
        elements=("f64", "f32", "i32", "u32", "bool", "i8"),
        statements=("scalar", "scalar", "sum", "assign"),
        shapes=("pointer", "fixed", "grid", "vla"),
        depths=(1, 1, 2),
    ),
    "flat": Taste(
        shapes=("pointer",),
        subscripts=("plain", "flat", "flat", "shift", "offset", "stride"),
        offsets=("k", "s"),
        depths=(2, 2, 3),
        counters=("i32", "i32", "i64", "u64"),
    ),
    "inplace": Taste(
        shapes=("pointer", "fixed", "grid"),
        subscripts=("plain", "shift", "shift", "reverse", "constant"),
        bounds=("open", "open", "fixed", "shifted", "down", "strided"),
        nests=(1, 1, 2, 3),
    ),
    "alias": Taste(
        shapes=("pointer",),
        elements=("f64", "f32", "i32", "i8"),
        subscripts=("plain", "plain", "plain", "shift", "constant"),
        restrict=0.0,
        depths=(1, 1, 2),
    ),
    "globals": Taste(shapes=("fixed", "fixed", "grid", "pointer"), globals=True, depths=(1, 1, 2)),
    "loops": Taste(
        raised=False,
        elements=("f64", "f64", "f32", "i32", "i8", "u16", "i64", "bool"),
        subscripts=("plain", "plain", "plain", "shift", "reverse", "constant", "offset"),
        offsets=("k",),
        starts=(0, 0, 0, 137),
        mixed=0.2,
        nests=(1, 1, 2),
        depths=(1, 2, 2),
    ),
    "mlir": Taste(
        language="mlir",
        elements=("f64", "f64", "f32", "i32", "i64", "i8", "u16", "bool"),
        counters=("i64",),
        shapes=("pointer", "fixed", "grid", "rows"),
        bounds=("open", "open", "fixed", "shifted", "triangle", "strided"),
        subscripts=("plain", "plain", "plain", "shift", "reverse", "constant", "offset", "stride", "place"),
        offsets=("k",),
        mixed=0.2,
    ),
    "python": Taste(
        language="python",
        elements=("f64", "f64", "f32", "i64"),
        counters=("i64",),
        shapes=("pointer", "fixed", "grid", "vla"),
        subscripts=("plain", "plain", "plain", "shift", "reverse", "constant", "offset"),
        offsets=("k",),
    ),
}


TASTES["stablehlo"] = Taste(  # whole functions of constant sizes
    shapes=("fixed", "fixed", "grid"),
    bounds=("fixed",),
    subscripts=("plain", "plain", "plain", "shift", "constant"),
    elements=("f64", "f64", "f32", "i32", "u8"),
    index_data=0.0,
    depths=(1, 1, 2),
    target="stablehlo",
)
TASTES |= {name: Taste(idiom=name, special=name == "special") for name in IDIOMS}
TASTES |= {name: Taste(idiom=name, sizes=WIDER) for name in WINDOWS}
TASTES |= {name: Taste(idiom=name, sizes=SIGNED) for name in STRIDES}
TASTES |= {
    f"python-{name}": Taste(idiom=name, language="python")
    for name in ("algebra", "stencils", "branches", "interactions")
}
TASTES |= {
    f"mlir-{name}": Taste(idiom=name, language="mlir")
    for name in ("algebra", "stencils", "branches", "narrow", "interactions")
}
