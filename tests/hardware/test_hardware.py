"""Circuits: read, written and proved as they compute, never worse by the model, and nothing that is not proved."""

import os
import random
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("circt") is None:  # imported here, in front of MLIR, it would break what children compile
    pytest.skip("the extra 'hardware' is not installed", allow_module_level=True)

from raising.commands.opt_command import main
from raising.eqsat.egraph.engine import Limits, Ref, Saturated
from raising.eqsat.egraph.purity import Purity
from raising.eqsat.hardware.better_circuit import improve
from raising.eqsat.hardware.circuit import (
    PREDICATES,
    SHIFTS,
    Circuit,
    Net,
    computed,
    number_value,
    z3_value,
)
from raising.eqsat.hardware.modular_algebra import Algebra, TooLarge
from raising.eqsat.hardware.prove import Equality, equal
from raising.eqsat.hardware.read import READERS, design_of, modules
from raising.eqsat.hardware.write import write
from raising.frontend.mlir.parse_module import make_context
from raising.frontend.mlir.reader import InputError
from raising.optimise.hardware import better_circuits, better_circuits_here
from raising.optimise.optimise_module import OptimiseResult
from raising.support.isolate import Finished, run_fresh

BENCH = Path(__file__).parents[1] / "bench" / "eqsat" / "circuits"
LIMITS = Limits(nodes=600)


def random_circuit(rng: random.Random, size: int = 12) -> Circuit:
    """Operations of every kind on nets of few bits."""
    found = Circuit()
    nets = [found.add("in", rng.choice((1, 1, 2, 3, 5)), value=n) for n in range(4)]
    nets.append(found.const(rng.getrandbits(3), 3))
    for _ in range(size):
        nets.append(random_net(found, rng, nets))
    found.roots = nets[-3:]
    return found


def random_net(found: Circuit, rng: random.Random, nets: list[int]) -> int:
    a, b, c = (rng.choice(nets) for _ in range(3))
    w = found.width(a)
    b = fitted(found, b, w)
    kind = rng.choice(("ring", "ring", "bits", "shift", "test", "mux", "ext", "cat", "widen", "lsl"))
    if kind == "shift":
        return found.add(rng.choice(SHIFTS), w, a, c)
    if kind == "test":
        return found.add(rng.choice(PREDICATES), 1, a, b)
    if kind == "mux":
        return found.add("mux", w, fitted(found, c, 1), a, b)
    if kind == "ext":
        low = rng.randrange(w)
        return found.add("ext", rng.randint(1, w - low), a, value=low)
    if kind == "cat":
        return found.add("cat", w + found.width(c), a, c) if w + found.width(c) < 9 else a
    if kind == "widen":
        return found.add(rng.choice(("zext", "sext")), w + rng.randint(1, 3), a)
    if kind == "lsl":
        return found.add("lsl", w, a, value=rng.randrange(w))
    return found.add(rng.choice(("add", "sub", "mul") if kind == "ring" else ("and", "or", "xor")), w, a, b)


def fitted(found: Circuit, net: int, width: int) -> int:
    """A net cut or widened."""
    has = found.width(net)
    return net if has == width else found.add("ext", width, net) if has > width else found.add("zext", width, net)


def inputs_of(rng: random.Random) -> dict[int, int]:
    return {n: rng.getrandbits(5) for n in range(4)}


@pytest.mark.parametrize("seed", range(40))
def test_operations_mean_the_same_to_z3_and_as_numbers(seed: int):
    import z3

    rng = random.Random(seed)
    circuit = random_circuit(rng)
    values = computed(circuit, inputs_of(rng))
    for n in circuit.used():
        net = circuit.nets[n]
        if net.op not in ("in", "const"):
            widths = [circuit.width(a) for a in net.args]
            args = [z3.BitVecVal(values[a], w) for a, w in zip(net.args, widths, strict=True)]
            assert z3.simplify(z3_value(net, args, widths, z3)).as_long() == values[n], net


def test_shifts_by_the_width_and_more():
    for op, value in (("shl", 0), ("shru", 0), ("shrs", 7)):
        assert number_value(Net(op, 3, 0, ()), [5, 3], [3, 2]) == value


@pytest.mark.parametrize("seed", range(60))
def test_algebra_is_right_about_small_circuits(seed: int):
    """Nets with equal polynomials are equal for all of some inputs."""
    rng = random.Random(seed)
    circuit = random_circuit(rng, 25)
    used = circuit.used()
    circuit.roots = used
    try:
        keys = Algebra().roots(circuit)
    except TooLarge:
        return
    classes: dict[object, list[int]] = {}
    for n, key in zip(used, keys, strict=True):
        classes.setdefault((circuit.width(n), key), []).append(n)
    for _ in range(80):
        values = computed(circuit, inputs_of(rng), used)
        for same in classes.values():
            assert len({values[n] for n in same}) == 1


def test_algebra_knows_that_amounts_add_up():
    one, other = Circuit(), Circuit()
    for circuit in (one, other):
        for n, w in enumerate((8, 8, 3, 3)):
            circuit.add("in", w, value=n)
    shifted = [one.add("shl", 8, 0, 2), one.add("shl", 8, 1, 3)]
    one.roots = [one.add("mul", 8, *shifted)]
    wide = [other.add("zext", 4, n) for n in (2, 3)]
    other.roots = [other.add("shl", 8, other.add("mul", 8, 0, 1), other.add("add", 4, *wide))]
    assert str(equal(one, other)) == "1 by algebra modulo 2^w"
    other.roots = [other.add("shl", 8, other.add("mul", 8, 0, 1), other.add("add", 3, 2, 3))]
    assert "NOT EQUAL" in str(equal(one, other))


def test_algebra_knows_that_ones_less_a_number_is_its_complement():
    one, other = Circuit(), Circuit()
    for circuit in (one, other):
        circuit.add("in", 8, value=0)
    one.roots = [one.add("sub", 16, one.const(255, 16), one.add("zext", 16, 0))]
    other.roots = [other.add("zext", 16, other.add("xor", 8, 0, other.const(255, 8)))]
    assert str(equal(one, other)) == "1 by algebra modulo 2^w"
    one.roots = [one.add("sub", 16, one.const(254, 16), one.add("zext", 16, 0))]
    assert "NOT EQUAL" in str(equal(one, other))


def test_z3_proves_what_algebra_does_not():
    one, other = Circuit(), Circuit()
    for circuit in (one, other):
        circuit.add("in", 8, value=0)
        circuit.add("in", 8, value=1)
    both, either = one.add("and", 8, 0, 1), one.add("or", 8, 0, 1)
    one.roots = [one.add("add", 8, both, either)]
    other.roots = [other.add("add", 8, 0, 1)]
    assert str(equal(one, other)) == "1 by z3"


def test_random_circuits_are_written_and_improved_as_they_were():
    assert run_fresh(partial(_as_they_were, range(9))) == Finished(9)


def _as_they_were(seeds: range) -> int:
    for seed in seeds:
        _as_it_was(random.Random(seed), ("area", "delay", "area-delay")[seed % 3])
    return len(seeds)


def _as_it_was(rng: random.Random, goal: str) -> None:
    import circt
    from circt import ir

    circuit = random_circuit(rng)
    with ir.Context() as context, ir.Location.unknown():
        circt.register_dialects(context)
        module = ir.Module.parse(_frame(circuit))
        (op,) = modules(module.operation)
        write(design_of(op, ir), circuit, ir)
        module.operation.verify()
        _same(circuit, design_of(op, ir).circuit, rng)
        result = better_circuits_here(str(module), "-", goal, False, LIMITS)
        better = ir.Module.parse(result.text)
        (op,) = modules(better.operation)
        _same(circuit, design_of(op, ir).circuit, rng)


def _frame(circuit: Circuit) -> str:
    """A module with the inputs and outputs of a circuit, which gives zeros."""
    ports = [f"in %p{net.value} : i{net.width}" for net in circuit.nets if net.op == "in"]
    kinds = [f"i{circuit.width(r)}" for r in circuit.roots]
    ports += [f"out o{n} : {kind}" for n, kind in enumerate(kinds)]
    zeros = [f"%z{n} = hw.constant 0 : {kind}" for n, kind in enumerate(kinds)]
    names = [f"%z{n}" for n in range(len(kinds))]
    lines = [f"hw.module @f({', '.join(ports)}) {{", *zeros, f"hw.output {', '.join(names)} : {', '.join(kinds)}", "}"]
    return "\n".join(lines)


def _same(one: Circuit, other: Circuit, rng: random.Random) -> None:
    for _ in range(60):
        inputs = inputs_of(rng)
        values = [computed(c, inputs) for c in (one, other)]
        assert [values[0][r] for r in one.roots] == [values[1][r] for r in other.roots]


def test_shifts_leave_a_product(capsys: pytest.CaptureFixture[str]):
    assert main([str(BENCH / "shift_mult.mlir"), "--cost", "area-delay", "--emit", "verilog"]) == 0
    out, err = capsys.readouterr()
    assert out.count("<<") == 1 and out.count("*") == 1
    assert "8607 gates" in err and "proved equal: 1 by algebra modulo 2^w" in err


def test_the_limit_on_nodes_holds_for_circuits_too():
    """Of which rules of several sets run in turns; each class has a largest value when costs are counted."""
    found = run_fresh(partial(_runs_of, (BENCH / "adpcm.mlir").read_text()))
    assert isinstance(found, Finished), found
    for run in found.value:
        assert run.stopped == "nodes" and len(run.rows) < 6000
        bounded = {r.inputs[0] for r in run.rows if r.name == "h.max"}
        assert {r.output for r in run.rows if isinstance(r.output, Ref) and r.output.sort == "Bits"} <= bounded


def _runs_of(text: str) -> tuple[Saturated, ...]:
    import circt
    from circt import ir

    with ir.Context() as context:
        circt.register_dialects(context)
        module = ir.Module.parse(text)
        (op,) = modules(module.operation)
        return improve(design_of(op, ir).circuit, "area", Limits(nodes=3000)).runs


def test_ones_less_a_factor_are_its_complement_and_no_product_is_subtracted(capsys: pytest.CaptureFixture[str]):
    """To subtract a product takes more gates than to add one."""
    assert main([str(BENCH / "blend.mlir"), "--cost", "area", "--emit", "verilog"]) == 0
    out, err = capsys.readouterr()
    assert "proved equal" in err and "8'h0, ~alpha" in out and " - " not in out


def test_a_published_rule_for_filters_is_wrong_and_nothing_is_done():
    text = (BENCH / "fir.mlir").read_text()
    result = better_circuits(text, goal="delay", limits=Limits())
    assert result.text == text and "nothing is better" in result.remarks[0].why


REGISTERS = """
hw.module @count(in %a : i8, in %clk : !seq.clock, out o : i8) {
  %r = seq.compreg %next, %clk : i8
  %three = hw.constant 3 : i8
  %two = hw.constant 2 : i8
  %x = comb.mul %r, %three : i8
  %y = comb.mul %r, %two : i8
  %d = comb.sub %x, %y : i8
  %next = comb.add %d, %a : i8
  %q = comb.divu %x, %a : i8
  hw.output %q : i8
}
"""


def test_registers_and_divisions_stay():
    result = better_circuits(REGISTERS, goal="area", limits=LIMITS)
    assert "seq.compreg" in result.text and "comb.divu" in result.text
    assert "proved equal" in result.remarks[1].why
    assert result.text.count("comb.add") <= 2 and "comb.sub" not in result.text


def test_what_is_read_has_no_effects_as_its_definition_says():
    """CIRCT's own definitions, asked as in the rest of the program: CSE merges what has no effects."""
    found = run_fresh(_pure_by_definition)
    assert isinstance(found, Finished), found
    assert set(READERS) <= found.value and "comb.divu" in found.value and "own.unknown" not in found.value


def _pure_by_definition() -> set[str]:
    import circt
    from circt import ir, passmanager

    inside = [line for line in PURE.splitlines() if line]
    with ir.Context() as context:
        circt.register_dialects(context)
        context.allow_unregistered_dialects = True
        module = ir.Module.parse("\n".join(['"own.frame"() ({', "^bb0(%a: i4, %c: i1):", *inside, "}) : () -> ()"]))
        return {op.name for op in Purity(module, ir, passmanager).values()}


PURE = """
%k = hw.constant 3 : i4
%u = "own.unknown"(%a) : (i4) -> i4
%0 = comb.add %a, %k : i4
%1 = comb.mul %a, %k : i4
%2 = comb.and %a, %k : i4
%3 = comb.or %a, %k : i4
%4 = comb.xor %a, %k : i4
%5 = comb.sub %a, %k : i4
%6 = comb.mux %c, %a, %k : i4
%7 = comb.shl %a, %k : i4
%8 = comb.shru %a, %k : i4
%9 = comb.shrs %a, %k : i4
%10 = comb.icmp eq %a, %k : i4
%11 = comb.extract %a from 1 : (i4) -> i2
%12 = comb.concat %a, %k : i4, i4
%13 = comb.replicate %c : (i1) -> i3
%14 = comb.divu %a, %k : i4
"""


def test_cycles_and_empty_modules_are_kept():
    cycle = """hw.module @f(in %a : i4, out o : i4) {
      %x = comb.add %y, %a : i4
      %y = comb.add %x, %a : i4
      hw.output %y : i4
    }"""
    empty = "hw.module @e() {\n hw.output\n}"
    for text, why in ((cycle, "needs itself"), (empty, "nothing is computed")):
        result = better_circuits(text, limits=LIMITS)
        assert result.text == text and why in result.remarks[0].why


def test_what_is_not_proved_is_not_used():
    text = (BENCH / "viterbi.mlir").read_text()
    found = run_fresh(partial(_with_nothing_proved, text))
    assert isinstance(found, Finished), found
    assert found.value.text == text and "not used: outputs 1 NOT PROVED" in found.value.remarks[0].why


def _with_nothing_proved(text: str) -> OptimiseResult:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("raising.optimise.hardware.equal", lambda *_: Equality(0, 0, 1))
        return better_circuits_here(text, "-", "delay", False, LIMITS)


PLAIN = "hw.module @f(in %a : i4, out o : i4) {\n  hw.output %a : i4\n}\n"


def test_a_process_that_used_another_mlir_lives():
    with make_context() as used:
        assert "module f(" in better_circuits(PLAIN, verilog=True).text
        used.get_dialect_descriptor("func")


def test_data_layouts_are_an_error_and_no_crash():
    layout = "#dlti.dl_spec<#dlti.dl_entry<i32, dense<32> : vector<2xi32>>>"
    with pytest.raises(InputError, match="t.mlir:1.*unregistered dialect"):
        better_circuits(f"module attributes {{dlti.dl_spec = {layout}}} {{\n{PLAIN}}}", file="t.mlir")


def test_a_crash_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("raising.optimise.hardware.better_circuits_here", _crashing)
    with pytest.raises(InputError, match="t.mlir: error: the process that runs CIRCT crashed with signal SIGABRT"):
        better_circuits(PLAIN, file="t.mlir")


def _crashing(*_: object) -> None:
    os.abort()


def test_options_that_are_not_for_circuits(capsys: pytest.CaptureFixture[str]):
    for options in (["--emit", "verilog"], ["--cost", "area", "--explain"], ["--cost", "delay", "--emit", "svg"]):
        with pytest.raises(SystemExit):
            main([str(BENCH / "fir.mlir"), *options])
        assert "circuits" in capsys.readouterr().err


def test_bad_input_and_no_circt(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(InputError, match="t.mlir:1"):
        better_circuits("hw.module @f(in %a : i4) { %x = comb.add %b : i4 }", file="t.mlir")
    monkeypatch.setitem(sys.modules, "circt", None)
    with pytest.raises(InputError, match="install the extra 'hardware'"):
        better_circuits("")


BESIDE = """
import circt, k, numpy, raising
from circt import ir

context = ir.Context()
assert (raising.jit(cache=False)(k.twice)(numpy.ones(3)) == 2).all()
text = "func.func @f(%a: memref<2xf64>) { return }"
raising.compile(text, cache=False)["f"](numpy.ones(2))
try:
    raising.raise_module(text)
except raising.InputError as error:
    print(error)
"""


def test_beside_circt_in_a_process_of_the_users(tmp_path: Path):
    """Two copies of MLIR crash: functions are compiled in a new interpreter, and what cannot be is refused."""
    (tmp_path / "k.py").write_text("def twice(x):\n    return 2 * x\n")
    done = subprocess.run([sys.executable, "-c", BESIDE], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout == "-: error: 'circt' is imported, and its MLIR crashes beside ours: use a process that does not\n"
    )
