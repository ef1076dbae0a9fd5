import sys
from importlib import metadata

import pytest

from raising.support import versions as installed


@pytest.fixture
def fresh():
    installed._known.cache_clear()
    yield
    installed._known.cache_clear()


def test_versions_are_those_of_the_metadata():
    names = ("numpy", "islpy", "llvmlite", "xtc-mlir-python-bindings", "raise-tensor")
    assert installed.versions(names) == {name: metadata.version(name) for name in names}


def test_the_first_on_the_path_counts_and_what_is_not_there_is_left_out(fresh, tmp_path, monkeypatch):
    for folder, version in (("first", "2.0"), ("second", "1.0")):
        (tmp_path / folder / f"Some.Thing_x-{version}.dist-info").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "missing"), str(tmp_path / "first"), str(tmp_path / "second")])
    assert installed.versions(["some-thing.X", "other"]) == {"some-thing.X": "2.0"}
