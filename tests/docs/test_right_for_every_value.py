"""The page that says which test holds which promise names tests and records that there are."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/right-for-every-value.md").read_text()
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| input | what")]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


@cache
def _functions(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text())
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize(("file", "name"), NAMED, ids=[name for _, name in NAMED])
def test_each_test_that_is_named_exists(file: str, name: str) -> None:
    assert name.startswith("test_") and name in _functions(file)


def test_each_row_names_a_test_or_a_record() -> None:
    heads = {"| line | held by |", "| line | command | record |"}
    bare = [row for row in ROWS if row not in heads and ".py::test_" not in row and "results/" not in row]
    assert len(NAMED) > 40 and not bare


def test_each_record_exists() -> None:
    found = re.findall(r"\.\./(results/[\w-]+\.json)", PAGE)
    assert found and all((ROOT / path).exists() for path in found)
