"""The repository itself: what is shipped, what is imported, how its rooms stand, what must not be in it."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from graphlib import CycleError, TopologicalSorter
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS: dict[str, str] = PROJECT["tool"]["setuptools"]["package-dir"]
"""The folder of each stage by its name below `raising`; every room of a stage is a folder in it."""
LONGEST = 450
MOST = 14  # source files in a folder, beside its __init__
TWICE = {
    "module.py": "the same reader for C and for Python",
    "types.py": "the same reader for C and for Python",
}
"""File names that two rooms share, and why."""
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
    return [path for folder in FOLDERS.values() for path in sorted((ROOT / folder).rglob("*.py"))]


def module_name(path: Path) -> str:
    """The name under which a source file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    top = next(name for name, folder in FOLDERS.items() if folder == parts[0])
    return ".".join((top, *(part for part in parts[1:] if part != "__init__")))


def imports(path: Path) -> list[tuple[str, list[str]]]:
    """What a file imports wherever it does so, but for types only: modules, each with the names taken from it."""
    found: list[tuple[str, list[str]]] = []
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found += [(alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append((node.module, [alias.name for alias in node.names]))
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):  # of statements: expressions import nothing
            inner = getattr(node, part, ())
            waiting += inner if isinstance(inner, list) else ()
    return found


def test_the_wheel_ships_exactly_the_rooms():
    found = {module_name(path.parent / "__init__.py") for path in sources()}
    assert sorted(PROJECT["tool"]["setuptools"]["packages"]) == sorted(found)
    assert (ROOT / FOLDERS["raising"] / "py.typed").is_file()


def test_the_wheel_has_one_name():
    ours = [name for name, by in metadata.packages_distributions().items() if PROJECT["project"]["name"] in by]
    assert [name for name in ours if not name.startswith("__editable__")] == ["raising"]


def test_rooms_are_small_and_say_what_they_are():
    counts = Counter(path.parent for path in sources() if path.name != "__init__.py")
    assert not {str(room): n for room, n in counts.items() if n > MOST}
    for room in {path.parent for path in sources()}:
        told = ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""
        assert len(told.split()) > 3, f"{room.relative_to(ROOT)} does not say what it is"


def test_folders_of_tests_are_as_small_as_rooms():
    files = [path for path in tracked() if path.suffix == ".py" and path.name != "__init__.py"]
    counts = Counter(path.parent.relative_to(ROOT) for path in files if (ROOT / "tests") in path.parents)
    data = {Path("tests") / name for name in ("goldens", "inputs", "kernels")}
    assert not {str(folder): n for folder, n in counts.items() if n > MOST and not data & {folder, *folder.parents}}


def test_rooms_name_all_of_their_files_and_no_others():
    for room in {path.parent for path in sources()}:
        told = ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""
        files = {path.stem for path in room.glob("*.py")} - {"__init__"}
        assert not {name for name in files if f"`{name}`" not in told}, f"{room.relative_to(ROOT)} does not name these"
        named = set(re.findall(r"^- `(\w+)`", told, re.MULTILINE))
        assert named <= files, f"{room.relative_to(ROOT)} names files that are not there"


def test_file_names_are_not_repeated_without_a_reason():
    rooms = defaultdict(list)
    for path in sources():
        if path.name != "__init__.py":
            rooms[path.name].append(path.parent)
    repeated = {name for name, found in rooms.items() if len(found) > 1}
    assert repeated == set(TWICE) and len(TWICE) <= 12


def test_imports_have_no_circles():
    modules = {module_name(path): path for path in sources()}
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        wanted = imports(path)
        found = {f"{module}.{taken}" for module, names in wanted for taken in names} | {m for m, _ in wanted}
        graph[name] = {other for other in found & set(modules) if not name.startswith(f"{other}.")} - {name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_each_import_is_ours_or_declared():
    extras = PROJECT["project"]["optional-dependencies"]
    lines = [
        *PROJECT["project"]["dependencies"],
        *(line for name in ("stablehlo", "blas", "xla", "accuracy", "hardware") for line in extras[name]),
    ]
    declared = {re.split(r"[=<>\[; ]", line)[0] for line in lines}
    providers = {"flint": ["python-flint"], **metadata.packages_distributions()}  # an extra that may not be installed
    for path in sources():
        for name in {module.split(".")[0] for module, _ in imports(path)} - {"raising"} - set(sys.stdlib_module_names):
            assert set(providers.get(name, [])) & declared, f"{path.relative_to(ROOT)} imports {name}"


def test_dependencies_have_bounds_and_reasons():
    extras = PROJECT["project"]["optional-dependencies"].values()
    lines = {line for line in (*PROJECT["project"]["dependencies"], *(line for extra in extras for line in extra))}
    page = (ROOT / "docs" / "dependencies.md").read_text()
    exact = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    for line in lines - {"raise-tensor[accuracy,blas,hardware,stablehlo,xla]"}:
        bounds = re.fullmatch(r"([\w-]+)(==[\d.]+|>=([\d.]+),<[\d.]+)", line)
        assert bounds, f"{line} has no lower and upper bound"
        assert bounds[1] in exact or bounds[1].startswith(("enzyme", "scipy")), f"{bounds[1]} has no constraint"
        assert f"`{bounds[1]}`" in page, f"{bounds[1]} is not explained"


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
    ours = {module_name(path): path for path in sources()}
    place = ROOT / command[2].replace(".", "/")
    module = ours.get(command[2], place / "__main__.py" if place.is_dir() else place.with_suffix(".py"))
    assert command[:2] == ["python", "-m"] and ("__main__" in module.read_text() or module.name == "__main__.py")


def test_the_license_is_whole():
    text = (ROOT / "LICENSE").read_text()
    assert "Version 2.0, January 2004" in text and "LLVM Exceptions to the Apache 2.0 License" in text
