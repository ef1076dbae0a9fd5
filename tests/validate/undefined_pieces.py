"""Functions around a few operations, for pairs that differ only where one is not defined."""

from __future__ import annotations

STARTS = (0, 20, 137)
Pairs = dict[str, tuple[str, str]]


def each(body: str, element: str = "f64", result: str = "", start: int = 20, count: int = 9) -> str:
    """A loop in which `body` computes %r, stored to O, from %x and %y, elements of X and Y."""
    result, n = result or element, start + count
    return f"""func.func @f(%X: memref<{n}x{element}>, %Y: memref<{n}x{element}>, %O: memref<{n}x{result}>) {{
  affine.for %i = {start} to {n} {{
    %x = affine.load %X[%i] : memref<{n}x{element}>
    %y = affine.load %Y[%i] : memref<{n}x{element}>
    {body}
    affine.store %r, %O[%i] : memref<{n}x{result}>
  }}
  return
}}
"""


def fold(body: str, element: str, start: int) -> str:
    """A loop in which `body` computes %r, the next value of O's one element, from it (%a) and elements of X (%x)."""
    n = start + 9
    return f"""func.func @f(%X: memref<{n}x{element}>, %O: memref<{element}>) {{
  affine.for %i = {start} to {n} {{
    %x = affine.load %X[%i] : memref<{n}x{element}>
    %a = affine.load %O[] : memref<{element}>
    {body}
    affine.store %r, %O[] : memref<{element}>
  }}
  return
}}
"""


def function(arguments: str, body: str) -> str:
    """A function that returns nothing."""
    return f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"


ONE, ZERO = "%r = arith.constant 1 : i32", "%r = arith.constant 0 : i32"
