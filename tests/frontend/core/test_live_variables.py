"""Liveness on the core, asked at the first loop of a function."""

import pytest

from raising.frontend.c.read_c import read_c
from raising.frontend.core.live_variables import Liveness
from raising.frontend.core.statement_nodes import Loop
from raising.frontend.core.traverse import statements

LOOP = "for (int z = 0; z < 9; z++) g();"
LIVE = {
    f"int a = 1, b = 2; {LOOP} return a;": "a",
    f"int a = 1; {LOOP} a = 2; return a;": "",
    f"int a = 1; {LOOP} if (g()) a = 2; return a;": "a",
    f"int a = 1; {LOOP} if (g()) a = 2; else a = 3; return a;": "",
    f"int a = 1; while (g()) {{ a = g(); {LOOP} }} return 0;": "",
    f"int a = 1; while (g()) {{ if (g()) a = g() + a; {LOOP} }} return 0;": "a",
    f"int a = 1; while (a) {{ {LOOP} }} return 0;": "a",
    f"int a = 1; do {{ {LOOP} a = 0; }} while (a); return 0;": "",
    f"int a = 1; while (g()) {{ {LOOP} break; a++; }} return 0;": "",
    f"int a = 1; for (;; a++) {{ {LOOP} if (g()) continue; break; }} return 0;": "a",
    f"int a = 1; back: {LOOP} if (g()) goto back; return a;": "a",
    f"int a = 1, b = 1; back: b = a; {LOOP} if (g()) goto back; return b;": "ab",
    f"int a = 1, b = 1; {LOOP} switch (g()) {{ case 1: a = 2; break; default: b = 2; }} return a + b;": "ab",
    f"int a = 1; {LOOP} switch (g()) {{ case 1: a = 2; default: a = 3; }} return a;": "",
    f"int a = 1, *p = &a; {LOOP} a = 2; return a;": "a",
    f"int a = 1, n = g(); {LOOP} {{ int v[n]; v[0] = 1; return v[0]; }}": "n",
}


@pytest.mark.parametrize(("body", "live"), LIVE.items())
def test_what_is_live_behind_a_loop(body: str, live: str):
    function = read_c(f"int g(void); int f(void) {{ {body} }}", "k.c", []).routines["f"]
    found = Liveness(function)
    loop = next(s for s in statements(function.body or ()) if isinstance(s, Loop) and "z" in str(s.condition))
    names = {v.source or v.name for n, v in function.variables.items() if n in found.behind(loop)}
    assert names - {"p"} >= set(live) and not {"a", "b"} & names - set(live)
