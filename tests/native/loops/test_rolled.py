"""Statements for all members of a stride at once: same results, and nothing outside of the arrays touched."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.loops.interleave import Form
from raising.native.loops.rolled import rolled
from raising.pipeline import raise_module
from tests.native.guarded import guarded
from tests.native.nest.test_nest import nests, read
from tests.native.running import isolated, plainly_compiled

SIZES = (0, 1, 2, 7, 8, 15, 16, 17, 33, 64, 131)


def scaled(k: int, step: int) -> str:
    """Each member has a factor of its own, which is known before the loop."""
    return f"%r = arith.mulf %p{k}, %s{k} : f32"


def turned(k: int, step: int) -> str:
    """Every second member changes its sign."""
    return (
        f"%r = arith.negf %p{k} : f32" if k % 2 else "%r = arith.addf %p0, %zero : f32" if k == 0 and step == 3 else ""
    )


def weighed(k: int, step: int) -> str:
    """Each member is a sum of all, with other numbers."""
    lines = [f"%t0 = arith.mulf %p0, %s{k} : f32"]
    for other in range(1, step):
        lines.append(f"%c{other} = arith.constant {other + k}.25 : f32")
        lines.append(f"%m{other} = arith.mulf %p{other}, %c{other} : f32")
        lines.append(f"%t{other} = arith.addf %t{other - 1}, %m{other} : f32")
    return "\n".join([*lines, f"%r = arith.negf %t{step - 1} : f32"])


def shared(k: int, step: int) -> str:
    """All members have a factor that is computed of two of them."""
    return f"%t = arith.divf %p0, %p{step - 1} : f32\n%r = arith.mulf %t, %p{k} : f32"


def mixed(k: int, step: int) -> str:
    """The first member is computed in another way than the rest."""
    first = "arith.addf %p0, %s0" if k == 0 else f"arith.mulf %s0, %s{k}"
    return f"%t = {first} : f32\n%r = arith.maximumf %t, %p{k} : f32"


def following(k: int, step: int) -> str:
    """Members change places."""
    return f"%r = arith.subf %p{(k + 1) % step}, %p{(k + step - 1) % step} : f32"


def again(k: int, step: int) -> str:
    """What was written before is part of it."""
    return f"%r = arith.addf %o, %p{k} : f32"


def program(body: Any, step: int) -> tuple[str, str]:
    """y[i][k] = the member k of the body, out of all x[i]; twice, where what was written is read. And its arguments."""
    kind, view = f"memref<?x{step}xf32>", f"memref<?xf32, strided<[{step}], offset: "
    scalars = ", ".join(f"%s{k}: f32" for k in range(step))
    lines = ["%c0 = arith.constant 0 : index", "%zero = arith.constant -0.0 : f32", f"%n = memref.dim %x, %c0 : {kind}"]
    for k in range(step):
        for name, array in ((f"%x{k}", "%x"), (f"%y{k}", "%y")):
            lines.append(f"{name} = memref.subview {array}[0, {k}] [%n, 1] [1, 1] : {kind} to {view}{k}>>")
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (step + 1))
    reads, types = ", ".join(f"%x{k}" for k in range(step)), ", ".join(f"{view}{k}>>" for k in range(step))
    names = ", ".join(f"%p{k}: f32" for k in range(step))
    for each in (scaled, again) if body is again else (body,):
        for k in range(step):
            text = each(k, step)
            lines.append(f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
  ins({reads} : {types}) outs(%y{k} : {view}{k}>>) {{
^bb0({names}, %o: f32):
  {text}
  linalg.yield {"%r" if text else f"%p{k}"} : f32 }}""")
    return "\n".join(lines), f"%x: {kind}, %y: {kind}, {scalars}"


def _compare(body: Any, step: int) -> None:
    lines, arguments = program(body, step)
    text = f"func.func @f({arguments}) {{\n{lines}\nreturn\n}}"
    ours = compile_module(text, fp="strict")
    plain = plainly_compiled(text, fp="strict")
    rng = np.random.default_rng(0)
    scalars = rng.standard_normal(step).astype(np.float32)
    for n in SIZES:
        x, results = rng.standard_normal((n, step)).astype(np.float32), []
        special = x.reshape(-1)[::5]
        special[:] = np.resize(np.array([np.nan, -0.0, np.inf, 0.0, 1e-40], np.float32), special.shape)
        for compiled in (ours, plain):
            given, y = guarded(x), guarded(np.ones_like(x))
            compiled(given, y, *scalars)
            results.append(y.copy())
        one, two = results
        same = (one.view(np.uint32) == two.view(np.uint32)) | (np.isnan(one) & np.isnan(two) & (body is not turned))
        assert same.all(), (n, one[~same], two[~same])


@pytest.mark.parametrize("step", [2, 3, 4])
@pytest.mark.parametrize("body", [scaled, turned, weighed, shared, mixed, following, again])
def test_results_are_those_of_each_member_by_itself(body: Any, step: int) -> None:
    isolated(partial(_compare, body, step))
    found = rolled(tuple(nests(read(*program(body, step))[0])), 0, frozenset(), Form(bits=32, permutes=True))
    assert found is not None and found.step == step


@pytest.mark.parametrize("element", ["f32", "i8"])
@pytest.mark.parametrize("ends", [(0, 3), (1, 3), (2, 4)])
def test_members_that_are_left_alone_are_told_by_constants(element: str, ends: tuple[int, int]) -> None:
    """Which columns of four are changed is known: a vector of truths that is no whole word."""
    add = "arith.addf" if element == "f32" else "arith.addi"
    text = f"""func.func @f(%x: memref<?x4x{element}>, %n: index) {{
  affine.for %i = 0 to %n {{ affine.for %j = {ends[0]} to {ends[1]} {{
    %v = affine.load %x[%i, %j] : memref<?x4x{element}>
    %w = {add} %v, %v : {element}
    affine.store %w, %x[%i, %j] : memref<?x4x{element}>
  }} }}
  return
}}"""
    compiled = compile_module(raise_module(text).text, fp="fast")
    for n in SIZES:
        x = np.arange(4 * n).reshape(n, 4).astype(np.float32 if element == "f32" else np.int8)
        wanted = x.copy()
        wanted[:, ends[0] : ends[1]] *= 2
        compiled(x, n)
        np.testing.assert_array_equal(x, wanted)
