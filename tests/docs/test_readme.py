"""Every command in the README that is marked with `<!-- run -->` works as it stands there."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import raising.commands.check_command
import raising.commands.compile_command
import raising.commands.opt_command
import raising.commands.raise_command
import raising.explore.explore_command
import raising.grammar.grammar_command
import raising.polybench.bench_command
from tests.validate.stock_lowering import LOWERING

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
BLOCK = re.compile(r"<!-- run -->\n```(?:console|sh)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OUTPUT = re.compile(BLOCK.pattern + r"\n+<!-- output -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def commands(block: str) -> list[str]:
    """The lines after `$ `, each with the lines that a backslash continues it on."""
    found = [c.strip() for c in re.findall(r"^\$ (.*\n(?:(?!\$ ).*\n)*)", block, re.MULTILINE)]
    return [c for c in found if not c.startswith("make")]


BLOCKS = [found for text in BLOCK.findall(README) if (found := commands(text))]


def run(block: list[str]) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    script = "set -euo pipefail\n" + "\n".join(block)
    return subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block[0][:40])
def test_block_runs(block: list[str]):
    done = run(block)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("block", "output"), OUTPUT.findall(README), ids=["raise"])
def test_output_is_what_the_readme_shows(block: str, output: str):
    done = run(commands(block))
    assert done.stdout == output


def test_remarks_are_what_the_readme_shows():
    """Up to the numbers, some of which are times."""
    (shown,) = re.findall(r"^```text\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    done = run(["raise examples/gemm.mlir --explain --no-cache"])  # another test may have run it before
    without_numbers = re.compile(r" \[.*| native run at .*")
    wanted, found = (without_numbers.sub("", text).splitlines() for text in (shown, done.stderr))
    assert wanted == found


def test_the_first_lines_say_for_whom_it_is_and_what_it_does_not_do():
    first = "\n".join(README.splitlines()[:20])
    for words in ("is for people who", "Polygeist", "mlirSynth", "Enzyme-JAX", "Numba", "What it does not do"):
        assert words in first, words


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


COMMANDS = {
    "raise": raising.commands.raise_command.main,
    "raise-check": raising.commands.check_command.main,
    "raise-opt": raising.commands.opt_command.main,
    "raise-compile": raising.commands.compile_command.main,
    "raise-bench": raising.polybench.bench_command.main,
    "raise-bench report": lambda given: raising.polybench.bench_command.main(["report", *given]),
    "raise-explore": raising.explore.explore_command.main,
    "raise-grammar": raising.grammar.grammar_command.main,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_is_in_the_readme_or_a_page(command: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        COMMANDS[command](["--help"])
    options = set(re.findall(r"(?<![\w-])--[a-z][\w-]+", capsys.readouterr().out)) - {"--help"}
    pages = "\n".join(page.read_text() for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")))
    known = set(re.findall(r"(?<![\w-])--[a-z][\w-]+", pages))
    assert options and not options - known
