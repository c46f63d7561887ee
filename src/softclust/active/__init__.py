"""Ask the expert: which rows and pairs are most worth a question, and what the expert said.

`ask_rows` and `ask_pairs` are plain functions over a fitted estimator.  `Session` keeps the answers, undoes
and redoes them, fits, and saves them in a file.  `simulate` measures how many labels a strategy saves.
"""

from typing import TYPE_CHECKING

from softclust._lazy import loaded_when_asked

if TYPE_CHECKING:  # for editors and type checkers; at run time names are loaded when they are asked for
    from softclust.active.advising import Advice as Advice
    from softclust.active.advising import advice as advice
    from softclust.active.curves import Curves as Curves
    from softclust.active.doubts import doubt as doubt
    from softclust.active.doubts import outlying as outlying
    from softclust.active.pair_questions import ask_pairs as ask_pairs
    from softclust.active.questions import ask_rows as ask_rows
    from softclust.active.refits import class_shares as class_shares
    from softclust.active.session import Session as Session
    from softclust.active.simulation import simulate as simulate
    from softclust.active.strategies import STRATEGIES as STRATEGIES
    from softclust.active.view import View as View
    from softclust.active.wrong_labels import doubted_labels as doubted_labels

_HOMES = {
    "Advice": "advising",
    "Curves": "curves",
    "STRATEGIES": "strategies",
    "Session": "session",
    "View": "view",
    "advice": "advising",
    "ask_pairs": "pair_questions",
    "ask_rows": "questions",
    "class_shares": "refits",
    "doubt": "doubts",
    "doubted_labels": "wrong_labels",
    "outlying": "doubts",
    "simulate": "simulation",
}

__all__ = [*_HOMES]
__getattr__, __dir__ = loaded_when_asked(__name__, _HOMES)
