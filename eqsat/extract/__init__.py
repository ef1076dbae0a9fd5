"""Extraction: what nodes cost, and the cheapest program of an e-graph.

An `EGraph` and a `Pricing` come in; a choice of one node for each class that is needed goes out (`Extraction`), with
its cost and, for the integer program, the gap that is left.

- `single` takes nodes by themselves: their types, and each as a function of one operation.
- `op_work` counts what an operation does, by its lowering.
- `algebra_work` does so for operations of the tensor algebra.
- `node_cost` says what a node costs by the rules' own declarations.
- `prices` says what is paid for work, and `node_work` what every node does.
- `cost_model` has the cost of every node from both (`Meter`).
- `greedy` finds the cheapest tree, and a good graph with sharing.
- `reduce` settles classes below which nothing can be shared, and bounds what any program costs.
- `ilp` finds the cheapest graph with sharing, proved.
"""
