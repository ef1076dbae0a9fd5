"""With a compiler and without one, the preprocessed text means the same."""

import pytest

from raising.frontend.c import COptions, convert
from raising.frontend.c.syntax import preprocess
from raising.support.errors import InputError

SOURCE = """\
#include <math.h>
#include <stdint.h>
#define TWICE(x) (2 * (x))
#ifdef WIDTH
void f(float *restrict x, const uint8_t *b) {
  for (int i = 0; i < WIDTH; i++)
    x[i] = TWICE(sqrtf(b[i]));
}
#endif
"""


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preprocess.shutil, "which", lambda name: None)


def test_pcpp_in_place_of_a_compiler(no_compiler: None):
    module = convert(SOURCE, "k.c", COptions(defines=("WIDTH=5",)))
    assert "0 to 5" in module.mlir and "math.sqrt" in module.mlir
    assert module.functions[0].place.line == 5


@pytest.mark.parametrize(
    "source", ['#include "nothere.h"\n', "#error stop\n", "void f(void) {\n", "int a[] = {1;\n"], ids=str
)
def test_errors_without_a_compiler(no_compiler: None, source: str):
    with pytest.raises(InputError, match=r"^k\.c"):
        convert(source, "k.c")


@pytest.mark.parametrize("compiler", [True, False], ids=["compiler", "pcpp"])
def test_a_macro_bomb(compiler: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(preprocess, "MAX_SECONDS", 1)
    if not compiler:
        monkeypatch.setattr(preprocess.shutil, "which", lambda name: None)
    lines = "".join(f"#define A{k} {f'A{k - 1} ' * 10}\n" for k in range(1, 10))
    with pytest.raises(InputError, match="the preprocessor failed"):
        convert(f"#define A0 1 1 1 1 1 1 1 1 1 1\n{lines}int x[] = {{ A9 }};", "k.c")
