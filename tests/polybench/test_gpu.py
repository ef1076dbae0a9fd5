"""The benchmark for GPUs, run where there is none: modules that were made before are right and timed."""

import json
import subprocess
import sys


def test_modules_are_made_and_run_beside_jax(tmp_path):
    record = tmp_path / "record.json"
    command = [sys.executable, "-m", "tests.bench.gpu", tmp_path, "--dataset", "MINI", "--kernels", "atax,durbin"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
    assert "jax sees no GPU: nothing is run" in said and not record.exists()
    said = subprocess.run([*command, "--on-cpu", "-o", record], capture_output=True, text=True, check=True, timeout=600)
    assert "proved" not in said.stdout, "what was made is not made again"
    atax, durbin = json.loads(record.read_text())["rows"]
    assert atax["status"] == durbin["status"] == "right"
    assert atax["milliseconds"].keys() == {"raise", "jax"}, "an expert's form is beside it"
    assert durbin["milliseconds"].keys() == {"raise"}, "nobody wrote one"
