"""Loaders of data sets from the literature, in the form of scikit-learn's loaders."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from importlib import resources
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from softclust.datasets.checks import check_flags

_ECOLI_CLASSES = ("cp", "im", "pp", "imU", "om", "omL", "imL", "imS")
_ECOLI_LARGE = 5  # classes with 20 rows or more; they come first
_GLASS_CLASSES = {
    "1": "building_windows_float_processed",
    "2": "building_windows_non_float_processed",
    "3": "vehicle_windows_float_processed",
    "5": "containers",
    "6": "tableware",
    "7": "headlamps",
}
_UCI_IRIS_ROWS = (34, 37)
_UCI_IRIS_VALUES = (4.9, 3.1, 1.5, 0.1)


def load_ecoli(*, rare_as_outliers: bool = False, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load Ecoli: 336 proteins by 7 scores of their sequence, classed by location in the cell.

    The eight classes have 143, 77, 52, 35, 20, 5, 2 and 2 rows.

    Parameters
    ----------
    rare_as_outliers : bool, default=False
        Whether to label the rows of the three classes with 5 rows or fewer -1, which leaves five classes.
    return_X_y : bool, default=False
        Whether to return `(data, target)` only.
    as_frame : bool, default=False
        Whether to return data and target as pandas objects.

    Returns
    -------
    ecoli : Bunch
        `data` (336, 7), `target`, `feature_names`, `target_names`, `frame`, `DESCR`, and
        `sequence_names`, the name of each protein.  With `return_X_y`, only `data` and `target`.

    References
    ----------
    .. [1] Nakai, K. (1996). Ecoli. UCI Machine Learning Repository, https://doi.org/10.24432/C5388M,
       Creative Commons Attribution 4.0.
    .. [2] Horton, P. and Nakai, K. (1996). A probabilistic classification system for predicting the
       cellular localization sites of proteins. Intelligent Systems in Molecular Biology 4, 109-115.

    Examples
    --------
    >>> import numpy as np
    >>> from softclust.datasets import load_ecoli
    >>> X, y = load_ecoli(return_X_y=True)
    >>> X.shape, np.bincount(y)
    ((336, 7), array([143,  77,  52,  35,  20,   5,   2,   2]))
    """
    check_flags(rare_as_outliers=rare_as_outliers, return_X_y=return_X_y, as_frame=as_frame)
    header, rows = _read("ecoli")
    target = np.array([_ECOLI_CLASSES.index(row[-1]) for row in rows])
    kept = _ECOLI_LARGE if rare_as_outliers else len(_ECOLI_CLASSES)
    target[target >= kept] = -1
    classes = _ECOLI_CLASSES[:kept]
    data = np.array([row[1:-1] for row in rows], dtype=np.float64)
    names = np.array([row[0] for row in rows])
    return _give("ecoli", data, target, header[1:-1], classes, return_X_y, as_frame, sequence_names=names)


def load_glass(*, include_id: bool = False, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load Glass: 214 pieces of six kinds of glass, by refraction and chemical content.

    The six classes have 70, 76, 17, 13, 9 and 29 rows, and the rows are sorted by class.  The literature
    often counts ten features: the tenth is the number of the row, which reveals the class.

    Parameters
    ----------
    include_id : bool, default=False
        Whether to put the number of the row, 1 to 214, before the nine features.  A score with the number
        of the row is no evidence for a method; the option serves to repeat published figures.
    return_X_y, as_frame
        As in `load_ecoli`.

    Returns
    -------
    glass : Bunch
        `data` (214, 9), or (214, 10) with the number of the row, `target`, `feature_names`,
        `target_names`, `frame`, `DESCR`.  With `return_X_y`, only `data` and `target`.

    References
    ----------
    .. [1] German, B. (1987). Glass Identification. UCI Machine Learning Repository,
       https://doi.org/10.24432/C5WW2P, Creative Commons Attribution 4.0.
    .. [2] Evett, I. W. and Spiehler, E. J. (1987). Rule induction in forensic science. Central Research
       Establishment, Home Office Forensic Science Service.

    Examples
    --------
    >>> from softclust.datasets import load_glass
    >>> glass = load_glass()
    >>> glass.data.shape, glass.feature_names[:3]
    ((214, 9), ['RI', 'Na', 'Mg'])
    """
    check_flags(include_id=include_id, return_X_y=return_X_y, as_frame=as_frame)
    header, rows = _read("glass")
    first = 0 if include_id else 1
    data = np.array([row[first:-1] for row in rows], dtype=np.float64)
    codes = {number: code for code, number in enumerate(_GLASS_CLASSES)}
    target = np.array([codes[row[-1]] for row in rows])
    return _give("glass", data, target, header[first:-1], _GLASS_CLASSES.values(), return_X_y, as_frame)


def load_letters_ijl(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load Letters: 2,263 printed capitals I, J and L, by 16 measures of their pixels.

    The data set has all 755, 747 and 761 rows of these letters in UCI's file.  Papers on evidential
    clustering take 227 of these rows and do not say which.

    Parameters
    ----------
    return_X_y, as_frame
        As in `load_ecoli`.

    Returns
    -------
    letters : Bunch
        `data` (2263, 16), `target`, `feature_names`, `target_names`, `frame`, `DESCR`.  With `return_X_y`,
        only `data` and `target`.

    References
    ----------
    .. [1] Slate, D. (1991). Letter Recognition. UCI Machine Learning Repository,
       https://doi.org/10.24432/C5ZP40, Creative Commons Attribution 4.0.
    .. [2] Frey, P. W. and Slate, D. J. (1991). Letter recognition using Holland-style adaptive classifiers.
       Machine Learning 6, 161-182.

    Examples
    --------
    >>> from softclust.datasets import load_letters_ijl
    >>> letters = load_letters_ijl()
    >>> letters.data.shape, letters.target_names.tolist()
    ((2263, 16), ['I', 'J', 'L'])
    """
    check_flags(return_X_y=return_X_y, as_frame=as_frame)
    header, rows = _read("letters_ijl")
    data = np.array([row[1:] for row in rows], dtype=np.float64)
    target = np.array(["IJL".index(row[0]) for row in rows])
    return _give("letters_ijl", data, target, header[1:], "IJL", return_X_y, as_frame)


def load_iris_uci(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load Iris as UCI prints it; many papers use this version, which differs from Fisher's in two rows.

    Rows 34 and 37, counted from 0, are both 4.9, 3.1, 1.5, 0.1.  In Fisher's version, which `load_iris`
    returns, these rows are 4.9, 3.1, 1.5, 0.2 and 4.9, 3.6, 1.4, 0.1.

    Parameters
    ----------
    return_X_y, as_frame
        As in `load_ecoli`.

    Returns
    -------
    iris : Bunch
        `data` (150, 4), `target`, `feature_names`, `target_names`, `frame`, `DESCR`.  With `return_X_y`,
        only `data` and `target`.

    References
    ----------
    .. [1] Fisher, R. A. (1936). Iris. UCI Machine Learning Repository, https://doi.org/10.24432/C56C76,
       Creative Commons Attribution 4.0.
    .. [2] Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics
       7, 179-188.

    Examples
    --------
    >>> from softclust.datasets import load_iris_uci
    >>> load_iris_uci().data[[34, 37]]
    array([[4.9, 3.1, 1.5, 0.1],
           [4.9, 3.1, 1.5, 0.1]])
    """
    check_flags(return_X_y=return_X_y, as_frame=as_frame)
    fisher = load_iris()
    data = fisher.data.copy()
    data[list(_UCI_IRIS_ROWS)] = _UCI_IRIS_VALUES
    names = fisher.feature_names, fisher.target_names
    return _give("iris_uci", data, fisher.target, *names, return_X_y, as_frame)


def load_iris(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load Iris as Fisher printed it, with `sklearn.datasets.load_iris`.

    Parameters
    ----------
    return_X_y, as_frame
        As in `load_ecoli`.

    Returns
    -------
    iris : Bunch
        `data` (150, 4), `target` and the other fields of scikit-learn's loader.  With `return_X_y`, only
        `data` and `target`.

    References
    ----------
    .. [1] Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics
       7, 179-188.

    Examples
    --------
    >>> from softclust.datasets import load_iris
    >>> load_iris().data.shape
    (150, 4)
    """
    from sklearn import datasets

    return datasets.load_iris(return_X_y=return_X_y, as_frame=as_frame)


def load_wine(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load Wine, 178 wines of three growers, with `sklearn.datasets.load_wine`.

    Parameters
    ----------
    return_X_y, as_frame
        As in `load_ecoli`.

    Returns
    -------
    wine : Bunch
        `data` (178, 13), `target` and the other fields of scikit-learn's loader.  With `return_X_y`, only
        `data` and `target`.

    Examples
    --------
    >>> from softclust.datasets import load_wine
    >>> load_wine().data.shape
    (178, 13)
    """
    from sklearn import datasets

    return datasets.load_wine(return_X_y=return_X_y, as_frame=as_frame)


def load_breast_cancer(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load Wdbc, the Wisconsin diagnostic breast cancer data, with `sklearn.datasets.load_breast_cancer`.

    Parameters
    ----------
    return_X_y, as_frame
        As in `load_ecoli`.

    Returns
    -------
    wdbc : Bunch
        `data` (569, 30), `target` and the other fields of scikit-learn's loader.  With `return_X_y`, only
        `data` and `target`.

    Examples
    --------
    >>> from softclust.datasets import load_breast_cancer
    >>> load_breast_cancer().data.shape
    (569, 30)
    """
    from sklearn import datasets

    return datasets.load_breast_cancer(return_X_y=return_X_y, as_frame=as_frame)


def _text(name: str) -> str:
    """Return the text of a file in the folder data."""
    return (resources.files("softclust.datasets") / "data" / name).read_text(encoding="utf-8")


def _read(name: str) -> tuple[list[str], list[list[str]]]:
    """Return the column names of a table, and its rows as text."""
    header, *rows = csv.reader(_text(f"{name}.csv").splitlines())
    return header, rows


def _give(
    name: str,
    data: Any,
    target: Any,
    feature_names: Iterable[str],
    target_names: Iterable[str],
    return_X_y: bool,
    as_frame: bool,
    **more: Any,
) -> Any:
    """Return data and target in the requested form."""
    feature_names, frame = list(feature_names), None
    if as_frame:
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("as_frame=True needs pandas; install it, or leave as_frame False.") from error
        data = pd.DataFrame(data, columns=feature_names)
        target = pd.Series(target, name="target")
        frame = pd.concat([data, target], axis=1)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=feature_names,
        target_names=np.array(list(target_names)),
        DESCR=_text(f"{name}.rst"),
        **more,
    )
