"""Input that nobody means well: one clear line with a place, in bounded memory, from every command."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from raising.frontend.c import convert
from tests.cli.running import ENVIRONMENT, FILL, run
from tests.native.running import called

COMMANDS = {
    "raise": ("raising.commands.raise_command", "{0}"),
    "raise-check": ("raising.commands.check_command", "{0} {0}"),
    "raise-opt": ("raising.commands.opt_command", "{0}"),
    "raise-compile": ("raising.commands.compile_command", "{0} -o k.o"),
    "raise-bench": ("raising.polybench.bench_command", "{0}"),
    "raise-explore": ("raising.explore.explore_command", "{0} --out k.html"),
    "raise-grammar": ("raising.grammar.grammar_command", "--target {0}"),
}
MOST = 1 << 29


def _said(command: str, path: str | Path, folder: Path) -> str:
    """The one line that a command says of a file, with an address space that holds no more than that."""
    module, arguments = COMMANDS[command]
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, module, *arguments.format(path).split()],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2 and not done.stdout, done.stderr
    (line,) = done.stderr.splitlines()
    return line


_LIMITED = f"""
import resource, runpy, sys
from pathlib import Path
sys.argv = sys.argv[1:]
pages = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (pages + {MOST}, resource.RLIM_INFINITY))
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_DATA"), reason="memory cannot be bounded here")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_without_an_end(command: str, tmp_path: Path):
    assert "/dev/zero" in (line := _said(command, "/dev/zero", tmp_path)) and "error: " in line


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_of_nuls(command: str, tmp_path: Path):
    (tmp_path / "k.mlir").write_bytes(bytes(300_000))
    line = _said(command, "k.mlir", tmp_path)
    assert line.startswith(("k.mlir:1:1: error: a NUL byte", "raise-bench: error", "raise-grammar: error"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("k.cu", "k.cu: error: this is CUDA, and C or C++ or Python or MLIR is read here"),
    ],
)
def test_other_languages_are_called_by_their_names(name: str, said: str, tmp_path: Path):
    (tmp_path / name).write_text("void f(double *x) { for (int i = 0; i < 8; i++) x[i] = 1; }\n")
    assert run(name, cwd=tmp_path).stderr.strip() == said
    assert run(name, "-x", "c", "--emit", "affine", cwd=tmp_path).returncode == 0
    assert "is CUDA, and MLIR is read here" in _said("raise-opt", name, tmp_path)


def test_c_is_not_taken_for_mlir(tmp_path: Path):
    (tmp_path / "k.c").write_text("void f(void) {}\n")
    assert _said("raise-opt", "k.c", tmp_path) == "k.c: error: this is C, and MLIR is read here"


def test_comments_in_latin_1_and_digraphs(tmp_path: Path):
    source = b"/* gr\xf6\xdfe */ %:define N 8\n%:define N 8\nvoid f(double x<::>) <% // \xe4\n"
    source += b'  const char *s = "<:"; for (int i = 0; i < N; i++) x<:i:> = 1; %>\n'
    (tmp_path / "k.c").write_bytes(source.replace(b'  const char *s = "<:";', b" "))
    done = run("k.c", "--emit", "affine", cwd=tmp_path)
    assert done.returncode == 0 and "affine.store" in done.stdout and "stays in C" not in done.stderr


def test_digraphs_in_texts_are_texts_and_columns_stay():
    module = convert('int g(char *); void f(double x<::>) <% g("<:"); x<:0:> = 1; %>', "k.c")
    assert str(module.refused[0]).startswith("k.c:1:40: function 'f' stays in C: calls 'g'")


def test_asynchronous_functions_stay(tmp_path: Path):
    text = "async def f(x: 'float64[8]'):\n    for i in range(8):\n        x[i] = 1.0\n"
    (tmp_path / "k.py").write_text("\n" + text)
    assert "k.py:2:1: remark: function 'f' stays in Python: it is asynchronous" in run("k.py", cwd=tmp_path).stderr


@pytest.mark.parametrize("name", ["-k.mlir", "@k.c", "-k.c", "ö \\ \"'k.py"])
def test_names_of_files(name: str, tmp_path: Path):
    """They are no flags of anybody, and stand in remarks as they are, whatever MLIR makes of them."""
    texts = {".c": "void f(double x[8]) { for (int i = 0; i < 8; i++) x[i] = 0; }", ".mlir": FILL}
    python = "def f(x: 'float64[8]'):\n    for i in range(8):\n        x[i] = 0.0\n"
    (tmp_path / name).write_text(texts.get(Path(name).suffix, python))
    done = run("--check", "none", "--", name, cwd=tmp_path)
    assert done.returncode == 0 and "linalg.fill" in done.stdout, done.stderr
    assert all(line.startswith(f"{name}:") for line in done.stderr.splitlines())
    assert "raised 1 loop nest" in done.stderr


NAMES = {
    "f$x": "",
    "f\\22x y": "'f\"x y' is no name for a symbol: letters, digits, '_', '$' and '.' only",
    "f\\C3\\B6": "'fö' is no name for a symbol",
    "in": "",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_of_functions(name: str, tmp_path: Path):
    text = FILL.replace("@fill", f'@"{name}"').replace("%x", "%in")
    done = run("-", "--check", "native", given=text)
    assert done.returncode == 0 and "linalg.fill" in done.stdout and "internal" not in done.stderr
    (tmp_path / "k.mlir").write_text(done.stdout)
    if NAMES[name]:
        assert NAMES[name] in _said("raise-compile", "k.mlir", tmp_path)
    else:
        import numpy as np

        assert (called(done.stdout, [np.ones(8)])[0] == 0).all()


def test_more_dimensions_than_numpy_has():
    kind = f"memref<{'1x' * 70}f64>"
    text = f"""
    func.func @f(%x: {kind}) {{
      %z = arith.constant 0.0 : f64
      affine.for %i = 0 to 8 {{
        affine.store %z, %x[{", ".join("0" * 70)}] : {kind}
      }}
      return
    }}"""
    done = run("-", given=text)
    assert "loop kept: it works on an array of more than 24 dimensions" in done.stderr and "internal" not in done.stderr


def test_parameters_called_like_words_of_python():
    import numpy as np

    source = "void f(int in, int n$, double lambda[in][n$], double def[in + 2 * n$]) {"
    source += "  for (int i = 0; i < in; i++) for (int j = 0; j < n$; j++) def[i] += lambda[i][j]; }"
    found = called(convert(source, "k.c").mlir, [2, 3, np.ones((2, 3)), np.zeros(8)])
    assert found[3].tolist() == [3, 3, 0, 0, 0, 0, 0, 0]
