"""An input on which two programs differ, small enough to be read."""

from __future__ import annotations

from affine.record import dataclass

_SHOWN = 12


@dataclass(frozen=True)
class Counterexample:
    """Sizes, the inputs that are not zero, and the output element that differs, with both values as exact text.

    `inputs` are (name, index, value); an index is empty for a scalar. `output` is "memory access" where the
    target leaves its arrays, which has no values.
    """

    sizes: tuple[tuple[str, int], ...]
    inputs: tuple[tuple[str, tuple[int, ...], str], ...]
    output: str
    index: tuple[int, ...]
    source: str
    target: str

    def text(self) -> str:
        """One line: the place, both values, and what they come from."""
        sizes = " ".join(f"{n}={v}" for n, v in self.sizes)
        place = self.output + _subscripts(self.index)
        given = [f"{n}{_subscripts(i)}={v}" for n, i, v in self.inputs]
        rest = f" and {len(given) - _SHOWN} more" if len(given) > _SHOWN else ""
        inputs = f", from {', '.join(given[:_SHOWN])}{rest}" if given else ""
        at = f" at {sizes}" if sizes else ""
        return f"{place} is {self.source} in the source, {self.target} in the target{at}{inputs} (all other inputs 0)"


def _subscripts(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]" if index else ""
