"""What the page knows of each line: MLIR with locations, assembly with debug information, and the study of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raising.explore.listing import assembly, listing
from raising.explore.page_of_study import page
from raising.explore.study import Question, study

HERE = Path(__file__).parent
KERNELS = HERE / "kernels.c"
MODULE = """\
#loc2 = loc("k.c":3:1)
#loc4 = loc("m"(#loc2))
module {
  func.func @f(%arg0: i32 loc("m"(#loc2)), %arg1: memref<?xf64> loc(unknown)) {
    %0 = arith.index_cast %arg0 : i32 to index loc(#loc3)
    scf.if %1 {
      %2 = "x.y"() {a = "loc(1)"} : () -> i32 loc(callsite(#loc2 at "k.c":8:1))
    } else {
      scf.for %i = %0 to %0 step %0 {
        %3 = foo.bar %arg0 loc("other.c":5:5)
      } loc("k.c":7:2)
    } loc(#loc5)
    %4 = linalg.reduce ins(%0) outs(%1)
      (%in: f64, %init: f64) {
        linalg.yield %in loc(#loc3)
      } loc("k.c":9:1)
    return loc(#loc)
  } loc(#loc2)
} loc(#loc)

#loc = loc(unknown)
#loc3 = loc("k.c":4:1)
#loc5 = loc(fused<"made by a rule">[#loc2, #loc3])
"""


def test_lines_lose_their_locations_and_keep_what_they_say():
    found = listing(MODULE, "k.c")
    assert found.lines[1] == "  func.func @f(%arg0: i32, %arg1: memref<?xf64>) {"
    assert found.lines[4] == '      %2 = "x.y"() {a = "loc(1)"} : () -> i32'
    assert not any("#loc" in line for line in found.lines) and "" not in found.lines
    assert found.text.endswith("}\n")


def test_an_operation_with_regions_is_its_first_line_too():
    found = dict(zip(listing(MODULE, "k.c").lines, listing(MODULE, "k.c").sources, strict=True))
    bare = {line.strip(): sources for line, sources in found.items()}
    assert bare["func.func @f(%arg0: i32, %arg1: memref<?xf64>) {"] == (3,)
    assert bare["%0 = arith.index_cast %arg0 : i32 to index"] == (4,)
    assert bare["scf.if %1 {"] == (3, 4)
    assert bare["scf.for %i = %0 to %0 step %0 {"] == (7,)
    assert bare['%2 = "x.y"() {a = "loc(1)"} : () -> i32'] == (3, 8)
    assert bare["%3 = foo.bar %arg0"] == ()  # of another file
    assert bare["%4 = linalg.reduce ins(%0) outs(%1)"] == bare["(%in: f64, %init: f64) {"] == (9,)
    assert bare["return"] == ()
    assert bare["module {"] == ()


def test_locations_that_lead_in_circles_end():
    assert listing('#loc1 = loc("a"(#loc2))\n#loc2 = loc("b"(#loc1))\nx loc(#loc1)\n', "k.c").sources == ((),)


ASSEMBLY = """\
\t.file\t"x"
\t.section\t.rodata
.LCPI0_0:
\t.long\t0
\t.text
f:
.Lfunc_begin0:
\t.cfi_startproc
\tpushq\t%rbp # spilled
\t.loc\t1 1 1 prologue_end
\tmovq\t%rdi, %rax
.LBB0_1:
.Ltmp3:
\t.loc\t1 0 0
\tretq
\t.loc\t1 9 1
\tnop
\t.section\t.debug_info,"",@progbits
\taddq\t%rax, %rax
"""


def test_instructions_know_the_lines_of_the_program():
    found = assembly(ASSEMBLY, [(), (4, 7)])
    assert found["lines"] == ["f:", "    pushq %rbp", "    movq %rdi, %rax", ".LBB0_1:", "    retq", "    nop"]
    assert found["from"] == [0, 0, 1, 0, 0, 0]
    assert found["sets"] == [[], [4, 7]] and found["cut"] == 0


@pytest.fixture(scope="module")
def kernels():
    return study(Question(KERNELS.read_text(), str(KERNELS)))


def _line(text):
    return next(n for n, line in enumerate(KERNELS.read_text().splitlines(), start=1) if text in line)


def test_an_operation_comes_from_the_statement_that_it_computes(kernels):
    assert kernels["error"] == "" and kernels["notes"] == []
    program = kernels["optimised"] or kernels["raised"]
    product = next(k for k, line in enumerate(program["lines"]) if "linalg.matvec" in line)
    sources = program["sources"][product]
    assert _line("sum += ") in sources and _line("c[i] = sum") not in sources and _line("a[i - 1]") not in sources
    asm = kernels["assembly"]
    own = [line for line, number in zip(asm["lines"], asm["from"], strict=True) if product + 1 in asm["sets"][number]]
    assert any("vfmadd" in line or "mul" in line for line in own)
    inner = next(k for k, line in enumerate(program["lines"]) if "arith.mulf" in line)
    assert program["sources"][inner][0] in (_line("i = 1; i < n"), _line("a[i - 1]"))


def test_what_keeps_a_loop_is_told_by_its_places(kernels):
    (running,) = (f for f in kernels["functions"] if f["name"] == "running")
    (needs,) = (loop["needs"] for loop in running["loops"] if "needs" in loop)
    assert (needs["array"], needs["least"], needs["most"]) == ("a", 1, 1)
    assert f":{_line('a[i - 1]')}:" in needs["read"] and f":{_line('a[i - 1]')}:" in needs["stored"]
    assert {loop["fate"] for loop in kernels["loops"]} == {"raised", "essential", "refused"}


def test_the_e_graphs_are_drawn(kernels):
    assert [name for name, _ in kernels["pictures"]] == ["product", "running"]
    assert all(picture.startswith("<svg") for _, picture in kernels["pictures"])


def test_functions_have_their_sizes(kernels):
    assert kernels["assembly"]["sizes"] == {"product": ["n"], "running": ["n"]}


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("void f(int n) { for (int i = 0; i < n; i++ }", "k.c", "expected"),
        ("", "k.c", ""),
        ("module {", "k.mlir", "error"),
        ("int f(int x) { return x; }", "k.c", ""),
    ],
)
def test_a_text_that_cannot_be_raised_is_studied_all_the_same(text, name, said):
    found = study(Question(text, name, timeout=60.0))
    assert said in found["error"] and found["source"] == text.splitlines()
    json.dumps(found)


def test_without_time_there_is_a_reason_and_no_program():
    found = study(Question(KERNELS.read_text(), "k.c", timeout=0.001))
    assert found["error"] and found["raised"] is None


def test_mlir_is_linked_to_its_own_lines():
    text = (HERE.parent.parent / "examples" / "gemm.mlir").read_text()
    found = study(Question(text, "gemm.mlir"))
    lines = {n for sources in found["raised"]["sources"] for n in sources}
    assert lines and max(lines) <= len(text.splitlines())


def test_nothing_of_a_file_becomes_markup():
    bad = '</script><script>alert(1)</script><!-- & "'
    text, _ = page({"file": bad, "source": [bad]})
    assert bad not in text and text.count("<script") == 2 and "alert(1)<" not in text


def test_a_page_alone_may_load_nothing():
    text, policy = page({"file": "k.c"})
    assert "default-src 'none'" in policy and policy in text and "connect-src" not in policy
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    served, policy = page({"file": "k.c"}, "secret")
    assert "secret" in served and "secret" not in text and "frame-ancestors 'none'" in policy
