"""A new target is configuration: no Python file of the search may know an operation of a target by name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from raising.grammar.dialects.committed import known
from raising.grammar.dialects.load import load

ROOT = Path(__file__).parents[2]
FILES = sorted(p for package in ("grammar", "synth") for p in (ROOT / package).glob("**/*.py") if p.name != "scalar.py")
NAMES = {op.full_name for target in known() for op in load(target).operations if op.dialect == target}
SHORT = {name.split(".")[1] for name in NAMES}
FIELDS = {"op", "name", "full_name", "operation"}


def _docstrings(tree: ast.AST) -> set[int]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            found.add(id(node.body[0].value))  # type: ignore[attr-defined]
    return found


def _literals(node: ast.AST) -> set[str]:
    return {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_operation_of_a_target_is_known_by_name(path: Path) -> None:
    tree = ast.parse(path.read_text())
    docs = _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            named = {name for name in NAMES if name in node.value}
            assert not named, f"{path.name}:{node.lineno} names {named}"
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(side, ast.Attribute) and side.attr in FIELDS for side in sides):
                assert not _literals(node) & SHORT, f"{path.name}:{node.lineno} branches on a name"
