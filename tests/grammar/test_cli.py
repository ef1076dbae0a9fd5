"""The command `raise-grammar`: what it prints, and how it fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raising.grammar import grammar_command as cli
from raising.grammar.dialects import tablegen


def _said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


ROOT = Path(__file__).parents[2]
TOY = ROOT / "examples" / "toy" / "toy.toml"
SMALL = ROOT / "tests" / "inputs" / "td" / "small.td"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
def test_the_listing_has_every_operation_and_the_counts(capsys: pytest.CaptureFixture[str], target: str) -> None:
    status, out, _ = _said(capsys, "--target", target)
    assert status == 0
    assert f"{target}." in out and "left out: " in out
    assert "with meaning in" in out.splitlines()[-1]


def test_one_operation_is_shown_with_all_it_means(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _said(capsys, "--op", "matmul")
    assert "out[d0, d1] = addf(out[d0, d1], mulf(a[d0, d2], b[d2, d1]))  over d2" in out
    _, out, _ = _said(capsys, "--target", "stablehlo", "--op", "stablehlo.slice")
    assert "window (start_indices = start, limit_indices = limit, strides = stride)" in out


def test_json_has_four_parts(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(_said(capsys, "--target", "stablehlo", "--json")[1])
    assert list(data) == ["target", "operations", "productions", "excluded"]
    assert set(data["excluded"][0]) == {"operation", "why"}
    one = json.loads(_said(capsys, "--target", "stablehlo", "--json", "--op", "add")[1])
    assert {p["op"] for p in one["productions"]} == {"stablehlo.add"} and len(one["operations"]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--op", "nonsense"), "target 'linalg' has no operation 'nonsense'"),
        (("--op", "matmull"), "target 'linalg' has no operation 'matmull' (did you mean matmul"),
        (("--op", "linalg.matmull"), "(did you mean linalg.matmul"),
        (("--target", "matlab"), "unknown target 'matlab' (known: "),
        (("--target", "no/such.toml"), "no/such.toml: cannot be read: no such file"),
        (("--target", "stablehlo", "--td", "no/such.td"), "no/such.td: cannot be read: no such file"),
        (("--target", "stablehlo", "--td", "/dev/zero"), "/dev/zero: is no TableGen file"),
        (("--target", "stablehlo", "--td", str(ROOT / "tests")), "tests: is no TableGen file"),
        (("--target", "linalg", "--td", "no/such.td"), "no/such.td: target 'linalg' is read from"),
        (("--target", str(TOY), "--td", "no/such.td"), "toy.toml: names its definitions itself"),
    ],
)
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    status, out, err = _said(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_the_listing_says_where_all_of_it_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _said(capsys, "--target", str(TOY))
    assert "definitions: toy.irdl\nmeaning: the functions of meaning.mlir" in out
    assert "toy.relu    (x) -> y\n              1 structured (f64 f64)\n" in out
    _, out, _ = _said(capsys, "--target", "stablehlo")
    assert "meaning: builtin.module(func.func(stablehlo-legalize-to-linalg))" in out and "eval_module" in out
    assert "stablehlo.transpose" in out and "[permutation: DenseI64ArrayAttr] -> result" in out


def test_counts_are_those_of_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    for target in ("tosa", str(TOY)):
        data = json.loads(_said(capsys, "--target", target, "--json")[1])
        names = {f"{o['dialect']}.{o['name']}" for o in data["operations"]}
        meant = {p["op"] for p in data["productions"]} & names
        out = _said(capsys, "--target", target)[1]
        assert f"{len(names)} operations: {len(meant)} with meaning in {len(data['productions'])} productions" in out
        assert {e["operation"] for e in data["excluded"]} == names - meant  # every one has a reason


# ---- a definition file of one's own --------------------------------------------------------------


def _definitions() -> str:
    try:
        return str(tablegen.include_folder())
    except tablegen.NoDefinitions as why:
        return f"no: {why}"


needs_definitions = pytest.mark.skipif(_definitions().startswith("no: "), reason=_definitions())


@needs_definitions
def test_a_td_file_is_probed_by_the_dialect_that_it_defines(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(_said(capsys, "--target", "stablehlo", "--td", str(SMALL), "--json")[1])
    committed = json.loads(_said(capsys, "--target", "stablehlo", "--json")[1])
    found = {p["op"] for p in data["productions"]}
    assert found == {f"stablehlo.{n}" for n in ("add", "compare", "exponential", "reverse", "transpose")}

    def said(grammar: dict[str, object], op: str) -> set[str]:
        fields = ("attrs", "elements", "reads_as", "family", "roles")
        return {json.dumps([p[f] for f in fields]) for p in grammar["productions"] if p["op"] == op}  # type: ignore[attr-defined]

    for op in ("stablehlo.add", "stablehlo.exponential", "stablehlo.transpose", "stablehlo.reverse"):
        assert said(data, op) == said(committed, op)  # as from the generated classes
    directions = {text for p in data["productions"] for _, text in p["attrs"] if p["op"] == "stablehlo.compare"}
    assert {d.split()[-1].strip("<>") for d in directions} == {"EQ", "GE", "GT", "LE", "LT", "NE"}
    (odd,) = data["excluded"]
    assert odd == {"operation": "stablehlo.odd", "why": "the installed MLIR has no operation of this name"}


@needs_definitions
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def x : NoSuchClass;", "my.td:1:9: Couldn't find class 'NoSuchClass'"),
        ('include "no/such.td"', "my.td:1:9: "),
        ("Dear reader,", "my.td:1:1: Unexpected token"),
        ("class A; def a : A;", "my.td: "),
        ("", "my.td: is no TableGen file"),
        ("\0\0", "my.td: is no TableGen file"),
    ],
)
def test_what_is_no_definition_is_named_with_its_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.td").write_text(text)
    status, out, err = _said(capsys, "--target", "stablehlo", "--td", "my.td")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"raise-grammar: error: {message}"), err


@needs_definitions
def test_an_argument_of_an_unknown_class_leaves_out_its_operation_only(tmp_path: Path) -> None:
    text = SMALL.read_text().replace("Small_Tensor:$operand, Small_TokenAttr:$token", "Strange:$operand")
    (tmp_path / "my.td").write_text(text.replace("def Small_OddOp", "def Strange;\ndef Small_OddOp"))
    ops, unread = tablegen.read_file(tmp_path / "my.td")
    assert len(ops) == 6
    assert [(e.operation, e.why.endswith("argument 'operand' is of unknown class")) for e in unread] == [
        ("stablehlo.odd", True)
    ]
