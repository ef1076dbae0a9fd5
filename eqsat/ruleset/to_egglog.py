"""Rules of the tables as a program of egglog.

Beside the terms there are tables of facts about a value: its rows, columns, leading extents and type of elements. They
are filled for operations of the program, and follow for the terms that rules make.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from raising.eqsat.ruleset.algebra import FOLLOWS, SAID_BY_PROGRAM, operation, scalar_name, summing
from raising.eqsat.ruleset.expression import Expr, Node, Number, Var, operations_in, variables, walk
from raising.eqsat.ruleset.table import Condition, Directed
from raising.grammar.terms.scalar_ops import CASTS, SCALARS

ALGEBRA = """
(sort Tensor)
(constructor t.lift (Op) Tensor)
(constructor t.lower (Tensor Type) Op)
(constructor t.float (f64 Type) Tensor)
(constructor t.int (i64 Type) Tensor)
(constructor t.negzero (Type) Tensor)
(constructor t.transpose (Tensor) Tensor)
(constructor t.spread (Tensor IntVec i64 i64) Tensor)
(constructor t.reshape (Tensor IntVec i64 i64) Tensor)
(constructor t.diag (Tensor) Tensor)
(constructor t.diagonal (Tensor) Tensor)
(constructor t.pick (String i64 Tensor) Tensor)
(constructor t.bilinear (String IntVec i64 i64 Tensor Tensor) Tensor)
(constructor t.pad (i64 i64 i64 i64 i64 i64 i64 i64 IntVec i64 i64 Tensor Tensor) Tensor)
(constructor t.elem (Tensor) Type)
(function t.rows (Tensor) i64 :merge old)
(function t.cols (Tensor) i64 :merge old)
(function t.batch (Tensor) IntVec :merge old)
(ruleset t.shapes) (ruleset t.rules) (ruleset t.numbers)
(rule ((= e (t.transpose a)) (= r (t.rows a)) (= c (t.cols a)) (= b (t.batch a)) (= k (t.elem a)))
  ((set (t.rows e) c) (set (t.cols e) r) (set (t.batch e) b) (union (t.elem e) k)) :ruleset t.shapes)
(rule ((= e (t.spread a b r c)) (= k (t.elem a)))
  ((set (t.rows e) r) (set (t.cols e) c) (set (t.batch e) b) (union (t.elem e) k)) :ruleset t.shapes)
(rule ((= e (t.reshape a b r c)) (= k (t.elem a)))
  ((set (t.rows e) r) (set (t.cols e) c) (set (t.batch e) b) (union (t.elem e) k)) :ruleset t.shapes)
(rule ((= e (t.diag a)) (= r (t.rows a)) (= b (t.batch a)) (= k (t.elem a)))
  ((set (t.rows e) r) (set (t.cols e) r) (set (t.batch e) b) (union (t.elem e) k)) :ruleset t.shapes)
(rule ((= e (t.diagonal a)) (= r (t.rows a)) (= b (t.batch a)) (= k (t.elem a)))
  ((set (t.rows e) r) (set (t.cols e) 1) (set (t.batch e) b) (union (t.elem e) k)) :ruleset t.shapes)
(rule ((= e (t.pick key r a)) (= c (t.cols a)) (= b (t.batch a)) (= k (t.elem a)))
  ((set (t.rows e) r) (set (t.cols e) c) (set (t.batch e) b) (union (t.elem e) k)) :ruleset t.shapes)
(rule ((= e (t.bilinear key b r c x y)) (= k (t.elem x)))
  ((set (t.rows e) r) (set (t.cols e) c) (set (t.batch e) b) (union (t.elem e) k)) :ruleset t.shapes)
(rule ((= e (t.pad l3 h3 l2 h2 l1 h1 l0 h0 b r c x s)) (= k (t.elem x)))
  ((set (t.rows e) r) (set (t.cols e) c) (set (t.batch e) b) (union (t.elem e) k)) :ruleset t.shapes)
(rule ((= e (t.float v k))) ((set (t.rows e) 1) (set (t.cols e) 1) (set (t.batch e) (vec-empty)) (union (t.elem e) k))
  :ruleset t.shapes)
(rule ((= e (t.int v k))) ((set (t.rows e) 1) (set (t.cols e) 1) (set (t.batch e) (vec-empty)) (union (t.elem e) k))
  :ruleset t.shapes)
(rule ((= e (t.negzero k))) ((set (t.rows e) 1) (set (t.cols e) 1) (set (t.batch e) (vec-empty)) (union (t.elem e) k))
  :ruleset t.shapes)
"""
SCHEDULE = ("saturate", ("seq", ("saturate", ("run", "t.shapes")), ("run", "t.numbers"), ("run", "t.rules")))
LEAF, ROOT, SPREAD, TRANSPOSE = "t.lift", "t.lower", "t.spread", "t.transpose"
FLOAT, INTEGER, NEGATIVE_ZERO = "t.float", "t.int", "t.negzero"
SORT = "Tensor"
RESHAPE, DIAGONAL_MATRIX, DIAGONAL, PICK, BILINEAR = "t.reshape", "t.diag", "t.diagonal", "t.pick", "t.bilinear"
PAD, PADDED = "t.pad", 4  # dimensions at most, the last ones; before and behind each, the outermost first
_SIDES = [f"{side}{d}" for d in reversed(range(PADDED)) for side in "lh"]
SAID = {
    "pick": "l.rows l.count",
    "bilinear": "l.function l.batch l.extent l.columns",
    "pad": " ".join(f"w.{s}" for s in (*_SIDES, "batch", "rows", "cols")),
    "padmore": " ".join(f"o.{s}" for s in (*_SIDES, "batch", "rows", "cols")),
    "padboth": " ".join([*(f"(+ w.{s} o.{s})" for s in _SIDES), "o.batch o.rows o.cols"]),
    "padturned": " ".join([*(f"w.{s}" for s in _SIDES[:-4]), "w.l0 w.h0 w.l1 w.h1 w.batch w.cols w.rows"]),
}
"""What a program says of an operation beside its operands, the same in all of one rule; and what follows from that."""
_SAME = {"padmore": "pad", "padboth": "pad", "padturned": "pad"}  # one constructor in an e-graph
_DECLARED = ("transpose", "like", "reshape", "diag", "diagonal", *SAID_BY_PROGRAM, *FOLLOWS)

_ALIKE = {"rows": "(+ 0 {})", "cols": "(+ 0 {})", "batch": "(vec-append {})"}
"""The same extents again, as computed ones: the engine compares these, but looks up all values that have equal ones."""

_ROWS = {"matmul": "0r 1c", "syrk": "0r 0r", "mma": "1r 2c", "rowsum": "0r 1", "rowmax": "0r 1", "colsum": "1 0c"}


def program(rules: Iterable[Directed], operations: Iterable[tuple[str, int]]) -> str:
    """The declarations, the rules about shapes, and the rules; `operations` are others that a program has."""
    directed = list(rules)
    used = dict(operations)
    for rule in directed:
        for node in operations_in(rule.left, rule.right):
            name = operation(node.op, rule.kind).name
            if name not in _DECLARED:
                used[name] = len(node.args)
    lines = [ALGEBRA]
    for name, count in ((n, c) for n, c in used.items() if n not in _DECLARED):
        lines += [f"(constructor t.{name} ({' '.join([SORT] * count)}) {SORT})", *_shape_rules(name, count)]
        lines += _number_rules(name, count) if not summing(name) else []
    return "\n".join([*lines, *map(rewrite, directed)])


# ---- shapes ------------------------------------------------------------------------------------------


def _shape_rules(name: str, count: int) -> list[str]:
    operands = [f"a{k}" for k in range(count)]
    term = f"(= e (t.{name} {' '.join(operands)}))"
    last = operands[-1]
    if summing(name):
        rows, cols = (_part(p, operands) for p in _ROWS[summing(name)].split())
        parts = [f"(= {p[1]}{p[0]} (t.{'rows' if p[1] == 'r' else 'cols'} a{p[0]}))" for p in _parts(name)]
    else:
        parts = [f"(= r{k} (t.rows {a})) (= c{k} (t.cols {a}))" for k, a in enumerate(operands)]
        rows, cols = _largest("r", count), _largest("c", count)
    extents = f"(rule ({term} {' '.join(parts)}) ((set (t.rows e) {rows}) (set (t.cols e) {cols})) :ruleset t.shapes)"
    kind = f"(rule ({term} (= k (t.elem {last}))) ((union (t.elem e) k)) :ruleset t.shapes)"
    return [extents, *_batch_rules(term, count), *([kind] if _keeps_kind(name) else [])]


def _parts(name: str) -> list[str]:
    return [p for p in dict.fromkeys(_ROWS[summing(name)].split()) if len(p) == 2]


def _part(part: str, operands: Sequence[str]) -> str:
    return "1" if len(part) == 1 else f"{part[1]}{part[0]}"


def _largest(letter: str, count: int) -> str:
    text = f"{letter}0"
    for k in range(1, count):
        text = f"(max {text} {letter}{k})"
    return text


def _batch_rules(term: str, count: int) -> list[str]:
    """Leading extents are those of any operand that has some; different ones are left open."""
    if count == 1:
        return [f"(rule ({term} (= b (t.batch a0))) ((set (t.batch e) b)) :ruleset t.shapes)"]
    rules = []
    for k in range(count):
        others = " ".join(f"(= (t.batch a{j}) (vec-empty))" for j in range(count) if j != k)
        rules.append(f"(rule ({term} (= b (t.batch a{k})) {others}) ((set (t.batch e) b)) :ruleset t.shapes)")
    same = " ".join(f"(= b (t.batch a{j}))" for j in range(count))
    return [*rules, f"(rule ({term} {same}) ((set (t.batch e) b)) :ruleset t.shapes)"]


def _number_rules(name: str, count: int) -> list[str]:
    """Rules that remove operations from classes that contain a constant, where other rules would not come to an end.

    Of 0 = 0 * y + 0 those would make 0 * (y + 1), and so on.
    """
    term = f"(t.{name} {' '.join(f'a{k}' for k in range(count))})"
    literals = (f"({FLOAT} v k)", f"({INTEGER} v k)")
    forms = [f"(= e {n})" for n in literals] + [f"(= e ({SPREAD} s b r c)) (= s {n})" for n in literals]
    return [f"(rule ((= e {term}) {form}) ((subsume {term})) :ruleset t.numbers)" for form in forms]


def _keeps_kind(name: str) -> bool:
    scalar = scalar_name(name)
    return not scalar or (scalar not in CASTS and SCALARS[scalar].residue not in ("compare", "truth"))


# ---- rules -------------------------------------------------------------------------------------------


def rewrite(rule: Directed) -> str:
    """One direction of a rule."""
    shapes = _shape_variables(rule)
    left = _Pattern(rule.kind, shapes=shapes)
    premises = [f"(= e {left.text(rule.left)})"]
    for c in rule.rule.when:
        right = _ALIKE[c.part].format(_extent(c.other_part, c.other, shapes)) if c.other else _given(c)
        premises.append(f"(= {_extent(c.part, c.var, shapes)} {right})")
    bound = [name for name in variables(rule.left) if name not in shapes]
    result = _Pattern(rule.kind, bound=bound, literal=left.literal, shapes=shapes)
    action = result.text(rule.right)
    premises += [*left.premises, *result.premises]
    return f'(rule ({" ".join(premises)}) ((union e {action})) :ruleset t.rules :name "{rule.name}")'


def _given(condition: Condition) -> str:
    return "(vec-empty)" if condition.part == "batch" else f"(+ 0 {condition.number})"


def _extent(part: str, name: str, shapes: frozenset[str]) -> str:
    return f"s.{name}.{part}" if name in shapes else f"(t.{part} {_variable(name)})"


_SHAPED = {"like": SPREAD, "reshape": RESHAPE}  # operations whose second operand is a shape


def _shape_variables(rule: Directed) -> frozenset[str]:
    """The variables of which a rule only asks the shape: what others are repeated to, and nothing else.

    They stand for extents. To look for an array with these would find each that there is.
    """
    used: set[str] = set()
    stack = [rule.left, rule.right]
    wanted: set[str] = set()
    while stack:
        expr = stack.pop()
        if isinstance(expr, Var):
            used.add(expr.name)
        elif isinstance(expr, Node):
            shape = _turned(expr.args[1])[0] if expr.op in _SHAPED else None
            wanted |= set() if shape is None else {shape}
            stack += expr.args if shape is None else expr.args[:1]
    return frozenset(wanted - used)


def _turned(shape: Expr) -> tuple[str | None, bool]:
    """The variable that has a shape, and whether it is transposed; none if it is no variable."""
    if isinstance(shape, Node) and shape.op == "transpose":
        name, turned = _turned(shape.args[0])
        return name, not turned
    return (shape.name if isinstance(shape, Var) else None), False


def needed_by(expr: Expr, kind: str) -> set[str]:
    """The names in an e-graph of all operations and numbers of an expression."""
    found = set()
    for part in walk(expr):
        if isinstance(part, Node):
            found.add(_SAME.get(part.op) or operation(part.op, kind).name)
        elif isinstance(part, Number):
            found.add(_head(part, kind))
    return found


def _head(form: Number, kind: str) -> str:
    if form.value == 0.0 and math.copysign(1.0, form.value) < 0:
        return NEGATIVE_ZERO
    return FLOAT if kind == "float" else INTEGER


class _Pattern:
    """An expression as a pattern or as a term to make; `premises` are what else has to be looked up."""

    def __init__(
        self, kind: str, bound: Sequence[str] = (), literal: str = "", shapes: frozenset[str] = frozenset()
    ) -> None:
        self.kind, self.bound, self.literal, self.shapes = kind, bound, literal, shapes
        self.makes = bool(bound or literal)
        self.premises: list[str] = []
        self._count = 0

    def text(self, expr: Expr) -> str:
        if isinstance(expr, Var):
            return _variable(expr.name)
        if isinstance(expr, Number):
            return self._number(expr)
        if expr.op in _SHAPED:
            return self._shaped(expr)
        name = _SAME.get(expr.op) or operation(expr.op, self.kind).name
        said = [SAID[expr.op]] if expr.op in SAID else []
        return f"(t.{name} {' '.join([*said, *(self.text(a) for a in expr.args)])})"

    def _shaped(self, expr: Node) -> str:
        head = _SHAPED[expr.op]
        name, turned = _turned(expr.args[1])
        if name in self.shapes:
            parts = ["batch", "cols", "rows"] if turned else ["batch", "rows", "cols"]
            return f"({head} {self.text(expr.args[0])} {' '.join(f's.{name}.{part}' for part in parts)})"
        shape, parts = self.text(expr.args[1]), []
        for part in ("batch", "rows", "cols"):
            name = self._fresh(part[0])
            self._look_up(f"(= {name} (t.{part} {shape}))")
            parts.append(name)
        return f"({head} {self.text(expr.args[0])} {' '.join(parts)})"

    def _look_up(self, premise: str) -> None:
        if premise not in self.premises:
            self.premises.append(premise)

    def _fresh(self, letter: str) -> str:
        self._count += 1
        return f"{'m' if self.makes else 'p'}.{letter}{self._count}"

    def _number(self, form: Number) -> str:
        if self.makes:
            kind = self.literal or "kind"
            if not self.literal:
                self._look_up(f"(= kind (t.elem {_variable(self.bound[0])}))")
        else:
            kind = self._fresh("k")
            self.literal = self.literal or kind
        head = _head(form, self.kind)
        if head == NEGATIVE_ZERO:
            return f"({head} {kind})"
        return f"({head} {self._value(form)} {kind})"

    def _value(self, form: Number) -> str:
        if form.op:
            args = [self._value(a) for a in form.args]
            if form.op == "/":
                self._look_up(f"(!= {args[1]} 0.0)")
            return f"({form.op} {' '.join(args)})"
        if form.name:
            return _variable(form.name)
        return repr(form.value) if self.kind == "float" else str(int(form.value))


def _variable(name: str) -> str:
    """A variable of a table, kept apart from those of this file."""
    return f"v.{name}"
