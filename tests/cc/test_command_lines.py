"""Command lines, and the text with calls in it, without a compiler."""

from pathlib import Path

import pytest

from raising.cc import raise_file
from raising.cc.choice_of_compiler import takes_c_for_cpp
from raising.cc.command_line import parsed
from raising.cc.edited_text import Replacement, edited
from raising.cc.one_file import may_raise
from raising.cc.plan import Plan, plans
from raising.cc.raise_file import Chosen
from raising.cc.response_files import expanded
from raising.native.base.unsupported import CompileError


def plan(*arguments: str) -> Plan:
    (found,) = plans("gcc", parsed(arguments), Path("work"))
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        "-c a.c",
        "-O2 -O0 -c a.c",
        "-O2 -S a.c",
        "-O2 -flto -c a.c",
        "-O2 -fwrapv -c a.c",
        "-O2 -fno-strict-aliasing -c a.c",
        "-O2 -ffreestanding -c a.c",
        "-O2 -m32 -c a.c",
        "-O2 -fopenmp -c a.c",
        "-O2 -fsingle-precision-constant -c a.c",
        "-O2 -mms-bitfields -c a.c",
        "-O2 -c a.cc",
        "-O2 -x c++ -c a.c",
        "-O2 -x c -c -",
        "-O2 a.o b.o -o program",
        "-O2 -MD a.c b.c",
        "-O2 -c a.c -o /dev/null",
    ],
)
def test_these_are_left_to_the_compiler(arguments: str) -> None:
    line = parsed(arguments.split())
    assert not line.sources and line.why


def test_a_compiler_of_cpp_takes_c_for_cpp() -> None:
    assert all(map(takes_c_for_cpp, ("g++", "/usr/bin/x86_64-linux-gnu-g++-12", "clang++", "c++")))
    assert not any(map(takes_c_for_cpp, ("gcc", "gcc-12", "/opt/c++/bin/cc")))
    assert not parsed(["-O2", "-c", "a.c"], "c++").sources
    assert parsed(["-O2", "-x", "c", "-c", "a.c"], "c++").sources == (3,)


def test_sources_outputs_and_flags() -> None:
    text = "-O2 -I inc -DX=1 -Wall -Werror -x c a.txt -o a.o -c -lm -MD -MF deps"
    line = parsed(text.split())
    assert line.sources == (6,) and line.output == "a.o" and line.compiles_only
    assert line.flags(True) == ["-O2", "-I", "inc", "-DX=1", "-Wall", "-Werror"]
    assert line.flags(False) == ["-O2", "-I", "inc", "-Wall"]


def test_what_flags_allow() -> None:
    assert plan("-O2", "-c", "a.c").fp("") == "strict" and plan("-O2", "-c", "a.c").errno
    assert plan("-Ofast", "-c", "a.c").fp("") == "fast" and not plan("-Ofast", "-c", "a.c").errno
    assert plan("-Ofast", "-O2", "-c", "a.c").fp("") == "strict"
    assert plan("-O2", "-ffast-math", "-fno-associative-math", "-c", "a.c").fp("") == "strict"
    assert plan("-O2", "-ffast-math", "-fmath-errno", "-c", "a.c").errno
    for kept in ("-fno-finite-math-only", "-fsigned-zeros", "-ftrapping-math"):
        assert plan("-O2", "-ffast-math", kept, "-c", "a.c").fp("") == "reassoc"
    assert plan("-O2", "-ffast-math", "-c", "a.c").fp("") == "fast"
    assert plan("-O2", "-c", "a.c").fp("reassoc") == "reassoc"
    assert plan("-O2", "-march=native", "-c", "a.c").cpu == "native"
    assert plan("-O2", "-c", "a.c").cpu == plan("-O2", "-march=znver9", "-c", "a.c").cpu == "x86-64"


def test_dependences() -> None:
    assert plan("-O2", "-c", "a.c").dependences is None
    assert plan("-O2", "-MMD", "-c", "s/a.c").dependences == Path("a.d")
    assert plan("-O2", "-MD", "-c", "a.c", "-o", "o/b.o").dependences == Path("o/b.d")
    assert plan("-O2", "-MD", "-MF", "x", "-c", "a.c").dependences == Path("x")
    assert plan("-O2", "-Wp,-MD,.a.d", "-c", "a.c").dependences == Path(".a.d")


def test_response_files(tmp_path: Path) -> None:
    file, inner = tmp_path / "f", tmp_path / "g"
    inner.write_text("-lm")
    file.write_text(f"a 'b c'\t\"d \\\" e\"\n\\ f '' @{inner}")
    assert expanded([f"@{file}", "z", "@none"]) == ["a", "b c", 'd " e', " f", "", "-lm", "z", "@none"]
    file.write_text(f"@{file}")
    assert expanded([f"@{file}"]) is None


def test_the_filter() -> None:
    assert may_raise(b"void f(int *a) { for (;;) a[1] = 2; }")
    assert not may_raise(b"int forty(int a) { return a; }")
    assert not may_raise(b'# 1 "h.h" 1 3\nvoid f(int *a) { for (;;) a[1] = 2; }\n# 2 "a.c" 2\nint x;\n')


def test_edits_keep_lines_and_the_original() -> None:
    text = b"void f(int n, int *a) { int s = 0;\nfor (;;)\n g(a);\n}\nint h(int n) {\nreturn n; }\n"
    start = text.index(b"for")
    part = Replacement(
        "f_loop1", "f_loop1(n, a[i, 0], &s);", (start, start + 15), frozenset({"s_at"}), False, False, True
    )
    at = text.index(b"{\nreturn") + 1
    whole = Replacement("h", "h(n)", (at, at), frozenset(), True, True, False)
    found = edited(text, [part, whole])
    assert found.count(b"\n") == text.count(b"\n")
    assert b"else { for (;;)\n g(a);" in found
    assert b"raise_cc_f_loop1(n, a[i, 0], &raise_cc_2); s = raise_cc_2;" in found
    assert b"{ extern __typeof__(h(n)) raise_cc_h(__typeof__(n)); return raise_cc_h(n); \nreturn n;" in found


def test_a_pointer_that_moves() -> None:
    call = "{ long p_by; f_loop1(n, p, &p_by); p += p_by; }"
    found = edited(b"while (n--) *p++ = 0;", [Replacement("f_loop1", call, (0, 21), frozenset(), False, False, False)])
    assert found.startswith(
        b"{ long p_by; extern void raise_cc_f_loop1(__typeof__(n), __typeof__(p), __typeof__(&p_by));"
    )
    assert b"raise_cc_f_loop1(n, p, &p_by); p += p_by; } else { while" in found


def test_short_loops_are_not_called() -> None:
    whole = Replacement("h", "h(n)", (1, 1), frozenset(), True, False, True, "(n >= 64)")
    assert b"if ((n >= 64) && raise_cc_holds_h(n)) { raise_cc_h(n); return; }" in edited(b"{ }", [whole])


def test_a_function_that_cannot_be_compiled_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def compiled(_task: object, _module: object, _text: str, taken: list[str], _chosen: Chosen) -> dict[str, object]:
        if "b" in taken:
            raise CompileError("k.c: error: a copy would be needed")
        return {"needs": tuple(taken)}

    monkeypatch.setattr(raise_file, "_compiled", compiled)
    chosen, wanted = Chosen(), ["a", "b", "c"]
    good, code = raise_file._compilable(None, None, "", wanted, chosen)  # type: ignore[arg-type]
    assert (good, code) == (["a", "c"], {"needs": ("a", "c")})
    assert chosen.reasons == {"b": "it cannot be compiled: k.c: error: a copy would be needed"}
