"""What runs where a test fails has the signature of the function, whatever either of them uses of its parameters."""

import pytest

from raising.frontend.c import COptions, convert

FIELD = "struct s { unsigned at; int n; double *x; }; int f(struct s *p) { return p->at; }"
ROWS = """void f(int n, const unsigned *at, const float *x, float *o) {
  for (int i = 0; i < n; i++) o[i] = x[at[i] & 15];
}"""


def test_a_field_that_is_only_returned() -> None:
    read = convert(FIELD, "k.c", COptions(guard=True))
    assert not read.refused
    assert "@f.original(%p_at: i32) -> i32" in read.guards


@pytest.mark.parametrize("text", [ROWS])
def test_positions_that_are_stored(text: str) -> None:
    (refused,) = convert(text, "k.c", COptions(guard=True)).refused
    assert "cannot be tested at run time: positions are data" in refused.reason
