"""What Python means and we do not read stays in Python, with its place; nothing is guessed, nothing is run."""

from __future__ import annotations

import pytest

from raising.frontend.python import convert
from raising.support.errors import InputError

HEAD = "import numpy as np\n"
SAYS = {
    "a subscript before the start is one from the end": (
        "def f(x: 'f64[8]', y: 'f64[8]'):\n    for i in range(8):\n        y[i] = x[i - 1]\n",
        "4:16: function 'f' stays in Python: a subscript that may be negative",
    ),
    "a slice that goes backwards to a place": (
        "def f(x: 'f64[N]', n: int):\n    x[5:n:-1] = 0\n",
        "3:7: function 'f' stays in Python: a slice that goes backwards to a place that is not the first",
    ),
    "a slice by data": (
        "def f(x: 'f64[N]', k: 'i64[N]'):\n    x[: k[0]] = 0\n",
        "3:9: function 'f' stays in Python: a bound of a slice that is not a sum of sizes and counters",
    ),
    "a slice that ends behind its array": (
        "def f(x: 'f64[8]', n: int):\n    for i in range(9, n):\n        x[:i] = 0\n",
        "it is not known that slices end in their arrays",
    ),
    "an array as a condition": (
        "def f(x: 'f64[8]'):\n    x[:] = x if x > 0 else 1\n",
        "3:17: function 'f' stays in Python: a whole array as a condition",
    ),
    "a root in half precision": (
        "def f(x: 'int8[8]', y: 'f32[8]'):\n    y[:] = np.sqrt(x)\n",
        "3:12: function 'f' stays in Python: 'sqrt' of a int8 has half precision",
    ),
    "a mask": (
        "def f(x: 'f64[8]', y: 'f64[8]'):\n    x[x > 0] = y\n",
        "3:16: function 'f' stays in Python: an array is assigned to a selection; its length depends on data",
    ),
    "a selection of other elements": (
        "def f(x: 'f64[8]', y: 'f64[8]'):\n    x[x > 0] = y[y > 0]\n",
        "3:16: function 'f' stays in Python: elements that another mask selects are assigned to a selection",
    ),
    "a selection along an axis": (
        "def f(x: 'f64[8, 2]', y: 'f64[8]'):\n    x[0, 0] = np.max(np.sum(x[y > 0], axis=1))\n",
        "3:22: function 'f' stays in Python: a reduction of a selection along other axes than that of the mask",
    ),
    "a selection": (
        "def f(x: 'f64[8]'):\n    return x[x > 0] * 2.0\n",
        "3:14: function 'f' stays in Python: a selection outside of reductions and assignments",
    ),
    "selections of different elements": (
        "def f(x: 'f64[8]', y: 'f64[8]'):\n    return np.sum(x[x > 0] * y[y > 0])\n",
        "3:19: function 'f' stays in Python: a selection beside other arrays",
    ),
    "a selection beside an array": (
        "def f(x: 'f64[8]', y: 'f64[8]'):\n    return np.sum(x[x > 0] * y)\n",
        "3:19: function 'f' stays in Python: a selection beside other arrays",
    ),
    "arrays that do not fit": (
        "def f(x: 'f64[8]', y: 'f64[7]'):\n    x[:] = x + y\n",
        "3:12: function 'f' stays in Python: arrays that do not fit: 8 beside 7",
    ),
    "matrices that do not fit": (
        "def f(x: 'f64[8, 3]', y: 'f64[8, 3]'):\n    x[:] = x @ y\n",
        "3:12: function 'f' stays in Python: arrays that do not fit: 3 beside 8",
    ),
    "an array for one element": (
        "def f(x: 'f64[8]'):\n    x[:1] = x\n",
        "3:13: function 'f' stays in Python: an extent of 8 for one of 1",
    ),
    "a parameter that becomes another array": (
        "def f(x: 'f64[8]'):\n    x[0] = 1\n    for i in range(3):\n        x = x * 2\n",
        "5:13: function 'f' stays in Python: parameter 'x' becomes another array; write 'x[:] = ...'",
    ),
    "what is not stored in place": (
        "def f(x: 'i32[8]', y: 'f64[8]'):\n    x += y\n",
        "3:5: function 'f' stays in Python: float64 is not stored in place in int32",
    ),
    "an axis that is none": (
        "def f(x: 'f64[8, 2]', y: 'f64[8]'):\n    y[:] = np.sum(x, axis=2)\n",
        "3:12: function 'f' stays in Python: an axis that is not a constant, or that the array does not have",
    ),
    "a function of numbers": (
        "import math\ndef f(x: 'f64[8]'):\n    x[:] = math.sqrt(x)\n",
        "4:12: function 'f' stays in Python: calls 'math.sqrt' with a whole array",
    ),
    "an array where a number is needed": (
        "def f(x: 'f64[8, 2]'):\n    if np.sum(x, axis=0) > 1:\n        x[0, 0] = 1\n",
        "3:8: function 'f' stays in Python: an array is used where a number is needed",
    ),
    "a part that may be written": (
        "def g(x):\n    x *= 2\ndef f(x: 'f64[8]'):\n    g(x[1:])\n",
        "5:7: function 'f' stays in Python: a part of an array for parameter 'x', which may be written",
    ),
    "a whole array": (
        "def f(x: 'f64[8]', y: 'f64[8]'):\n    y[0] = x + 1\n",
        "3:12: function 'f' stays in Python: array 'x' is used whole",
    ),
    "no type": ("def f(x):\n    x[0] = 1\n", "2:7: function 'f' stays in Python: parameter 'x' has no type"),
    "a path without a number": (
        "def f(x: 'f64[8]') -> float:\n    if x[0] > 0:\n        return 1.0\n",
        "2:1: function 'f' stays in Python: a path on which nothing is returned",
    ),
    "a name that is no ASCII": ("def f(x: 'f64[8]'):\n    \u00e4 = x[0]\n    x[1] = \u00e4\n", "only names in ASCII"),
    "a value that nothing sets": (
        "def f(x: 'f64[8]'):\n    for i in range(8):\n        if i:\n            x[i] = last\n",
        "'last' is not known here",
    ),
    "two precisions": (
        "def f(x: 'f32[8]', i: int):\n    t = i / 3\n    if i > 1:\n        t = t + x[0]\n    x[1] = t\n",
        "this number is computed as float64 and then meets float32",
    ),
    "one name for two arrays": (
        "def f(x: 'f32[8]'):\n    t = np.zeros(8)\n    if x[0] > 0:\n        t = np.zeros(9)\n    x[0] = t[0]\n",
        "5:13: function 'f' stays in Python: 't' is another array",
    ),
    "a method of an array": ("def f(x: 'f32[8]'):\n    x[0] = x.partition(1)\n", "a method of an array: 'partition'"),
    "a step of nothing": (
        "def f(x: 'f32[8]'):\n    for i in range(0, 8, 0):\n        x[i] = 0\n",
        "3:14: function 'f' stays in Python: the step of a range has to be an integer other than 0",
    ),
    "a list comprehension": (
        "def f(x: 'f32[8]'):\n    y = np.array([v for v in x if v > 0])\n    x[0] = y[1]\n",
        "3:18: function 'f' stays in Python: a list over several loops, or whose length depends on data",
    ),
    "a size that no array tells": ("def f(x: 'f32[2 * N]'):\n    x[0] = 0\n", "size 'N' is no parameter"),
    "a parameter that gives an extent and changes": (
        "def f(n: int, x: 'f64[8]'):\n    n += 1\n    T = np.zeros(n)\n    T[0] = x[0]\n    return T\n",
        "4:9: function 'f' stays in Python: 'n', of which array 'T' has its extent, is changed",
    ),
    "an extent of a parameter that changes": (
        "def f(n: int, A: 'f64[n]'):\n    n = n - 1\n    A[-1] = 7\n",
        "'n', of which array 'A' has its extent, is changed",
    ),
    "an extent that is set twice": (
        "def f(x: 'f64[8]', k: int):\n    m = k\n    T = np.zeros(m)\n    if k > 3:\n        m = 2\n"
        "    x[0] = len(T)\n",
        "'m', of which array 'T' has its extent, is changed",
    ),
    "a number that its type has not": (
        "def f(x: 'uint8[8]'):\n    x[0] = x[1] + 300\n",
        "3:12: function 'f' stays in Python: 300 is no uint8",
    ),
    "unsigned numbers beside negative ones": (
        "def f(x: 'uint64[8]', y: 'i64[8]'):\n    for i in range(8):\n        y[i] = 1 if x[i] > i - 3 else 0\n",
        "a comparison of uint64 with an integer that may be negative",
    ),
    "unsigned numbers beside signed ones, which NumPy compares exactly": (
        "def f(x: 'uint64[8]', y: 'i64[8]', r: 'bool[8]'):\n    r[:] = x > y\n",
        "a comparison of uint64 with int64, which no type has both of",
    ),
    "padding by less than nothing": (
        "def f(x: 'f64[8]'):\n    return np.pad(x, (2, -1))\n",
        "a negative width of padding",
    ),
    "a negative power of integers": (
        "def f(x: 'int32[8]'):\n    return np.power(x, -2)\n",
        "an integer to a negative power",
    ),
    "another shape of an array, which is written": (
        "def f(x: 'f64[6]'):\n    y = x.reshape(2, 3)\n    y[0, 0] = 5\n",
        "3:9: function 'f' stays in Python: 'y' may be the memory of 'x', and one is written",
    ),
    "another shape of an array that is written": (
        "def f(x: 'f64[2, 3]'):\n    y = np.ravel(x.reshape(6))\n    x[0] += 5\n    return y\n",
        "3:9: function 'f' stays in Python: 'y' may be the memory of 'x', and one is written",
    ),
    "another shape of an array for a parameter that is written": (
        "def g(v: 'f64[6]'):\n    v[:] = 3\ndef f(x: 'f64[2, 3]'):\n    g(x.ravel())\n",
        "a part of an array for parameter 'v', which may be written",
    ),
    "axes of one element that nobody knows": (
        "def f(x: 'f64[N]'):\n    return np.squeeze(x) + 1\n",
        "3:12: function 'f' stays in Python: np.squeeze of lengths that are not known; name the axis",
    ),
    "recursion": ("def f(x: 'f32[8]'):\n    f(x)\n", "function 'f' stays in Python: calls 'f' recursively"),
    "a subscript that is data": (
        "def f(x: 'f32[N]', k: 'int32[N]'):\n    for i in range(len(x)):\n        x[k[i]] = x[i]\n",
        "a subscript depends on data",
    ),
    "leaving a loop": (
        "def f(x: 'f64[8]'):\n    for i in range(8):\n        x[i] = -x[i]\n        if x[i] > 0:\n            break\n",
        "6:13: function 'f' stays in Python: the loop is left early (break)",
    ),
    "too few arguments": (
        "def g(x: 'f64[8]', s: float):\n    x[0] = s\ndef f(x: 'f64[8]'):\n    g(x)\n",
        "5:5: function 'f' stays in Python: the arguments of 'g' are not one for each parameter",
    ),
    "an array of another kind": (
        "def g(x: 'f64[8]'):\n    x[0] = 1\ndef f(x: 'f32[8]'):\n    g(x)\n",
        "5:7: function 'f' stays in Python: this is not an array of float64 as 'x' is",
    ),
    "half precision": ("def f(x: 'float16[8]'):\n    x[0] = 1\n", "the type of parameter 'x' is not supported"),
    "a number that is too large": ("def f(x: 'i64[8]'):\n    x[0] = 1 << 70\n", ""),
}


@pytest.mark.parametrize("what", SAYS)
def test_it_stays(what: str) -> None:
    text, says = SAYS[what]
    found = convert(HEAD + text, "k.py")
    said = [str(r) for r in found.refused]
    if says:
        assert any(says in line for line in said), said
        assert "@f(" not in found.mlir


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def f(:\n  pass\n", "k.py:1:7: "),
        ("def f():\n  pass\ndef f():\n  pass\n", "k.py:3:1: "),
        ("\0", "k.py"),
        ("x = " + "(" * 5000 + "1" + ")" * 5000, "k.py"),
        ("x = " + "-" * 100_000 + "1", "k.py"),
    ],
)
def test_not_python_is_an_error_at_its_place(text: str, says: str) -> None:
    with pytest.raises(InputError, match=r"k\.py") as error:
        convert(text, "k.py")
    assert says in str(error.value)


def test_a_function_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no function 'g'"):
        convert("def f():\n    pass\n", "k.py", "g")


def test_the_text_is_not_run(tmp_path: object) -> None:
    text = f"import os\nos.mkdir('{tmp_path}/made')\ndef f(x: 'f64[__import__(\"os\").getpid()]'):\n    x[0] = 1\n"
    found = convert(text, "k.py")
    assert "made" not in __import__("os").listdir(str(tmp_path))
    assert found.refused
