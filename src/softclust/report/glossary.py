"""The words of the report that need an explanation."""

from __future__ import annotations

from softclust.report.html import Html, joined, section, tag

GLOSSARY = {
    "membership": (
        "The share of a row in a cluster, from 0 to 1. The memberships of a row sum to 1, so they compare "
        "clusters with each other: .9 means that one cluster explains the row far better than the rest."
    ),
    "typicality": (
        "How typical a row is of a cluster, from 0 to 1, whatever the other clusters. A row may be typical "
        "of none (an outlier) or of several."
    ),
    "mass": (
        "Belief of a row in a set of clusters. Mass on a set of two means: one of these two, but the data "
        "do not tell which. Mass on no cluster means that the row looks like none of them."
    ),
    "doubt": (
        "How nearly two clusters claim a row: 1 minus the difference of its two greatest memberships. 0 is "
        "certain, 1 is a tie."
    ),
    "outlier": (
        "A row that is far from every cluster. Its memberships still sum to 1, but they say little."
    ),
    "outlier score": "How far a row is from every cluster: 0 at a centre, towards 1 far from all.",
    "label": "What somebody told the method about a row before the fit: its class.",
    "pair": "Two rows of which somebody told the method that they belong together, or apart.",
    "Brier skill": (
        "How much better memberships foretell the classes than the class shares do: 1 is perfect, 0 is no "
        "better, below 0 is worse."
    ),
}


def term(word: str, shown: str | None = None) -> Html:
    """Return a word whose explanation appears when it is pointed at or reached by keyboard."""
    tip = tag("span", GLOSSARY[word], role="tooltip", class_="tip")
    return tag("a", shown or word, tip, class_="term", href=f"#{anchor(word)}")


def anchor(word: str) -> str:
    """Return the name of a word's place in the glossary."""
    return f"word-{word.replace(' ', '-').lower()}"


def glossary(words: list[str]) -> Html:
    """Return the glossary of the words that a page uses."""
    entries = [
        joined([tag("dt", word, id=anchor(word)), tag("dd", text)])
        for word, text in GLOSSARY.items()
        if word in words
    ]
    return section("Words", tag("dl", *entries), id_="words")
