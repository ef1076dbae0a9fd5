"""E-graphs outside of memory: as operations of xDSL's `equivalence` dialect, and as pictures.

A saturated function comes in, MLIR text or a picture goes out; and the other way round for text.

- `dominance` finds where each class can be computed.
- `graph_scopes` sorts classes and nodes by block.
- `node_text` writes nodes as operations, and `graph_text` classes with these.
- `write_egraph` writes a whole function with its e-graph.
- `read_egraph` reads such a function back.
- `xdsl_text` takes modules through xDSL, which reads e-graphs that it wrote and applies patterns to them.
- `picture` draws an e-graph for graphviz, as SVG or JSON.
- `egraph_page` shows those of all functions on one page (`egraph_page.css`, `egraph_page.js`).
"""
