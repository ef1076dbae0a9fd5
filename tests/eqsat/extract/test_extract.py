"""Extraction against brute force on random e-graphs with sharing and cycles."""

import itertools
import random

import pytest

from raising.eqsat.egraph.graph import EGraph, Node
from raising.eqsat.extract.greedy import NoProgram, cost_of, cycle, improved, shared, tree, used
from raising.eqsat.extract.ilp import _BRANCHING, _EFFORT, _Program, exact, undominated
from raising.eqsat.extract.reduce import reduced


def random_graph(seed: int) -> tuple[EGraph, list[float]]:
    """Six classes of up to three nodes; class 0 has a leaf, so that something can be computed."""
    rng = random.Random(seed)
    nodes = [Node("leaf", 0, ())]
    for klass in range(1, 6):
        nodes.append(Node("f", klass, tuple(rng.choices(range(klass), k=rng.randint(1, 2)))))
        for _ in range(rng.randint(0, 2)):  # any child: may be a cycle
            nodes.append(Node("g", klass, tuple(rng.choices(range(6), k=rng.randint(0, 2)))))
    return EGraph(tuple(nodes), (5, 4)), [float(rng.randint(0, 9)) for _ in nodes]


def brute(graph: EGraph, costs: list[float]) -> float:
    classes = sorted(graph.members)
    best = float("inf")
    for picks in itertools.product(*(graph.members[k] for k in classes)):
        choice = dict(zip(classes, picks, strict=True))
        if not cycle(graph, choice):
            best = min(best, cost_of(graph, choice, costs))
    return best


def tree_cost(graph: EGraph, choice: dict[int, int], costs: list[float], klass: int) -> float:
    node = graph.nodes[choice[klass]]
    return costs[choice[klass]] + sum(tree_cost(graph, choice, costs, c) for c in node.children)


@pytest.mark.parametrize("seed", range(40))
def test_choices_are_finite_and_the_exact_one_is_least(seed: int):
    graph, costs = random_graph(seed)
    least = brute(graph, costs)
    proved = exact(graph, costs)
    assert proved.cost == pytest.approx(least) and proved.gap == pytest.approx(0)
    for choice in (tree(graph, costs), shared(graph, costs), proved.choice):
        assert not cycle(graph, choice)
        order = used(graph, choice)
        assert set(graph.roots) <= set(order)
        for k in order:
            assert all(order.index(c) < order.index(k) for c in graph.nodes[choice[k]].children)
    assert cost_of(graph, shared(graph, costs), costs) <= cost_of(graph, tree(graph, costs), costs)


@pytest.mark.parametrize("first", range(0, 1200, 300))
def test_no_program_costs_less_than_the_bound_without_a_search(first: int):
    tight = 0
    for graph, costs in map(random_graph, range(first, first + 300)):
        kept = undominated(graph, costs)
        small = EGraph(tuple(graph.nodes[n] for n in kept), graph.roots)
        bound, least = reduced(small, [costs[n] for n in kept]).bound, brute(graph, costs)
        assert bound <= least + 1e-9
        tight += bound > least - 1e-9
    assert tight > 150


@pytest.mark.parametrize("seed", range(40))
def test_no_single_exchange_makes_an_improved_choice_cheaper(seed: int):
    graph, costs = random_graph(seed)
    start = tree(graph, costs)
    found = improved(graph, costs, start)
    assert not cycle(graph, found) and cost_of(graph, found, costs) <= cost_of(graph, start, costs)
    for klass in used(graph, found):
        for other in ({**found, klass: n} for n in graph.members[klass]):
            assert cycle(graph, other) or cost_of(graph, other, costs) >= cost_of(graph, found, costs)


@pytest.mark.parametrize("seed", range(10))
def test_tree_cost_is_least(seed: int):
    graph, costs = random_graph(seed)
    chosen = tree(graph, costs)
    best = float("inf")
    classes = sorted(graph.members)
    for picks in itertools.product(*(graph.members[k] for k in classes)):
        choice = dict(zip(classes, picks, strict=True))
        if not cycle(graph, choice):
            best = min(best, tree_cost(graph, choice, costs, 5))
    assert tree_cost(graph, chosen, costs, 5) == pytest.approx(best)


def test_sharing_beats_the_tree():
    """(x + x) with a dear x against two cheap ones: a tree pays x twice."""
    nodes = (
        Node("x", 0, ()),
        Node("y", 1, ()),
        Node("z", 2, ()),
        Node("twice", 3, (0, 0)),
        Node("pair", 3, (1, 2)),
    )
    graph, costs = EGraph(nodes, (3,)), [3.0, 2.0, 2.0, 0.0, 0.0]
    assert graph.nodes[tree(graph, costs)[3]].op == "pair"
    assert graph.nodes[exact(graph, costs).choice[3]].op == "twice"


def test_a_class_that_needs_itself_has_no_program():
    graph = EGraph((Node("f", 0, (1,)), Node("g", 1, (0,))), (0,))
    for extract in (tree, shared):
        with pytest.raises(NoProgram, match="1 of 1 results"):
            extract(graph, [1.0, 1.0])


def test_cycles_of_many_classes_need_no_second_solve():
    """A ring of classes, each computed from the next one or from an input: one input, and a way from it to all."""
    size = 60
    ring = [Node("next", k, ((k + 1) % size,)) for k in range(size)]
    inputs = [Node("input", k, ()) for k in range(size)]
    graph = EGraph((*ring, *inputs), tuple(range(size)))
    costs = [1.0] * size + [100.0 + k for k in range(size)]
    proved = exact(graph, costs)
    assert proved.cost == pytest.approx(100 + size - 1) and proved.gap == pytest.approx(0, abs=1e-5)


def test_the_effort_counts_what_takes_time():
    """A covering whose tree of choices is large: it ends within the effort, and a node takes a few steps of simplex."""
    rng, points, sets = random.Random(7), 60, 120
    ways = [rng.sample(range(sets), 4) for _ in range(points)]
    covered = [Node(f"by{s}", p, (points + s,)) for p, way in enumerate(ways) for s in way]
    graph = EGraph((*covered, *(Node("set", points + s, ()) for s in range(sets))), tuple(range(points)))
    costs = [0.0] * len(covered) + [float(rng.randint(40, 60)) for _ in range(sets)]
    known = shared(graph, costs)
    program = _Program(graph, costs, 1.0)
    choice, bound = program.solve(known, 60.0, 1.0)
    info = program.solver.getInfo()
    assert program.solver.getOptionValue(_BRANCHING[0])[1] == _BRANCHING[1]
    assert info.mip_node_count <= _EFFORT // len(program.nodes)
    assert bound <= cost_of(graph, choice, costs) <= cost_of(graph, known, costs)
