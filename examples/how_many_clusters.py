"""How many clusters are there?  Compare validity indices, none of which needs class labels."""

from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from softclust import FuzzyCMeans, select


def main():
    X = scale(load_wine().data)
    found = select(FuzzyCMeans(m=1.3, random_state=0), X, n_clusters=range(2, 7))
    for setting, votes in zip(found.settings, found.votes(), strict=True):
        print(f"{setting['n_clusters']} clusters: {votes} indices")
    print(f"{found.index} chooses {found.best_params_['n_clusters']}")


if __name__ == "__main__":
    main()
