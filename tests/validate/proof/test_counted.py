"""Loops of a target that count, around each other: what they carry on is put where it belongs."""

from raising.validate.base.verdict import Proved, Refuted, Verdict
from raising.validate.check import CheckOptions, check

LOOPS = """func.func @f(%A: memref<6x6xf64>) {
  affine.for %t = 0 to 6 {
    affine.for %s = affine_map<(t) -> (6 - t)>(%t) to 6 {
      affine.for %i = 0 to 6 {
        affine.for %j = 0 to 6 {
          %a = affine.load %A[%i, %j] : memref<6x6xf64>
          %d = arith.addf %a, %a : f64
          affine.store %d, %A[%i, %j] : memref<6x6xf64>
        }
      }
      affine.for %k = 0 to 6 {
        %a = affine.load %A[6 - %t, %k] : memref<6x6xf64>
        %d = arith.mulf %a, %a : f64
        affine.store %d, %A[6 - %t, %k] : memref<6x6xf64>
      }
    }
  }
  return
}"""

WHILE = """%{0}:2 = stablehlo.while(%{0}i = {1}, %{0}a = {2}) : tensor<i32>, tensor<6x6xf64> cond {{
  %{0}c = stablehlo.compare LT, %{0}i, %six : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %{0}c : tensor<i1>
}} do {{
  {3}
  %{0}n = stablehlo.add %{0}i, %one : tensor<i32>
  stablehlo.return %{0}n, {4} : tensor<i32>, tensor<6x6xf64>
}}
"""

ELEMENT = """
  %e = stablehlo.dynamic_slice %za, %start, %zi, sizes = [1, 1]
      : (tensor<6x6xf64>, tensor<i32>, tensor<i32>) -> tensor<1x1xf64>
  %p = stablehlo.multiply %e, %e : tensor<1x1xf64>
  %u = stablehlo.dynamic_update_slice %za, %p, %start, %zi
      : (tensor<6x6xf64>, tensor<1x1xf64>, tensor<i32>, tensor<i32>) -> tensor<6x6xf64>
"""


def nested() -> str:
    inner = WHILE.format("z", "%zero", "%new", ELEMENT, "%u")
    doubled = "%new = stablehlo.add %ya, %ya : tensor<6x6xf64>\n"
    middle = WHILE.format("y", "%start", "%xa", doubled + inner, "%z#1")
    start = "%minus = stablehlo.negate %xi : tensor<i32>\n%start = stablehlo.add %minus, %six : tensor<i32>\n"
    outer = WHILE.format("x", "%zero", "%A", start + middle, "%y#1")
    numbers = "".join(f"%{n} = stablehlo.constant dense<{v}> : tensor<i32>\n" for n, v in (("zero", 0), ("one", 1)))
    return (
        f"func.func @f(%A: tensor<6x6xf64>) -> tensor<6x6xf64> {{\n{numbers}"
        f"%six = stablehlo.constant dense<6> : tensor<i32>\n{outer}return %x#1 : tensor<6x6xf64>\n}}"
    )


def asked(target: str, level: str = "proved-all-sizes") -> Verdict:
    return check(LOOPS, target, CheckOptions(level=level, timeout=60))


def test_one_loop_makes_a_new_tensor_and_those_around_and_inside_of_it_change_theirs() -> None:
    assert isinstance(asked(nested()), Proved)


def test_where_a_loop_starts_is_no_clamp_away_from_where_it_writes() -> None:
    assert isinstance(asked(nested().replace("%za, %p, %start, %zi", "%za, %p, %zi, %start"), "bounded"), Refuted)
