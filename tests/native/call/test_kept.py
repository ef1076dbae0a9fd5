"""Machine code that is kept between processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.base.target import target_for
from raising.native.call.code_cache import Kept, code_for


def test_code_is_made_anew_when_its_library_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path / "cache"))
    library, made = tmp_path / "libblas.so", []

    def make() -> Kept:
        made.append(1)
        return b"code", (), (str(library), "libm.so.6")

    def again() -> Kept:
        return code_for(b"module {}", CompileOptions(), target_for("native", 1), make)

    library.write_bytes(b"")
    assert again() == again()
    assert len(made) == 1
    library.unlink()  # as with an environment that was removed
    again()
    assert len(made) == 2
