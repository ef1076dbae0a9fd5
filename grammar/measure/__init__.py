"""The meaning of one operation, measured: an instance is verified, lowered by its own dialect, and traced.

An operation's name, operand types and attributes come in (`Request`, `Instance`). A `Reading` goes out: a structured
computation (maps, iterators, scalar body), or a way of moving elements; or the verifier's refusal.

- `elements` represents tensors as trees of scalar operations over numbered elements.
- `tensor_ops` says how operations of the `tensor` dialect move elements.
- `tracer` traces a lowered function to such a tree for each result.
- `bodies` turns trees into scalar bodies over accesses.
- `recognise_movement` recognises windows, reversals, insertions and concatenations.
- `recognise_semantics` recognises what a whole trace says.
- `instance_reading` defines `Reading`.
- `workbench` builds one operation, has it verified and lowered.
- `lower_instance` lowers an instance of a dialect of pure tensor operations, and traces it.
- `verifier` asks which dimensions of an operation must be equal.
"""
