"""Programs that break what raised code assumes: the user's own text runs, and results are those of gcc."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.c.gcc import needs_gcc
from tests.cc.running import raise_cc_here

HERE = Path(__file__).parent
pytestmark = needs_gcc


def run(*command: object) -> str:
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The programs with gcc's functions, and with raised ones whose tests have names for `assumed.c`."""
    folder, source = tmp_path_factory.mktemp("cc"), HERE / "assumptions.c"
    made, calls = folder / "raised.o", HERE / "assumed.c"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAISE_CACHE", str(folder))
        own = ["--raise-no-cache", "--raise-timeout", "500", "gcc"]
        assert raise_cc_here(*own, "-O2", "-c", str(source), "-o", str(made)) == 0
    names = [line.split()[-1] for line in run("nm", made).splitlines() if "raise_cc_holds_" in line]
    run("objcopy", *(f"--globalize-symbol={name}" for name in names), made)
    run("gcc", "-w", "-O2", source, calls, "-o", folder / "plain")
    run("gcc", "-w", "-O1", "-DRAISED", made, calls, "-o", folder / "raised")
    return folder / "plain", folder / "raised"


@pytest.mark.parametrize("number", range(16))
def test_what_is_not_as_assumed_is_left_to_the_users_text(programs: tuple[Path, Path], number: int) -> None:
    plain, raised = (run(program, number) for program in programs)
    assert raised == plain  # what the test of the raised code says, and a sum of all memory
    assert "as assumed 1" in plain and "not so 0" in plain
