"""The measure: the 30 kernels of PolyBench/C 4.2.1, and `raise-bench`, which runs them beside other systems.

A command line comes in; a `Record` goes out as a file, with a row for each measurement, and a report of it.

- `suite/` holds the kernels: C sources (`kernels/`), sizes, inputs, live-outs and NumPy oracles.
- `records/` defines tasks, and the file of a batch.
- `peers/` runs the same functions by other systems.
- `measure/` makes one row: raise, check, compile, compare, time.
- `batch/` runs many tasks, here or on other machines.
- `report/` shows records as tables and a page.
- `bench_command` is `raise-bench`.
"""

from raising.polybench.suite.kernel import DATASETS, Argument, Kernel, kernels

__all__ = ["DATASETS", "Argument", "Kernel", "kernels"]
