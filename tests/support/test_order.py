import random

from raising.support.graphs import component_of, components


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
        found = component_of(edges)
        for a in edges:
            for b in edges:
                assert (found[a] == found[b]) == (b in reach(edges, a) and a in reach(edges, b))


def test_a_long_path_takes_no_recursion():
    edges = {v: [v + 1] for v in range(100_000)} | {100_000: [0]}
    assert len(set(component_of(edges).values())) == 1


def test_components_come_before_those_that_they_reach_and_in_text_order_otherwise():
    edges = {"d": {"a"}, "c": set(), "b": {"e"}, "a": {"d", "c"}, "e": {"b"}}
    assert components(["a", "b", "c", "d", "e"], edges) == [["a", "d"], ["b", "e"], ["c"]]
