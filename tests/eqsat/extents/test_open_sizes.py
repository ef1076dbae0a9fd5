"""Rules, costs and chains on extents that are known at run time only."""

import re

import pytest

from raising.eqsat.extents.open_costs import Polynomial, cheaper_from
from raising.optimise.optimise_module import OptimiseResult, optimise_module
from raising.validate.base.verdict import Proved
from raising.validate.check import CheckOptions, check

M, V = "tensor<?x?xf64>", "tensor<?xf64>"


def product(name: str, left: str, right: str, rows: str, columns: str, last: bool = False) -> str:
    """A product of open size, with the sizes of its result (values); of a matrix with a vector if `last`."""
    kind, other, op = (V, V, "matvec") if last else (M, M, "matmul")
    sizes = rows if last else f"{rows}, {columns}"
    return f"""
      %e{name} = tensor.empty({sizes}) : {kind}
      %i{name} = linalg.fill ins(%z : f64) outs(%e{name} : {kind}) -> {kind}
      %{name} = linalg.{op} ins(%{left}, %{right} : {M}, {other}) outs(%i{name} : {kind}) -> {kind}"""


HEAD = """attributes {raise.fp = "reassoc"} {

      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %z = arith.constant 0.0 : f64"""
APPLIED = f"""func.func @f(%A: {M}, %B: {M}, %v: {V}) -> {V} {HEAD}
      %n = tensor.dim %A, %c0 : {M}
      %p = tensor.dim %B, %c1 : {M}
      {product("C", "A", "B", "%n", "%p")}
      %m = tensor.dim %C, %c0 : {M}
      {product("y", "C", "v", "%m", "", last=True)}
      return %y : {V}
    }}"""
RAISED = f"""func.func @f(%n: i32, %p: i32, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %w: memref<?xf64>,
      %o: memref<?xf64>)
      {
    HEAD.replace(
        "{raise",
        '{c_parameters = [["int", "n"], ["int", "p"], ["double", "A", "n", "p"], '
        '["double", "B", "p", "p"], ["double", "v", "p"], ["double", "y", "n"]], raise',
    )
}
      %k = arith.index_cast %n : i32 to index
      %l = arith.index_cast %p : i32 to index
      %rows = arith.maxsi %k, %c0 : index
      %columns = arith.maxsi %l, %c0 : index
      %some = arith.cmpi sgt, %k, %c0 : index
      scf.if %some {{
        %A = bufferization.to_tensor %a restrict : memref<?x?xf64> to {M}
        %B = bufferization.to_tensor %b restrict : memref<?x?xf64> to {M}
        %v = bufferization.to_tensor %w restrict : memref<?xf64> to {V}
        {product("C", "A", "B", "%rows", "%columns")}
        {product("y", "C", "v", "%rows", "", last=True)}
        bufferization.materialize_in_destination %y in restrict writable %o : ({V}, memref<?xf64>) -> ()
      }}
      return
    }}"""


def optimised(text: str, **options: object) -> OptimiseResult:
    return optimise_module(text, **options)  # type: ignore[arg-type]


def said(result: OptimiseResult) -> str:
    return "\n".join(map(str, result.remarks))


def test_products_of_open_size_are_associated():
    result = optimised(APPLIED)
    assert "linalg.matmul" not in result.text and result.text.count("linalg.matvec") == 2
    assert "each extent that is known at run time only is at least 4" in said(result)
    assert "equal, as its operations demand: dimension 1 of argument 0 and dimension 0 of argument 1" in said(result)
    assert not re.search(r"\d{7}", result.text) and "raise.extents" not in result.text
    for sizes in ((3, 4, 5), (1, 1, 1), (2, 0, 3)):
        assert isinstance(check(APPLIED, result.text, at(*sizes)), Proved)


def at(n: int, m: int, p: int) -> CheckOptions:
    """Sizes that fit each other."""
    return CheckOptions(sizes={"a0_0": n, "a0_1": m, "a1_0": m, "a1_1": p, "a2_0": p})


def test_products_in_a_branch_of_what_was_raised_from_c_are_proved_for_all_sizes():
    result = optimised(RAISED)
    assert "linalg.matmul" not in result.text and result.text.count("linalg.matvec") == 2
    assert isinstance(check(RAISED, result.text), Proved)


def test_a_chain_of_open_size_is_associated_by_the_macro():
    result = optimised(APPLIED, macros=True)
    assert result.functions[0].chains == (3,) and "each extent" in said(result)
    assert isinstance(check(APPLIED, result.text, at(3, 4, 5)), Proved)


def test_open_sizes_of_another_dialect_and_numbers_beside_them():
    kinds = "tensor<?x?xf32>", "tensor<4x?xf32>", "tensor<?xf32>"
    text = f"""func.func @f(%A: {kinds[0]}, %B: {kinds[1]}, %v: {kinds[2]}) -> {kinds[2]}
        attributes {{raise.fp = "reassoc"}} {{
      %C = stablehlo.dot_general %A, %B, contracting_dims = [1] x [0] : ({kinds[0]}, {kinds[1]}) -> {kinds[0]}
      %y = stablehlo.dot_general %C, %v, contracting_dims = [1] x [0] : ({kinds[0]}, {kinds[2]}) -> {kinds[2]}
      return %y : {kinds[2]}
    }}"""
    result = optimised(text)
    assert re.findall(r"dot_general.*-> (\S+)", result.text) == ["tensor<4xf32>", kinds[2]]
    sizes = {name: n for name, n in at(3, 4, 5).sizes.items() if name != "a1_0"}
    assert isinstance(check(text, result.text, CheckOptions(sizes=sizes)), Proved)


def test_what_is_not_cheaper_stays_the_text_that_was_given():
    text = APPLIED.replace("reassoc", "strict")
    assert optimised(text).text == text


def test_a_branch_demands_nothing_outside_of_it():
    """A + B is one size only where the branch is taken; outside, (A + B) v may not be A v + B v of one size."""
    text = f"""func.func @f(%c: i1, %A: {M}, %B: {M}) -> ({M}, index) {HEAD}
      %n = tensor.dim %A, %c0 : {M}
      %m = tensor.dim %A, %c1 : {M}
      %r = scf.if %c -> {M} {{
        %e = tensor.empty(%n, %m) : {M}
        %s = linalg.add ins(%A, %B : {M}, {M}) outs(%e : {M}) -> {M}
        scf.yield %s : {M}
      }} else {{
        scf.yield %A : {M}
      }}
      %q = tensor.dim %B, %c0 : {M}
      return %r, %q : {M}, index
    }}"""
    assert optimised(text).text == text


def test_extents_that_may_be_one_are_not_taken_for_equal():
    """With CHLO an extent of one is repeated at run time."""
    text = """func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32>
        attributes {raise.fp = "fast"} {
      %x = chlo.broadcast_add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      %y = chlo.broadcast_multiply %x, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      %z = chlo.broadcast_multiply %x, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      %w = stablehlo.add %y, %z : tensor<?xf32>
      return %w : tensor<?xf32>
    }"""
    result = optimised(text)
    assert result.text.count("chlo.broadcast_add") == 1 and "chlo.broadcast_multiply" in result.text


@pytest.mark.parametrize(
    ("after", "before", "size"),
    [("n", "n*m", 1), ("n", "n + m", 1), ("2n", "n*m", 2), ("n*m", "100n", None), ("3n + 3m", "n*m", 8), ("4", "n", 4)],
)
def test_polynomials_are_compared_where_the_sign_is_known(after: str, before: str, size: int | None):
    n, m = (Polynomial.extent(name, 128) for name in "nm")
    known = {"n": n, "n*m": n * m, "n + m": n + m, "2n": 2 * n, "100n": 100 * n, "3n + 3m": 3 * n + 3 * m, "4": 4.0}
    assert cheaper_from(known[after], known[before]) == size
    assert float(n * m + 2) == 128 * 128 + 2


def test_sizes_that_are_asked_for_often_stay_apart() -> None:
    """Sizes are told apart by their values, also where one was made in the memory of another that is gone."""
    asked = "\n".join(f"%n{k} = tensor.dim %A, %c{k % 2} : {M}" for k in range(40))
    text = f"""func.func @f(%A: {M}, %O: {V}) -> {V} {HEAD}
      {asked}
      %r = scf.for %j = %c0 to %n39 step %c1 iter_args(%o = %O) -> ({V}) {{
        %s = tensor.extract_slice %A[0, %j] [%n20, 1] [1, 1] : {M} to {V}
        %e = tensor.empty(%n38) : {V}
        %d = linalg.add ins(%s, %s : {V}, {V}) outs(%e : {V}) -> {V}
        %w = tensor.empty(%n14) : {V}
        %h = linalg.mul ins(%d, %d : {V}, {V}) outs(%w : {V}) -> {V}
        %i = tensor.from_elements %z : tensor<f64>
        %p = linalg.dot ins(%h, %h : {V}, {V}) outs(%i : tensor<f64>) -> tensor<f64>
        %q = tensor.extract %p[] : tensor<f64>
        %t = tensor.insert %q into %o[%j] : {V}
        scf.yield %t : {V}
      }}
      %u = tensor.empty(%n13) : {V}
      %y = linalg.add ins(%r, %r : {V}, {V}) outs(%u : {V}) -> {V}
      return %y : {V}
    }}"""
    result = optimised(text)
    found = check(text, result.text)
    assert isinstance(found, Proved)
    assert {a.condition for a in found.assumptions if a.kind == "extent"} <= {"a0_1 = a1_0", "a1_0 = a0_1"}
