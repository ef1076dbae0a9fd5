"""The repository itself: what is shipped, what is imported, what must not be in it."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata, util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = ("affine", "grammar", "synth", "validate", "eqsat", "native", "polybench", "raising")
LONGEST = 300
FORBIDDEN = re.compile(
    r"(?<![\w.~])/(?:home|root|work|Users|tmp|mnt)/\w"  # a path of one machine
    r"|\bpypi\b|pythonhosted|(?:extra-)?index-url|\bproxy\b.{0,20}://"  # where packages come from
)


def tracked() -> list[Path]:
    try:
        run = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [path for name in run.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def sources() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def imported_names(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def test_the_wheel_ships_exactly_the_packages():
    shipped = PROJECT["tool"]["setuptools"]["packages"]
    tops = {name.split(".")[0] for name in shipped}
    assert tops == set(PACKAGES)
    assert not {"tests", "results", "docs", "examples"} & tops
    found = {str(p.parent.relative_to(ROOT)).replace("/", ".") for p in sources()}
    assert found <= set(shipped), f"not shipped: {sorted(found - set(shipped))}"


@pytest.mark.parametrize("name", PACKAGES)
def test_each_package_name_is_ours(name: str):
    spec = util.find_spec(name)
    assert spec is not None and spec.origin is not None
    assert Path(spec.origin).resolve() == ROOT / name / "__init__.py"
    assert set(metadata.packages_distributions().get(name, [])) <= {PROJECT["project"]["name"]}


def test_each_import_is_ours_or_declared():
    declared = {re.split(r"[=<>\[; ]", line)[0] for line in PROJECT["project"]["dependencies"]}
    providers = metadata.packages_distributions()
    for path in sources():
        for name in imported_names(path) - set(PACKAGES) - set(sys.stdlib_module_names):
            assert set(providers.get(name, [])) & declared, f"{path.relative_to(ROOT)} imports {name}"


def test_dependencies_are_pinned_and_explained():
    extras = PROJECT["project"]["optional-dependencies"].values()
    lines = [*PROJECT["project"]["dependencies"], *(line for extra in extras for line in extra)]
    page = (ROOT / "docs" / "dependencies.md").read_text()
    for line in lines:
        name, _, version = line.partition("==")
        assert version, f"{line} is not pinned"
        assert f"`{name}`" in page, f"{name} is not explained"


def test_no_machine_is_named():
    found = []
    for path in tracked():
        if path == Path(__file__) or path.name == "LICENSE":
            continue
        text = path.read_text(errors="replace")
        found += [f"{path.relative_to(ROOT)}: {m.group()}" for m in FORBIDDEN.finditer(text)]
    assert not found


def test_python_files_are_short():
    lengths = {path: len(path.read_text().splitlines()) for path in tracked() if path.suffix == ".py"}
    long = [f"{path.relative_to(ROOT)}: {n}" for path, n in lengths.items() if n > LONGEST]
    assert not long


def test_no_generated_or_large_file_is_tracked():
    found = [str(path.relative_to(ROOT)) for path in tracked() if path.stat().st_size > 2_000_000]
    assert not found


@pytest.mark.parametrize("path", sorted((ROOT / "results").glob("*.json")), ids=lambda path: path.stem)
def test_each_result_names_the_command_that_makes_it(path: Path):
    record = json.loads(path.read_text())
    command = record["command"].split()
    if command[:1] == ["raise-bench"]:
        assert record["format"] and record["settings"]
        return
    module = ROOT / f"{command[2].replace('.', '/')}.py"
    assert command[:2] == ["python", "-m"] and "__main__" in module.read_text()


def test_the_license_is_whole():
    text = (ROOT / "LICENSE").read_text()
    assert "Version 2.0, January 2004" in text and "LLVM Exceptions to the Apache 2.0 License" in text
