"""The small typed program between C and MLIR text.

Expressions have become numbered values in the order of their evaluation,
integers that are known in loop variables and sizes have become polynomials,
and calls, pointers and side effects are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace

from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.polynomial import Poly, values_in
from raising.frontend.lower.ir.types import LONG, Number
from raising.support.record import dataclass
from raising.support.source import Loc, unused_name


@dataclass(frozen=True)
class Cond:
    """`form >= 0`, or `form == 0` when `equality`."""

    form: Poly
    equality: bool = False

    @property
    def forms(self) -> tuple[Poly, ...]:
        """Forms that are >= 0 exactly where all of the condition holds."""
        return (self.form, -self.form) if self.equality else (self.form,)

    def negated(self) -> tuple[Cond, ...]:
        """Alternatives of which one holds exactly when this does not."""
        below, above = Cond(-self.form - 1), Cond(self.form - 1)
        return (below, above) if self.equality else (below,)


Alternatives = tuple[tuple[Cond, ...], ...]


@dataclass(frozen=True)
class Let:
    """`dst = op(args) : type`, spelled as `text` with `{0}`, `{1}` … for the arguments."""

    dst: int
    text: str
    args: tuple[int, ...]
    type: str
    loc: Loc


@dataclass(frozen=True)
class IndexOf:
    """`dst` is the integer `form`, of MLIR type `type`."""

    dst: int
    form: Poly
    type: str
    loc: Loc


@dataclass(frozen=True)
class Read:
    """`dst = array[subscripts]`."""

    dst: int
    array: str
    subscripts: tuple[Poly, ...]
    loc: Loc


@dataclass(frozen=True)
class Write:
    """`array[subscripts] = value`."""

    array: str
    subscripts: tuple[Poly, ...]
    value: int
    loc: Loc


@dataclass(frozen=True)
class For:
    """`for iv = max(lower) to min(upper) step step` (upper exclusive, step > 0)."""

    iv: str
    lower: tuple[Poly, ...]
    upper: tuple[Poly, ...]
    step: int
    body: tuple[Node, ...]
    loc: Loc


@dataclass(frozen=True)
class If:
    """A branch on conditions over loop variables and sizes: any of the alternatives, all conditions of it."""

    when: Alternatives
    then: tuple[Node, ...]
    orelse: tuple[Node, ...]
    loc: Loc


@dataclass(frozen=True)
class Choose:
    """A branch on the truth value `cond`; the arrays that are its `own` have no contents before and behind it."""

    cond: int
    then: tuple[Node, ...]
    orelse: tuple[Node, ...]
    loc: Loc
    own: frozenset[str] = frozenset()


@dataclass(frozen=True)
class While:
    """`while (test, cond) body`: only in loops that are kept as C has them."""

    test: tuple[Node, ...]
    cond: int
    body: tuple[Node, ...]
    loc: Loc


@dataclass(frozen=True)
class Own:
    """The array exists inside of `body` only."""

    array: str
    body: tuple[Node, ...]
    loc: Loc


Node = Let | IndexOf | Read | Write | For | If | Choose | While | Own


@dataclass(frozen=True)
class Array:
    """A memory: `kind` is `parameter`, `local`, `cell` (a scalar variable), `global`, or `place` (of a field).

    An extent is None where it is not known. A `flat` array has one dimension
    so far; its shape is found from how it is used, and is `told` if it is the source's own. Of an array of structs,
    `row` is the number of elements of each; it is 1 for a single field. A parameter's memory begins `lead` elements in
    front of where the source's pointer points.
    """

    name: str
    element: Number
    shape: tuple[Poly | None, ...]
    kind: str
    loc: Loc
    flat: bool = False
    restrict: bool = False
    constant: bool = False
    row: int = 0
    told: bool = False
    lead: int = 0

    @property
    def lead_bytes(self) -> int:
        """The bytes in front of where the source's pointer points."""
        return self.lead * max(self.element.width // 8, 1)


@dataclass(frozen=True)
class Argument:
    """An argument of the C function: its type as C spells it, `pointer` if it is one.

    `words` are the registers that a struct by value is passed in, each an LLVM type; none if it lies in memory.
    """

    type: str
    name: str
    size: int = 0
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parameter:
    """A parameter of the function: `value` numbers a scalar, None for an array.

    `path` says how it is found in the arguments of the C function: the number of one, or `@` and a variable of the
    file; then `+N` for N bytes further (`+-N` for N bytes back), `*` for what a pointer points to. `~N*` is how many
    elements of N bytes lie between the pointer before this place and the one there. A scalar's last step is the `*`
    that loads it. `numbers` is what C calls the type, if not by the usual name.
    """

    name: str
    type: Number
    loc: Loc
    value: int | None = None
    path: str = ""
    numbers: str = ""

    @property
    def read_from(self) -> list[tuple[str, Number]]:
        """The paths to what is read to find it where the function starts, and types: bits of pointers, or a number."""
        if self.path.startswith("&"):
            return []
        places = [(self.path[:k], LONG) for k, step in enumerate(self.path) if step == "*"]
        return (
            [*places[:-1], (self.path[:-1], self.type)]
            if self.path.endswith("*") and self.value is not None
            else places
        )


@dataclass(frozen=True)
class Range:
    """`low <= form <= high` in every iteration of the loops whose variables are in the form."""

    form: Poly
    low: int
    high: int


@dataclass(frozen=True)
class Quotient:
    """A size that is computed in front of the loops: `left / right` as the source rounds it, forms over earlier sizes.

    It is 64 bits wide. Where the source may not come to it, `right` may be 0; what it is there, nobody asks. It is
    at least 1 wherever the source divides by it if that is `positive`.
    """

    name: str
    left: Poly
    right: Poly
    operation: str
    loc: Loc
    positive: bool = False

    def __str__(self) -> str:
        return f"({self.left}) / ({self.right})"


@dataclass(frozen=True)
class Assumption:
    """A condition that C does not guarantee, in a form that can be tested.

    Conditions over sizes, pairs of arrays that lie apart in memory, or
    integers that stay within their type. In `kept` are pairs of an array
    and a field that is not changed through it, which is to be told (`passes.places_of_fields`).
    """

    loc: Loc
    text: str
    conds: tuple[Cond, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    ranges: tuple[Range, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class PartOf:
    """The part of a function (or all of one) that a function was made of: `call` is the C that calls it instead.

    `span` are the bytes of the file that the call can replace, None where a macro makes an end of them; of a whole
    function there are none, and it is the place behind the brace with which the body begins. `own` are parameters of a
    part that are addresses of variables which nothing else points to.
    """

    function: str
    call: str
    span: tuple[int, int] | None = None
    own: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Function:
    """One function; `result` is the value that it returns, `facts` what is known at its start.

    `bounds` are the lower and upper bounds (exclusive) of each loop variable,
    `branches` the places of branches on data that cannot be selections, with the reason. `arguments` are those of the
    C function where a parameter is only a part of one (a field of a struct). `quotients` are sizes of its own.
    `numbers` is what C calls the type of the result, if not by the usual name.
    """

    name: str
    loc: Loc
    parameters: tuple[Parameter, ...]
    arrays: dict[str, Array]
    body: tuple[Node, ...]
    result: int | None
    result_type: Number | None
    assumptions: tuple[Assumption, ...] = ()
    facts: Facts = field(default_factory=Facts)
    bounds: dict[str, tuple[tuple[Poly, ...], tuple[Poly, ...]]] = field(default_factory=dict)
    branches: tuple[tuple[Loc, str], ...] = ()
    arguments: tuple[Argument, ...] = ()
    part: PartOf | None = None
    whole: PartOf | None = None
    quotients: tuple[Quotient, ...] = ()
    numbers: str = ""


def walk(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Every node, parents before children, in text order."""
    for node in nodes:
        yield node
        for part in parts(node):
            yield from walk(part)


def forms_of(node: Node) -> tuple[Poly, ...]:
    """The forms of positions and sizes in a node itself: its bounds, conditions or subscripts."""
    match node:
        case For():
            return (*node.lower, *node.upper)
        case If():
            return tuple(c.form for conds in node.when for c in conds)
        case Read() | Write():
            return node.subscripts
        case IndexOf():
            return (node.form,)
    return ()


def map_forms(node: Node, change: Callable[[Poly], Poly]) -> Node:
    """The node with its own forms changed, not those of what is inside of it."""
    match node:
        case For():
            return replace(node, lower=tuple(map(change, node.lower)), upper=tuple(map(change, node.upper)))
        case If():
            when = tuple(tuple(Cond(change(c.form), c.equality) for c in conds) for conds in node.when)
            return replace(node, when=when)
        case Read() | Write():
            return replace(node, subscripts=tuple(map(change, node.subscripts)))
        case IndexOf():
            return replace(node, form=change(node.form))
    return node


def parts(node: Node) -> tuple[tuple[Node, ...], ...]:
    """The bodies of a node."""
    match node:
        case Let() | IndexOf() | Read() | Write():
            return ()
        case If() | Choose():
            return node.then, node.orelse
        case While():
            return node.test, node.body
    return (node.body,)


def with_parts(node: Node, bodies: tuple[tuple[Node, ...], ...]) -> Node:
    """The node with other bodies."""
    if bodies == parts(node):
        return node
    if isinstance(node, For | Own):
        return replace(node, body=bodies[0])
    if isinstance(node, While):
        return replace(node, test=bodies[0], body=bodies[1])
    if isinstance(node, If | Choose):
        return replace(node, then=bodies[0], orelse=bodies[1])
    return node


def map_nodes(nodes: tuple[Node, ...], change: Callable[[Node], Iterable[Node]]) -> tuple[Node, ...]:
    """Nodes with what `change` makes of each, in place of it; the nodes inside of a node are changed first."""
    inner = (with_parts(node, tuple(map_nodes(part, change) for part in parts(node))) for node in nodes)
    return tuple(new for node in inner for new in change(node))


def substituted(nodes: tuple[Node, ...], values: Mapping[str, Poly]) -> tuple[Node, ...]:
    """Nodes with forms in place of names."""
    return map_nodes(nodes, lambda node: (map_forms(node, lambda form: form.substitute(values)),))


# ---- numbered values --------------------------------------------------------------------------------

Definition = Let | IndexOf | Read
WIDENING = ("arith.index_cast", "arith.extsi", "arith.extui")
"""How the text of a `Let` begins that gives an integer as an index, or in more bits."""


def definitions(nodes: tuple[Node, ...]) -> dict[int, Definition]:
    """The nodes that define values, by the numbers of these, in text order."""
    return {node.dst: node for node in walk(nodes) if isinstance(node, Definition)}


def used_values(node: Node) -> Iterator[int]:
    """The numbers of the values that a node itself takes, those in its subscripts and bounds included."""
    match node:
        case Let():
            yield from node.args
        case Write():
            yield node.value
        case Choose() | While():
            yield node.cond
    yield from (number for form in forms_of(node) for number in values_in(form))


def source_of(value: int, made: Mapping[int, Node]) -> Node | None:
    """The node that defines an integer before it was made an index, or was given more bits."""
    node = made.get(value)
    while isinstance(node, Let) and node.text.startswith(WIDENING):
        node = made.get(node.args[0])
    return node


def is_loaded(value: int, made: Mapping[int, Node], arrays: Mapping[str, Array]) -> bool:
    """Whether a value is what an array holds, or that as an index or in more bits."""
    node = source_of(value, made)
    return isinstance(node, Read) and arrays[node.array].kind != "cell"


class Fresh:
    """Numbers of values, and names of arrays and loops, that a function does not have."""

    def __init__(self, function: Function) -> None:
        values = [p.value for p in function.parameters if p.value is not None]
        self.last = max([*definitions(function.body), *values], default=0)
        self.taken = {*function.arrays, *function.bounds, *function.facts.free, *(p.name for p in function.parameters)}
        self.taken |= {node.iv for node in walk(function.body) if isinstance(node, For)}

    def number(self) -> int:
        """The number of a new value."""
        self.last += 1
        return self.last

    def name(self, wanted: str) -> str:
        """A new name that begins with another one."""
        name = unused_name(wanted, self.taken)
        self.taken.add(name)
        return name
