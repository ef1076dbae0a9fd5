"""From the syntax of a function and the types of its arguments to machine code, in a child process.

What goes out is data (`Built`): it is kept on disk, and read by processes that import nothing of what is imported here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import field, replace
from functools import partial
from importlib import import_module
from typing import Any

from raising.compile_module import kept_code, prepare
from raising.decorator.call_types import DataDecide, Kind, Pattern
from raising.decorator.settings import Settings
from raising.decorator.size_forms import is_extent
from raising.decorator.sources import Sources
from raising.frontend.lower.ir.module import Refused, SourceRemark
from raising.frontend.lower.ir.nodes import Function
from raising.frontend.lower.ir.polynomial import Poly, Quot
from raising.frontend.python.annotations import Signature, parameters
from raising.frontend.python.checked_accesses import Need
from raising.frontend.python.module import Module
from raising.frontend.python.python_to_mlir import converted, kept
from raising.frontend.python.read_python import read_module
from raising.native.base.compile_options import CompileOptions
from raising.native.base.unsupported import CompileError
from raising.native.call.code_cache import Kept
from raising.optimise.optimise_module import optimised_if_possible
from raising.pipeline import raise_module
from raising.report.report import verdicts
from raising.support.cli_options import MEMORY
from raising.support.errors import InputError
from raising.support.isolate import Ahead, Failed, Finished, Tell, run_with_mlir, waiting
from raising.support.record import dataclass
from raising.support.source import Loc, unused_name
from raising.verify.call_needs import computed_positions, with_needs

_SECONDS = 600.0
_PROOF_SHARE = 1 / 12  # of the time for raising: a call waits for it, and the code is the same without it
_UNKNOWN = "what it accesses of its arrays is not known before it runs ({})"

Built = dict[str, Any]
"""`code` with its signatures and libraries; `results`, `returns`, `assumed` and `names` for calls, `failures` of code
that is as it was written; texts and remarks for people."""


def build(
    sources: Sources, kinds: dict[str, Kind], pattern: Pattern, settings: Settings, as_written: bool = False
) -> Built:
    """The code of a function for some types of arguments; `InputError` at the place that cannot be compiled.

    What is compiled `as_written` keeps its loops, and looks at each access when it runs.
    """
    if as_written:
        found = _in_child(partial(_built_as_written, sources, kinds, pattern, settings))
    else:
        found = _in_child(partial(_built, sources, kinds, pattern, settings, True))
        if isinstance(found, Failed):
            why = f"the loops are compiled as they are, since raising them {found.reason}"
            found = _in_child(partial(_built, sources, kinds, pattern, settings, False, why))
    if isinstance(found, Failed):
        raise InputError(_place(sources), f"internal: the compiler {found.reason}; please report this")
    return found.value


def _in_child(work: partial[Built]) -> Finished[Built] | Failed:
    expected = InputError, CompileError
    try:
        return run_with_mlir(work, _prepare, timeout=_SECONDS, extra_bytes=MEMORY, expected=expected)
    except CompileError as error:
        raise InputError(Loc(), str(error)) from None


def _prepare() -> None:
    """Load what every build needs, and its proof in a child of that: the next function finds it here."""
    prepare()
    for name in ("by_cases", "confirmed", "in_bounds"):
        import_module(f"raising.validate.proof.{name}")


def _built(
    sources: Sources, kinds: dict[str, Kind], pattern: Pattern, settings: Settings, raised: bool, *remarks: str
) -> Built:
    module = _module(sources, kinds, pattern)
    read = read_module(module, [sources.name])
    source, typed = converted(read)
    _refuse(source.refused)
    if told := computed_positions(source.mlir, sources.name, module.file):
        raise InputError(_place(sources), _UNKNOWN.format(told))
    steps = _Steps(source.mlir, source.mlir, [str(r) for r in (*source.remarks, *source.assumptions)])
    if raised:
        steps = _raised(steps, module.file, settings)
    programs = [steps.program, steps.raised, source.mlir]
    code, program = _compiled(programs, source.mlir, module.file, settings, steps)
    return {
        **_interface(sources, read.signatures[sources.name], kinds),
        "code": code,
        "place": str(typed[0].loc),
        "assumed": _assumed(typed[0]),
        "loops": source.mlir,
        "raised": steps.raised,
        "program": program,
        "saturation": steps.saturation,
        "verdict": steps.verdict,
        "remarks": [*steps.remarks, *remarks],
    }


@dataclass(frozen=True)
class _Steps:
    """The texts of a function after it was raised, and after it was made cheaper; what each step said.

    `codes` are those of texts that have been compiled.
    """

    raised: str
    program: str
    remarks: list[str]
    verdict: str = "not raised"
    saturation: str = ""
    codes: dict[str, Kept] = field(default_factory=dict)


@dataclass(frozen=True)
class _Better:
    """A program that was made cheaper, what there is to say of that, and its code, if it was made."""

    program: str
    saturation: str
    code: Kept | None = None


def _raised(loops: _Steps, file: str, settings: Settings) -> _Steps:
    """The loops raised and, if that is wanted, made cheaper: while it is proved, what is expected to be the result."""
    fp, cache = settings.fp, settings.cache
    with ExitStack() as stack:
        later = partial(_compiled_later, file, settings)
        child = waiting(_nothing, later, timeout=_SECONDS, extra_bytes=MEMORY)
        ahead = Ahead(lambda: stack.enter_context(child))
        result = raise_module(
            loops.raised,
            file=file,
            check=settings.check,
            cache=cache,
            timeout=settings.timeout,
            proof_share=1.0 if fp == "strict" else _PROOF_SHARE,
            strict_fp=fp == "strict",
            expected=ahead.begin,
        )
        made = ahead.result(result.text, _SECONDS) if ahead.begun else None
    made = made or _better(result.text, file, settings)
    remarks = [*loops.remarks, *map(str, result.remarks)]
    verdict = " ".join(r.why for r in verdicts(result)) or "nothing was raised"
    codes = {} if made.code is None else {made.program: made.code}
    return _Steps(result.text, made.program, remarks, verdict, made.saturation, codes)


def _nothing() -> None:
    """What a child needs to get ready that has everything from its parent."""


def _compiled_later(file: str, settings: Settings, text: str, _: Tell) -> _Better:
    """What is expected to be the result, made cheaper and compiled."""
    made = _better(text, file, settings)
    try:
        return replace(made, code=kept_code(made.program.encode(), file, _options(settings))[0])
    except CompileError:
        return made


def _better(text: str, file: str, settings: Settings) -> _Better:
    """A raised program made cheaper, if that is wanted."""
    if not settings.optimise:
        return _Better(text, "")
    found = optimised_if_possible(text, file=file, fp=settings.fp, own=settings.rules)
    saturation = "\n".join(map(str, found.remarks))
    if settings.rules is not None:
        saturation = f"{saturation}\nrules that were given:\n{settings.rules}"
    return _Better(found.text, saturation)


def _built_as_written(sources: Sources, kinds: dict[str, Kind], pattern: Pattern, settings: Settings) -> Built:
    module = _module(sources, kinds, pattern)
    module.as_written = True
    read = read_module(module, [sources.name])
    _refuse(read.refused)
    try:
        source, looked = kept(read, sources.name)
    except Refused as error:
        raise InputError(error.loc if error.loc.line else _place(sources), error.reason) from None
    code = kept_code(source.mlir.encode(), module.file, _options(settings), looks=True)[0]
    texts = dict.fromkeys(("loops", "raised", "program"), source.mlir)
    return {
        **_interface(sources, read.signatures[sources.name], kinds),
        **texts,
        "code": code,
        "place": str(_place(sources)),
        "assumed": [_needed(need) for need in looked.needs],
        "failures": [[place.file, place.line, place.col, reason] for place, reason in looked.reasons],
        "saturation": "",
        "verdict": "compiled as it is written: it has loops or accesses that depend on data",
        "remarks": [],
    }


def _options(settings: Settings) -> CompileOptions:
    return CompileOptions(threads=settings.threads, fp=settings.fp, cache=settings.cache)


def _interface(sources: Sources, signature: Signature, kinds: dict[str, Kind]) -> Built:
    """The description of results and sizes that a call needs; `InputError` for a length that only data tell."""
    integers = [name for name, kind in signature.scalars.items() if not kind.is_float and not kind.is_bool]
    known = dict.fromkeys((*signature.sizes, *integers), 1)
    for name, shaped in signature.results.items():
        if any(not is_extent(e, known) for e in shaped.extents):
            raise InputError(_place(sources), f"the length of '{name}', which is returned, depends on data")
    return {
        "kinds": [[kind.dtype, kind.rank] for kind in kinds.values()],
        "returns": _returns(signature),
        "results": [[n, s.kind.dtype, [ast.unparse(e) for e in s.extents]] for n, s in signature.results.items()],
        "boxed": {name: [kind.dtype, kind.weak] for name, kind in signature.boxed.items()},
        "number": [signature.number.dtype, signature.number.weak] if signature.number else None,
        "sizes": {name: list(where) for name, where in signature.sizes.items()},
    }


def number_returned(sources: Sources, kinds: dict[str, Kind]) -> str:
    """The name of the type of the number that a function of numbers returns; `InputError` if it returns none."""
    read = read_module(_module(sources, kinds, ()), [sources.name])
    _refuse(read.refused)
    number = read.signatures[sources.name].number
    if number is None:
        raise InputError(_place(sources), f"'{sources.name}' has to return one number")
    return number.dtype


def _place(sources: Sources) -> Loc:
    return Loc(sources.files[0], sources.functions[sources.name].lineno, 1)


def _refuse(refused: Iterable[SourceRemark]) -> None:
    """`InputError` for the first of the remarks on what cannot be compiled."""
    for remark in refused:
        why = remark.reason.partition(" stays in Python: ")[2] or remark.reason
        raise (DataDecide if remark.on_data else InputError)(remark.place, why)


def _compiled(programs: list[str], loops: str, file: str, settings: Settings, steps: _Steps) -> tuple[Kept, str]:
    """The code of the first of some equal programs that can be compiled, and that program.

    What it accesses is asked of the loops where it is not known of the program: no more than they do.
    """
    distinct = list(dict.fromkeys(programs))
    for program in distinct:
        try:
            code = steps.codes.get(program) or kept_code(program.encode(), file, _options(settings))[0]
        except CompileError as error:
            if program == distinct[-1]:
                raise
            steps.remarks.append(f"the program is compiled as it was one step before: {error}")
        else:
            return _with_known_needs(code, loops, file), program
    raise AssertionError("there is no program")


def _with_known_needs(kept: Kept, loops: str, file: str) -> Kept:
    """Code of which it is known what it accesses, if need be of the loops; else `CompileError`.

    Where all sizes are known, it is that of the loops: they may leave their arrays at just these sizes.
    """
    code, signatures, libraries = kept
    if any(s.needs is None or s.needs.unknown for s in signatures):
        known = {s.name: s.needs for s in with_needs(loops.encode(), file, signatures, known=True)}
        lost = {name for name, needs in known.items() if needs and needs.unknown}
        signatures = tuple(
            s if s.needs is None and s.name in lost else replace(s, needs=known[s.name]) for s in signatures
        )
    for unknown in (s.needs.unknown for s in signatures if s.needs and s.needs.unknown):
        raise CompileError(_UNKNOWN.format(unknown))
    return code, signatures, libraries


def _module(sources: Sources, kinds: dict[str, Kind], pattern: Pattern) -> Module:
    """The functions with an annotation for each parameter of the first one."""
    functions = {name: deepcopy(node) for name, node in sources.functions.items()}
    module = Module(sources.files[0], functions=functions, more=tuple(sources.files[1:]))
    module.names |= {"itertools": "itertools", "numba": "numba"}
    extents = iter(pattern)
    for helper in functions.values():
        for argument in parameters(helper):
            argument.annotation = None  # of which Python makes nothing
    first = functions[sources.name]
    taken = {n.id for n in ast.walk(first) if isinstance(n, ast.Name)}
    for argument in parameters(first):
        dtype, weak, rank = kinds[argument.arg]
        if rank == 0 and dtype.startswith("complex"):
            _take_complex(first, argument, dtype, weak)
            continue
        element = repr(dtype) if weak else f"numpy.{dtype}{'_' * (dtype == 'bool')}"
        own = [next(extents) for _ in range(rank)]
        shape = [str(e) if isinstance(e, int) else unused_name(e, taken) for e in own]
        argument.annotation = _expression(f"{element}[{', '.join(shape)},]" if rank else element, argument)
    return module


def _take_complex(function: ast.FunctionDef, argument: ast.arg, dtype: str, weak: bool) -> None:
    """A parameter that is a complex number: the only element of an array, which a variable of another name gets."""
    own = unused_name(f"{argument.arg}_", {n.id for n in ast.walk(function) if isinstance(n, ast.Name)})
    for node in ast.walk(ast.Module(function.body, [])):
        if isinstance(node, ast.Name) and node.id == argument.arg:
            node.id = own
    call = f"numpy._pythons({argument.arg}[0])" if weak else f"{argument.arg}[0]"
    target = ast.copy_location(ast.Name(own, ast.Store()), argument)
    function.body.insert(0, ast.copy_location(ast.Assign([target], _expression(call, argument)), argument))
    argument.annotation = _expression(f"numpy.{dtype}[1]", argument)


def _expression(text: str, at: ast.AST) -> ast.expr:
    """The expression of a text at a place."""
    found = ast.parse(text, mode="eval").body
    for part in ast.walk(found):
        ast.copy_location(part, at)
    return found


def _returns(signature: Signature) -> list[str] | None:
    """The names of the arrays that are returned, one alone in a list of its own; None for a number or nothing."""
    last = signature.node.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    names = [p.id for p in parts if isinstance(p, ast.Name) and (p.id in signature.results or p.id in signature.arrays)]
    if not names or len(names) != len(parts):
        return None
    return [*names, "tuple"] if isinstance(value, ast.Tuple) else names


def _assumed(function: Function) -> list[dict[str, Any]]:
    bounds = {name: [[_form(f) for f in forms] for forms in pair] for name, pair in function.bounds.items()}
    return [
        {
            "where": str(one.loc),
            "text": one.text,
            "conds": [[_form(c.form), c.equality] for c in one.conds],
            "ranges": [[_form(r.form), r.low, r.high] for r in one.ranges],
            "bounds": bounds,
        }
        for one in dict.fromkeys(function.assumptions)
        if one.conds or one.ranges
    ]


def _needed(need: Need) -> dict[str, Any]:
    return {"where": str(need.loc), "text": need.text, "conds": [[_form(need.form), False]], "ranges": [], "bounds": {}}


def _form(form: Poly) -> list[Any]:
    """A polynomial as `raising.decorator.size_forms` has it."""
    return [[[_atom(atom) for atom in mono], coefficient] for mono, coefficient in form.terms]


def _atom(atom: Any) -> Any:
    if isinstance(atom, str):
        return atom
    return ["quot" if isinstance(atom, Quot) else "rem", _form(atom.inner), atom.divisor]
