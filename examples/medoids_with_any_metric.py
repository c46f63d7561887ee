"""Cluster words around medoids, by the pairs of letters that they share; any dissimilarity works."""

import numpy as np

from softclust import KMedoids

WORDS = ["cluster", "clusters", "clustering", "cloister", "medoid", "medoids", "fuzzy", "fuzzier", "fuzz"]


def apart(one, other):
    """Return 1 - the share of pairs of adjacent letters that both words have."""
    a, b = ({word[i : i + 2] for i in range(len(word) - 1)} for word in (one, other))
    return 1 - len(a & b) / len(a | b)


def main():
    D = np.array([[apart(one, other) for other in WORDS] for one in WORDS])
    model = KMedoids(3, metric="precomputed").fit(D)
    for k, medoid in enumerate(model.medoid_indices_):
        mine = [word for word, label in zip(WORDS, model.labels_, strict=True) if label == k]
        print(f"{WORDS[medoid]}: {', '.join(mine)}")


if __name__ == "__main__":
    main()
