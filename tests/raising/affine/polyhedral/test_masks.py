"""Conditions that compare indices with numbers, whatever the numbers are: masks, and no loops."""

import pytest

from raising.validate.base.verdict import Proved
from tests.raising.algebra import kinds, loops
from tests.raising.c_functions import SourceFunction

MASKS: dict[str, tuple[str, int, dict[str, int]]] = {
    "5 of 10": ("i == 5 ? 1.0 : 0.0", 10, {"selection": 1}),
    "15 of 20": ("i == 15 ? 1.0 : 0.0", 20, {"selection": 1}),
    "the last of 5": ("i == 4 ? 1.0 : 0.0", 5, {"selection": 1}),
    "500 of 1000": ("i == 500 ? 1.0 : 0.0", 1000, {"selection": 1}),
    "both ends of a short one": ("i == 0 || i == 4 ? 0.0 : x[i]", 5, {"selection": 1}),
    "a band": ("i >= 9 && i < 14 ? x[i] : 0.0", 30, {"selection": 1}),
    "an element picked": ("x[11] * (i == 7)", 30, {"selection": 2}),
    "a rotation": ("i < 7 ? x[i + 23] : x[i - 7]", 30, {}),
}


@pytest.mark.parametrize("name", MASKS)
def test_conditions_on_one_index_are_masks(name: str) -> None:
    value, extent, wanted = MASKS[name]
    head = f"void f(double y[restrict {extent}], double x[restrict {extent}])"
    function = SourceFunction(f"{head} {{ for (int i = 0; i < {extent}; i++) y[i] = {value}; }}")
    result = function.raised()
    assert not loops(result.text)
    assert kinds(result.text) == wanted
    assert isinstance(result.functions[0].verdict, Proved)
    assert not function.difference(result.text)


PLANES = {
    "a diagonal": ("j == i + 7 ? 2.0 : 0.0", 1),
    "one element": ("i == 7 && j == 12 ? 1.0 : 0.0", 1),
    "a frame": ("i == 0 || i == 19 || j == 0 || j == 19 ? 0.0 : x[i][j]", 1),
    "three diagonals": ("i == j ? 2.0 : i == j + 1 || j == i + 1 ? -1.0 : 0.0", 4),
}


@pytest.mark.parametrize("name", PLANES)
def test_conditions_on_two_indices_are_masks(name: str) -> None:
    value, selections = PLANES[name]
    function = SourceFunction(
        f"""void f(double y[restrict 20][20], double x[restrict 20][20]) {{
        for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) y[i][j] = {value}; }}"""
    )
    result = function.raised()
    assert not loops(result.text)
    assert kinds(result.text) == {"selection": selections}
    assert not function.difference(result.text)
