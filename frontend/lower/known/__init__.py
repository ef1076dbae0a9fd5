"""Values while a function is lowered: what is known of them, and the nodes that compute them.

- `state` holds the choices of an attempt and what is known at a place, and calls the handlers of the core's nodes.
- `typed_values` defines what an expression is while it is lowered (`Sym`, `Cases`, `Data`, `Ptr`, …).
- `integer_domains` has the domains of cases, with their conjunction, negation and simplification.
- `counters` has the closed forms of counters, and bounds on the number of an iteration.
- `selections` writes branches, and says what variables hold behind them.
- `numbers_as_data` writes conversions and operators on data.
- `data_positions` takes integers that are data for names in the subscripts of loads.
- `followed_integers` does them on integers that are known, by cases where it takes these.
- `named_quotients` makes quotients of sizes sizes of their own.
- `split_loops` splits loops whose counter is divided by a size.
- `resolved_types` gives the core's types the lengths of their arrays.
- `record_memory` is memory of structs, taken apart, and `field_uses` says which fields a function uses and writes.
- `pointers` moves pointers and says what they point to.
"""
