import random

from eqsat.components import components


def reach(edges, start):
    seen, pending = set(), [start]
    while pending:
        v = pending.pop()
        if v not in seen:
            seen.add(v)
            pending += edges[v]
    return seen


def test_vertices_share_a_component_where_each_reaches_the_other():
    for seed in range(60):
        rng = random.Random(seed)
        edges = {v: rng.sample(range(9), rng.randrange(3)) for v in range(9)}
        found = components(edges)
        for a in edges:
            for b in edges:
                assert (found[a] == found[b]) == (b in reach(edges, a) and a in reach(edges, b))


def test_a_long_path_takes_no_recursion():
    edges = {v: [v + 1] for v in range(100_000)} | {100_000: [0]}
    assert len(set(components(edges).values())) == 1
