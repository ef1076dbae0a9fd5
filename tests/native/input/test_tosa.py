"""TOSA that takes passes of its own to become linalg: quantised numbers, transposed convolutions, branches."""

import numpy as np

import raising
from tests.native.running import isolated

CONST = '%{0} = "tosa.const"() <{{values = dense<{1}> : tensor<1x{2}>}}> : () -> tensor<1x{2}>\n'


def ran(body: str, *arguments: np.ndarray) -> np.ndarray:
    """What the function `f` of a text gives."""
    found = isolated(lambda: raising.compile(body, cache=False)["f"](*arguments))
    return np.asarray(found)


def test_rescaled_numbers_are_rounded_to_the_nearest() -> None:
    numbers = np.array([0, 1, -1, 1000, -1000, 1 << 20, -(1 << 20), (1 << 31) - 1, -(1 << 31)], np.int32)
    given = [("m", 1518500250, "i32"), ("s", 36, "i8"), ("i", 0, "i32"), ("o", -7, "i8")]
    found = ran(
        "func.func @f(%x: tensor<9xi32>) -> tensor<9xi8> {\n"
        + "".join(CONST.format(*one) for one in given)
        + """%r = tosa.rescale %x, %m, %s, %i, %o {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false,
        input_unsigned = false, output_unsigned = false}
        : (tensor<9xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<9xi8>
      return %r : tensor<9xi8>
    }""",
        numbers,
    )
    wanted = [(int(n) * 1518500250 + (1 << 35) >> 36) - 7 for n in numbers]
    assert found.tolist() == np.clip(wanted, -128, 127).tolist()


def test_transposed_convolutions() -> None:
    x, w = np.arange(6, dtype=np.float32).reshape(1, 2, 3, 1) - 2, np.float32([[[[1], [2]], [[-3], [5]]]])
    found = ran(
        "func.func @f(%x: tensor<1x2x3x1xf32>, %w: tensor<1x2x2x1xf32>) -> tensor<1x5x6x1xf32> {\n"
        + CONST.format("z", 0.0, "f32")
        + """%r = tosa.transpose_conv2d %x, %w, %z, %z, %z
        {out_pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 2>, acc_type = f32}
        : (tensor<1x2x3x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
        -> tensor<1x5x6x1xf32>
      return %r : tensor<1x5x6x1xf32>
    }""",
        x,
        w,
    )
    wanted = np.zeros((5, 6), np.float32)
    wanted[1:] = np.kron(x[0, :, :, 0], w[0, :, :, 0])
    np.testing.assert_array_equal(found[0, :, :, 0], wanted)


def test_scatters() -> None:
    values, places = np.zeros((2, 4, 1), np.float32), np.int32([[3, 0], [1, 2]])
    given = np.float32([1, 2, 3, 4]).reshape(2, 2, 1)
    found = ran(
        """func.func @f(%v: tensor<2x4x1xf32>, %p: tensor<2x2xi32>, %g: tensor<2x2x1xf32>) -> tensor<2x4x1xf32> {
      %r = tosa.scatter %v, %p, %g
        : (tensor<2x4x1xf32>, tensor<2x2xi32>, tensor<2x2x1xf32>) -> tensor<2x4x1xf32>
      return %r : tensor<2x4x1xf32>
    }""",
        values,
        places,
        given,
    )
    assert found[:, :, 0].tolist() == [[2, 0, 0, 1], [0, 3, 4, 0]]
    assert not values.any()


def test_branches() -> None:
    """The condition may be a truth value of NumPy's."""
    text = """func.func @f(%p: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
      %r = tosa.cond_if %p : tensor<i1> -> tensor<2xf32> {
        %s = tosa.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        tosa.yield %s : tensor<2xf32>
      } else {
        tosa.yield %a : tensor<2xf32>
      }
      return %r : tensor<2xf32>
    }"""
    given = np.float32([1, 2])
    assert [ran(text, np.bool_(p), given).tolist() for p in (True, False)] == [[2, 4], [1, 2]]
