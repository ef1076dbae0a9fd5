"""Pairs of functions from one-line bodies, for tests of the levels."""

from __future__ import annotations

from raising.validate.reading.pair import Assumptions, Pair, generalised, read_pair

NOTHING = Assumptions()


def elementwise(body: str, element: str = "f64", extent: int = 6, arrays: str = "x y z") -> str:
    """A loop over 1-d arrays in which `body` computes %r, stored to the last array, from %x, %y, …"""
    names = arrays.split()
    kind = f"memref<{extent}x{element}>"
    loads = "\n".join(f"    %{n} = affine.load %A{n}[%i] : {kind}" for n in names)
    arguments = ", ".join(f"%A{n}: {kind}" for n in names)
    return f"""func.func @f({arguments}) {{
  affine.for %i = 0 to {extent} {{
{loads}
{body}
    affine.store %r, %A{names[-1]}[%i] : {kind}
  }}
  return
}}
"""


def pair(source: str, target: str) -> Pair:
    """Two texts read with symbolic sizes."""
    return generalised(read_pair(source, target))


def pointwise(source: str, target: str, element: str = "f64", arrays: str = "x y z") -> Pair:
    """Two bodies of `elementwise` as a pair."""
    return pair(elementwise(source, element, arrays=arrays), elementwise(target, element, arrays=arrays))
