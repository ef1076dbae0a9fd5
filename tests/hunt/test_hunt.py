"""The hunter finds what is planted, makes it small, and finds nothing in a short run with fixed numbers."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.c.gcc import needs_gcc
from tests.hunt import calls, minimise, mutate, pairs, ways, workers
from tests.hunt.command import main
from tests.hunt.drawn.draw import drawn
from tests.hunt.drawn.tastes import TASTES
from tests.hunt.drawn.tree import (
    Array,
    Bin,
    Elem,
    For,
    Function,
    Num,
    Scalar,
    Set,
    Stmt,
    Var,
    is_scoped,
    renamed,
    walk,
)
from tests.hunt.judge import spelled

pytestmark = needs_gcc
COUNTER, N = Var("i"), Var("n")


def filled(value: int, high: Bin | Var = N, type: str = "f64") -> Function:
    """`for (i < high) a[i] = value;` on memory of unknown length."""
    body: tuple[Stmt, ...] = (Set(Elem("a", (COUNTER,)), "=", Num(value)),)
    loop = For("i", "i32", Num(0), "<", high, 1, body)
    return Function((Scalar("n", "i32", True), Array("a", type, (None,))), (loop,))


def broken(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """Have every compiled module say something else."""
    compiled = ways.compiled
    monkeypatch.setattr(ways, "compiled", lambda text, target: compiled(text.replace(old, new), target))


@pytest.mark.parametrize("generator", TASTES)
def test_what_is_drawn_depends_on_the_number_alone_and_is_scoped(generator: str):
    found = [drawn(generator, seed) for seed in range(20)]
    assert found == [drawn(generator, seed) for seed in range(20)] and len(set(found)) > 15
    assert all(is_scoped(f) for f in found)
    assert all(spelled(f, "f", TASTES[generator].language) for f in found)


def test_a_counterexample_is_placed_as_the_function_was_read():
    function = filled(7)
    read = 'c_parameters = [["int", "n"], ["double", "a", "?", "n + 1"]]'
    told = {"sizes": (("n0", 2), ("a1_0", 4)), "inputs": (("a1", (1, 2), "5"),)}
    _, memory = pairs.example(function, told, read) or ()
    assert memory.tolist() == [0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0]


def test_a_wrong_value_is_found(monkeypatch: pytest.MonkeyPatch):
    broken(monkeypatch, "7.0", "6.0")
    found = workers.over({1: filled(7), 2: filled(5)})
    assert (found[1].kind, found[2].kind) == ("wrong", "") and "gcc has 7.0" in found[1].detail


def test_a_crash_and_a_hang_are_found_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(workers, "EACH", 3.0)
    raised = ways.raised

    def failing(text: str, *more: str) -> ways.Raised:
        if "7.0" in text:
            import os

            os.abort()
        while "5.0" in text:
            pass
        return raised(text, *more)

    monkeypatch.setattr(ways, "raised", failing)
    found = workers.over({1: filled(7), 2: filled(5), 3: filled(3)})
    assert [found[k].kind for k in (1, 2, 3)] == ["crash", "hang", ""]


def test_a_write_outside_of_an_array_is_found(monkeypatch: pytest.MonkeyPatch):
    longer = ways.Read(_mlir(filled(7, Bin("+", N, Num(1))), "f1"))
    monkeypatch.setattr(ways, "read", lambda text, language: longer)
    found = workers.over({1: filled(7)})
    assert "outside" in found[1].detail


def _mlir(function: Function, name: str = "f") -> str:
    return ways.read(spelled(function, name, "c")).mlir


def test_a_call_without_a_meaning_is_no_call(tmp_path: Path):
    below = renamed(filled(7), {})
    inner = For("i", "i32", Num(0), "<", N, 1, (Set(Elem("a", (Bin("-", COUNTER, N),)), "=", Num(1)),))
    libraries = calls.Libraries({"f": Function(below.params, (inner,))}, tmp_path)
    found = calls.calls("f", Function(below.params, (inner,)), libraries, 0)
    assert found and all(call.arguments[0] <= 0 for call in found)


def test_a_failure_is_made_small():
    function = max((drawn("inplace", k) for k in range(8)), key=minimise.size)
    wanted = next(n for n in walk(function.body) if isinstance(n, Elem)).array

    def shows(candidates: list[Function]) -> tuple[Function, str] | None:
        fine = (f for f in candidates if any(isinstance(n, Elem) and n.array == wanted for n in walk(f.body)))
        return next(((f, "") for f in fine), None)

    small, _ = minimise.minimised(function, "", shows, 30.0)  # type: ignore[arg-type]
    assert minimise.size(small.body) <= 6 < minimise.size(function.body)


def test_changes_change_and_rewrites_do_not(tmp_path: Path):
    one = filled(7)
    other = Function(one.params, (For("i", "i32", Num(1), "<", N, 1, one.body[0].body),))  # type: ignore[union-attr]
    back = Function(one.params, (For("i", "i32", Bin("-", N, Num(1)), ">=", Num(0), -1, one.body[0].body),))  # type: ignore[union-attr]
    libraries = calls.Libraries({"a": one, "b": other, "c": back}, tmp_path)
    assert pairs.differences(("a", "b"), pairs.Pair(one, other, "edit"), libraries, 0)
    assert pairs.differences(("a", "c"), pairs.Pair(one, back, "rewrite"), libraries, 0) == []
    assert all(mutate.edited(one, random.Random(k)) != one for k in range(20))


_SAME = pairs.Pair(filled(7), filled(7, Bin("+", N, Num(0))), "rewrite")


def test_a_wrong_pair_that_is_accepted_is_found(tmp_path: Path):
    read = ways.read(spelled(filled(7), "f", "c"), "c")
    for pair, kind in ((pairs.Pair(filled(7), filled(8), "edit"), "accepted"), (_SAME, "")):
        (folder := tmp_path / f"_{kind}").mkdir()  # a library is loaded once from each path
        libraries = calls.Libraries({"a": pair.one, "b": pair.other}, folder)
        found = pairs.judged(("a", "b"), pair, libraries, 0, lambda _: read)
        assert found is not None and found.kind == kind, found


def test_what_a_reader_assumes_is_looked_at():
    text = "in 'f': 2*n - 1 <= s: rows of 'a' have s elements, and a subscript stays in its row"
    assert pairs.holds(text, {"n": 2, "s": 3}) and not pairs.holds(text, {"n": 3, "s": 3})
    assert pairs.holds("in 'f': arguments do not overlap", {})


def test_a_pair_that_is_refuted_although_no_run_differs_is_found(tmp_path: Path):
    libraries = calls.Libraries({"a": filled(7), "b": filled(7)}, tmp_path)
    read = {
        f: ways.read(spelled(other, "f", "c"), "c") for f, other in ((_SAME.one, filled(7)), (_SAME.other, filled(8)))
    }
    found = pairs.judged(("a", "b"), _SAME, libraries, 0, read.__getitem__)
    assert found is not None and found.kind == "refuted-equal", found


CLEAN = ("globals", "python", "stencils", "special", "windows", "strides", "pairs-unrolled")
"""Generators of the short run."""


def test_a_short_run_finds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    chosen = [text for name in CLEAN for text in ("--generator", name)]
    record = tmp_path / "hunt.json"
    status = main([*chosen, "--seed", "0", "--size", "1", "--rounds", "1", "--out", str(record)])
    assert status == 0, capsys.readouterr().out
    found = json.loads(record.read_text())["summary"]["generators"]
    assert set(found) >= {"globals", "stencils", "pairs-unrolled"} and not any(
        "failed" in k for c in found.values() for k in c
    )
