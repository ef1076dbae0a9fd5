"""Sizes that a function computes of others in front of its loops: products and quotients, by names of their own.

`dim / heads` or `batch * spatial` is a number like any other for what comes behind. Both functions of a pair call it by
what it is computed from, so a proof that holds whatever it is holds for what it is. A difference says nothing: a run
would have to know that it is no size of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from raising.affine.ir.affine_expr import Lin, var
from raising.frontend.mlir.loop_nest import NestReader

_COMMUTE = ("arith.muli", "arith.maxui")
_OPERATIONS = (*_COMMUTE, "arith.divsi", "arith.divui", "arith.floordivsi", "arith.remsi", "arith.remui")


class NamedSizes:
    """Reads operations, and (if it is `wanted`) names what is no affine form; `made` is how each is computed, in order.
    """

    def __init__(self, read: Callable[[NestReader, Any], None], wanted: bool) -> None:
        self._read, self._wanted = read, wanted
        self.made: dict[str, tuple[str, tuple[Lin, ...]]] = {}

    def __call__(self, r: NestReader, op: Any) -> None:
        """Read one operation."""
        if not self._wanted or op.name not in _OPERATIONS or str(op.results[0].type) != "index" or op.parent.name != "func.func":
            return self._read(r, op)
        forms = [r.index.get(v) for v in op.operands]
        known = [form for form in forms if isinstance(form, Lin)]
        if len(known) < len(forms) or (op.name == "arith.muli" and any(form.is_const for form in known)):
            return self._read(r, op)
        name = r.fresh("q")
        r.values[name] = op.results[0]
        r.index[op.results[0]] = var(name)
        self.made[name] = op.name, tuple(known)
        return None

    def names(self, given: Mapping[str, str]) -> dict[str, str]:
        """A name for each that says how it is computed, where sizes have the `given` names."""
        found = dict(given)
        for name, (operation, forms) in self.made.items():
            texts = [str(form.substitute(lambda n: var(found.get(n, n)))) for form in forms]
            text = f"{operation} {', '.join(sorted(texts) if operation in _COMMUTE else texts)}"
            found[name] = f"q{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        return found
