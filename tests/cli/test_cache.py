"""What an earlier run found is said again only after it was compared with the loops, and never believed."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from raising.grammar.field.loaded_kernels import load
from raising.support.cache import folder
from tests.cli.running import COMMAND, ENVIRONMENT, SCALE, run

AGAIN = "an earlier run"
IGNORED = "an entry of the cache was ignored"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """An empty cache but for compiled loops, which take long to make."""
    assert load() is not None
    (tmp_path / "kernels").symlink_to(folder() / "kernels")
    return tmp_path


def _run(cache: Path, text: str = SCALE, *options: str) -> subprocess.CompletedProcess[str]:
    done = run("-", *options, given=text, cache=cache)
    assert done.returncode == 0, done.stderr
    return done


def _entry(cache: Path) -> Path:
    (found,) = (cache / "raised").iterdir()
    return found


def _rewrite(entry: Path, old: str, new: str) -> None:
    """Change an entry so that it is whole: by someone who can compute its hash."""
    text = entry.read_text().partition("\n")[2]
    assert old in text
    text = text.replace(old, new)
    entry.write_text(f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}")


def test_the_second_run_says_the_same_and_that_it_was_compared_again(cache: Path) -> None:
    first, second = _run(cache), _run(cache)
    assert AGAIN not in first.stderr and "linalg.mul" in first.stdout
    assert second.stdout == first.stdout
    assert second.stderr.startswith(first.stderr) and AGAIN in second.stderr and "field points" in second.stderr
    assert AGAIN not in run("-", given=SCALE).stderr  # --no-cache


def test_another_text_or_option_is_another_entry(cache: Path) -> None:
    _run(cache)
    assert AGAIN not in _run(cache, SCALE, "--check", "field").stderr
    assert AGAIN not in _run(cache, SCALE, "--max-ops", "3").stderr
    assert AGAIN not in _run(cache, SCALE.replace("mulf", "addf")).stderr
    assert len(list((cache / "raised").iterdir())) == 4


def test_statistics_come_from_the_run_that_searched(cache: Path) -> None:
    files = [cache / "first.json", cache / "second.json"]
    for file in files:
        _run(cache, SCALE, "--stats", str(file))
    first, second = (json.loads(f.read_text()) for f in files)
    assert second.pop("cached") is True and "cached" not in first
    assert first == second


def test_what_was_cut_short_is_ignored_and_written_again(cache: Path) -> None:
    first = _run(cache)
    entry = _entry(cache)
    for damage in (entry.read_bytes()[:-20], b"", b"\xff" * 100, b"not ours\n{}"):
        entry.write_bytes(damage)
        second = _run(cache)
        assert second.stdout == first.stdout and IGNORED in second.stderr and AGAIN not in second.stderr
    assert AGAIN in _run(cache).stderr


def test_an_entry_with_a_wrong_program_is_not_believed(cache: Path) -> None:
    first = _run(cache)
    _rewrite(_entry(cache), "linalg.mul", "linalg.add")
    second = _run(cache)
    assert second.stdout == first.stdout and AGAIN not in second.stderr


def test_an_entry_that_is_no_module_is_ignored(cache: Path) -> None:
    first = _run(cache)
    for old, new in (("linalg.mul", "linalg.}"), ('"outcome"', '"other"')):
        _rewrite(_entry(cache), old, new)
        second = _run(cache)
        assert second.stdout == first.stdout and IGNORED in second.stderr and AGAIN not in second.stderr


def test_loops_that_stay_are_recalled_and_compared_as_well(cache: Path) -> None:
    text = SCALE.replace("0 to 8", "1 to 8").replace(
        "%x[%i] : memref<8xf64>\n    %1", "%x[%i - 1] : memref<8xf64>\n    %1"
    )
    first, second = _run(cache, text), _run(cache, text)
    assert "kept" in first.stderr and AGAIN in second.stderr
    assert second.stdout == first.stdout and "scf.for" in first.stdout
    assert run("-", "--require-all", given=text, cache=cache).returncode == 1


def test_processes_share_a_cache(cache: Path) -> None:
    environment = ENVIRONMENT | {"RAISE_CACHE": str(cache)}
    started = [
        subprocess.Popen([*COMMAND, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
        for _ in range(3)
    ]
    texts = [process.communicate(SCALE, timeout=120)[0] for process in started]
    assert len(set(texts)) == 1 and "linalg.mul" in texts[0]
    assert AGAIN in _run(cache).stderr
    assert not [f for f in (cache / "raised").iterdir() if f != _entry(cache)]


def test_a_folder_that_cannot_be_written_is_no_error(cache: Path) -> None:
    (cache / "file").write_text("")
    assert "linalg.mul" in _run(cache / "file").stdout
