"""Python in, core out: `goldens/NAME.py` and `goldens/NAME.core`.

`python -m tests.frontend.python.test_python_goldens` writes the second of each anew, to be looked at.
"""

from pathlib import Path

import pytest

from raising.frontend.python.read_python import read_python
from tests.frontend.core.core_text import unit_text
from tests.frontend.core.invariants import verify
from tests.python import kernels

FOLDER = Path(__file__).parent / "goldens"
FILES = sorted(FOLDER.glob("*.py"))


def _text(path: Path) -> str:
    read = read_python(path.read_text(), path.name)
    assert read.refused == ()
    assert verify(read.unit) == []
    return unit_text(read.unit)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    assert _text(path) == path.with_suffix(".core").read_text()


def test_the_kernels_keep_the_rules_of_the_core() -> None:
    assert _text(Path(kernels.__file__))


if __name__ == "__main__":
    for golden in FILES:
        golden.with_suffix(".core").write_text(_text(golden))
