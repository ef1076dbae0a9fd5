"""Variables of a module as arguments of the functions that use them, and back.

A `memref.global` that can be written is memory that exists before a call and after it, which is what an array argument
is, too. So everything that works on functions (search, proof, native runs, code generation) sees it as one more
argument, behind the others, marked with the symbol that it stands for; at the end it is a variable again. A call
passes on what the function that is called uses. Such a variable is taken to overlap no other argument.

    before  memref.global @table; func.func @fill(%x: f32) { %m = memref.get_global @table }
    after   func.func @fill(%x: f32, %m: memref<8xf32> {raise.global = "table"})
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from raising.affine.ir.c_parameters import C_PARAMETERS
from raising.support.mlir.walk import attributes, operations, symbol_name
from raising.support.record import dataclass

VARIABLE = "raise.global"
"""Attribute of an argument: the symbol, as text, of the variable that it stands for."""

_GET, _GLOBAL = "memref.get_global", "memref.global"


@dataclass(frozen=True)
class Variable:
    """A variable of a module: its symbol, its type, whether other files see it, whether it can be written.

    `initial` is the attribute with its first contents; None if another file has them (or, where none does, nobody).
    """

    symbol: str
    kind: Any
    public: bool
    constant: bool
    initial: Any
    op: Any


def variables(module: Any) -> dict[str, Variable]:
    """Every variable of a module, by its symbol."""
    found = (_variable(op.operation) for op in module.body.operations if op.operation.name == _GLOBAL)
    return {each.symbol: each for each in found}


def _variable(op: Any) -> Variable:
    attributes = op.attributes
    initial = attributes.get("initial_value")
    hidden = "sym_visibility" in attributes and ir.StringAttr(attributes["sym_visibility"]).value == "private"
    kind = ir.TypeAttr(attributes["type"]).value
    return Variable(symbol_name(op), kind, not hidden, "constant" in attributes, initial, op)


def as_arguments(module: Any, constants: bool = True) -> None:
    """Make variables arguments of the functions that use them, in the order of their symbols.

    A function that calls what is not in the module keeps them: what is called may change them. Constants are variables
    as well, unless they are left out.
    """
    known = {name: variable for name, variable in variables(module).items() if constants or not variable.constant}
    if not known:
        return
    functions = _functions(module)
    for name, used in _used(functions, known).items():
        if used:
            _take(functions[name], [known[symbol] for symbol in sorted(used)])
    for function in functions.values():
        for call in operations(function, lambda op: op.name == "func.call"):
            _pass_on(call, function, functions)


def text_with_globals(module: Any, pure: bool = False, places: bool = False) -> str:
    """The text of a module in which variables are variables, with its locations if `places`; the module stays as it is.

    If all functions are `pure`, on tensors, their callers hold the variables, and the module has none.
    """
    if not variables(module):
        return _text(module, places)
    copy = module.operation.clone()
    with module.context, ir.Location.unknown():
        as_globals(copy)
        if pure and not operations(copy, lambda op: op.name == _GET):
            for variable in variables(copy).values():
                variable.op.erase()
    return _text(copy, places)


def _text(module: Any, places: bool) -> str:
    return str(module.operation.get_asm(enable_debug_info=places))


def as_globals(module: Any) -> None:
    """Make variables again of the arguments that stand for some; a tensor stays an argument."""
    functions, known = _functions(module), variables(module)
    marked = {name: _numbers(function, known) for name, function in functions.items()}
    for function in functions.values():
        for call in operations(function, lambda op: op.name == "func.call"):
            _drop_operands(call, marked.get(_callee(call), {}))
    for name, numbers in marked.items():
        if numbers:
            _give_back(functions[name], numbers)


def argument_symbols(function: Any) -> dict[int, str]:
    """The symbols of the variables that arguments of a function stand for, by their numbers; tensors included."""
    found: dict[int, str] = {}
    given = function.attributes.get("arg_attrs", [])
    for number, given_here in enumerate(given):
        if VARIABLE in given_here:
            found[number] = ir.StringAttr(given_here[VARIABLE]).value
    return found


def _top(module: Any) -> Any:
    return module.operation.regions[0].blocks[0].operations


# ---- who uses what -------------------------------------------------------------------------------


def _functions(module: Any) -> dict[str, Any]:
    """The functions with a body."""
    found = (op.operation for op in _top(module) if op.operation.name == "func.func")
    return {symbol_name(op): op for op in found if len(op.regions[0].blocks)}


def _used(functions: dict[str, Any], known: dict[str, Variable]) -> dict[str, set[str]]:
    """The variables that each function uses itself or through calls; none of one that calls what is not here."""
    used = {name: {_named(op) for op in _gets(function)} & known.keys() for name, function in functions.items()}
    calls = {name: set(_callees(function)) for name, function in functions.items()}
    outside = {name for name, called in calls.items() if not called <= functions.keys()}
    changed = True
    while changed:
        changed = False
        for name, called in calls.items():
            here = called & functions.keys()
            more = set[str]().union(used[name], *(used[each] for each in here))
            apart = name in outside or bool(here & outside)
            changed = changed or more != used[name] or apart != (name in outside)
            used[name] = more
            outside |= {name} if apart else set()
    return {name: set() if name in outside else found for name, found in used.items()}


def _gets(function: Any) -> list[Any]:
    return operations(function, lambda op: op.name == _GET)


def _callees(function: Any) -> Iterator[str]:
    for op in operations(function, lambda op: op.name in ("func.call", "func.call_indirect", "llvm.call")):
        yield _callee(op)


def _callee(call: Any) -> str:
    """The function that is called; empty if it is not known."""
    if call.name != "func.call":
        return ""
    return str(ir.FlatSymbolRefAttr(call.attributes["callee"]).value)


def _named(get: Any) -> str:
    return str(ir.FlatSymbolRefAttr(get.attributes["name"]).value)


# ---- to arguments --------------------------------------------------------------------------------


def _take(function: Any, used: list[Variable]) -> None:
    """Further arguments of a function for variables."""
    block, attributes, added = _block(function), _argument_attributes(function), dict[str, Any]()
    for variable in used:
        place = ir.Location.name(variable.symbol, variable.op.location)
        added[variable.symbol] = block.add_argument(variable.kind, place)
        attributes.append(ir.DictAttr.get({VARIABLE: ir.StringAttr.get(variable.symbol)}))
    for get in _gets(function):
        if _named(get) in added:
            get.results[0].replace_all_uses_with(added[_named(get)])
            get.erase()
    rows = [ir.ArrayAttr.get([ir.StringAttr.get(text) for text in ("", f"@{v.symbol}")]) for v in used]
    _set_signature(function, attributes, [*_declared(function), *rows])


def _pass_on(call: Any, caller: Any, functions: dict[str, Any]) -> None:
    """Give a call the variables that the function takes as arguments now."""
    if _callee(call) not in functions:
        return
    symbols = argument_symbols(functions[_callee(call)])
    own = {symbol: _block(caller).arguments[k] for k, symbol in argument_symbols(caller).items()}
    if symbols:
        _replace_call(call, [*call.operands, *(own[symbol] for symbol in symbols.values())])


def _replace_call(call: Any, operands: list[Any]) -> None:
    new = ir.Operation.create(
        call.name,
        results=[result.type for result in call.results],
        operands=operands,
        attributes=dict(attributes(call)),
        loc=call.location,
        ip=ir.InsertionPoint(call),
    )
    for old, result in zip(call.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    call.erase()


# ---- back to variables ---------------------------------------------------------------------------


def _numbers(function: Any, known: dict[str, Variable]) -> dict[int, str]:
    """The arguments on memory that stand for variables."""
    arguments, found = _block(function).arguments, argument_symbols(function)
    return {k: name for k, name in found.items() if name in known and arguments[k].type == known[name].kind}


def _drop_operands(call: Any, numbers: dict[int, str]) -> None:
    if numbers:
        _replace_call(call, [v for k, v in enumerate(call.operands) if k not in numbers])


def _give_back(function: Any, numbers: dict[int, str]) -> None:
    """Take arguments out of a function, which gets the variables at its beginning instead."""
    block, attributes, rows = _block(function), _argument_attributes(function), _declared(function)
    start = ir.InsertionPoint.at_block_begin(block)
    for number, symbol in numbers.items():
        argument = block.arguments[number]
        name = {"name": ir.FlatSymbolRefAttr.get(symbol)}
        get = ir.Operation.create(_GET, [argument.type], attributes=name, loc=argument.location, ip=start)
        argument.replace_all_uses_with(get.results[0])
    for number in sorted(numbers, reverse=True):
        block.erase_argument(number)
        del attributes[number]
        del rows[number : number + 1]
    _set_signature(function, attributes, rows)


def _block(function: Any) -> Any:
    return function.regions[0].blocks[0]


def _argument_attributes(function: Any) -> list[Any]:
    if "arg_attrs" in function.attributes:
        return list(ir.ArrayAttr(function.attributes["arg_attrs"]))
    return [ir.DictAttr.get({}) for _ in _block(function).arguments]


def _declared(function: Any) -> list[Any]:
    """What C says of the parameters, if it says something of each; else nothing."""
    rows = list(ir.ArrayAttr(function.attributes[C_PARAMETERS])) if C_PARAMETERS in function.attributes else []
    return rows if len(rows) == len(_kind(function).inputs) else []


def _kind(function: Any) -> Any:
    return ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)


def _set_signature(function: Any, attributes: list[Any], rows: list[Any]) -> None:
    """Give a function the types that its arguments have now."""
    inputs = [argument.type for argument in _block(function).arguments]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, list(_kind(function).results)))
    if any(len(each) for each in attributes):
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
    elif "arg_attrs" in function.attributes:
        del function.attributes["arg_attrs"]
    if C_PARAMETERS in function.attributes and len(rows) == len(inputs):
        function.attributes[C_PARAMETERS] = ir.ArrayAttr.get(rows)
