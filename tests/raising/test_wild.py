"""Programs that are no PolyBench kernels: raised or kept, they compute what the oracle says."""

from pathlib import Path

import pytest

from tests.kernels.execute import inputs
from tests.oracles import mismatch
from tests.raising.algebra import loops
from tests.raising.running import execute, kept, raised

WILD = {path.stem: path for path in sorted((Path(__file__).parents[1] / "inputs" / "wild").glob("*.mlir"))}
STAYS = {
    "prefix_sum": "each iteration needs the one before it",
    "saxpby": "no tensor program was found",  # its extent, a minimum, is not affine
}
"""What is known to stay a loop, and what the remark says."""


@pytest.mark.parametrize("name", WILD)
def test_wild_program_is_raised_and_right(name: str) -> None:
    text = WILD[name].read_text()
    result = raised(text)
    if name in STAYS:
        assert STAYS[name] in kept(result)[0]
        assert loops(result.text)
    else:
        assert kept(result) == []
        assert loops(result.text) == []
    before = inputs(text, name)
    after = execute(result.text, name, before)
    assert not mismatch(name, before, after, 1e-5 if "f32" in text else 1e-12)


@pytest.mark.parametrize("dynamic", [1, 2])
@pytest.mark.parametrize("name", [name for name, path in WILD.items() if "?" in path.read_text()])
def test_small_dynamic_extents_are_right(name: str, dynamic: int) -> None:
    text = WILD[name].read_text()
    before = inputs(text, name, 0, dynamic)
    after = execute(raised(text).text, name, before)
    assert not mismatch(name, before, after, 1e-5 if "f32" in text else 1e-12)
