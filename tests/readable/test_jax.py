"""What is written for JAX: equal to C, differentiable, sharded. One process for all: JAX starts threads."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("jax") is None:  # jaxlib alone is enough for all else
    pytest.skip("JAX is not installed", allow_module_level=True)

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    """What the worker found."""
    environment = {
        **os.environ,
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_X64": "1",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
    }
    command = [sys.executable, "-m", "tests.readable.jax_worker"]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return dict(line.split(": ", 1) for line in run.stdout.splitlines())


@pytest.mark.parametrize("name", ["smooth", "energy", "batch", "chain"])
def test_it_equals_the_loops(told: dict[str, str], name: str) -> None:
    assert told[name] == "equal"


def test_its_gradient_is_that_of_finite_differences(told: dict[str, str]) -> None:
    assert float(told["gradient"]) < 1e-7


def test_a_chain_of_products_is_sharded_over_eight_devices(told: dict[str, str]) -> None:
    assert told["devices"] == "8"


def test_it_says_what_it_writes_and_what_it_cannot(told: dict[str, str]) -> None:
    assert told["about"] == "('x',) (0, 2) True"
    several, unknown, private = told["refused"].split("; ")
    assert several == "name one of the functions: energy, chain"
    assert unknown == "there is no function 'energies' (there are: energy, chain)"
    assert "'__import__' is no name" in private
