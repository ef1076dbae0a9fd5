"""The cache: one folder for all of `raise`, and entries that are whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from raising.support.cache import cached, entry, folder, read, write


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path / "cache"))


def test_the_folder_is_what_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder() == tmp_path / "cache"
    monkeypatch.delenv("RAISE_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder() == tmp_path / "raise"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert folder() == tmp_path / ".cache" / "raise"
    monkeypatch.setattr("sys.platform", "darwin")
    assert folder() == tmp_path / "Library" / "Caches" / "raise"


def test_a_broken_entry_is_built_again() -> None:
    built: list[int] = []

    def build() -> str:
        built.append(1)
        return "one\ntwo\n"

    assert cached("a", [b"x"], build) == cached("a", [b"x"], build) == "one\ntwo\n"
    assert len(built) == 1
    file = entry("a", [b"x"])
    whole = file.read_text()
    for text in ("", "nonsense", whole[:-3], whole + " ", whole.replace("two", "tow"), "\0\n"):
        file.write_text(text)
        assert cached("a", [b"x"], build) == "one\ntwo\n"
    file.write_bytes(b"\xff\xfe\n")
    assert cached("a", [b"x"], build) == "one\ntwo\n"
    assert len(built) == 8
    assert [f.name for f in file.parent.iterdir()] == [file.name]  # nothing half-written is left


def test_entries_differ_by_kind_and_parts() -> None:
    files = {entry("a", [b"x", b"y"]), entry("a", [b"xy"]), entry("b", [b"x", b"y"]), entry("a", [b"y", b"x"])}
    assert len(files) == 4


def test_a_folder_that_cannot_be_written_holds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path / "file"))
    write(entry("a", [b"x"]), "text")
    assert read(entry("a", [b"x"])) is None
    assert cached("a", [b"x"], lambda: "text") == "text"
