"""`match`, and assignments in expressions, beside what Python makes of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import raising
from raising.frontend.python.variables.plain_statements import PlainStatements
from tests.decorator.functions import QUICK

NUMBERS = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9])


def chosen(x: Any, mode: str) -> Any:
    s = 0
    for i in range(len(x)):
        match x[i] % 3, x[i] % 2:
            case 0, 0 | 1 if x[i] > 8:
                s += 1000
            case (0, _) | (_, 0):
                continue
            case k, other if k > other:
                s += 10 * k + other
            case k, 1 as other:
                s -= other + k
    match mode:
        case "twice":
            return 2 * s
        case _:
            return s


def assigned(x: Any, mode: str) -> Any:
    s = k = 0
    while (v := x[k]) != 7:
        k += 1
        if v == 4:
            continue
        if (d := v - 3) > 0:
            s += d * (e := d + 1) - e
        elif v > 0 and (d := v + 3) > 4:
            s -= d
        s += c if (c := v % 4) > 1 else -c
    if mode == "twice":
        s = 2 * s
    return (s := s + 1) * s


@pytest.mark.parametrize("function", [chosen, assigned])
def test_as_python(function: Callable[..., Any]) -> None:
    compiled = raising.jit(**QUICK)(function)
    for mode in ("twice", "once"):
        for numbers in (NUMBERS, NUMBERS[::-1].copy()):
            assert compiled(numbers, mode) == function(numbers, mode)


@pytest.mark.parametrize(
    "statement",
    [
        "match x:\n case [a, b]: y = 1",  # the elements of something
        "match x:\n case {'a': 1}: y = 1",
        "match x:\n case int(): y = 1",
        "match x:\n case 1 | k: y = k",
        "y = k * (k := x)",  # what was in `k` before is read first
        "k += (k := x)",
        "y = x or (k := x)",  # which may not happen
        "y = [k for v in x if (k := v) > 1]",
    ],
)
def test_others_stay(statement: str) -> None:
    (function,) = ast.parse(f"def f(x):\n {statement.replace(chr(10), chr(10) + ' ')}").body
    assert isinstance(function, ast.FunctionDef)
    before = ast.dump(function)
    assert ast.dump(PlainStatements(function).visit(function)) == before
