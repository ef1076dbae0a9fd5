"""A second name for an array is that array, as NumPy has it, or is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import raising


def read_only(x, v):
    k = v
    return x + 2.0 * k, -k


def replaced_behind(x, v):
    k = v
    v = v + 1
    return k * v + x


def added_to(x, v):
    k = v
    k += 1.0
    return v + x


def stored_to(x, v):
    k = v
    k[0] = 5.0
    return v * 2 + x


def stored_behind(x, v):
    k = v
    v[1] = 3.0
    return k + x


def sorted_in_place(x, v):
    k = v
    k.sort()
    return v + x


def own_array(x, v):
    k = x + v
    before = k
    k = k * 2
    return before - k


def carried(x, v):
    old = x
    for _ in range(3):
        new = old * 0.5 + v
        old = new
    return new - old


def chosen(x, v):
    k = v
    if v[0] > 0:
        k = x
    return k * 2


def part(x, v):
    left = x[1:]
    x = x * 2
    return left + x[1:] * v[:-1]


def part_of_what_loops_change(x, v):
    left = x[1:]
    for k in (2, 3):
        x = x * k
    return left + x[1:] * v[0]


def own_array_stored(x, v):
    k = x + v
    other = k
    other[0] = 7.0
    return k


def exchanged(x, v):
    a, b = x, v
    a, b = b, a
    return a - b


def stored_to_several(x, v):
    k = x + v
    other = k
    k[0], k[1] = 5.0, 6.0
    return other


def exchanged_behind(x, v):
    a, b = x + v, x * v
    c = a
    a, b = b, a
    b[0] = 7.0
    return c


def arguments_exchanged(x, v):
    for _ in range(3):
        v[1:] = x[:-1] * 2
        x, v = v, x
    return x


def two_buffers(x, v):
    old, new = x.copy(), np.zeros_like(x)
    for _ in range(v.shape[0]):
        new[1:-1] = old[:-2] + v[0] * old[2:]
        old, new = new, old
    return old


def three_buffers(x, v):
    before, now, then, rest = x.copy(), x * 2, np.zeros_like(x), v.copy()
    for k in range(v.shape[0]):
        then[1:] = 2 * now[1:] - before[:-1]
        before, now, then, rest = now, then, before, rest
        if k == 1:
            rest, then = then, rest
    return before, now, then, rest


def stored_through_part(a):
    a.T[0] = 5.0


def stored_through_call(a):
    np.flip(a)[0] = 5.0


def filled_through_part(a):
    a.T.fill(5.0)


def passed_on(a):
    stored_through_part(a.T)


def given_to_store(x, v):
    stored_through_part(v[1:])
    return v + x


def given_to_store_through_call(x, v):
    stored_through_call(v[1:])
    return v + x


def given_to_fill(x, v):
    filled_through_part(v[1:])
    return v + x


def given_to_pass_on(x, v):
    passed_on(v)
    return v + x


def one_of_two_stored(x, v):
    k = x if v[0] > 0 else v
    k[0] = 5.0
    return x + v


def conjugate_stored(x, v):
    k = v.conj()
    k[0] = 5.0
    return v + x


def conjugate_copied(x, v):
    k = np.conj(v)
    k[0] = 5.0
    return v * k + x


def taken(x, v):
    rows = np.stack((x, v))
    k = np.take(rows, 0, axis=0)
    k += 1.0
    return rows[0] + k


def _called(function: Callable[..., Any], size: int) -> list[Any]:
    arrays = [np.arange(size) * 1.5 - 2, np.cos(np.arange(size)) + 0.5]
    found = function(*arrays)
    return [*(found if isinstance(found, tuple) else (found,)), *arrays]


def numbers_and_rows(x, v):
    """A counter is set, and the row that it named is not another one then."""
    a, total = np.outer(x, v), 0.0
    for i in range(2):
        row = a[i]
        i = i + 1  # noqa: PLW2901
        total += row[0] * i
    return total, a


def renamed_counters(x, v):
    total = 0
    for i in range(3):
        k = i
        i = i * 2  # noqa: PLW2901
        total += k - i
    return x + total


def parts_at_once(x, v):
    """A part is read when it is stored, and what is made is made before."""
    a = np.outer(x, v)
    a[:, 0], a[:, -1] = a[:, -1], a[:, 0].copy()
    a[0], a[1] = a[1].copy(), a[0].copy()
    a[1], a[2] = a[2], a[1]
    a[0, 1:], s = a[0, :-1] * 2, a[0, 0]
    return a, s


def made_by_operators(x, v):
    """Each round makes an array and gives it away before it is written."""
    a, b, seen = x.copy(), v.copy(), np.zeros_like(x)
    for k in range(3):
        t = a * b + k
        b = b + a
        a = t
        seen[a > 1] = k
        a[a > 1] = 0.0
    return a, b, seen


def made_and_handed_over(x, v):
    old = np.zeros(len(x))
    for _ in range(3):
        new = np.zeros(len(x))
        for i in range(len(x)):
            new[i] = 0.5 * old[len(x) - 1 - i] + v[i]
        old = new
    return old - x


def handed_over_to_the_parameter(x, v):
    for _ in range(3):
        new = x.copy()
        for i in range(1, len(x) - 1):
            new[i] = x[i - 1] - x[i + 1] + v[i]
        x = new
    return x


def one_before_is_kept(x, v):
    old, found = np.ones(len(x)), np.zeros(len(x))
    for t in range(3):
        before = old
        new = np.zeros_like(x)
        for i in range(len(x)):
            new[i] = v[i] * t + old[i]
        old = new
        found += before * x
    return found


def asked_for_again(x, v):
    old = np.ones(len(x))
    for _ in range(2):
        new = np.zeros(len(x))
        for i in range(len(x)):
            new[i] = x[i] + old[i]
        old = new
        new[0] = 7.0
    return old + v


RIGHT = (
    read_only,
    replaced_behind,
    added_to,
    stored_to,
    stored_behind,
    sorted_in_place,
    own_array,
    carried,
    chosen,
    part,
    part_of_what_loops_change,
    exchanged,
    two_buffers,
    three_buffers,
    conjugate_copied,
    taken,
    made_and_handed_over,
    handed_over_to_the_parameter,
    one_before_is_kept,
    own_array_stored,
    stored_to_several,
    exchanged_behind,
    numbers_and_rows,
    renamed_counters,
    made_by_operators,
    parts_at_once,
)

REFUSED = (
    arguments_exchanged,
    given_to_store,
    given_to_store_through_call,
    given_to_fill,
    given_to_pass_on,
    one_of_two_stored,
    conjugate_stored,
    asked_for_again,
)


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_it_is_the_same_array(function: Callable[..., Any]) -> None:
    compiled = raising.jit(check="none")(function)
    for size in (3, 8):
        wanted, found = _called(function, size), _called(compiled, size)
        assert all(np.allclose(w, f, rtol=1e-14) for w, f in zip(wanted, found, strict=True))


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_or_it_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(raising.InputError):
        _called(raising.jit(check="none")(function), 3)


def of_two_kinds(x: Any, y: Any) -> Any:
    total = 0.0
    for v in x:
        total += v
    for i in range(len(y)):
        v = y[i] * 2
        total += v
    return total


def test_a_variable_that_is_several_has_several_types() -> None:
    compiled = raising.jit(check="none", optimise=False)(of_two_kinds)
    x, y = np.arange(5, dtype=np.uint8), np.arange(3.0)
    assert compiled(x, y) == of_two_kinds(x, y)
    assert compiled(x[:0], y) == of_two_kinds(x[:0], y)
