"""A function whose nests, taken together, would ask how long memory is: they are raised one by one."""

from raising.frontend.c import convert
from raising.pipeline import raise_module
from raising.validate.base.verdict import level

WRITTEN_TWICE = """void h(int n, double *restrict x, const double *restrict y, double *restrict z) {
  for (int i = 0; i < n; i++) x[i] = y[i];
  for (int i = 1; i < n; i++) x[2 * i] = y[i] + 1;
  for (int i = 0; i < n; i++) z[i] = x[i] + x[n - 1 - i];
}"""


def test_memory_of_unknown_length_is_written_twice_and_read() -> None:
    result = raise_module(convert(WRITTEN_TWICE, "k.c").mlir, check="proof")
    (report,) = result.functions
    assert (report.raised, report.kept) == (3, 0), result.remarks
    assert level(report.verdict) == "proved-all-sizes"
    assert result.text.count("bufferization.materialize_in_destination") == 3
