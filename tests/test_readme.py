"""Every command in the README that is marked with `<!-- run -->` works as it stands there."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from validate.lowering import LOWERING

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCK = re.compile(r"<!-- run -->\n```(?:console|sh)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def commands(block: str) -> list[str]:
    """The lines after `$ `, each with the lines that a backslash continues it on."""
    found = re.findall(r"^\$ ((?:.*\\\n)*.*)$", block, re.MULTILINE)
    return [c for c in found if not c.startswith("make")]


BLOCKS = [found for text in BLOCK.findall(README) if (found := commands(text))]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block[0][:40])
def test_block_runs(block: list[str]):
    environment = os.environ | {"PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    script = "set -euo pipefail\n" + "\n".join(block)
    run = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr


def test_there_are_blocks_to_run():
    assert BLOCKS


def test_the_passes_are_those_that_are_tested():
    (command,) = [c for block in BLOCKS for c in block if c.startswith("mlir-opt")]
    words = shlex.split(command.replace("\\\n", " "))
    assert tuple(w for w in words if w.startswith("--")) == LOWERING


def test_links_lead_somewhere():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            assert "://" in link or (page.parent / link).exists(), f"{page.name}: {link}"
