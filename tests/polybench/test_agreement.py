"""What counts as the same result: rounding and conditioning are allowed for, mistakes are not."""

from __future__ import annotations

import numpy as np

from raising.polybench.measure.agreement import Reference, load, reference


def doubled(values):
    return {"y": 2 * np.asarray(values["x"])}


X = {"x": np.linspace(1, 2, 100, dtype=np.float32)}


def test_rounding_is_allowed_and_a_mistake_is_not():
    found = reference(doubled, doubled, X)
    right = 2 * X["x"]
    assert found.judge({"y": right * np.float32(1 + 1e-6)}).equal
    wrong = right.copy()
    wrong[17] *= np.float32(1.01)
    assert not found.judge({"y": wrong}).equal


def test_numbers_that_are_not_finite_are_wrong():
    found = reference(doubled, doubled, X)
    for bad in (np.nan, np.inf):
        got = 2 * X["x"]
        got[3] = bad
        assert not found.judge({"y": got}).equal


def test_another_shape_is_wrong():
    assert not reference(doubled, doubled, X).judge({"y": np.ones(99, np.float32)}).equal


def test_integers_have_to_be_the_same():
    values = {"x": np.arange(5, dtype=np.int32)}
    found = reference(doubled, doubled, values)
    assert found.judge({"y": 2 * values["x"]}).equal
    assert not found.judge({"y": 2 * values["x"] + (values["x"] == 4)}).equal


def test_integers_are_run_once():
    runs = []
    reference(lambda v: runs.append(0) or doubled(v), doubled, {"x": np.arange(5, dtype=np.int32)})
    assert len(runs) == 1


def test_a_reference_is_kept_for_the_next_job(tmp_path):
    found = reference(doubled, doubled, X)
    found.save(tmp_path / "reference.npz")
    again = load(tmp_path / "reference.npz")
    assert again.results["y"].dtype == np.float64
    np.testing.assert_array_equal(again.results["y"], found.results["y"])
    np.testing.assert_array_equal(again.spread["y"], found.spread["y"])


def test_nothing_is_asked_of_what_the_inputs_do_not_determine():
    def turns(values):
        x = np.asarray(values["x"])
        return {"y": np.concatenate([2 * x, np.sin(1e20 * x)])}

    x = np.linspace(1, 2, 100)
    found = reference(turns, turns, {"x": x})
    noise = {"y": np.concatenate([2 * x, np.zeros(100)])}
    agreement = found.judge(noise)
    assert agreement.equal
    assert 0.4 < agreement.undetermined < 0.6
    noise["y"][5] = 0
    assert not found.judge(noise).equal


def test_a_column_that_rounding_decides_is_not_asked_where_chance_brought_it_close():
    want, spread = np.ones((50, 4)), np.zeros((50, 4))
    spread[1:, 3] = 0.3
    found = Reference({"q": want}, {"q": spread})
    noise = want.copy()
    noise[:, 3] = 0.1
    assert found.judge({"q": noise}).equal
    assert found.judge({"q": noise}).undetermined == 0.25
    noise[7, 2] = 0.9
    assert not found.judge({"q": noise}).equal


def test_the_worst_result_is_told():
    found = Reference({"a": np.ones(2), "b": np.ones(2)}, {"a": np.zeros(2), "b": np.zeros(2)})
    assert found.judge({"a": np.ones(2), "b": np.full(2, 3.0)}).error == 2
