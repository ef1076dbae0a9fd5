"""What depends on positions, order and control: slices at places, gathers, sorts, windows, loops and branches."""

from __future__ import annotations

import math

from tests.hunt.exported.module import ROUNDED, Value, Writing, kind

_LEAST = {"f32": "0xFF800000", "f64": "0xFFF0000000000000"}
_MOST = {"f32": "0x7F800000", "f64": "0x7FF0000000000000"}


def greatest(w: Writing) -> Value | None:
    """`jnp.argmax` and `jnp.argmin`: a reduction of two operands in a function of its own."""
    x = w.pick(lambda v: v.is_float and len(v.shape) > 0 and v.is_exact)
    if x is None:
        return None
    d = w.rng.randrange(len(x.shape))
    way, start = w.rng.choice([("GT", _LEAST), ("LT", _MOST)])
    to, cell = _but(x.shape, d), kind((), x.element)
    place, name = w.rng.choice(["i32", "i64"]), f"@argmax_{w.count}"
    at = kind(to, place)
    w.called.append(f"""  func.func private {name}(%arg0: {x.type}) -> {at} {{
    %c = stablehlo.constant dense<0> : tensor<{place}>
    %cst = stablehlo.constant dense<{start[x.element]}> : {cell}
    %0 = stablehlo.iota dim = {d} : {kind(x.shape, place)}
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [{d}] : ({x.type}, {
        kind(x.shape, place)
    }, {cell}, tensor<{place}>) -> ({kind(to, x.element)}, {at})
     reducer(%arg1: {cell}, %arg3: {cell}) (%arg2: tensor<{place}>, %arg4: tensor<{place}>)  {{
      %2 = stablehlo.compare {way}, %arg1, %arg3, FLOAT : ({cell}, {cell}) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : ({cell}, {cell}) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : ({cell}, {cell}) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<{place}>, tensor<{place}>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, {cell}
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<{place}>
      stablehlo.return %9, %10 : {cell}, tensor<{place}>
    }}
    return %1#1 : {at}
  }}""")
    return w.op(f"call {name}({x.name}) : ({x.type}) -> {at}", to, place)


def _but(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return (*shape[:dim], *shape[dim + 1 :])


def counted(w: Writing) -> Value | None:
    """Positions along a dimension."""
    x = w.pick(lambda v: len(v.shape) > 0)
    if x is None:
        return None
    d, element = w.rng.randrange(len(x.shape)), w.rng.choice(["f32", "i32", "i64"])
    return w.op(f"stablehlo.iota dim = {d} : {kind(x.shape, element)}", x.shape, element, 5)


def at_place(w: Writing) -> Value | None:
    """A part at a place that is computed, read or written; a negative place counts from the end, as in Python."""
    x = w.pick(lambda v: len(v.shape) > 0)
    if x is None:
        return None
    where = [_place(w, n) for n in x.shape]
    sizes = [w.rng.randint(1, n) for n in x.shape]
    types, names = ", ".join(v.type for v in where), ", ".join(v.name for v in where)
    if w.rng.random() < 0.5:
        text = f"stablehlo.dynamic_slice {x.name}, {names}, sizes = {sizes} : ({x.type}, {types})"
        return w.op(f"{text} -> {kind(sizes, x.element)}", sizes, x.element, x.bits)
    cuts = ", ".join(f"0:{n}" for n in sizes)
    part = w.op(f"stablehlo.slice {x.name} [{cuts}] : ({x.type}) -> {kind(sizes, x.element)}", sizes, x.element, x.bits)
    if part.is_number:
        part = w.same("add", [part, w.number(1, part)], part.bits + 3)
    text = f"stablehlo.dynamic_update_slice {x.name}, {part.name}, {names} : ({x.type}, {part.type}, {types})"
    return w.op(f"{text} -> {x.type}", x.shape, x.element, max(x.bits, part.bits))


def _place(w: Writing, extent: int) -> Value:
    """A position as JAX normalises it."""
    found = w.pick(lambda v: v.element == "i32" and not v.shape)
    if found is None:
        text = f"stablehlo.constant dense<{w.rng.randint(-1, extent)}> : tensor<i32>"
        return w.op(text, (), "i32")
    shifted = w.same("add", [found, w.number(extent, found)])
    return w.select(w.compare("LT", found, w.number(0, found)), shifted, found)


def gathered(w: Writing) -> Value | None:
    """`x[i]` with an array of positions: rows of `x`, or an element of each."""
    x = w.pick(lambda v: len(v.shape) > 0)
    i = w.pick(lambda v: v.element in ("i32", "i64") and len(v.shape) == 1)
    if x is None or i is None:
        return None
    d = w.rng.randrange(len(x.shape))
    column = w.spread(i, (*i.shape, 1), [0])
    sizes = [1 if k == d else n for k, n in enumerate(x.shape)]
    shape = [*_but(x.shape, d)[:d], i.shape[0], *_but(x.shape, d)[d:]]
    offsets = [k for k in range(len(shape)) if k != d]
    text = f'"stablehlo.gather"({x.name}, {column.name}) <{{dimension_numbers = #stablehlo.gather<'
    text += f"offset_dims = {offsets}, collapsed_slice_dims = [{d}], start_index_map = [{d}], index_vector_dim = 1>"
    text += f", slice_sizes = array<i64: {', '.join(map(str, sizes))}>}}> : ({x.type}, {column.type})"
    return w.op(f"{text} -> {kind(shape, x.element)}", shape, x.element, x.bits)


def scattered(w: Writing) -> Value | None:
    """`x.at[i].add(1)` and `.set(1)`, with places beyond the end."""
    x = w.pick(lambda v: v.is_number and len(v.shape) > 0)
    i = w.pick(lambda v: v.element in ("i32", "i64") and len(v.shape) == 1)
    if x is None or i is None:
        return None
    column = w.spread(i, (*i.shape, 1), [0])
    update = w.number(1, Value("", (i.shape[0], *x.shape[1:]), x.element))
    cell = kind((), x.element)
    body = f"      %t = stablehlo.add %old, %new : {cell}\n" if w.rng.random() < 0.6 else ""
    text = f'"stablehlo.scatter"({x.name}, {column.name}, {update.name}) <{{indices_are_sorted = false, '
    text += f"scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {list(range(1, len(x.shape)))}, "
    text += "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, "
    text += f"unique_indices = false}}> ({{\n    ^bb0(%old: {cell}, %new: {cell}):\n{body}"
    text += f"      stablehlo.return {'%t' if body else '%new'} : {cell}\n    }})"
    types = f"({x.type}, {column.type}, {update.type}) -> {x.type}"
    return w.op(f"{text} : {types}", x.shape, x.element, x.bits + i.shape[0].bit_length() + 3)


def ordered(w: Writing) -> Value | None:
    """`jnp.sort`, or the positions that sort (two operands)."""
    x = w.pick(lambda v: v.is_number and len(v.shape) > 0 and v.is_exact)
    if x is None:
        return None
    d, cell = w.rng.randrange(len(x.shape)), kind((), x.element)
    how = "FLOAT" if x.is_float else "SIGNED"
    less = f"stablehlo.compare {w.rng.choice(['LT', 'GT'])}, %a, %b, {how} : ({cell}, {cell}) -> tensor<i1>"
    end = f"      %less = {less}\n      stablehlo.return %less : tensor<i1>\n    }})"
    options = f"<{{dimension = {d} : i64, is_stable = true}}>"
    if w.rng.random() < 0.5:
        text = f'"stablehlo.sort"({x.name}) {options} ({{\n    ^bb0(%a: {cell}, %b: {cell}):\n{end}'
        return w.op(f"{text} : ({x.type}) -> {x.type}", x.shape, x.element, x.bits)
    along = w.op(f"stablehlo.iota dim = {d} : {kind(x.shape, 'i32')}", x.shape, "i32")
    both = f"({x.type}, {along.type})"
    name = w.fresh()
    head = f'    {name}:2 = "stablehlo.sort"({x.name}, {along.name}) {options} ({{\n'
    given = f"%a: {cell}, %b: {cell}, %c: tensor<i32>, %d: tensor<i32>"
    w.lines.append(f"{head}    ^bb0({given}):\n{end} : {both} -> {both}")
    return Value(f"{name}#1", x.shape, "i32")


def windowed(w: Writing) -> Value | None:
    """`jnp.cumsum` as a window that reaches to the begin, or the greatest of each window."""
    x = w.pick(lambda v: v.is_number and len(v.shape) > 0)
    if x is None:
        return None
    rank, d, cell = len(x.shape), w.rng.randrange(len(x.shape)), kind((), x.element)
    if w.rng.random() < 0.5 or not x.is_float:
        name, start, window = "add", "0.0" if x.is_float else "0", [x.shape[k] if k == d else 1 for k in range(rank)]
        rims = [(x.shape[k] - 1 if k == d else 0, 0) for k in range(rank)]
        strides, shape = [1] * rank, list(x.shape)
    else:
        name, start, window = "maximum", _LEAST[x.element], [min(2, n) for n in x.shape]
        rims, strides = [(0, 0)] * rank, [w.rng.choice([1, 2]) for _ in x.shape]
        shape = [(n - k) // s + 1 for n, k, s in zip(x.shape, window, strides, strict=True)]
    init = w.op(f"stablehlo.constant dense<{start}> : {cell}", (), x.element)
    said = ", ".join(f"[{low}, {high}]" for low, high in rims)
    text = f'"stablehlo.reduce_window"({x.name}, {init.name}) <{{padding = dense<[{said}]> : tensor<{rank}x2xi64>, '
    text += f"window_dimensions = array<i64: {', '.join(map(str, window))}>, "
    text += f"window_strides = array<i64: {', '.join(map(str, strides))}>}}> ({{\n    ^bb0(%a: {cell}, %b: {cell}):\n"
    text += f"      %s = stablehlo.{name} %a, %b : {cell}\n      stablehlo.return %s : {cell}\n    }})"
    text += f" : ({x.type}, {cell}) -> {kind(shape, x.element)}"
    return w.op(text, shape, x.element, x.bits + math.prod(x.shape).bit_length())


def looped(w: Writing) -> Value | None:
    """`lax.fori_loop`, or `lax.while_loop` on the sum of what it changes."""
    x = w.pick(lambda v: v.is_float and v.is_exact)
    if x is None:
        return None
    rounds, on_data = w.rng.choice([0, 1, 2, 5]), w.rng.random() < 0.4
    start, end = (w.number(n, Value("", (), "i32")) for n in (0, rounds))
    one, half = w.number(1, Value("", (), "i32")), w.number(0.5, x)
    name, cell = w.fresh(), kind((), x.element)
    w.lines.append(f"    {name}:2 = stablehlo.while(%i = {start.name}, %x = {x.name}) : tensor<i32>, {x.type}")
    w.lines.append(
        f"    cond {{\n      %p = stablehlo.compare LT, %i, {end.name}, SIGNED : (tensor<i32>, tensor<i32>)"
        " -> tensor<i1>"
    )
    done = "%p"
    if on_data:
        dims = list(range(len(x.shape)))
        w.lines.append(
            f"      %z = stablehlo.constant dense<0.0> : {cell}\n      %m = stablehlo.constant dense<9.0> : {cell}\n"
            f"      %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = {dims}"
            f" : ({x.type}, {cell}) -> {cell}\n"
            f"      %q = stablehlo.compare LT, %s, %m, FLOAT : ({cell}, {cell}) -> tensor<i1>\n"
            "      %r = stablehlo.and %p, %q : tensor<i1>"
        )
        done = "%r"
    w.lines.append(f"      stablehlo.return {done} : tensor<i1>\n    }} do {{")
    w.lines.append(
        f"      %j = stablehlo.add %i, {one.name} : tensor<i32>\n"
        f"      %f = stablehlo.convert %i : (tensor<i32>) -> {cell}\n"
        f"      %g = stablehlo.broadcast_in_dim %f, dims = [] : ({cell}) -> {x.type}\n"
        f"      %h = stablehlo.multiply %x, {half.name} : {x.type}\n      %y = stablehlo.add %h, %g : {x.type}\n"
        f"      stablehlo.return %j, %y : tensor<i32>, {x.type}\n    }}"
    )
    return Value(f"{name}#1", x.shape, x.element, x.bits + 2 * rounds + 3)


def branched(w: Writing) -> Value | None:
    """`lax.cond` and `lax.switch`."""
    x = w.pick(lambda v: v.is_float and v.is_exact)
    if x is None:
        return None
    i = w.pick(lambda v: v.element == "i32" and not v.shape) or _whether(w, x)
    c = w.number(2, x)
    ways = w.rng.sample(["multiply", "add", "subtract", "maximum"], w.rng.choice([2, 3]))
    regions = "}, {\n".join(
        f"      %t = stablehlo.{way} {x.name}, {c.name} : {x.type}\n      stablehlo.return %t : {x.type}\n    "
        for way in ways
    )
    text = f'"stablehlo.case"({i.name}) ({{\n{regions}}}) : (tensor<i32>) -> {x.type}'
    return w.op(text, x.shape, x.element, x.bits + 3)


def _whether(w: Writing, x: Value) -> Value:
    """1 if the sum of a value is above 0, as `lax.cond` has it."""
    zero = w.number(0, Value("", (), x.element))
    text = f"stablehlo.reduce({x.name} init: {zero.name}) applies stablehlo.add across dimensions = "
    total = w.op(f"{text}{list(range(len(x.shape)))} : ({x.type}, {zero.type}) -> {zero.type}", (), x.element)
    return w.convert(w.compare("GT", total, zero), "i32")


def convolved(w: Writing) -> Value | None:
    """A convolution of two matrices."""
    x = w.pick(lambda v: v.is_float and len(v.shape) == 2)
    k = w.pick(
        lambda v: (
            x is not None
            and v.element == x.element
            and len(v.shape) == 2
            and all(a <= b for a, b in zip(v.shape, x.shape, strict=True))
        )
    )
    if x is None or k is None:
        return None
    x4, k4 = (w.spread(v, (1, 1, *v.shape), [2, 3]) for v in (x, k))
    rim, stride = w.rng.choice([0, 1]), w.rng.choice([1, 2])
    shape = [1, 1, *((n + 2 * rim - m) // stride + 1 for n, m in zip(x.shape, k.shape, strict=True))]
    text = f"stablehlo.convolution({x4.name}, {k4.name}) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], "
    text += f"window = {{stride = [{stride}, {stride}], pad = [[{rim}, {rim}], [{rim}, {rim}]]}} "
    text += f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x4.type}, {k4.type})"
    made = w.op(f"{text} -> {kind(shape, x.element)}", shape, x.element, min(ROUNDED, x.bits + k.bits + 4))
    flat = shape[2:]
    return w.op(f"stablehlo.reshape {made.name} : ({made.type}) -> {kind(flat, x.element)}", flat, x.element, made.bits)


DRAWS = (
    *(greatest, greatest, counted, at_place, at_place, gathered, scattered, ordered, windowed, looped, branched),
    convolved,
)
"""All of these."""
