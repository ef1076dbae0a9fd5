"""Powers by small constants are those of C, at infinities, zeros and below the normal range, too."""

import numpy as np
import pytest

from tests.native.running import called

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, -2.0, 4.0, 0.3, -0.3]
EXPONENTS = (-1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)


def _text(element: str, exponent: float) -> str:
    return f"""func.func @f(%a: memref<64x{element}>, %o: memref<64x{element}>) {{
  %c = arith.constant {exponent} : {element}
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
    ins(%a : memref<64x{element}>) outs(%o : memref<64x{element}>) {{
  ^bb0(%x: {element}, %y: {element}):
    %r = math.powf %x, %c : {element}
    linalg.yield %r : {element} }}
  return
}}"""


def _wanted(numbers: np.ndarray, exponent: float) -> np.ndarray:
    with np.errstate(all="ignore"):
        found = np.power(np.longdouble(numbers), np.longdouble(exponent))
        found[numbers == -np.inf] = (-np.inf) ** exponent if exponent % 1 else found[numbers == -np.inf]
        return found.astype(numbers.dtype)


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize(("element", "span"), [("f32", 44), ("f64", 320)])
def test_powers_are_those_of_c(element: str, span: int, exponent: float) -> None:
    rng, dtype = np.random.default_rng(3), np.dtype(element.replace("f32", "f4").replace("f64", "f8"))
    some = rng.random(64 - len(SPECIAL)) * 10.0 ** np.linspace(-span, span // 2, 64 - len(SPECIAL))
    numbers = np.array([*SPECIAL, *some], dtype)
    wanted = _wanted(numbers, exponent)
    for fp in ("reassoc", "strict"):
        found = called(_text(element, exponent), [numbers, np.zeros(64, dtype)], fp=fp)[1]
        with np.errstate(invalid="ignore"):
            close = (found == wanted) & (np.signbit(found) == np.signbit(wanted)) | np.isnan(found) & np.isnan(wanted)
            close |= np.abs(found - wanted) <= 3 * np.spacing(np.abs(wanted))
        assert close.all(), (fp, numbers[~close], found[~close], wanted[~close])
    finite = (rng.random(64) + 0.1).astype(dtype)
    found = called(_text(element, exponent), [finite, np.zeros(64, dtype)], fp="fast")[1]
    np.testing.assert_allclose(found, _wanted(finite, exponent), rtol=1e-6)
