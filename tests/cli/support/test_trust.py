"""Machine code and results of earlier runs are used only from a folder that nobody else can write to."""

import os
from pathlib import Path

import pytest

from raising.support import cache
from tests.cli.running import FILL, run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    cache._usable.cache_clear()
    return tmp_path / "cache"


def _kept(kind: str = "kind") -> Path:
    file = cache.entry(kind, [b"part"])
    cache.write(file, "text")
    return file


def test_folders_are_made_for_their_owner_only(folder: Path):
    file = _kept()
    assert cache.read(file) == "text" and not cache.complaint()
    assert [path.stat().st_mode & 0o777 for path in (folder, file.parent, file)] == [0o700, 0o700, 0o600]


@pytest.mark.parametrize("part", ["folder", "kind", "file", "parent"])
@pytest.mark.parametrize("mode", [0o022, 0o002])
def test_what_others_can_write_to_is_not_used(folder: Path, part: str, mode: int):
    file = _kept()
    place = {"folder": folder, "kind": file.parent, "file": file, "parent": folder.parent}[part]
    place.chmod(place.stat().st_mode | mode)
    cache._usable.cache_clear()
    assert cache.read(file) is None
    if part != "file":
        assert f"others can write to {place}" in cache._others(file.parent)
        cache.write(cache.entry("kind", [b"other"]), "text")
        assert len(list(file.parent.iterdir())) == 1


def test_a_folder_in_one_that_all_can_write_to_is_used_if_it_is_sticky(folder: Path):
    file = _kept()
    folder.parent.chmod(0o1777)
    cache._usable.cache_clear()
    assert cache.read(file) == "text"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("part", ["folder", "file"])
def test_what_belongs_to_others_is_not_used(folder: Path, part: str):
    file = _kept()
    os.chown(folder if part == "folder" else file, 12345, -1)
    cache._usable.cache_clear()
    assert cache.read(file) is None


def test_it_is_said_once(folder: Path):
    folder.mkdir()
    folder.chmod(0o777)
    done = run("-", "--check", "none", given=FILL, cache=folder)
    (said,) = [line for line in done.stderr.splitlines() if "cache" in line]
    assert said == f"raise: remark: the cache in {folder} is not used: others can write to {folder}"
    assert done.returncode == 0 and "linalg.fill" in done.stdout and not list(folder.iterdir())
