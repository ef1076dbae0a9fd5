"""C++ as far as it is C: functions compiled from MLIR beside those of the machine's compiler, and what is refused."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from raising.frontend.c import COptions, convert
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build

FOLDER = Path(__file__).parents[2] / "inputs" / "cpp"
GXX = shutil.which("g++")
FLAGS = ("-std=c++20", "-O0", "-ffp-contract=off")


@pytest.mark.skipif(GXX is None, reason="there is no g++")
def test_they_do_what_the_compiler_has_them_do(tmp_path: Path) -> None:
    source = FOLDER / "functions.cpp"
    module = convert(source.read_text(), str(source), COptions(language="c++", flags=("-std=c++20", "-DNS=ours")))
    assert module.refused == ()
    (tmp_path / "ours.o").write_bytes(build(module.mlir.encode(), "k.mlir", CompileOptions(fp="strict")).code.object)
    files = [source, FOLDER / "main.cpp", tmp_path / "ours.o", "-o", tmp_path / "main"]
    subprocess.run([str(GXX), *FLAGS, "-w", "-DNS=theirs", *map(str, files)], check=True, capture_output=True)
    ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (0, "0\n")


REFUSED = """\
#include <array>
#include <span>
#include <vector>
struct V { double x; V() : x(0) {} double len() const { return x; } };
struct P { double x; };
struct D : P { double w; };
P operator+(P a, P b) { a.x += b.x; return a; }  // a function that returns
void by_value(std::vector<double> v) { v[0] = 1; }  // 'v' is an object with a constructor or destructor
void grows(std::vector<double> &v, int n) { for (int i = 0; i < n; i++) v.push_back(i); }  // 'push_back'
void checked(std::vector<double> &v, int n) { for (int i = 0; i < n; i++) v.at(i) = 1; }  // member function 'at'
void walks(std::vector<double> &v) { for (auto it = v.begin(); it != v.end(); ++it) *it = 1; }  // 'it' is an object
void lambda(double *x, int n) { auto g = [&](int i) { x[i] = 1; }; for (int i = 0; i < n; i++) g(i); }  // 'g' is an
double *makes(int n) { return new double[n]; }  // returns a pointer
void throws(double *x, int n) { if (n < 0) throw n; x[0] = n; }  // an exception is thrown
void catches(double *x) { try { x[0] = 1; } catch (...) { } }  // exceptions are caught
double method(const V *v) { return v->len(); }  // a call of member function 'len'
double base(D *d) { return d->x; }  // another type than its own
double summed(const P *a) { P p = a[0] + a[1]; return p.x; }  // a call of 'operator+'
void truths(std::vector<bool> &v) { v[0] = true; }  // member function 'operator=
double bound(const P &p) { auto [x] = p; return x; }  // a name of this kind
void optional(double *x, int n = 4) { x[0] = n; }
int number();
void more(double *x, int n = number()) { x[0] = n; }
void omitted(double *x) { optional(x); more(x); }  // a default argument that is no constant
void nested(std::vector<std::vector<double>> &a) { for (int i = 0; i < 9; i++) a[i][0] = 1; }  // a pointer in an array
void declares(double *x, int n) { while (int k = n--) x[k] = k; }  // a while that declares a variable
void in_the_test(double *x, int n) { for (int i = 0; int k = n - i; i++) x[i] = k; }  // 'k', whose declaration is not
void own(double *x, int n) { std::vector<double> t(n); x[0] = t[0]; }  // 't' is an object with a constructor
"""


def test_what_it_cannot_have_is_refused_where_it_stands() -> None:
    module = convert(REFUSED, "k.cpp", COptions(language="c++", flags=("-std=c++20",)))
    found = {r.place.line: r.reason for r in module.refused}
    wanted = {k: line.partition("  // ")[2] for k, line in enumerate(REFUSED.splitlines(), 1) if "  // " in line}
    assert found.keys() == wanted.keys()
    assert {k: why for k, why in wanted.items() if why not in found[k]} == {}


READ = """\
#include <array>
#include <vector>
template <typename T> T twice(T x) { return 2 * x; }
namespace a { namespace b { int count = 3; void sizes(int &x) { x = count; } } }
void nested(std::array<std::array<double, 3>, 2> &a) { for (auto &r : a) for (double &x : r) x = twice(x); }
void part(std::vector<double> &v, double &s, void (*tell)()) { tell(); for (double x : v) s += x; tell(); }
extern "C" void plain(double *x) { x[0] = twice(3); }
struct K { static const int n = 4; };
extern const int shared = 5;
void ends(double *x) { for (int i = 0; i < K::n; i++) x[i] = shared; }
"""


def test_symbols_are_the_linkers_and_parts_are_called_with_what_references_mean() -> None:
    module = convert(READ, "k.cpp", COptions(language="c++"))
    names = {f.name for f in module.functions}
    assert names >= {"_ZN1a1b5sizesERi", "_Z6nestedRSt5arrayIS_IdLm3EELm2EE", "_Z5twiceIdET_S0_", "plain", "part_loop1"}
    assert re.search(r"memref.global .*@_ZN1a1b5countE", module.mlir) and "@_ZN1a1b5countE" in module.mlir
    assert re.search(r'call = "part_loop1\(&v, &s\);"', module.mlir)
    assert not re.search(r"global .*@_ZN1K1nE", module.mlir)  # which each file has, so that no object may define it
    assert [f.name for f in convert(READ, "k.cpp", COptions(language="c++", function="sizes")).functions] == [
        "_ZN1a1b5sizesERi"
    ]
