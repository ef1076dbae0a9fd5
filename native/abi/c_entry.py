"""The function that C calls: pointers and sizes come in, and it calls the compiled function on memrefs once.

It is written in the text of LLVM's dialect, with the descriptors of memrefs spread over arguments as MLIR's own
lowering does.

    before  func.func @scale(%a: memref<?x8xf64>, %f: f64)
    after   llvm.func @scale(%p0: !llvm.ptr, %p1: i64, %p2: f64) {
              llvm.call @scale.body(%p0, %p0, %zero, %p1, %eight, %eight, %one, %p2)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raising.native.abi.entry_lines import POINTER, EntryLines, Value, scalar_type
from raising.native.abi.overlap_fallback import HOLDS, OTHERWISE
from raising.native.abi.python_entry import BYTES, is_quick, quick_entry
from raising.native.abi.record_arguments import found_in_records
from raising.native.abi.workspace import SIZES, Temporary
from raising.native.base.signature import DIVIDING, INTEGERS, UNBOUNDED, Extent, Parameter, Signature, evaluate
from raising.native.base.target import ALIGNMENT
from raising.native.bufferize.destination_passing import SUFFIX

_ANY = 1 << 40  # stands for an extent that the C function does not know
_ON_STACK = 16 << 10  # bytes of temporaries, at most


def entries(signature: Signature, temporaries: Sequence[Temporary], *, workspace: bool) -> list[str]:
    """The entry of a function as a module in LLVM's dialect, with declarations of what it calls.

    With `workspace`, the entry takes memory for the temporaries as its last parameter.
    A second module has `NAME.bytes`, with the parameters of the source: how much it is
    (a number beyond all memory if it overflows), and a third one may have what `raising.native.abi.python_entry` says.
    Without, the entry allocates and frees that memory itself, and ends the process if there is not enough.
    """
    if workspace:
        parameters = tuple(replace(p, path="") for p in signature.parameters)  # Python has none of C's structs
        signature = replace(signature, arguments=(), parameters=parameters)
        quick = [quick_entry(signature)] if is_quick(signature) else []
        return [_with_workspace(signature, temporaries), _telling_bytes(signature, temporaries), *quick]
    return [_alone(signature, temporaries)]


def _with_workspace(signature: Signature, temporaries: Sequence[Temporary]) -> str:
    entry = _Function(signature)
    entry.head(POINTER, "%workspace")
    entry.test()
    return entry.text(signature.name, entry.body(temporaries, "%workspace", entry.places(temporaries)[0]))


def _telling_bytes(signature: Signature, temporaries: Sequence[Temporary]) -> str:
    entry = _Function(signature)
    return entry.text(signature.name + BYTES, (entry.places(temporaries)[1], "i64"))


def _alone(signature: Signature, temporaries: Sequence[Temporary]) -> str:
    entry = _Function(signature)
    entry.test()
    if not temporaries:
        return entry.text(signature.name, entry.body((), "", []))
    places, total = entry.places(temporaries)
    memory, owned = entry.allocated(total)
    result = entry.body(temporaries, memory, places)
    entry.call("@free", [(owned, POINTER)])
    return entry.text(signature.name, result)


class _Function(EntryLines):
    """Writes a function that has the parameters of the source."""

    def __init__(self, signature: Signature) -> None:
        super().__init__()
        self.signature, parameters = signature, signature.memory
        self.sizes: dict[str, str] = {}  # integer parameters as 64 bits, by their names
        taken = self._found() if self.signature.in_records else [self._take(p) for p in self.signature.parameters]
        taken += [[self.address(variable.name)] for variable in self.signature.variables]
        self.arguments: list[Value] = [
            v for p, names in zip(parameters, taken, strict=True) for v in self._passed(p, names)
        ]

    def text(self, name: str, result: Value | None) -> str:
        """The function with all operations so far, and declarations of what they use."""
        self.line(_return(result))
        return self.function(name, result[1] if result else "")

    # ---- the parameters ----------------------------------------------------------------------------

    def _take(self, parameter: Parameter) -> list[str]:
        """Take a parameter and the sizes behind it; their names."""
        apart = "" if self.signature.tested else " {llvm.noalias}"
        kind = scalar_type(parameter.element) if parameter.shape is None else f"{POINTER}{apart}"
        names = [self.head(kind), *(self.head("i64") for _ in parameter.open_dims)]
        if parameter.shape is None and parameter.element in INTEGERS:
            self.sizes[parameter.name] = self._wide(names[0], parameter)
        return names

    def _found(self) -> list[list[str]]:
        """Take C's arguments, and find the parameters in them."""
        taken = found_in_records(self, self.signature)
        for parameter, names in zip(self.signature.parameters, taken, strict=True):
            if parameter.shape is None and parameter.element in INTEGERS:
                self.sizes[parameter.name] = self._wide(names[0], parameter)
        return taken

    def _wide(self, value: str, parameter: Parameter) -> str:
        """An integer parameter as 64 bits."""
        return self.widened(value, scalar_type(parameter.element), parameter.unsigned)

    def _passed(self, parameter: Parameter, names: list[str]) -> list[Value]:
        """The values that stand for a parameter in the call of the body."""
        if parameter.shape is None:
            return [(names[0], scalar_type(parameter.element))]
        opened = iter(names[1:])
        return self._descriptor(names[0], [next(opened) if e is None else self._extent(e) for e in parameter.shape])

    def _descriptor(self, pointer: str, extents: list[str]) -> list[Value]:
        """A row-major memref as pointers, offset, extents and strides."""
        strides = [self.number(1)] if extents else []
        for extent in reversed(extents[1:]):
            strides.insert(0, self.op(f"llvm.mul {extent}, {strides[0]} : i64"))
        numbers = (self.number(0), *extents, *strides)
        return [(pointer, POINTER), (pointer, POINTER), *((number, "i64") for number in numbers)]

    def _extent(self, extent: Extent) -> str:
        """A value for an extent that is known in the entry."""
        if extent == UNBOUNDED or isinstance(extent, int):
            return self.number(extent if isinstance(extent, int) else _ANY)
        return evaluate(str(extent), self.sizes, self.number, self._combine)

    def _combine(self, operation: str, left: str, right: str) -> str:
        if operation in DIVIDING:
            right = self.op(f'"llvm.intr.umax"({right}, {self.number(1)}) : (i64, i64) -> i64')
        return self.op(f"llvm.{operation} {left}, {right} : i64")

    # ---- memory for temporaries --------------------------------------------------------------------

    def places(self, temporaries: Sequence[Temporary]) -> tuple[list[tuple[str, str]], str]:
        """Per temporary its offset in the workspace and its bytes, and the bytes of all; too large sizes saturate."""
        sizes = self._variable(temporaries)
        offset, places = self.number(0), []
        for temporary in temporaries:
            known = temporary.bytes
            size = next(sizes) if known is None else self.number(known)
            places.append((offset, size))
            end = self._saturating(self._saturating(offset, size), self.number(ALIGNMENT - 1))
            offset = self.op(f"llvm.and {end}, {self.number(-ALIGNMENT)} : i64")
        return places, offset

    def _variable(self, temporaries: Sequence[Temporary]) -> Iterator[str]:
        """The bytes that the function of sizes gives."""
        count = sum(temporary.bytes is None for temporary in temporaries)
        if not count:
            return iter(())
        kind = "i64" if count == 1 else f"!llvm.struct<({', '.join(['i64'] * count)})>"
        found = self.call("@" + self.signature.name + SIZES, self.arguments, kind)
        if count == 1:
            return iter((found,))
        return iter([self.op(f"llvm.extractvalue {found}[{k}] : {kind}") for k in range(count)])

    def _saturating(self, left: str, right: str) -> str:
        return self.op(f'"llvm.intr.uadd.sat"({left}, {right}) : (i64, i64) -> i64')

    def allocated(self, total: str) -> tuple[str, str]:
        """Memory of the entry's own, and what is to be freed of it; the process ends if there is not enough.

        A little is on the stack, where its room is fixed: C's allocator takes longer than a small call, and a frame
        of open size costs registers.
        """
        text = f"raise: {self.signature.name}"
        message = f"{self.signature.name}.message"
        self.outside.append(
            f'llvm.mlir.global internal constant @{message}("{text}\\00") {{addr_space = 0 : i32}}',
        )
        null = self.op(f"llvm.mlir.zero : {POINTER}")
        small = self.compare("ule", total, self.number(_ON_STACK))
        fixed = f"llvm.alloca %room x i8 {{alignment = {ALIGNMENT} : i64}} : (i64) -> {POINTER}"
        self.lines[:0] = [f"%room = llvm.mlir.constant({_ON_STACK} : i64) : i64", f"%near = {fixed}"]
        self.line(f"llvm.cond_br {small}, ^enough(%near, {null} : {POINTER}, {POINTER}), ^far")
        self.line("^far:")
        far = self.call("@aligned_alloc", [(self.number(ALIGNMENT), "i64"), (total, "i64")], POINTER)
        failed = self.compare("eq", far, null, POINTER)
        enough = f"^enough({far}, {far} : {POINTER}, {POINTER})"
        self.lines += [f"llvm.cond_br {failed}, ^failed, {enough}", "^failed:"]
        self.call("@perror", [(self.op(f"llvm.mlir.addressof @{message} : {POINTER}"), POINTER)])
        self.call("@abort", [])
        self.lines += ["llvm.unreachable", f"^enough(%memory: {POINTER}, %owned: {POINTER}):"]
        return "%memory", "%owned"

    # ---- the body ----------------------------------------------------------------------------------

    def body(self, temporaries: Sequence[Temporary], memory: str, places: list[tuple[str, str]]) -> Value | None:
        """Call the function on memrefs, with temporaries at their places in memory; its result."""
        arguments = list(self.arguments)
        for temporary, (offset, size) in zip(temporaries, places, strict=True):
            place = self.op(f"llvm.getelementptr {memory}[{offset}] : ({POINTER}, i64) -> {POINTER}, i8")
            extents = [size] if temporary.shape is None else [self.number(extent) for extent in temporary.shape]
            arguments += self._descriptor(place, extents)
        return self._result(SUFFIX, arguments)

    def test(self) -> None:
        """Where the arrays of a tested function may overlap, call its other branch, and return."""
        if not self.signature.tested:
            return
        truth = self.call("@" + self.signature.name + HOLDS, self.arguments, "i1")
        self.lines += [f"llvm.cond_br {truth}, ^apart, ^otherwise", "^otherwise:"]
        self.lines += [_return(self._result(OTHERWISE, self.arguments)), "^apart:"]

    def _result(self, suffix: str, arguments: Sequence[Value]) -> Value | None:
        """Call one of the functions that are behind the entry; what the source returns."""
        kinds = [scalar_type(element) for element in self.signature.returns]
        result = self.call("@" + self.signature.name + suffix, arguments, kinds[0] if kinds else "")
        return (result, kinds[0]) if kinds else None


def _return(result: Value | None) -> str:
    return f"llvm.return {result[0]} : {result[1]}" if result else "llvm.return"
