"""Calls as the bodies of the functions they call.

The pass of that name takes in no operation of a dialect that does not say it may be; what is here takes in any.
"""

from __future__ import annotations

from typing import Any

from raising.support.graphs import reachable
from raising.support.mlir.branches import move_body, replace_op
from raising.support.mlir.walk import inside

MOST = 100_000
"""Operations that a function may have after it took in others: calls of calls can make it any size."""

_CALL, _FUNCTION = "func.call", "func.func"


def inline_calls(module: Any, ir: Any, inner: bool = False) -> bool:
    """Put the body of the function in place of each call in a module of the bindings `ir`; False if there is none.

    Left alone are calls that lead back to their own function, of functions without a body or with several blocks, and
    those that would make the caller too large; with `inner`, those outside of loops and branches. Inside of other
    operations, so are calls of functions with affine operations, as what they are given need not be a symbol there,
    and of functions that take memory of the stack, which would be freed later.
    """
    left = {_text(op, "sym_name", ir): _Function(op, ir, inner) for op in _top(module) if op.name == _FUNCTION}
    done: dict[str, _Function] = {}
    found = any(function.calls for function in left.values())
    while left:
        ready = [name for name, function in left.items() if not function.called & left.keys()]
        for name in ready or list(left):
            function = left.pop(name)
            function.take(done)
            if ready:
                done[name] = function
    return found


def keep_only(module: Any, name: str | None, ir: Any) -> None:
    """Erase the functions that one of that name does not call; without a name, if one alone is public, of that."""
    named = {_text(op, "sym_name", ir): op for op in _top(module) if op.name == _FUNCTION}
    if len(named) == 1:
        return
    functions = {known: _Function(op, ir) for known, op in named.items()}
    public = public_functions(module, ir)
    wanted = name if name is not None or len(public) != 1 else public[0]
    if wanted not in functions:
        return
    needed = set(reachable([wanted], lambda name: functions[name].called & functions.keys()))
    for other in functions.keys() - needed:
        functions[other].op.erase()


def apart(module: Any, ir: Any) -> dict[str, Any]:
    """For each public function of a module, a new module with it and what it calls, and all that is no function."""
    functions = {_text(op, "sym_name", ir): _Function(op, ir) for op in _top(module) if op.name == _FUNCTION}
    found = {}
    for name in public_functions(module, ir):
        needed = set(reachable([name], lambda name: functions[name].called & functions.keys()))
        with module.operation.location:
            found[name] = ir.Module.create()
        for op in _top(module):
            if op.name != _FUNCTION or _text(op, "sym_name", ir) in needed:
                op.clone(ir.InsertionPoint(found[name].body))
    return found


def public_functions(module: Any, ir: Any) -> list[str]:
    """The names of the functions that others may call and that have a body."""
    bodies = [op for op in _top(module) if op.name == _FUNCTION and len(op.regions[0].blocks)]
    hidden = "sym_visibility"
    public = [op for op in bodies if hidden not in op.attributes or _text(op, hidden, ir) == "public"]
    return [_text(op, "sym_name", ir) for op in public]


class _Function:
    """A function, the calls in it and the functions that it calls."""

    def __init__(self, op: Any, ir: Any, inner: bool = False) -> None:
        self.op, self.ir = op, ir
        within = inside(op)
        self.size = len(within)
        self.stays = any(o.name.startswith("affine.") or o.name == "memref.alloca" for o in within)
        self.calls = [o for o in within if o.name == _CALL and not (inner and o.parent.operation == op)]
        self.called = {_text(o, "callee", ir) for o in self.calls}

    def take(self, known: dict[str, _Function]) -> None:
        """Replace the calls of known functions."""
        for call in self.calls:
            callee = known.get(_text(call, "callee", self.ir))
            if callee is not None and self._may_take(callee, call):
                self.size += callee.size
                self.stays |= callee.stays
                _replace(call, callee.op, self.ir)

    def _may_take(self, callee: _Function, call: Any) -> bool:
        inner = call.parent.operation != self.op
        one = len(callee.op.regions[0].blocks) == 1
        return one and self.size + callee.size <= MOST and not (inner and callee.stays)


def _replace(call: Any, function: Any, ir: Any) -> None:
    """Move the operations of a copy of the function to where the call is."""
    with call.location:
        copy = function.clone(ir.InsertionPoint(function))
    replace_op(call, move_body(copy.regions[0].blocks[0], call, call.operands))
    copy.erase()


def _text(op: Any, name: str, ir: Any) -> str:
    """The function that an operation names, or the name that it has."""
    kind = ir.FlatSymbolRefAttr if name == "callee" else ir.StringAttr
    return str(kind(op.attributes[name]).value)


def _top(module: Any) -> list[Any]:
    return [op.operation for op in module.body.operations]
