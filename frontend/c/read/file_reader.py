"""A parsed file as a unit of the core."""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.clang.libclang import RawCursor
from raising.frontend.c.clang.scop_marks import MARK, Marked, marked_regions
from raising.frontend.c.clang.translation_unit import Source
from raising.frontend.c.read import assignments, c_statements, function_calls, switches
from raising.frontend.c.read.c_statements import refusals
from raising.frontend.c.read.clang_types import Types
from raising.frontend.c.read.initialisers import initial, zero
from raising.frontend.c.read.local_variables import parameter
from raising.frontend.c.read.reader_state import MAX_ALL_STEPS, MAX_STEPS, Context, Refusal
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import VOID, Routine

_EXTERN = 2
_NO_LINKAGE, _INTERNAL = 1, 2
_NOT_CLOSED = "this #pragma scop marks no region: its block does not close it"
_NO_RETURN = {"exit", "_exit", "_Exit", "abort", "quick_exit", "longjmp", "__assert_fail", "__assert", "__builtin_trap"}


READERS = (assignments, c_statements, function_calls, switches)
"""The modules that fill the tables of `reader_state`, with what they import."""


class UnitReader:
    """Reads the definitions of a file, and the declarations that they use."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lib = source.lib
        self.types = Types(source)
        self.globals: dict[str, st.Global] = {}
        self.routines: dict[str, st.Function] = {}
        self.taken: set[str] = set()
        self._statics: dict[int, st.Variable] = {}
        self._pending: list[Node] = []
        self._asked: set[str] = set()
        self._exported: dict[str, Node] = {}
        self._regions: list[Marked] = []
        self._in_main = True
        self.language = "C++" if source.plus else "C"
        self.steps = 0  # nodes that were read
        self.seen_regions: set[Marked] = set()
        if MARK.search(source.text):
            self._regions = marked_regions(source.text, source.filename, source.skipped())

    def unit(self) -> st.Unit:
        """The whole file."""
        defined = self._defined(self.source.root)
        for node in defined:
            self._function(node)
        while self._pending:
            self._function(self._pending.pop(0))
        for name, node in self._exported.items():
            if name not in self.globals:
                self._global(name, node)
        wrong = tuple((r.loc, _NOT_CLOSED) for r in self._regions if r not in self.seen_regions)
        return st.Unit(
            self.source.filename,
            self.language,
            self.types.records,
            self.globals,
            self.routines,
            wrong,
        )

    def symbol(self, node: Node) -> str:
        """The symbol of a function or a variable of the file."""
        if self.source.plus and node.kind in (kinds.FUNCTION, kinds.VARIABLE):
            return self.lib.text(self.lib.Cursor_getMangling(node.raw)) or node.spelling
        return node.spelling

    def _defined(self, around: RawCursor) -> list[Node]:
        """The functions that the file defines; those of headers only if other files can call them."""
        lib, found = self.lib, []
        for raw in lib.children(around):
            if raw.kind in (kinds.NAMESPACE, kinds.LINKAGE):
                if not lib.Location_isInSystemHeader(lib.getCursorLocation(raw)):
                    found += self._defined(raw)
                continue
            if raw.kind == kinds.VARIABLE:
                node = Node(self.source, raw)
                self.taken.add(self.symbol(node))
                if lib.Location_isFromMainFile(lib.getCursorLocation(raw)) and lib.getCursorLinkage(raw) != _INTERNAL:
                    self._exported[self.symbol(node)] = node
            elif raw.kind == kinds.FUNCTION:
                location = lib.getCursorLocation(raw)
                main = lib.Location_isFromMainFile(location)
                if not main and (lib.Location_isInSystemHeader(location) or lib.getCursorLinkage(raw) == _INTERNAL):
                    continue
                node = Node(self.source, raw)
                if _body(node) is not None and (main or not lib.Cursor_isFunctionInlined(raw)):
                    found.append(node)
        return found

    # ---- functions ---------------------------------------------------------------------------------

    def _function(self, node: Node) -> None:
        name, lib = self.symbol(node), self.lib
        known = self.routines.get(name)
        if known is not None and known.body is not None:
            return
        self._asked.add(name)
        self._in_main = bool(lib.Location_isFromMainFile(lib.getCursorLocation(node.raw)))
        raw = lib.getResultType(node.type)
        result = self.types.of(raw).type
        ctx = Context(self, result, name, body=_body(node), last_step=min(self.steps + MAX_STEPS, MAX_ALL_STEPS))
        ctx.by_reference = lib.getCanonicalType(raw).kind in kinds.T_REFERENCES
        assert ctx.body is not None
        self.routines[name] = st.Function(name, result, (), (), node.loc, {})  # its place in the order
        try:
            parameters = tuple(parameter(ctx, p, k) for k, p in enumerate(_parameters(node)))
            ctx.look_into(result)
            c_statements.sequence(ctx, ctx.body.children, ctx.body)
        except Refusal as refusal:
            parameters = tuple(v for v in ctx.variables.values() if v.storage == "parameter")
            ctx.variables = {p.name: p for p in parameters}
            ctx.out = [st.Refused(refusal.reason, refusal.loc)]
        body = tuple(ctx.out)
        self.routines[name] = self._made(node, ctx, parameters, body)

    def _made(
        self, node: Node, ctx: Context, parameters: tuple[st.Variable, ...], body: tuple[st.Stmt, ...]
    ) -> st.Function:
        return st.Function(
            name=ctx.name,
            result=ctx.result,
            parameters=parameters,
            body=body,
            loc=node.loc,
            variables=ctx.variables,
            external=self.lib.getCursorLinkage(node.raw) != _INTERNAL,
            inline=bool(self.lib.Cursor_isFunctionInlined(node.raw)),
            variadic=bool(self.lib.isFunctionTypeVariadic(node.type)) and node.type.kind != kinds.T_NO_PROTOTYPE,
            returns=self._returns(node),
            refusals=refusals(body),
            span=node.span,
            inner=ctx.body.span if ctx.body is not None else None,
            source=node.spelling,
            numbers=self.types.numbers(self.lib.getResultType(node.type)),
        )

    def _returns(self, node: Node) -> bool:
        return node.spelling not in _NO_RETURN and "noreturn" not in self.types.spelling(node.type)

    def routine(self, declaration: Node) -> str:
        """The name of a function that is used; its definition, if there is one, is read as well."""
        name = self.symbol(declaration)
        if name in self._asked:
            return name
        self._asked.add(name)
        definition = Node(self.source, self.lib.getCursorDefinition(declaration.raw))
        if definition.kind == kinds.FUNCTION and not self._is_system(definition):
            self._pending.append(definition)
        elif name not in self.routines:
            self.routines[name] = self._declared(declaration, name)
        return name

    def _declared(self, node: Node, name: str) -> st.Function:
        t = self.types.node(node)
        assert isinstance(t, Routine)
        parameters = tuple(st.Variable(f"unnamed.{k}", p, "parameter", node.loc) for k, p in enumerate(t.parameters))
        variables = {p.name: p for p in parameters}
        external = self.lib.getCursorLinkage(node.raw) != _INTERNAL
        returns = self._returns(node)
        return st.Function(
            name, t.result, parameters, None, node.loc, variables, external, variadic=t.variadic, returns=returns
        )

    def _is_system(self, node: Node) -> bool:
        return bool(self.lib.Location_isInSystemHeader(self.lib.getCursorLocation(node.raw)))

    def is_defined(self, callee: Node) -> bool:
        """True if the user defines the function that an expression names."""
        definition = Node(self.source, self.lib.getCursorDefinition(callee.unconverted().referenced.raw))
        return definition.kind == kinds.FUNCTION and not self._is_system(definition)

    # ---- variables ---------------------------------------------------------------------------------

    def is_shared(self, declaration: Node) -> bool:
        """True for a variable that lives as long as the program."""
        return declaration.key in self._statics or self.lib.getCursorLinkage(declaration.raw) > _NO_LINKAGE

    def variable(self, declaration: Node) -> st.Variable:
        """A variable of the file, or one that a function declares `static` or `extern`."""
        if declaration.key in self._statics:
            return self._statics[declaration.key]
        name = self.symbol(declaration)
        if name not in self.globals:
            self._global(name, declaration)
        return self.globals[name].variable

    def static(self, ctx: Context, node: Node) -> st.Variable:
        """A static variable of a function."""
        name, k = f"{ctx.name}.{node.spelling}", 1
        while name in self.globals:
            name, k = f"{ctx.name}.{node.spelling}.{k}", k + 1
        typed = self.types.of(node.type)
        variable = st.Variable(name, typed.type, self._storage(node, "static"), node.loc, node.spelling, typed.constant)
        self._statics[node.key] = variable
        self.globals[name] = st.Global(variable, None, False)
        self.globals[name] = st.Global(variable, self._initial(node, variable, False), False)
        if typed.volatile or typed.atomic:
            raise ctx.refused(node, f"'{node.spelling}' is {'volatile' if typed.volatile else 'atomic'}")
        return variable

    def _storage(self, node: Node, kind: st.Storage) -> st.Storage:
        return "thread" if self.lib.getCursorTLSKind(node.raw) else kind

    def _global(self, name: str, declaration: Node) -> None:
        definition = Node(self.source, self.lib.getCursorDefinition(declaration.raw))
        node = definition if definition.kind == kinds.VARIABLE else declaration
        external = self.lib.getCursorLinkage(node.raw) != _INTERNAL
        typed = self.types.of(node.type)
        if self.source.plus and typed.constant and self.lib.Cursor_getStorageClass(node.raw) != _EXTERN:
            external = False  # a constant of a class, or one that is `inline`: each file of C++ has its own
        variable = st.Variable(name, typed.type, self._storage(node, "global"), node.loc, name, typed.constant)
        variable = replace(variable, numbers=self.types.numbers(node.type))
        self.globals[name] = st.Global(variable, None, external)
        elsewhere = self.lib.Cursor_getStorageClass(node.raw) == _EXTERN and definition.kind != kinds.VARIABLE
        self.globals[name] = st.Global(variable, self._initial(node, variable, elsewhere), external, not elsewhere)

    def _initial(self, node: Node, variable: st.Variable, elsewhere: bool) -> ex.Initial | None:
        """The initial value; None if it is given elsewhere or cannot be said."""
        if elsewhere:
            return None
        ctx = Context(self, VOID)
        ctx.look_into(variable.type)
        raw = self.lib.Cursor_getVarDeclInitializer(node.raw)
        if not kinds.FIRST_EXPR <= raw.kind <= kinds.LAST_EXPR:
            return zero(variable.type, node.loc)
        try:
            value = initial(ctx, Node(self.source, raw), variable.type)
        except Refusal:
            return None
        return None if ctx.out else value

    # ---- regions -----------------------------------------------------------------------------------

    @property
    def has_regions(self) -> bool:
        """True if the file whose function is read has `#pragma scop`."""
        return self._in_main and bool(self._regions)

    def regions_in(self, span: st.Span) -> list[Marked]:
        """The regions that stand between two places and are closed there."""
        inside = [r for r in self._regions if span.start < r.start and r.start < r.end < span.end]
        return [r for r in inside if r not in self.seen_regions]


def read_unit(source: Source) -> st.Unit:
    """The unit of a parsed file."""
    return UnitReader(source).unit()


def _body(node: Node) -> Node | None:
    return next((c for c in node.children if c.kind == kinds.COMPOUND), None)


def _parameters(node: Node) -> list[Node]:
    return [c for c in node.children if c.kind == kinds.PARAMETER]
