"""Terms without rules: the tables that the engine would have."""

from __future__ import annotations

from raising.eqsat.egraph.engine import Limits, Ref, Row, saturate
from raising.eqsat.egraph.unsaturated import unsaturated
from raising.eqsat.egraph.vocabulary import PRELUDE

DECLARED = ["(constructor arith_addf (Op Op AttrPair Type) Op)", "(constructor tensor_pad|1 (Op Region Type) Op)"]
LETS = [
    "(let $v0 (Value 0 (RankedTensor (vec-of 3 -4) (F32))))",
    '(let $v1 (Value 1 (OpaqueType "tensor<?x\\"a\\\\n\\nb\\">" "")))',
    '(let $v2 (NamedAttr "value" (FloatAttr 2.5 (F32))))',
    "(let $v3 (arith_addf $v0 $v1 $v2 (F32)))",
    "(let $v4 (Reg (vec-of (Blk (vec-of $v0 (arith_addf $v0 $v1 $v2 (F32)))))))",
    "(let $v5 (tensor_pad|1 $v3 $v4 (RankedTensor (vec-empty) (F64))))",
    "(let $v6 (Result 1 $v5))",
]


def named(rows: tuple[Row, ...]) -> set[str]:
    """Rows with terms in place of the numbers of classes."""
    made = {row.output: row for row in rows if not row.name.startswith("$")}

    def shown(value: object) -> str:
        if isinstance(value, tuple):
            return f"[{' '.join(map(shown, value))}]"
        if not isinstance(value, Ref):
            return repr(value)
        return f"{value.sort}:({made[value].name} {' '.join(map(shown, made[value].inputs))})"

    return {f"{row.name} {shown(row.inputs)} = {shown(row.output)}" for row in rows}


def test_the_tables_are_those_of_the_engine():
    program = [(PRELUDE, "prelude"), *((text, "terms") for text in (*DECLARED, *LETS))]
    found = unsaturated(DECLARED, LETS)
    assert found.stopped == "saturated"
    assert named(found.rows) == named(saturate(program, ("seq",), Limits()).rows)
    assert len({row.output for row in found.rows}) == len([r for r in found.rows if r.name[0] != "$"])
