"""The graph of pairs: which of them must hold."""

import numpy as np

from softclust.knowledge.graph import graph_of
from softclust.knowledge.linked import Linked


def test_only_cannot_links_that_must_hold_are_coloured():
    """Three rows apart at a finite price, and three that must be together, fit into one cluster."""
    ends = np.array([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5)])
    must = np.array([False, False, False, True, True])
    graph = graph_of(np.arange(6), ends, must, np.where(must, np.inf, 1.0))
    clusters, order = graph.colouring(1)
    assert (clusters == -1).all() and order.tolist() == list(range(6))


def test_labels_weigh_on_the_first_label_of_a_linked_row():
    """cost (1 + alpha (1 - 2 f)): 1.5 for cluster 0, and 0.9 for cluster 1, which the label wants."""
    graph = graph_of(np.arange(2), np.array([(0, 1)]), np.array([False]), np.array([1e-9]))
    cost, wanted = np.array([[1.0, 1.8], [0.1, 9.0]]), np.array([[0.0, 1.0], [np.nan, np.nan]])
    forms = np.ones(2), np.ones(2), np.empty((0, 0))
    linked = Linked(cost, np.zeros((2, 2)), wanted, np.array([0.5, 0.0]), graph, forms, 2)
    assert linked.settle_hard(None).argmax(axis=1).tolist() == [1, 0]
