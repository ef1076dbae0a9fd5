"""The 30 kernels of PolyBench/C 4.2.1: C sources, dataset sizes, inputs, live-outs and NumPy oracles."""

from raising.polybench.suite.kernel import DATASETS, Argument, Kernel, kernels

__all__ = ["DATASETS", "Argument", "Kernel", "kernels"]
