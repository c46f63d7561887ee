"""What the report says."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_iris

from reports import CULTIVARS, EVIL, IRIS, LABELS, NAMES, PAGES, SCALED, WINE, of, wine
from softclust import EvidentialCMeans, FuzzyCMeans, FuzzyLabelSpreading, KMedoids, explain
from softclust.explanation import RowNames
from softclust.metrics import INDICES, brier_skill, validity
from softclust.report import report


class Reader(HTMLParser):
    """Reads the text of a page, and checks that its elements are closed in order."""

    VOID = ("meta", "input", "br")

    def __init__(self):
        super().__init__()
        self.open, self.text, self.tags, self.attributes = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


def words(page):
    return " ".join(" ".join(read(page).text).split())


@pytest.fixture(scope="module", params=[name for name in PAGES if name != "64 features"])
def page(request):
    return PAGES[request.param]()


def test_every_page_is_sound_and_needs_nothing_else(page):
    reader = read(page)
    assert reader.tags.count("script") == reader.tags.count("style") == 1
    assert not {"img", "link", "iframe"} & set(reader.tags)
    names = {name for name, _ in reader.attributes}
    assert "style" not in names  # which the policy would refuse
    assert not any(name.startswith("on") for name in names)
    assert "http:" not in page and "https:" not in page
    assert "nan" not in re.findall(r"[a-z]+", " ".join(reader.text).lower())
    ids = [value for name, value in reader.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {value[1:] for name, value in reader.attributes if name == "href"}
    assert links <= set(ids)
    assert len(page) < 400_000


def test_the_summary_counts_what_the_model_says():
    said = words(wine())
    model = FuzzyCMeans(3, label_strength=0.5, random_state=0).fit(SCALED, LABELS)
    counts = {name: int((model.labels_ == k).sum()) for k, name in enumerate(model.classes_)}
    first, second, third = sorted(counts, key=lambda name: -counts[name])
    assert (
        f"178 rows fall into 3 clusters: {first} ({counts[first]}), {second} ({counts[second]}) and "
        f"{third} ({counts[third]})." in said
    )
    clear = int((model.memberships_.max(axis=1) >= 0.8).sum())
    assert f"{clear} of 178 rows ({clear / 178:.0%}) are clearly in their cluster" in said
    top = np.sort(model.memberships_, axis=1)
    doubtful = int((top[:, -2] >= 0.5 * top[:, -1]).sum())
    assert f"The {doubtful} rows in doubt , first of all row {(top[:, -1] - top[:, -2]).argmin()}" in said
    assert "1 label or pair that the fit did not honour" in said


def test_values_are_in_original_units():
    said = words(wine())
    model = FuzzyCMeans(3, label_strength=0.5, random_state=0).fit(SCALED, LABELS)
    for k in range(3):
        mean = WINE.data[model.labels_ == k].mean(axis=0)
        assert any(f"{value:.4g} on average" in said for value in mean)
    assert f"{WINE.data[:, 12].max():.4g}" in said  # the end of a histogram


def test_doubtful_rows_have_their_explanation():
    model = FuzzyCMeans(3, random_state=0).fit(IRIS.data)
    said = words(report(model, IRIS.data, feature_names=NAMES))
    top = np.sort(model.memberships_, axis=1)
    row = int((top[:, -1] - top[:, -2]).argmin())
    assert explain(model, IRIS.data, row, feature_names=NAMES).sentence in said
    assert "Bars to the left speak for" in said


def test_outliers_have_their_explanation():
    said = words(PAGES["outliers"]())
    assert "6 rows far from every cluster" in said
    assert said.count(" belongs to no cluster: even from ") == 6


def test_labels_that_were_not_honoured_and_labels_that_look_wrong():
    said = words(wine())
    assert "row 30 is Barbera is in Barolo" in said
    assert "In 1 row another class is likelier than the label" in said
    model = FuzzyLabelSpreading(random_state=0).fit(SCALED, LABELS)
    doubted = int((model.label_doubts_["doubt"] > 0.5).sum())
    assert doubted >= 1
    said = words(report(model, SCALED, labels=LABELS))
    assert f"In {doubted} row" in said


def test_pairs_that_were_not_honoured():
    pairs = [(0, 100), (0, 60)]
    model = FuzzyCMeans(3, link_strength=1e-6, random_state=0).fit(IRIS.data, must_link=pairs)
    assert len(model.unsatisfied_) == 2
    said = words(report(model, IRIS.data))
    assert "in 2 cases. Look at them" in said
    assert "rows 0 and 100 belong together row 0 in cluster" in said


def test_known_classes_are_compared_on_rows_that_the_fit_was_not_told():
    model = FuzzyCMeans(3, label_strength=0.5, random_state=0).fit(SCALED, LABELS)
    untold = np.array([label is None for label in LABELS])
    skill = brier_skill(model.memberships_[untold], CULTIVARS[untold])
    said = words(wine())
    assert f"Of {untold.sum()} rows whose class is known and was not told to the fit" in said
    assert f"is {skill:.2f}: memberships foretell the classes very well" in said
    assert "memberships are too cautious" in said
    assert "Known classes" not in words(wine(classes=None))
    assert "Fewer than two classes are known" in words(wine(classes=["Barolo"] * 178))


def test_validity_is_last_and_says_which_side_is_good():
    page = wine()
    order = [
        page.index(f'id="{name}"') for name in ("clusters", "doubt", "outliers", "told", "rows", "validity")
    ]
    assert order == sorted(order)
    model = FuzzyCMeans(3, label_strength=0.5, random_state=0).fit(SCALED, LABELS)
    said = words(page)
    for name, value in validity(model, SCALED).items():
        side = "high" if INDICES[name].greater_is_better else "low"
        assert re.search(rf"{name.replace('_', ' ')} \S+ {side} ", said), (name, value)


def test_names_are_text():
    page = PAGES["evil"]()
    assert page.count("<script") == 1
    assert "<img" not in page
    assert words(page).count(EVIL) > 10


def test_masses_and_typicalities_have_their_words():
    page = of(EvidentialCMeans(3, random_state=0))
    assert 'id="word-mass"' in page and 'id="word-typicality"' not in page
    assert "on several clusters together" in words(page)
    assert 'id="word-typicality"' in PAGES["possibilistic"]()


def test_hard_partitions_do_not_speak_of_doubt():
    said = words(of(KMedoids(3)))
    assert "it does not tell its doubts" in said
    assert "This method does not tell outliers" in said
    assert "Pale rows" not in said
    assert "How sure" not in said


def test_given_distances_have_no_features():
    distances = np.linalg.norm(IRIS.data[:, None] - IRIS.data, axis=2)
    said = words(report(KMedoids(3, metric="precomputed").fit(distances), distances))
    assert "Typical rows: " in said
    assert "on average" not in said


def test_a_model_without_exact_parts_says_so_once():
    with pytest.warns(UserWarning):
        model = FuzzyCMeans(2, geometry="shells", max_iter=3, random_state=0).fit(IRIS.data)
    said = words(report(model, IRIS.data))
    assert said.count("has no exact parts by feature") == 1 + (model.outlier_mask_.any())


def test_a_fit_that_was_stopped_and_a_cluster_without_rows_come_first():
    with pytest.warns(UserWarning):
        model = FuzzyCMeans(3, max_iter=1, random_state=0).fit(IRIS.data)
    assert "stopped before it came to rest: fit again with a greater max_iter" in words(
        report(model, IRIS.data)
    )


def test_many_rows_make_a_small_page_that_says_so():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30_000, 3)) + np.repeat(np.eye(3) * 4, 10_000, axis=0)
    model = FuzzyCMeans(3, random_state=0).fit(rows)
    page = report(model, rows)
    assert len(page) < 600_000
    said = words(page)
    assert "of 30,000 rows are drawn" in said
    assert "of 30,000 rows, so that this file stays small" in said
    assert page.count("<tr>") < 600


def test_scales_of_any_size():
    for size in (1e-150, 1e150):
        said = words(of(FuzzyCMeans(3, random_state=0), X=load_iris().data * size))
        assert "150 rows fall into 3 clusters" in said


def test_constant_features_and_equal_rows():
    rows = np.column_stack([np.ones(40), np.repeat([0.0, 1.0], 20)])
    page = report(FuzzyCMeans(2, random_state=0).fit(rows), rows)
    assert "40 rows fall into 2 clusters" in words(page)


def test_other_rows_than_those_of_the_fit_are_refused():
    model = FuzzyCMeans(3, random_state=0).fit(IRIS.data)
    with pytest.raises(ValueError, match="X has 100 rows, but the model was fitted on 150: give those"):
        report(model, IRIS.data[:100])


def test_data_frames_keep_their_names():
    frame = load_iris(as_frame=True).data
    page = report(FuzzyCMeans(3, random_state=0).fit(frame), frame)
    assert "petal length (cm)" in words(page)


# ---------------------------------------------------------------------- names of rows
def test_rows_have_the_names_of_their_file_everywhere():
    y = [None] * 150
    y[0], y[100], y[120], y[60] = "a", "a", "b", "c"
    model = FuzzyCMeans(3, noise_distance=1.5, label_strength=1e-6, link_strength=1e-6, random_state=0)
    model.fit(IRIS.data, y, must_link=[(0, 140)])
    assert model.outlier_mask_.any() and {"label", "must-link"} <= set(model.unsatisfied_["kind"])
    lines = RowNames([f"{i + 1000} (P{i})" for i in range(150)], "line")
    page = report(model, IRIS.data, feature_names=NAMES, labels=y, row_names=lines)
    said = words(page)
    assert re.search(r"\brow \d", said, re.IGNORECASE) is None
    assert re.search(r"\brows \d+ and", said) is None
    doubtful = int(
        np.where(model.outlier_mask_, 9, np.ptp(np.sort(model.memberships_)[:, -2:], axis=1)).argmin()
    )
    assert f"first of all line {doubtful + 1000} (P{doubtful})." in said
    assert f"Line {doubtful + 1000} (P{doubtful}) is in " in said
    assert "lines 1000 (P0) and 1140 (P140) belong together line 1000 (P0) in " in said
    assert "Nearest labelled rows are lines 1" in said
    assert page.count("line 1007 (P7): ") == 1  # what the map says of a row
    assert '<td class="number" data-sort="7">1007 (P7)</td>' in page
    assert "NaN" not in page


def test_rows_without_names_have_positions():
    page = of(FuzzyCMeans(3, random_state=0))
    assert page.count("row 7: ") == 1
    assert '<td class="number" data-sort="7">7</td>' in page


def test_names_of_rows_are_text():
    model = FuzzyCMeans(3, random_state=0).fit(IRIS.data)
    page = report(model, IRIS.data, row_names=[EVIL] * 150)
    assert page.count("<script") == 1
    assert words(page).count(EVIL) > 150


def test_every_row_needs_a_name():
    model = FuzzyCMeans(3, random_state=0).fit(IRIS.data)
    with pytest.raises(ValueError, match="row_names has 1 names; X has 150 rows"):
        report(model, IRIS.data, row_names=["a"])


# ---------------------------------------------------------------------- classes of several clusters
def test_classes_of_several_clusters_are_judged_as_classes():
    y = [name if i % 5 == 0 else None for i, name in enumerate(CULTIVARS)]
    y[30] = "Barbera"  # a Barolo
    model = FuzzyCMeans(3, clusters_per_class=2, label_strength=0.1, random_state=0).fit(SCALED, y)
    assert list(model.classes_) == ["Barbera"] * 2 + ["Barolo"] * 2 + ["Grignolino"] * 2
    said = words(report(model, SCALED, labels=y, classes=CULTIVARS))
    assert "178 rows fall into 6 clusters" in said and "Barolo (2) (" in said
    untold = np.array([label is None for label in y])
    by_class = model.memberships_.reshape(178, 3, 2).sum(axis=2)[untold]
    right = (np.unique(CULTIVARS)[by_class.argmax(axis=1)] == CULTIVARS[untold]).mean()
    assert f"was not told to the fit, {right:.0%} are in the cluster of their class" in said
    assert f"is {brier_skill(by_class, CULTIVARS[untold]):.2f}: " in said
    assert "row 30 is Barbera is in Barolo" in said
    assert re.search(r"doubt about the label (\d+ \w+ \w+ \d+% )*30 Barbera Barolo \d+%", said)
