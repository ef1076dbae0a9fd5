"""What functions use, with all that they call: each body of a file is looked through once."""

from typing import Any
from unittest.mock import patch

from raising.frontend.c import convert
from raising.frontend.lower.known import field_uses

CALLS = """
struct s { int n, m, k; float *x; };
static int table[4];
static void inner(struct s *p) { p->k = p->n; table[1] = p->k; }
static void middle(struct s *p, int n) { for (int i = 0; i < n; i++) inner(p); }
void outer(struct s *p, struct s *q, int n) { p->m = 1; middle(q, n); for (int i = 0; i < n; i++) p->x[i] = 0; }
void again(struct s *p) { middle(p, 3); inner(p); }
"""


def _asked() -> tuple[dict[str, tuple[field_uses.FieldUses, set[str]]], list[str]]:
    """What is found for each function of the file while it is read, and the functions that are looked through."""
    found: dict[str, tuple[field_uses.FieldUses, set[str]]] = {}
    looked: list[str] = []
    fields, body = field_uses.Bodies.fields, field_uses._Body.__init__

    def asked(bodies: field_uses.Bodies, unit: Any, function: Any) -> field_uses.FieldUses:
        found[function.name] = fields(bodies, unit, function), bodies.names(unit, function)
        return found[function.name][0]

    def begun(self: Any, unit: Any, function: Any) -> None:
        looked.append(function.name)
        body(self, unit, function)

    with patch.object(field_uses.Bodies, "fields", asked), patch.object(field_uses._Body, "__init__", begun):
        convert(CALLS, "k.c")
    return found, looked


def test_what_callees_write_in_loops_is_looped() -> None:
    found, _ = _asked()
    uses, names = found["outer"]
    assert {f for _, f in uses.used} == {"n", "m", "k", "x"}
    assert {f for _, f in uses.written} == {"m", "k"}
    assert {f for _, f in uses.looped} == {"k"}
    assert "table" in names
    assert {f for _, f in found["again"][0].looped} == {"k"}


def test_a_body_is_looked_through_once() -> None:
    _, looked = _asked()
    assert looked.count("inner") == 1 and looked.count("middle") == 1
