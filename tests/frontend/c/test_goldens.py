"""C in, core out: `goldens/NAME.c` and `goldens/NAME.core`.

`python -m tests.frontend.c.test_goldens` writes the second of each anew, to be looked at.
"""

from pathlib import Path

import pytest

from raising.frontend.c.read_c import read_c
from tests.frontend.c.needs import needs_libclang
from tests.frontend.core.core_text import unit_text
from tests.frontend.core.invariants import verify

FOLDER = Path(__file__).parent / "goldens"
FILES = sorted(FOLDER.glob("*.c"))
pytestmark = needs_libclang


def _text(path: Path) -> str:
    unit = read_c(path.read_text(), path.name)
    assert verify(unit) == []
    return unit_text(unit)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    assert _text(path) == path.with_suffix(".core").read_text()


if __name__ == "__main__":
    for golden in FILES:
        golden.with_suffix(".core").write_text(_text(golden))
