"""Terms as algebra, for people: `C[i,j] += sum_k(A[i,k] * B[k,j])`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.grammar.terms.scalar_ops import SCALARS, predicate
from raising.grammar.terms.structured_op import CONSTANT, Body, Linear, scalar_part
from raising.grammar.terms.term import (
    Apply,
    Call,
    Either,
    Input,
    Insert,
    Literal,
    Mask,
    Position,
    Reshape,
    Reverse,
    Term,
    Undefined,
    Window,
)

_LETTERS = "ijklmnpqrstuvwxyz"
_SUM, _PRODUCT, _SIGN, _ATOM = 1, 2, 3, 9
_INFIX = {"add": (" + ", _SUM), "sub": (" - ", _SUM), "mul": (" * ", _PRODUCT), "div": (" / ", _PRODUCT)}
_FUNCTION = {"greater": "max", "less": "min", "magnitude": "abs", "select": "where", "inverse_root": "rsqrt"}
_REDUCTION = {"add": "sum", "mul": "prod", "greater": "max", "less": "min"}
_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

MAX_NODES, MAX_LENGTH = 200, 2000  # shared subterms are printed again at each use, which may be exponential

Text = tuple[str, int]  # an expression, and how tightly it binds
_ELLIPSIS = ("…", _ATOM)


def statement(target: str, term: Term, names: Callable[[str], str] = str) -> str:
    """The computation of a part, as an assignment to the array `target`; `names` gives the names to print."""
    printer = _Printer(names)
    indices = printer.letters(term.type.rank)
    head = _element(names(target), indices)
    if isinstance(term, Apply) and isinstance(term.init, Input) and names(term.init.name) == names(target):
        part, op = scalar_part(term.body)
        if op is not None and SCALARS[op].residue == "add":
            return f"{head} += {printer.gathered(term, part, op, indices)[0]}"
    return f"{head} = {printer.expression(term, indices)[0]}"


class _Printer:
    """Prints expressions; every summation index gets a letter of its own."""

    def __init__(self, names: Callable[[str], str]) -> None:
        self.names = names
        self._count = 0
        self._nodes = 0

    def letters(self, count: int) -> list[str]:
        """Index letters that were not used before."""
        first, self._count = self._count, self._count + count
        turn, size = divmod, len(_LETTERS)
        return [_LETTERS[turn(k, size)[1]] + str(turn(k, size)[0] or "") for k in range(first, self._count)]

    def expression(self, term: Term, at: Sequence[str]) -> Text:
        """The element of `term` at the indices `at`, with an ellipsis where there is too much of it."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            return _ELLIPSIS
        match term:
            case Input():
                return _element(self.names(term.name), at), _ATOM
            case Literal():
                return _number(term.text), _ATOM
            case Mask():
                return f"[{' or '.join(_all(conds, at) for conds in term.alternatives) or 'never'}]", _ATOM
            case Position():
                return str(_placed(term.form, at)), _SUM
            case Apply():
                return self._apply(term, at)
            case Undefined():
                return "undefined", _ATOM
        return self._placed(term, at)

    def _placed(self, term: Term, at: Sequence[str]) -> Text:
        """Terms that move elements or choose between tensors."""
        match term:
            case Window():
                inside = [str(o) for o in term.offsets]
                for dim, letter in zip(term.kept, at, strict=True):
                    inside[dim] = _shifted(letter, term.strides[dim], term.offsets[dim])
                return self.expression(term.source, inside)
            case Reverse():
                last = [str(term.type.dims[k] - 1) for k in range(term.type.rank)]
                turned = [f"{last[k]} - {letter}" if k in term.axes else letter for k, letter in enumerate(at)]
                return self.expression(term.source, turned)
            case Reshape():
                shape = "x".join(map(str, term.type.dims))
                return _element(
                    f"reshape({self.expression(term.source, self.letters(term.source.type.rank))[0]}, {shape})", at
                ), _ATOM
            case Insert():
                box = ", ".join(map(str, term.offsets))
                piece = self.expression(term.piece, self.letters(term.piece.type.rank))[0]
                return f"insert({piece} at ({box}) into {self.expression(term.into, at)[0]})", _ATOM
            case Either():
                yes, no = self.expression(term.yes, at)[0], self.expression(term.no, at)[0]
                return f"where({_all(term.conds, at)}, {yes}, {no})", _ATOM
        if isinstance(term, Call):
            inputs = [self.expression(t, self.letters(t.type.rank))[0] for t in term.inputs]
            return _element(f"{_tail(term.procedure.operation)}({', '.join(inputs)})", at), _ATOM
        return type(term).__name__.lower(), _ATOM

    def _apply(self, term: Apply, at: Sequence[str]) -> Text:
        part, op = scalar_part(term.body)
        value = self.gathered(term, part, op, at)
        if op is None or term.init is None:
            return value
        return _scalar(op, (), [self.expression(term.init, at), value])

    def gathered(self, term: Apply, part: Body, op: str | None, at: Sequence[str]) -> Text:
        """The body on the inputs, gathered over the dimensions that do not reach the output."""
        where = {d: letter for d, letter in zip(term.maps[-1], at, strict=True) if isinstance(d, int)}
        missing = [d for d in range(len(term.extents())) if d not in where]
        fresh = self.letters(len(missing))
        where.update(zip(missing, fresh, strict=True))
        values: list[Text] = []
        for operand, m in zip(term.inputs, term.maps, strict=False):
            values.append(self.expression(operand, [_index(entry, where) for entry in m]))
        text = _body(part, values)
        if not missing or op is None:
            return text
        name = _REDUCTION.get(SCALARS[op].residue, f"reduce[{_tail(op)}]")
        return f"{name}_{','.join(fresh)}({text[0]})", _ATOM


# ---- pieces --------------------------------------------------------------------------------------


def _body(body: Body, inputs: list[Text]) -> Text:
    values = [*inputs, ("old", _ATOM)]
    for instr in body.instrs:
        if instr.op == CONSTANT:
            text = _constant(dict(instr.attrs)["value"].partition(":")[0].strip()), _ATOM
        else:
            text = _scalar(instr.op, instr.attrs, [values[a] for a in instr.args])
        values.append(text if len(text[0]) <= MAX_LENGTH else _ELLIPSIS)
    return values[body.result]


def _scalar(op: str, attrs: Sequence[tuple[str, str]], args: list[Text]) -> Text:
    kind = SCALARS[op].residue
    if kind in _INFIX:
        sign, level = _INFIX[kind]
        left, right = _bound(args[0], level), _bound(args[1], level + (kind in ("sub", "div")))
        return f"{left}{sign}{right}", level
    if kind == "neg":
        return f"-{_bound(args[0], _SIGN)}", _SIGN
    if kind == "fma":
        return _scalar_sum(args)
    if kind == "same":
        return args[0]
    if kind == "compare":
        return f"({args[0][0]} {_relation(op, attrs)} {args[1][0]})", _ATOM
    return f"{_FUNCTION.get(kind, _tail(op))}({', '.join(a[0] for a in args)})", _ATOM


def _scalar_sum(args: list[Text]) -> Text:
    factors = " * ".join(_bound(a, _PRODUCT) for a in args[:2])
    return f"{factors} + {_bound(args[2], _SUM)}", _SUM


def _bound(text: Text, level: int) -> str:
    return text[0] if text[1] >= level else f"({text[0]})"


def _relation(op: str, attrs: Sequence[tuple[str, str]]) -> str:
    name = predicate(op, tuple(attrs))
    return _SIGNS.get(name, name)


def _tail(op: str) -> str:
    return op.rpartition(".")[2]


def _element(name: str, at: Sequence[str]) -> str:
    return f"{name}[{','.join(at)}]" if at else name


def _constant(text: str) -> str:
    return _number(repr(float(text))) if re.fullmatch(r"-?[\d.]+e[+-]\d+", text) else text


def _number(text: str) -> str:
    return text.removesuffix(".0") or "0"


def _index(entry: int | Linear, where: dict[int, str]) -> str:
    if isinstance(entry, int):
        return where[entry]
    return " + ".join(where[d] if c == 1 else f"{c}*{where[d]}" for d, c in entry)


def _shifted(letter: str, stride: int, offset: Lin) -> str:
    inner = f"({letter})" if stride != 1 and not letter.isalnum() else letter
    scaled = inner if stride == 1 else f"{stride}*{inner}"
    return scaled if offset == Lin(0) else f"{scaled} + {offset}".replace("+ -", "- ")


def _placed(form: Lin, at: Sequence[str]) -> Lin:
    letters = {f"d{k}": var(letter if letter.isalnum() else f"({letter})") for k, letter in enumerate(at)}
    return form.substitute(letters.get)


def _all(conds: Sequence[Cond], at: Sequence[str]) -> str:
    return " and ".join(_condition(c, at) for c in conds) or "always"


def _condition(cond: Cond, at: Sequence[str]) -> str:
    """A condition with its negative terms moved to the other side."""
    form = _placed(cond.form, at)
    left = Lin(max(form.const, 0), tuple((a, c) for a, c in form.terms if c > 0))
    right = left - form
    return f"{left} {'=' if cond.equality else '>='} {right}"
